"""The command line: python -m model COMMAND."""

from __future__ import annotations

import argparse
import importlib
import io
import os
import sys
from typing import Any, NoReturn

from model.errors import HeadlightError

COMMANDS = {
    "translate": "translate sentences, one a line",
    "trace": "write every attention map of one sentence to a file",
    "evaluate": "BLEU and chrF on a file of sentence pairs",
    "align": "alignment error rate of every cross-attention head against links made by people",
    "faithfulness": "which sort of map marks the words that a translation needs",
    "heads": "what every head does and what it is worth, over a file of sentence pairs",
    "atlas": "what every head does over a whole corpus, in parts that can be made on many machines",
    "repair": "how often muting one head repairs a wrong token, and how often it spoils a right one",
    "inspect": "say what a Hugging Face folder is, what Headlight could show of it, and what not, and why",
    "convert": "make model.safetensors of a Hugging Face folder that has its weights as a pickle only",
    "export-onnx": "ONNX graphs of a checkpoint, with every attention map, for a page or another runtime",
    "warning": "at which confidence to warn that a translation may be wrong, and how often that is right",
    "history": "keep what a checkpoint could do at some twenty points of its training",
    "tables": "make all that follows from a checkpoint's weights: examples, scores, tables, docs/results.md",
    "lessons": "what a class has gained in each lesson, from its answers",
    "prepare": "learn vocabularies from your own TSV files and write token ids",
    "tiny": "train a tiny BERT, GPT or ViT in a few minutes",
    "train": "train a checkpoint, on CPU or GPU, also under torchrun",
    "average": "the mean of the weights of two checkpoints, of which one went on from the other",
    "examples": "store the example sentences' translations and maps with a checkpoint",
}
RELEASE = {"warning", "history", "tables", "examples", "average"}


class Parser(argparse.ArgumentParser):
    """An argument parser whose complaints are one sentence on stderr, without the usage text.

    Options are typed in full: a saved command leaves some out by their names.
    """

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **{"allow_abbrev": False, **options})

    def error(self, message: str) -> NoReturn:
        """Say what is wrong and leave with status 2."""
        self.exit(2, f"{self.prog}: {message}\n")


def main(argv: list[str] | None = None, prog: str = "python -m model") -> int:
    """Run one command; 0 on success, 2 with one sentence on stderr where the caller can mend it."""
    _speak_utf8()
    argv = sys.argv[1:] if argv is None else argv
    parser = Parser(prog=prog, description=__doc__)
    subparsers = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for name, help_text in COMMANDS.items():
        subparser = subparsers.add_parser(name, help=help_text, description=f"{help_text[0].upper()}{help_text[1:]}.")
        if name in argv[:1]:  # the others' modules need not be imported
            room = ".commands.release" if name in RELEASE else ".commands"
            command = importlib.import_module(f"{room}.{name.replace('-', '_')}", __package__)
            command.add_arguments(subparser)
    args = parser.parse_args(argv)
    args.argv = argv
    try:
        return int(command.run(args) or 0)
    except HeadlightError as error:
        return _complain(parser, args, str(error))
    except BrokenPipeError:  # the reader, say `head`, has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except OSError as error:
        return _complain(parser, args, f"{error.filename or 'a file'}: {error.strerror or error}")
    except KeyboardInterrupt:
        print("stopped", file=sys.stderr)
        return 130


def _complain(parser: argparse.ArgumentParser, args: argparse.Namespace, sentence: str) -> int:
    print(f"{parser.prog} {args.command}: {sentence}", file=sys.stderr)
    return 2


def _speak_utf8() -> None:
    for stream in (sys.stdin, sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors="strict" if stream is sys.stdout else "backslashreplace")


if __name__ == "__main__":
    sys.exit(main())
