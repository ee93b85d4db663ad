"""Headlight: see what every attention head of a translator, or of your own model, looks at."""

from __future__ import annotations

import argparse
import os
import sys
import webbrowser
from collections.abc import Callable, Mapping
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING

from model.__main__ import COMMANDS as MODEL_COMMANDS
from model.__main__ import Parser
from model.__main__ import main as model_main
from model.errors import HeadlightError
from model.examples import load_example, sentences
from model.folders import META, resolve, set_models
from viz.__main__ import VIEW_COMMANDS
from viz.__main__ import main as viz_main
from viz.app.server.guard import EMBED_FROM, embedders

if TYPE_CHECKING:
    from model.trace import TracedTranslation

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


def serve(argv: list[str]) -> int:
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


CHECKPOINT = "en-zh"


def translated(text: str) -> TracedTranslation:
    """A translation with its maps: one of the stored examples at once, anything else by the model.

    Raises:
        HeadlightError: the model cannot read the text.
    """
    import json

    folder = resolve(CHECKPOINT)
    sha256 = str(json.loads((folder / META).read_text(encoding="utf-8"))["sha256"])
    stored = load_example(folder, text, sha256)
    if stored is not None:
        return stored
    from model.translator import Translator

    return Translator.from_checkpoint(CHECKPOINT).translate(text, capture=True)


def demo(argv: list[str]) -> int:
    """Write the page and open it; 2 with one sentence on stderr where the caller can mend it."""
    parser = Parser(prog="headlight demo", description="A page with every map of a sentence; no server, no network.")
    parser.add_argument("text", nargs="?", default=sentences("english")[0], metavar="TEXT", help="English")
    parser.add_argument(
        "--output", type=Path, default=Path("headlight.html"), metavar="FILE", help="default headlight.html"
    )
    parser.add_argument("--lang", choices=("en", "zh"), default="en", help="of all words (default en)")
    parser.add_argument("--no-open", action="store_true", help="write the page only")
    args = parser.parse_args(argv)
    from viz.export import pages

    try:
        translation = translated(args.text)
        path = pages.traced_page(translation, CHECKPOINT, args.lang).save(args.output).resolve()
    except HeadlightError as error:
        print(f"headlight demo: {error}", file=sys.stderr)
        return 2
    except OSError as error:
        print(f"headlight demo: {args.output}: {error.strerror or error}", file=sys.stderr)
        return 2
    print(f"{translation.source} → {translation.text}\n{path}")
    if not args.no_open:
        webbrowser.open(path.as_uri())
    return 0


PROG = "headlight"
OWN: Mapping[str, tuple[str, Callable[[list[str]], int]]] = {
    "serve": ("the app, in your browser", serve),
    "demo": ("one sentence with all its heads as a page in your browser, without a server", demo),
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
