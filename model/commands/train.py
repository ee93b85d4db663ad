"""python -m model train: a prepared folder → a checkpoint."""

from __future__ import annotations

import argparse
import json
import os
from pathlib import Path

import torch

from model.commands.shared.options import command_line
from model.errors import CorpusError, HeadlightError
from model.own.checkpoint import CONFIG, resolve
from model.own.network.config import TransformerConfig
from model.training.loop import Trainer
from model.training.settings import SCHEDULES, TrainingSettings

_SETTINGS = TrainingSettings()


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("--data", type=Path, required=True, metavar="DIR", help="folder written by prepare")
    parser.add_argument("--out", type=Path, required=True, metavar="CHECKPOINT_DIR", help="checkpoint folder to write")
    parser.add_argument("--resume", action="store_true", help="go on from the state in --out")
    parser.add_argument("--start-from", metavar="CHECKPOINT", help="begin with its weights; a shallower one is grown")
    parser.add_argument("--steps", type=int, default=_SETTINGS.steps)
    parser.add_argument("--minutes", type=float, help="train for so long instead of --steps")
    parser.add_argument("--batch-tokens", type=int, default=_SETTINGS.batch_tokens)
    parser.add_argument("--schedule", choices=SCHEDULES, default=_SETTINGS.schedule)
    parser.add_argument("--peak", type=float, default=_SETTINGS.peak, help="highest learning rate")
    parser.add_argument("--warmup", type=int, default=_SETTINGS.warmup, help="steps to the highest learning rate")
    parser.add_argument("--eval-every", type=int, default=_SETTINGS.eval_every, metavar="STEPS")
    parser.add_argument("--cooldown", type=float, default=_SETTINGS.cooldown, help="share over which the rate falls")
    parser.add_argument("--ema-decay", type=float, default=_SETTINGS.ema_decay, help="of the average that is kept")
    parser.add_argument(
        "--source-weight", nargs="*", default=[], metavar="NAME=W", help="how often an epoch shows a source"
    )
    parser.add_argument("--seed", type=int, default=_SETTINGS.seed)
    for name, default in (("d-model", 256), ("d-ff", 1024), ("heads", 8), ("layers", 6)):
        parser.add_argument(f"--{name}", type=int, default=default)
    parser.add_argument("--dropout", type=float, default=0.1)
    parser.add_argument("--attention-dropout", type=float, default=0.0)
    parser.add_argument(
        "--r-drop", type=float, default=_SETTINGS.r_drop, metavar="ALPHA", help="weight of what two passes disagree in"
    )
    parser.add_argument(
        "--backward", action="store_true", help="the model that reads translations back; for CHECKPOINT/backward"
    )
    parser.add_argument("--device", help="cpu or cuda (default: cuda where there is one)")


def run(args: argparse.Namespace) -> None:
    """Train, and print the figure on dev of the checkpoint that was kept."""
    if not (args.data / "prepared.json").is_file():
        raise CorpusError(f"{args.data} was not written by prepare")
    if args.backward and args.start_from:
        raise HeadlightError("a backward model begins with nothing: leave --start-from out")
    device = args.device or ("cuda" if torch.cuda.is_available() else "cpu")
    if device == "cuda":
        torch.cuda.set_device(int(os.environ.get("LOCAL_RANK", "0")))
    try:
        trainer = Trainer(args.data, args.out, _config(args), _settings(args), torch.device(device))
    except ValueError as error:
        raise HeadlightError(str(error)) from None
    began_with = {args.start_from: Path(args.start_from).name} if args.start_from else {}
    trainer.command = command_line(args, began_with)
    if args.resume:
        trainer.resume()
    elif args.start_from:
        trainer.start_from(resolve(args.start_from))
    print(json.dumps({"best_on_dev": round(trainer.run(), 2), "checkpoint": str(args.out)}))


def _config(args: argparse.Namespace) -> TransformerConfig:
    prepared = json.loads((args.data / "prepared.json").read_text(encoding="utf-8"))
    if args.resume and (args.out / CONFIG).is_file():
        return TransformerConfig.from_dict(json.loads((args.out / CONFIG).read_text(encoding="utf-8")))
    sizes = prepared["src_vocab_size"], prepared["tgt_vocab_size"]
    return TransformerConfig(
        *(sizes[::-1] if args.backward else sizes),
        d_model=args.d_model,
        d_ff=args.d_ff,
        n_heads=args.heads,
        n_encoder_layers=args.layers,
        n_decoder_layers=args.layers,
        dropout=args.dropout,
        attention_dropout=args.attention_dropout,
    )


def _settings(args: argparse.Namespace) -> TrainingSettings:
    weights = dict(pair.rsplit("=", 1) for pair in args.source_weight)
    return TrainingSettings(
        steps=args.steps,
        minutes=args.minutes,
        batch_tokens=args.batch_tokens,
        schedule=args.schedule,
        peak=args.peak,
        warmup=args.warmup,
        eval_every=args.eval_every,
        cooldown=args.cooldown,
        ema_decay=args.ema_decay,
        r_drop=args.r_drop,
        seed=args.seed,
        backward=args.backward,
        source_weights={name: float(value) for name, value in weights.items()},
    )
