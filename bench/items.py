"""Whether every question of a lesson has exactly one right answer, by a computation of another kind.

Of each sentence every template makes a question. What it shows is looked up in the model by another way (weights from
scores, positions from the table), and its answer is found from the shown text alone: by layers of PyTorch, by masks
that are built, by what is counted one by one. An option is right if it says that answer; a question is well made if
one is, and it is the key. A sentence that a template has nothing to ask of is counted, not asked.
"""

from __future__ import annotations

import argparse
import math
import os
import time
from collections import Counter
from collections.abc import Callable, Iterable
from itertools import product
from random import Random
from typing import Any

import numpy as np
import torch
from torch import nn

from model.analysis.lessons.item_table import TEMPLATES
from model.analysis.lessons.items import Item, made_item
from model.analysis.lessons.traced_sentence import TracedSentence
from model.trace import Kind
from model.translator import Translator

WHO = ("My sister", "The old teacher", "A child", "Our neighbour Tom", "She", "The three students", "Nobody", "I")
DID = ("bought", "has forgotten", "wanted to see", "does not like", "found", "will sell")
WHAT = ("a red bicycle", "the book", "two cups of tea", "my letter from London", "it", "the broken window of the house")
WHEN = ("yesterday.", "again!", "because it was raining.", "in the small village near the river last summer.")
ROUNDING = 0.02  # of a number: what three digits leave open
KINDS: dict[str, Kind] = {"1.mix": "encoder_self", "2.back": "encoder_self", "10.first_order": "encoder_self"}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("--sentences", type=int, default=500, metavar="N", help="default 500")
    parser.add_argument(
        "--seconds", type=float, default=math.inf, metavar="N", help="ask no more sentences after so long"
    )


def sentences(many: int) -> list[str]:
    """So many different sentences, from four words to seventeen."""
    every = [" ".join(parts) for parts in product(WHO, DID, WHAT, WHEN)]
    return Random(0).sample(every, many)


def number(said: str) -> float:
    """What a question shows, as a number; nan where it is none."""
    try:
        return float(said.replace("−", "-").replace(",", ""))
    except ValueError:
        return math.nan


class Shown:
    """A question as a learner has it, with the model to look things up in."""

    def __init__(self, item: Item, traced: TracedSentence) -> None:
        self.item, self.traced = item, traced
        self.src = [label.text for label in traced.trace.src]
        self.read = [label.text for label in traced.trace.tgt_inputs]
        self.writes = [label.text for label in traced.trace.tgt_outputs]

    def __getitem__(self, name: str) -> float:
        return number(self.item.values[name])

    def all(self, names: Iterable[str]) -> np.ndarray:
        """Several numbers that it shows."""
        return np.array([self[name] for name in names])

    def weights(self, kind: Kind) -> np.ndarray:
        """The head's weights from its scores, under a mask of our own."""
        layer, head = (int(part[1:]) for part in self.item.values["head"].split())
        scores = self.traced.trace.scores[kind][layer, head].astype(float)
        if kind == "decoder_self":
            scores = np.where(np.tri(len(scores), dtype=bool), scores, -np.inf)
        powers = np.exp(scores - scores.max(-1, keepdims=True))
        return np.asarray(powers / powers.sum(-1, keepdims=True))

    def rows(self, read: str, written: str) -> list[int]:
        """Rows of the decoder that have read one token and write another."""
        return [i for i, pair in enumerate(zip(self.read, self.writes, strict=True)) if pair == (read, written)]

    def sight(self) -> str:
        """Where the head looks that writes ``written``: the row that has read ``read``."""
        values = self.item.values
        weights = self.weights("cross")
        found = {self.src[int(weights[row].argmax())] for row in self.rows(values["read"], values["written"])}
        return values["x"] if values["x"] in found else ""

    def claims(self) -> bool:
        """Whether the weights that the question shows are the model's."""
        values, name = self.item.values, self.item.name
        cells = {
            "1.mix": [("row", key, f"w{key}") for key in "abc"],
            "2.back": [("a", "b", "ab"), ("a", "a", "aa"), ("b", "a", "ba"), ("b", "b", "bb")],
            "10.first_order": [("row", "column", "weight")],
        }.get(name, [])
        for row, column, shown in cells:
            weights = self.weights(KINDS[name])
            places = product(*([i for i, each in enumerate(self.src) if each == values[key]] for key in (row, column)))
            if not any(math.isclose(weights[place], self[shown], rel_tol=ROUNDING, abs_tol=1e-6) for place in places):
                return False
        return True


