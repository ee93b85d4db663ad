"""headlight demo: one sentence with every map as a page of its own, opened in a browser."""

from __future__ import annotations

import sys
import webbrowser
from pathlib import Path
from typing import TYPE_CHECKING

from model.__main__ import Parser
from model.errors import HeadlightError
from model.examples import load_example, sentences
from model.folders import META, resolve

if TYPE_CHECKING:
    from model.trace import TracedTranslation

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


def main(argv: list[str]) -> int:
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
