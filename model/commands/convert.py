"""python -m model convert: safetensors of a folder whose weights are pickled, read without running any code."""

from __future__ import annotations

import argparse
from pathlib import Path


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("folder", type=Path, metavar="FOLDER", help="with pytorch_model.bin, also in parts")


def run(args: argparse.Namespace) -> None:
    """Write model.safetensors beside the pickle, which stays."""
    from model.folder.files.convert import convert

    written = convert(args.folder)
    print(f"wrote {written.parent.name}/{written.name}, {written.stat().st_size / 2**20:,.1f} MB")
