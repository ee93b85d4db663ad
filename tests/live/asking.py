"""Ask the engine's scripts by way of node."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

from viz.web.bundles import WEB


def ask(asked: dict[str, Any], folder: Path) -> dict[str, Any]:
    """What ``viz/web/tests/compare.js`` answers; ``folder`` takes what is asked."""
    file = folder / "asked.json"
    file.write_text(json.dumps(asked), encoding="utf-8")
    command = [str(shutil.which("node")), str(WEB / "tests" / "compare.js"), str(file)]
    ran = subprocess.run(command, capture_output=True, text=True, check=False, encoding="utf-8")
    assert ran.returncode == 0, ran.stderr[-3000:]
    answer: dict[str, Any] = json.loads(ran.stdout)
    return answer
