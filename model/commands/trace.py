"""python -m model trace: every attention map of one sentence, as NumPy arrays in one file."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from model.commands.options import add_beam, add_checkpoint

if TYPE_CHECKING:
    from model.trace import Translation


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.epilog = (
        "The file holds encoder_self, decoder_self and cross: float32 [layer, head, query, key]; src_tokens: the "
        "source with <eos>; tgt_tokens: the decoder's inputs, <bos> first, which are the rows of decoder_self and "
        "cross; tgt_outputs: what each of these rows writes, <eos> last; log_probs: of each output (without that of "
        "<eos> where the cap on length cut the translation); source; translation."
    )
    parser.add_argument("text", metavar="TEXT", help="an English sentence")
    parser.add_argument("--output", type=Path, required=True, metavar="FILE.npz", help="file to write")
    parser.add_argument("--target", metavar="ZH", help="attend as if writing this Chinese, instead of translating")
    add_checkpoint(parser)
    add_beam(parser)


def run(args: argparse.Namespace) -> None:
    """Write the file, and print the translation."""
    from model.translator import Translator

    translator = Translator.from_checkpoint(args.checkpoint)
    if args.target is None:
        translation = translator.translate(args.text, args.beam, capture=True)
    else:
        translation = translator.trace(args.text, args.target)
    write(args.output, translation)
    print(translation.text)


def write(path: Path, translation: Translation) -> None:
    """One compressed NPZ file of plain arrays: it can be opened without pickle.

    Raises:
        ValueError: the translation has no trace.
    """
    import numpy as np

    trace = translation.trace
    if trace is None:
        raise ValueError("the translation has no trace")
    with path.open("wb") as file:
        np.savez_compressed(
            file,
            encoder_self=trace.encoder_self,
            decoder_self=trace.decoder_self,
            cross=trace.cross,
            src_tokens=np.array([label.text for label in trace.src]),
            tgt_tokens=np.array([label.text for label in trace.tgt_inputs]),
            tgt_outputs=np.array([label.text for label in trace.tgt_outputs]),
            log_probs=np.array(translation.log_probs, dtype=np.float32),
            source=np.array(translation.source),
            translation=np.array(translation.text),
        )
