"""The command line: python -m model COMMAND."""

from __future__ import annotations

import argparse
import importlib
import sys

from model.errors import HeadlightError

COMMANDS = ("prepare", "train")


def main(argv: list[str] | None = None) -> int:
    """Run one command; 0 on success, 2 with one sentence on stderr where the caller can mend it."""
    parser = argparse.ArgumentParser(prog="python -m model", description=__doc__)
    subparsers = parser.add_subparsers(dest="command", required=True)
    modules = {name: importlib.import_module(f"model.commands.{name}") for name in COMMANDS}
    for name, module in modules.items():
        module.add_arguments(subparsers.add_parser(name, help=module.HELP, description=module.HELP))
    args = parser.parse_args(argv)
    try:
        modules[args.command].run(args)
    except HeadlightError as error:
        print(f"{parser.prog} {args.command}: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("stopped", file=sys.stderr)
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
