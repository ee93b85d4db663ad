"""python -m model inspect: what a folder is, what of it works, and why the rest does not."""

from __future__ import annotations

import argparse
import json
from typing import TYPE_CHECKING, Any

from model.commands.shared.options import opened
from model.errors import REASONS
from model.source import ABILITIES
from model.trace import KINDS

if TYPE_CHECKING:
    from model.source import Anatomy

READS = {
    "text": "translates or rewrites a text",
    "prompt": "goes on from a prompt",
    "sentence": "reads a sentence",
    "picture": "looks at a picture",
    "sound": "listens to a sound",
    "maps": "is a file of saved maps",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("checkpoint", metavar="FOLDER", help="a folder or an NPZ file, or a name with --models")
    parser.add_argument("--models", metavar="DIR", help="folder of your own models")
    parser.add_argument("--json", action="store_true", help="print one JSON object")


def run(args: argparse.Namespace) -> None:
    """Load it, run it on something short, and print what was found."""
    if "/" not in args.checkpoint and not args.models:
        args.checkpoint = f"./{args.checkpoint}"
    facts = told(opened(args))
    print(json.dumps(facts, ensure_ascii=False) if args.json else as_text(facts))


def told(model: Any) -> dict[str, Any]:
    """What was found, as JSON-ready values."""
    anatomy: Anatomy = model.anatomy
    kinds = {kind: {"layers": each.layers, "heads": each.heads} for kind, each in anatomy.kinds.items()}
    return {
        "name": model.name,
        "reads": anatomy.reads,
        "kinds": kinds,
        "works": [each for each in ABILITIES if each in anatomy.abilities],
        "lacks": {
            each: REASONS[anatomy.why[each]] if each in anatomy.why else ""
            for each in (*KINDS, *ABILITIES)
            if not anatomy.offers(each)
        },
    }


def as_text(facts: dict[str, Any]) -> str:
    """The same for people."""
    lines = [f"{facts['name']} {READS[facts['reads']]}."]
    lines += [f"  {kind}: {each['layers']} layers of {each['heads']} heads" for kind, each in facts["kinds"].items()]
    lines += [f"  ✓ {each}: {ABILITIES[each]}" for each in facts["works"]]
    lines += [f"  – no {each}: {why or 'not offered'}" for each, why in facts["lacks"].items()]
    return "\n".join(lines)
