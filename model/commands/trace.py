"""python -m model trace: every attention map of one sentence, as NumPy arrays in one file."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from model.commands.shared.options import add_beam, add_checkpoint, add_joint, opened, positive
from model.errors import HeadlightError
from model.files import write_bytes

if TYPE_CHECKING:
    from model.trace import TracedTranslation


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.epilog = (
        "The file holds encoder_self, decoder_self and cross: float32 [layer, head, query, key]; src_tokens: the "
        "source with <eos>; tgt_tokens: the decoder's inputs, <bos> first, which are the rows of decoder_self and "
        "cross; tgt_outputs: what each of these rows writes, <eos> last; log_probs: of each output (without that of "
        "<eos> where the cap on length cut the translation); source; translation. A text of several sentences is "
        "translated sentence by sentence; the file holds the maps of the one that --sentence names."
    )
    parser.add_argument("text", metavar="TEXT", help="English")
    parser.add_argument("--output", type=Path, required=True, metavar="FILE.npz", help="file to write")
    parser.add_argument("--target", metavar="ZH", help="attend as if writing this Chinese, instead of translating")
    parser.add_argument(
        "--sentence", type=positive, default=1, metavar="N", help="of several sentences, the one to trace (default 1)"
    )
    add_joint(parser)
    add_checkpoint(parser)
    add_beam(parser)


def run(args: argparse.Namespace) -> None:
    """Write the file, and print the translation that it belongs to."""
    from model.own.translator import spans_of

    translator = opened(args)
    if args.target is not None:
        translation = translator.trace(args.text, args.target)
    else:
        spans = [(0, len(args.text))] if args.joint else spans_of(translator, args.text)
        if args.sentence > len(spans):
            raise HeadlightError(f"there is no sentence {args.sentence}: the text has {len(spans)}")
        if len(spans) > 1:
            print(f"python -m model trace: sentence {args.sentence} of {len(spans)}", file=sys.stderr)
        start, end = spans[args.sentence - 1]
        translation = translator.translate(args.text[start:end], args.beam, capture=True)
    write(args.output, translation)
    print(translation.text)


def write(path: Path, translation: TracedTranslation) -> None:
    """One compressed NPZ file of plain arrays: it can be opened without pickle."""
    from model.attribution.export import trace_npz

    write_bytes(path, trace_npz(translation))
