"""The command line of what is seen: python -m viz COMMAND."""

from __future__ import annotations

import sys

from viz.export.command import main

if __name__ == "__main__":
    sys.exit(main())
