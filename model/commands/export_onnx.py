"""python -m model export-onnx: a checkpoint of our own as ONNX graphs that give every attention map."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from model.errors import HeadlightError

if TYPE_CHECKING:
    from model.own.translator import Translator


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("checkpoint", metavar="CHECKPOINT", help="name or folder, with @STEP of a snapshot")
    parser.add_argument("--out", type=Path, required=True, metavar="DIR", help="where the graphs are written")
    size = parser.add_mutually_exclusive_group()
    size.add_argument("--int8", dest="precision", action="store_const", const="int8", help="weights of eight bits")
    size.add_argument(
        "--compact", dest="precision", action="store_const", const="compact", help="weights of ten bits, once zipped"
    )
    parser.set_defaults(precision="float32")
    parser.add_argument(
        "--check", type=Path, metavar="FILE", help="compare with PyTorch on a file of sentences, one a line or TSV"
    )
    parser.add_argument("--limit", type=int, default=1000, metavar="N", help="sentences to compare (default 1000)")


def run(args: argparse.Namespace) -> None:
    """Write the graphs, say what was written, and how far they are from PyTorch where that is asked."""
    from model.onnx.export import export
    from model.translator import open_model

    translator = open_model(args.checkpoint)
    own = _own(translator)
    for name, size in export(own, args.out, args.precision).items():
        print(f"{args.out / name}: {size:,} bytes")
    if args.check is not None:
        print(_compared(own, args))


def _own(model: object) -> Translator:
    from model.own.translator import Translator

    if isinstance(model, Translator):
        return model
    raise HeadlightError("Only a checkpoint of our own can become graphs so far; this is another sort of model.")


def _compared(translator: Translator, args: argparse.Namespace) -> str:
    from model.onnx.engine import OnnxEngine, compare

    lines = args.check.read_text(encoding="utf-8").splitlines()
    texts = [line.split("\t")[0] for line in lines if line.strip()][: args.limit]
    found = compare(translator, OnnxEngine(args.out), texts, votes=True)
    said = f"{found.same} of {found.sentences} sentences have the same tokens as PyTorch"
    return (
        f"{said}; over these, the largest difference is {found.map_gap:.1e} of a weight, "
        f"{found.vote_gap:.1e} of a vote (logits)."
    )
