"""Headlight: see what every attention head of a translator, or of your own model, looks at."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from importlib.metadata import PackageNotFoundError, version

from headlight import demo, serve
from model.__main__ import COMMANDS as MODEL_COMMANDS
from model.__main__ import main as model_main
from viz.__main__ import VIEW_COMMANDS
from viz.__main__ import main as viz_main

PROG = "headlight"
OWN: Mapping[str, tuple[str, Callable[[list[str]], int]]] = {
    "serve": ("the app, in your browser", serve.main),
    "demo": ("one sentence with all its heads as a page in your browser, without a server", demo.main),
}


def commands() -> dict[str, str]:
    """Every command and what it does."""
    own = {name: text for name, (text, _) in OWN.items()}
    return own | {name: command.help for name, command in VIEW_COMMANDS.items()} | MODEL_COMMANDS


def usage() -> str:
    """The text of ``headlight --help``."""
    width = max(map(len, commands()))
    lines = [f"  {name:{width}}  {text}" for name, text in commands().items()]
    head = [f"usage: {PROG} COMMAND …", "", __doc__, "", "commands:"]
    return "\n".join(
        [*head, *lines, "", f"{PROG} COMMAND --help says what a command takes; {PROG} --version which it is."]
    )


def installed() -> str:
    """The version, or that this is a tree that was not installed."""
    try:
        return version("headlight")
    except PackageNotFoundError:
        return "not installed"


def main(argv: list[str] | None = None) -> int:
    """Run one command; 0 on success, 2 with one sentence on stderr where the caller can mend it."""
    argv = sys.argv[1:] if argv is None else argv
    name, *rest = argv or ["--help"]
    if name in ("-h", "--help"):
        print(usage())
        return 0
    if name == "--version":
        print(f"{PROG} {installed()}")
        return 0
    if name in OWN:
        return OWN[name][1](rest)
    if name in VIEW_COMMANDS:
        return viz_main(argv, PROG)
    if name in MODEL_COMMANDS:
        return model_main(argv, PROG)
    print(f"{PROG}: there is no command {name!r}; there are: {', '.join(commands())}", file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main())
