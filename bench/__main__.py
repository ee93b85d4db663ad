"""The benches: python -m bench decode | train | app | server | inside | analysis | look | show | page | …"""

from __future__ import annotations

import argparse
import importlib
import json
import sys

BENCHES = {
    "decode": "milliseconds a sentence, with and without maps, beside Hugging Face's Marian of the same sizes",
    "train": "target tokens a second that training takes in, beside another checkout in turns",
    "app": "seconds that a visitor waits, in Chromium",
    "server": "processor time that the server spends on another head and on a new sentence",
    "inside": "seconds that playback, mixing desk, fork and beam tree take, in the model and in Chromium",
    "look": "milliseconds that a saved page takes to another head, kind, sort or preview, in Chromium",
    "show": "seconds that a talk of ten scenes takes to be written, milliseconds to its next scene, in Chromium",
    "page": "seconds that the page with the translator in it takes to be ready, and to a new sentence, in Chromium",
    "lessons": "seconds that each lesson takes to be painted, and its picture to follow a slider, in Chromium",
    "items": "whether every question of the lessons has one right answer, over 500 sentences",
    "visitors": "seconds that fifty visitors at once wait for their sentences, and what gets lost or mixed up",
    "classroom": "processor time that the server spends on sixty waiting phones of a class",
    "soak": "what the server still holds of a day of visits: memory, open files, processes, temporary files",
    "replicas": "what visitors lose when one of three replicas behind nginx is killed in the middle",
    "notebook": "seconds that headlight.show takes to open millions of cells, milliseconds to a head, in Chromium",
    "analysis": "seconds that other maps than weights, roles, importances the honesty bar take; or an atlas's memory",
}


def main(argv: list[str] | None = None) -> int:
    """Run one bench; print its table, or one JSON object."""
    argv = sys.argv[1:] if argv is None else argv
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    subparsers = parser.add_subparsers(dest="bench", required=True, metavar="BENCH")
    for name, help_text in BENCHES.items():
        subparser = subparsers.add_parser(name, help=help_text, description=f"{help_text[0].upper()}{help_text[1:]}.")
        subparser.add_argument("--json", action="store_true", help="print one JSON object instead of the table")
        subparser.add_argument("--checkpoint", default="en-zh", metavar="NAME", help="default en-zh")
        if name in argv[:1]:
            importlib.import_module(f"bench.{name}").add_arguments(subparser)
    args = parser.parse_args(argv)
    bench = importlib.import_module(f"bench.{args.bench}")
    result = bench.measure(args)
    print(json.dumps(result, ensure_ascii=False) if args.json else bench.table(result))
    return 0


if __name__ == "__main__":
    sys.exit(main())
