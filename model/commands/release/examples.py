"""python -m model examples: finished translations of the example sentences, stored with a checkpoint."""

from __future__ import annotations

import argparse
from typing import Any

from model import examples
from model.attribution.methods import RIVALS, whole_map
from model.own.checkpoint import resolve
from model.translator import Translator


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("--checkpoint", default="en-zh", metavar="NAME")


def run(args: argparse.Namespace) -> None:
    """Translate each example greedily on the CPU, and write it."""
    folder = resolve(args.checkpoint)
    translator = Translator.from_checkpoint(args.checkpoint, device="cpu")
    for old in (folder / examples.FOLDER).glob("*.npz"):
        old.unlink()
    for number, sentence in enumerate(examples.sentences(translator.src_tokenizer.kind)):
        translation = translator.translate(sentence, capture=True)
        whole: dict[str, Any] = {method: whole_map(translator, translation, method) for method in RIVALS}
        examples.save_example(folder, number, translation, translator.meta["sha256"], whole)
        print(f"{sentence} → {translation.text}")
