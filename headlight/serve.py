"""headlight serve: the app on a port of this machine."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

from model.__main__ import Parser
from model.errors import HeadlightError
from model.folders import set_models
from viz.app.server.embed import EMBED_FROM, embedders

HERE = Path(__file__).resolve().parent
PLACES = (HERE / "served", HERE.parent)  # of app.py: in the installed package, in the tree


def parser() -> argparse.ArgumentParser:
    """The options."""
    parser = Parser(
        prog="headlight serve", description="Serve the app. It listens on this machine alone, unless asked."
    )
    parser.add_argument("--port", type=int, default=8501, metavar="N", help="default 8501; 0 is any that is free")
    parser.add_argument("--address", metavar="IP", help="default 127.0.0.1; 0.0.0.0 opens it to your network")
    parser.add_argument("--models", metavar="DIR", help="folder of your own models")
    parser.add_argument("--storyboard", metavar="FILE", help="a talk of your own")
    parser.add_argument(
        "--class",
        dest="class_folder",
        nargs="?",
        const="",
        metavar="DIR",
        help="a class can take part in a talk: phones in your network get its page, and nothing else; "
        "answers are kept in DIR (default: a new temporary folder)",
    )
    parser.add_argument("--prefix", default="", metavar="PATH", help="behind a proxy: the path that the app lies under")
    parser.add_argument("--embed-from", nargs="+", metavar="ORIGIN", help="sites that may show the app in a frame")
    parser.add_argument("--open", action="store_true", help="open it in a browser")
    parser.epilog = "What follows -- goes to Streamlit: headlight serve -- --server.maxUploadSize 20."
    return parser


def app_file() -> Path:
    """The file that Streamlit runs.

    Raises:
        HeadlightError: the package is damaged.
    """
    for place in PLACES:
        if (place / "app.py").is_file() and (place / "router.py").is_file():
            return place / "app.py"
    raise HeadlightError("the app's files are not there; install headlight again")


def address_of(args: argparse.Namespace) -> str:
    """The address to listen on: of this machine alone, or with a class of the network, whose phones get its page."""
    return str(args.address or ("127.0.0.1" if args.class_folder is None else "0.0.0.0"))  # noqa: S104


def streamlit_arguments(args: argparse.Namespace, more: list[str]) -> list[str]:
    """What ``streamlit`` is called with: its own options first, ours after ``--``."""
    found = ["run", str(app_file()), "--server.port", str(args.port), "--server.address", address_of(args)]
    found += ["--server.headless", str(not args.open).lower()]
    found += ["--server.baseUrlPath", args.prefix] if args.prefix else []
    if args.class_folder is not None:  # or Streamlit asks a server in the internet what this machine is called
        found += ["--browser.serverAddress", "localhost"]
    own = [*(["--models", args.models] if args.models else [])]
    own += ["--storyboard", args.storyboard] if args.storyboard else []
    own += [f"--class={args.class_folder}"] if args.class_folder is not None else []
    return [*found, *more, *(["--", *own] if own else [])]


def main(argv: list[str]) -> int:
    """Serve until Ctrl-C; 2 with one sentence on stderr where the caller can mend it."""
    place = argv.index("--") if "--" in argv else len(argv)
    args, more = parser().parse_args(argv[:place]), argv[place + 1 :]
    try:
        set_models(["--models", args.models] if args.models else [])
        if args.embed_from:
            os.environ[EMBED_FROM] = " ".join(args.embed_from)
            embedders()
        if args.storyboard and not Path(args.storyboard).is_file():
            raise HeadlightError(f"there is no file {args.storyboard}")
        arguments = streamlit_arguments(args, more)
    except HeadlightError as error:
        print(f"headlight serve: {error}", file=sys.stderr)
        return 2
    from streamlit.web import cli

    return int(cli.main(arguments, prog_name="streamlit", standalone_mode=False) or 0)
