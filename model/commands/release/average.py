"""python -m model average: the mean of two checkpoints' weights."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import torch
from safetensors.torch import load_file

from model.commands.shared.options import command_line
from model.errors import CheckpointError
from model.files import write_bytes, write_json
from model.folders import CONFIG, LOG, META, WEIGHTS, resolve
from model.own.checkpoint import Checkpoint, load, save_weights
from model.own.text.tokenize import written_before

_COPIED = (CONFIG, "src.json", "tgt.json", "casing.json", LOG)  # files of the second that the mean has, too
_MAY_DIFFER = ("dropout", "src_vocab_size", "tgt_vocab_size")  # settings that make no weight mean another thing


def average(first: Path, second: Path, share: float, to: Path, command: str) -> None:
    """Write a checkpoint whose weights are ``(1 - share)·first + share·second``; all else is that of the second.

    Weights of one run, or of a run and of what it began with, lie in one basin, and their mean is often better
    than either (Wortsman et al. 2022, Model soups). A token that only the second knows keeps its weights.

    Args:
        first, second: folders of checkpoints of one shape, with the same vocabularies, or the second's prolonged.
        share: of the second, 0 to 1.
        to: a folder, made where it is not there.
        command: what was typed, for meta.json.

    Raises:
        CheckpointError: a checkpoint is damaged, the two do not fit together, or the share is outside 0 to 1.
    """
    if not 0 <= share <= 1:
        raise CheckpointError(f"the share must be from 0 to 1, got {share:g}")
    parents = [load(folder) for folder in (first, second)]
    _check_fit(*parents)
    one, other = (load_file(folder / WEIGHTS) for folder in (first, second))
    mean = {name: _mean(one[name], other[name], share) for name in one}
    to.mkdir(parents=True, exist_ok=True)
    for name in _COPIED:
        if (second / name).is_file():
            write_bytes(to / name, (second / name).read_bytes())
    averaged = {"command": command, "share": share, "of": [each.meta.get("sha256") for each in parents]}
    meta = {**parents[1].meta, "averaged": averaged}
    meta.pop("scores", None)  # of other weights
    save_weights(to, mean, meta)


def keep_score(folder: Path, dev_bleu: float) -> None:
    """Write BLEU on dev, greedy, into a checkpoint's meta.json."""
    meta = json.loads((folder / META).read_text(encoding="utf-8"))
    meta["scores"] = {**meta.get("scores", {}), "dev_bleu_greedy": dev_bleu}
    write_json(folder / META, meta)


def _check_fit(one: Checkpoint, other: Checkpoint) -> None:
    settings = [
        {name: value for name, value in each.model.config.to_dict().items() if name not in _MAY_DIFFER}
        for each in (one, other)
    ]
    if settings[0] != settings[1]:
        raise CheckpointError("the two have different settings in config.json: their mean means nothing")
    for side in ("src_tokenizer", "tgt_tokenizer"):
        written_before(getattr(other, side).subwords, getattr(one, side).subwords)


def _mean(one: torch.Tensor, other: torch.Tensor, share: float) -> torch.Tensor:
    known = len(one)  # rows: of an embedding, the tokens that both know
    return torch.cat((((1 - share) * one.float() + share * other[:known].float()).to(one.dtype), other[known:]))


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("first", metavar="FIRST", help="name or folder of a checkpoint")
    parser.add_argument(
        "second",
        metavar="SECOND",
        help="one that began with the first, or with the same weights; it may know more tokens",
    )
    parser.add_argument("--share", type=float, default=0.5, metavar="S", help="of the second (default 0.5)")
    parser.add_argument("--dev", type=Path, metavar="FILE", help="pairs on which to score the mean, into meta.json")
    parser.add_argument("--output", type=Path, required=True, metavar="DIR", help="folder of the new checkpoint")


def run(args: argparse.Namespace) -> None:
    """Write the mean, with its BLEU on dev."""
    from model.commands.evaluate import corpus_facts
    from model.pairs import read_rows
    from model.translator import Translator

    command = command_line(args, {name: Path(name).name for name in (args.first, args.second)})
    average(resolve(args.first), resolve(args.second), args.share, args.output, command)
    if args.dev:
        rows = [(row[0], row[1]) for row in read_rows(args.dev)]
        bleu = corpus_facts(Translator.from_checkpoint(args.output), rows)["bleu"]
        keep_score(args.output, bleu)
        print(f"dev BLEU {bleu:.2f}")
    print(f"wrote {args.output.name}")
