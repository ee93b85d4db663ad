"""python -m model translate: one translation a line; a line of several sentences is translated sentence by sentence.

Output stays in line with input: a blank line on standard input gives an empty line, and so does a
line that cannot be translated, with its reason on stderr and exit status 2 at the end.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from model.commands.shared.options import add_beam, add_checkpoint, add_joint, add_read_back, opened
from model.errors import EmptySentenceError, HeadlightError

if TYPE_CHECKING:
    from model.trace import TranslatedText, Translation


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("text", nargs="*", metavar="TEXT", help="English; without it, lines of standard input")
    add_checkpoint(parser)
    add_beam(parser)
    add_read_back(parser)
    add_joint(parser)
    parser.add_argument(
        "--json",
        action="store_true",
        help="one object a line: source, translation, src_tokens, tgt_tokens, log_probs (of each target token, "
        "then of <eos>), finished (false where the cap on length cut it), and sentences: the same of each sentence, "
        "which the lists above hold one after another",
    )


def run(args: argparse.Namespace) -> int:
    """Translate, printing each line at once; 2 if a line could not be translated."""
    from model.own.translator import translate_text

    translator = opened(args)
    status = 0
    for where, text in _lines(args.text):
        try:
            translation = translate_text(translator, text, args.beam, joint=args.joint, read_back=args.read_back)
            problem = ""
        except HeadlightError as error:
            translation, problem = None, str(error)
            if isinstance(error, EmptySentenceError) and not args.text:
                problem = ""  # a blank line is part of many files
        print(
            _as_json(text, translation, problem) if args.json else translation.text if translation else "", flush=True
        )
        if problem:
            status = 2
        elif translation and not translation.finished:
            problem = "the translation reached the cap on length and was cut"
        if problem:
            print(f"python -m model translate: {where}: {problem}", file=sys.stderr)
    return status


def _lines(texts: list[str]) -> Iterator[tuple[str, str]]:
    """Each text with the place it came from, for messages."""
    if texts:
        yield from ((f"text {number}", text) for number, text in enumerate(texts, 1))
        return
    for number, line in enumerate(sys.stdin, 1):
        yield f"line {number}", line.removesuffix("\n").removesuffix("\r")


def _as_json(text: str, translation: TranslatedText | None, problem: str) -> str:
    parts = [_facts(part) for part in translation.parts] if translation else []
    values: dict[str, object] = {"source": text, "translation": translation.text if translation else ""}
    for name in ("src_tokens", "tgt_tokens", "log_probs"):
        values[name] = [value for part in parts for value in part[name]]
    values["finished"] = translation.finished if translation else not problem
    values["sentences"] = parts
    if problem:
        values["error"] = problem
    return json.dumps(values, ensure_ascii=False)


def _facts(part: Translation) -> dict[str, Any]:
    return {
        "source": part.source,
        "translation": part.text,
        "src_tokens": [label.text for label in part.src],
        "tgt_tokens": [label.text for label in part.tgt],
        "log_probs": [round(value, 6) for value in part.log_probs],
        "finished": part.finished,
    }