def _bucketed(q: Shown) -> float:
    a, b, c, d = sorted(int(each) for each in q.all("abcd"))
    return (b - a) + (d - c)


def _hidden(q: Shown) -> float:
    n, m = int(q["n"]), int(q["m"])
    return float(np.tile(np.arange(m) >= n, (m, 1)).sum())


def _reach(q: Shown) -> float:
    """Layers are laid on one by one, until the last token's window holds the first."""
    reach, layers = 1, 0
    while reach < q["n"]:
        reach, layers = reach + int(q["kernel"]) - 1, layers + 1
    return layers


def _shape(tensor: torch.Tensor) -> str:
    return str(list(tensor.shape))


def _parameters(module: nn.Module) -> float:
    return sum(each.numel() for each in module.parameters())


def _attention(q: Shown, heads: str) -> nn.MultiheadAttention:
    return nn.MultiheadAttention(q.traced.width, int(q[heads]), batch_first=True, device="meta")


def _weights_shape(q: Shown) -> str:
    read = torch.empty(int(q["batch"]), int(q["n"]), int(q["width"]), device="meta")
    return _shape(_attention(q, "heads")(read, read, read, average_attn_weights=False)[1])


def _smoothed(q: Shown) -> float:
    """The share that makes a row of labels sum to one."""
    row = np.full(int(q["classes"]), np.nan)
    row[0], row[1] = 1 - q["share"], 0
    return float((1 - np.nansum(row)) / np.isnan(row).sum())


def _peak(q: Shown) -> float:
    steps = np.array([q["step"], q["warmup"]])
    rates = np.minimum(steps**-0.5, steps * q["warmup"] ** -1.5)
    return float(rates[0] / rates[1])


def _period(q: Shown) -> float:
    """From two rows of the model's own table: the angle by which the pair turns in one step."""
    table, pair = q.traced.translator.positions(), 2 * int(q["pair"])
    turned = [math.atan2(table[place, pair], table[place, pair + 1]) for place in (0, 1)]
    return 2 * math.pi / (turned[1] - turned[0])


def _longest(q: Shown) -> str:
    return q.item.values["abc"[int(np.argmax([q[f"w{key}"] * q[f"l{key}"] for key in "abc"]))]]


def _exchanged(q: Shown) -> float:
    generator = torch.Generator().manual_seed(0)
    states = torch.randn(int(q["n"]), 8, generator=generator)
    others = states.clone()
    others[: int(q["changed"])] += 1
    network = nn.Sequential(nn.Linear(8, 32), nn.GELU(), nn.Linear(32, 8))
    return float((network(states) - network(others)).abs().sum(-1).gt(0).sum())


def _read_before(q: Shown) -> str:
    outputs = q.item.values["translation"].split(" · ")
    return outputs[int(q["step"]) - 2]


def _embedded(q: Shown) -> float:
    return q["length"] * math.sqrt(q["width"])


def _norm(q: Shown) -> float:
    return float(nn.functional.layer_norm(torch.tensor(q.all("abcd")), (4,))[0])


def _listed(q: Shown, name: str) -> float:
    return q.item.values[name].split(" · ").index(q.item.values["token"]) + 1


ANSWERS: dict[str, Callable[[Shown], float | str]] = {
    "1.mix": lambda q: float(q.all(("wa", "wb", "wc")) @ q.all(("va", "vb", "vc"))),
    "1.written": Shown.sight,
    "1.soft": lambda q: float(torch.tensor([q["first"], q["second"]]).softmax(0)[0]),
    "2.scale": lambda q: q["product"] / q["size"] ** 0.5,
    "2.total": lambda q: round(float(q.weights("encoder_self").sum())),
    "2.back": lambda q: q["ba"],
    "3.slice": lambda q: _attention(q, "other").head_dim,
    "3.counted": lambda q: _parameters(_attention(q, "other")),
    "3.shape": _weights_shape,
    "4.cells": lambda q: float(np.tri(int(q["t"])).sum()),
    "4.seen": lambda q: _listed(q, "inputs"),
    "4.padded": _hidden,
    "5.wave": lambda q: float(q.traced.translator.positions()[int(q["place"]), 0]),
    "5.period": _period,
    "5.moved": lambda q: (["new"] * int(q["more"]) + ["old"] * int(q["place"]) + ["it"]).index("it"),
    "6.normed": _norm,
    "6.means": lambda q: torch.empty(int(q["batch"]), int(q["n"]), int(q["width"])).mean(-1).numel(),
    "6.across": lambda q: q["own"],
    "7.smooth": _smoothed,
    "7.loss": lambda q: float(-torch.tensor(q["p"]).log()),
    "7.rate": _peak,
    "8.padding": lambda q: float((q.all("abc").max() - q.all("abc")).sum()),
    "8.buckets": _bucketed,
    "8.rows": lambda q: len(q.traced.translator.encode_source(q.item.sentence)[1][0]),
    "9.between": lambda q: str(list(q.traced.trace.cross.shape[2:])),
    "9.memory": lambda q: len(q.traced.trace.cross),
    "9.shifted": _read_before,
    "10.reached": lambda q: _listed(q, "outputs"),
    "10.first_order": lambda q: q["slope"] * (0 - q["weight"]),
    "10.hooked": lambda q: q["slope"] * q["times"],
    "11.pairs": lambda q: float((1 - np.tri(int(q["n"]))).sum()),
    "11.patches": lambda q: (
        nn.Unfold(int(q["patch"]), stride=int(q["patch"]))(torch.empty(1, 1, int(q["side"]), int(q["side"]))).shape[-1]
        + 1
    ),
    "11.maps": lambda q: sum(int(q["heads"]) for _ in range(int(q["layers"])) for _ in ("own", "own", "cross")),
    "12.honest": _longest,
    "12.link": lambda q: f"{q.item.values['written']} – {q.sight()}",
    "12.even": lambda q: float((np.tri(int(q["t"])) / np.tri(int(q["t"])).sum(1, keepdims=True))[:, 0].mean()),
    "13.length": _embedded,
    "13.looked_up": lambda q: str([int(q["n"]), int(q["width"])]),
    "13.likely": lambda q: float(torch.tensor(q["log_p"]).exp()),
    "14.cut": lambda q: float(torch.tensor(q.all("abcd")).relu().sum()),
    "14.widened": lambda q: sum(
        _parameters(nn.Linear(int(q[a]), int(q[b]), device="meta")) for a, b in (("width", "inner"), ("inner", "width"))
    ),
    "14.alone": _exchanged,
    "15.one_by_one": lambda q: len(q.src),
    "15.scores": lambda q: q.traced.trace.scores["encoder_self"][0, 0].size,
    "15.layers": _reach,
}  # fmt: skip


def right_options(item: Item, traced: TracedSentence) -> list[int]:
    """Places of the options that say the answer; none where the question shows what the model does not."""
    shown = Shown(item, traced)
    answer = ANSWERS[item.name](shown) if shown.claims() else ""
    if isinstance(answer, str):
        return [place for place, option in enumerate(item.options) if option == answer]
    whole = isinstance(answer, int) or float(answer).is_integer()
    error = 1e-3 if whole and abs(answer) >= 1 else ROUNDING * abs(answer) + 1e-9
    return [place for place, option in enumerate(item.options) if abs(number(option) - answer) <= error]


def measure(args: argparse.Namespace) -> dict[str, Any]:
    """Questions made, those with exactly one right option which is the key, and the others."""
    model, rng = Translator.from_checkpoint(args.checkpoint, "cpu"), Random(1)
    asked, none, places, wrong = Counter[str](), Counter[str](), Counter[int](), []
    done, started = 0, time.monotonic()
    for sentence in sentences(args.sentences):
        if time.monotonic() - started > args.seconds:
            break
        done += 1
        traced = TracedSentence(model, model.translate(sentence, capture=True))
        for name in TEMPLATES:
            if (item := made_item(name, traced, rng)) is None:
                none[name] += 1
                continue
            asked[name] += 1
            places[item.key] += 1
            if (found := right_options(item, traced)) != [item.key]:
                wrong.append(
                    {"item": name, "sentence": sentence, "options": item.options, "key": item.key, "found": found}
                )
    return {
        "bench": "items",
        "sentences": done,
        "asked": dict(asked),
        "nothing_to_ask": dict(none),
        "key_at": dict(sorted(places.items())),
        "wrong": wrong,
        "load": os.getloadavg()[0],
    }


def table(result: dict[str, Any]) -> str:
    """The result for a person."""
    lines = [f"{'item':<16}{'asked':>7}{'nothing':>9}{'wrong':>7}"]
    wrong = Counter(each["item"] for each in result["wrong"])
    for name in TEMPLATES:
        lines.append(
            f"{name:<16}{result['asked'].get(name, 0):>7}{result['nothing_to_ask'].get(name, 0):>9}{wrong[name]:>7}"
        )
    lines += [str(each) for each in result["wrong"][:5]]
    total = sum(result["asked"].values())
    return "\n".join([*lines, f"{total} questions of {result['sentences']} sentences; key at {result['key_at']}"])
