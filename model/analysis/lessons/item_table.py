"""Three templates a lesson: a key from a sentence's numbers, and what known misconceptions would answer.

A template computes with the numbers that its question shows, and gives None where the draw has nothing to ask.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from random import Random

import numpy as np

from model.analysis.lessons.traced_sentence import Displayed, Made, TracedSentence, seen
from model.analysis.lessons.vectors import embedded

Template = Callable[[TracedSentence, Random], Made | None]
_Values = dict[str, Displayed]
_CLEAR = 0.01  # by which a weight is called the largest
_LENGTHS = range(4, 30)  # of lines that are not the sentence


def _mix(d: TracedSentence, rng: Random) -> Made:
    head, weights = d.head("encoder_self", rng)
    row = rng.randrange(d.n)
    places = np.argsort(-weights[row])[:3]
    shares, held = [weights[row, place] for place in places], rng.sample(range(2, 21), 3)
    values: _Values = {"head": head.title, "row": d.src[row]}
    for name, place, share, value in zip("abc", places, shares, held, strict=True):
        values |= {name: d.src[place], f"w{name}": share, f"v{name}": value}
    mixed = sum(share * value for share, value in zip(shares, held, strict=True))
    return Made(values, mixed, {"hard": float(held[0]), "even": sum(held) / 3, "unweighted": float(sum(held))})


def _sights(d: TracedSentence, rng: Random) -> tuple[_Values, str, str, str] | None:
    """Two rows of a cross head, one after the other: where each looks most, and where the mean of the layer's heads."""
    head, weights = d.head("cross", rng)
    if d.t < 3 or d.n < 2:
        return None
    row = rng.randrange(d.t - 1)
    looks = [weights[row], weights[row + 1], d.trace.weights["cross"][head.layer, :, row].mean(0)]
    if any(np.diff(np.sort(each)[-2:])[0] < _CLEAR for each in looks):
        return None
    x, z, mean = (d.src[int(each.argmax())] for each in looks)
    read, written, after = d.read[row], d.writes[row], d.writes[row + 1]
    values: _Values = {"head": head.title, "read": read, "written": written, "after": after}
    return values | {"x": x, "z": z, "mean": mean}, x, z, mean


def _written(d: TracedSentence, rng: Random) -> Made | None:
    found = _sights(d, rng)
    return found and Made(found[0], found[1], {"row_that_reads": found[2], "mean_of_heads": found[3]})


def _soft(d: TracedSentence, rng: Random) -> Made | None:
    if d.t < 2:
        return None
    head, _ = d.head("decoder_self", rng)
    first, second = (seen(each) for each in d.trace.scores["decoder_self"][head.layer, head.head, 1, :2])
    key = 1 / (1 + math.exp(second - first))
    wrong = {"hard": float(first > second), "even": 0.5, "other_key": 1 - key}
    return Made({"head": head.title, "row": d.read[1], "first": first, "second": second}, key, wrong)


def _scale(d: TracedSentence, rng: Random) -> Made:
    head, _ = d.head("encoder_self", rng)
    row, column, size = rng.randrange(d.n), rng.randrange(d.n), d.width // d.heads
    product = seen(float(d.trace.scores["encoder_self"][head.layer, head.head, row, column]) * math.sqrt(size))
    values: _Values = {"head": head.title, "row": d.src[row], "column": d.src[column], "product": product, "size": size}
    wrong = {"undivided": product, "by_size": product / size, "multiplied": product * math.sqrt(size)}
    return Made(values, product / math.sqrt(size), wrong)


def _total(d: TracedSentence, rng: Random) -> Made:
    head, _ = d.head("encoder_self", rng)
    wrong = {"map_is_one": 1, "cells": d.n * d.n, "heads_share": d.n * d.heads}
    return Made({"head": head.title, "n": d.n}, d.n, wrong)


def _back(d: TracedSentence, rng: Random) -> Made | None:
    head, weights = d.head("encoder_self", rng)
    a, b = rng.sample(range(d.n), 2)
    if min(weights[a, b], weights[b, a]) < 0.01:
        return None
    values: _Values = {"head": head.title, "a": d.src[a], "b": d.src[b]}
    values |= {"ab": weights[a, b], "aa": weights[a, a], "ba": weights[b, a], "bb": weights[b, b]}
    wrong = {"symmetric": weights[a, b], "itself": weights[b, b], "other_row": weights[a, a]}
    return Made(values, float(weights[b, a]), {why: float(weight) for why, weight in wrong.items()})


def _divided(d: TracedSentence, rng: Random) -> int:
    """Another number of heads than the model has."""
    return rng.choice([1 << k for k in range(1, 7) if d.width % (1 << k) == 0 and 1 << k != d.heads])


def _slice(d: TracedSentence, rng: Random) -> Made:
    h = _divided(d, rng)
    values: _Values = {"width": d.width, "heads": d.heads, "other": h}
    return Made(values, d.width // h, {"whole_width": d.width, "widened": d.width * h, "count_of_heads": h})


def _counted(d: TracedSentence, rng: Random) -> Made:
    h, count = _divided(d, rng), 4 * (d.width**2 + d.width)
    wrong = {"each_head_more": count * h, "heads_divide": count // h, "in_proportion": count * h // d.heads}
    return Made({"count": count, "heads": d.heads, "other": h}, count, wrong)


def _shape(d: TracedSentence, rng: Random) -> Made:
    b, h, n = rng.randrange(2, 9), d.heads, d.n
    wrong = {"one_map": [b, n, n], "vectors": [b, h, n, d.width // h], "joined": [b, n, d.width]}
    values: _Values = {"n": n, "batch": b, "heads": h, "width": d.width}
    return Made(values, [b, h, n, n], wrong)


def _seen_by(d: TracedSentence, rng: Random) -> Made | None:
    if d.t < 4 or d.read.count(d.read[row := rng.randrange(2, d.t - 1)]) > 1:
        return None
    wrong = {"without_itself": row, "no_mask": d.t, "itself_alone": 1}
    return Made({"inputs": " · ".join(d.read), "token": d.read[row]}, row + 1, wrong)


def _padded(d: TracedSentence, rng: Random) -> Made:
    n, m = d.n, d.n + rng.randrange(2, 7)
    wrong = {"rows_too": m * m - n * n, "causal": m * (m - 1) // 2, "own_cells": (m - n) ** 2}
    return Made({"n": n, "m": m}, m * (m - n), wrong)


def _wave(d: TracedSentence, rng: Random) -> Made:
    place = rng.randrange(1, d.n)
    wrong = {"cosine": math.cos(place), "index": float(place), "share": place / d.n}
    return Made({"token": d.src[place], "place": place, "n": d.n}, math.sin(place), wrong)


def _period(d: TracedSentence, rng: Random) -> Made:
    pair = rng.randrange(2, d.width // 8)
    slow = 10000 ** (2 * pair / d.width)
    half = 10000 ** (pair / d.width)
    wrong = {"no_turn": slow, "half_power": 2 * math.pi * half, "all_alike": 2 * math.pi}
    return Made({"pair": pair, "width": d.width, "base": "10000"}, 2 * math.pi * slow, wrong)


def _moved(d: TracedSentence, rng: Random) -> Made:
    place, more = rng.randrange(1, d.n), rng.randrange(2, 7)
    wrong = {"stays": place, "shift_alone": more, "from_end": d.n + more}
    return Made({"token": d.src[place], "place": place, "more": more}, place + more, wrong)


def _normed(d: TracedSentence, rng: Random) -> Made:
    place, numbers = d.numbers(rng, 4)
    first, mean, spread = numbers[0], float(np.mean(numbers)), float(np.std(numbers))
    spread = spread or math.nan
    within = (first - min(numbers)) / ((max(numbers) - min(numbers)) or math.nan)
    wrong = {"not_divided": first - mean, "not_centred": first / spread, "into_range": within}
    values: _Values = {"token": d.src[place], **dict(zip("abcd", numbers, strict=True))}
    return Made(values, (first - mean) / spread, wrong)


def _means(d: TracedSentence, rng: Random) -> Made:
    b = rng.randrange(2, 9)
    wrong = {"batch_norm": d.width, "a_sentence": b, "one_mean": 1}
    return Made({"n": d.n, "batch": b, "width": d.width}, b * d.n, wrong)


def _across(d: TracedSentence, rng: Random) -> Made:
    level, number = rng.randrange(1, len(d.stream)), rng.randrange(d.width)
    places = rng.sample(range(d.n), 3)
    numbers = [seen(d.stream[level, place, number]) for place in places]
    own = seen(float(d.stream[level, places[0]].mean()))
    values: _Values = {"token": d.src[places[0]], "own": own}
    values |= {"width": d.width, **dict(zip("abc", numbers, strict=True))}
    return Made(values, own, {"batch_norm": float(np.mean(numbers)), "itself_off": numbers[0], "largest": max(numbers)})


def _smooth(_d: TracedSentence, rng: Random) -> Made:
    share, classes = rng.choice([0.1, 0.2, 0.3, 0.4]), rng.randrange(5, 12)
    wrong = {"padding_too": share / (classes - 1), "right_too": share / classes, "undivided_share": share}
    return Made({"share": share, "classes": classes}, share / (classes - 2), wrong)


def _step(d: TracedSentence, rng: Random) -> tuple[int, float]:
    """A written token, and its probability as it is shown."""
    step = rng.randrange(len(d.found.log_probs))
    return step, seen(math.exp(d.found.log_probs[step]))


def _loss(d: TracedSentence, rng: Random) -> Made | None:
    step, p = _step(d, rng)
    if not 0.02 < p < 0.98:
        return None
    wrong = {"what_is_missing": 1 - p, "probability": p, "bits": -math.log2(p)}
    return Made({"token": d.writes[step], "p": p}, -math.log(p), wrong)


def _rate(_d: TracedSentence, rng: Random) -> Made:
    warmup, times = rng.choice([2000, 4000, 8000, 16000]), rng.choice([0.25, 0.5, 4.0, 9.0])
    swapped, other = (math.sqrt(times), 1 / math.sqrt(times)) if times < 1 else (1 / times, times)
    wrong = {"branches_swapped": swapped, "flat_rate": 1.0, "one_branch": other}
    return Made({"warmup": warmup, "step": int(warmup * times)}, min(times, 1 / math.sqrt(times)), wrong)


def _padding(d: TracedSentence, rng: Random) -> Made:
    lengths = [d.n, *rng.sample(_LENGTHS, 2)]
    most = 3 * max(lengths)
    wrong = {"all_places": most, "filled": sum(lengths), "widest_gap": max(lengths) - min(lengths)}
    return Made(dict(zip("abc", lengths, strict=True)), most - sum(lengths), wrong)


def _buckets(d: TracedSentence, rng: Random) -> Made:
    lengths = [d.n, *rng.sample(_LENGTHS, 3)]

    def padding(order: list[int], size: int = 2) -> int:
        return sum(size * max(batch) - sum(batch) for batch in (order[i : i + size] for i in range(0, 4, size)))

    wrong = {"unsorted": padding(lengths), "one_batch": padding(lengths, 4), "no_padding": 0}
    return Made(dict(zip("abcd", lengths, strict=True)), padding(sorted(lengths)), wrong)


def _rows(d: TracedSentence, _rng: Random) -> Made:
    pieces = [label.text for label in d.trace.src if not label.is_special]
    wrong = {"without_end": len(pieces), "words": len(d.found.source.split()), "width": d.width}
    return Made({"pieces": " · ".join(pieces)}, d.n, wrong)


def _shifted(d: TracedSentence, rng: Random) -> Made | None:
    if d.t < 4:
        return None
    step = rng.randrange(1, d.t - 1)
    values: _Values = {"token": d.writes[step], "translation": " · ".join(d.writes), "step": step + 1}
    wrong = {"no_shift": d.writes[step], "shift_forward": d.writes[step + 1], "from_source": d.src[min(step, d.n - 1)]}
    return Made(values, d.read[step], wrong)


def _reached(d: TracedSentence, rng: Random) -> Made | None:
    if d.t < 5 or d.writes.count(d.writes[step := rng.randrange(1, d.t - 1)]) > 1:
        return None
    wrong = {"own_row": 1, "later_rows": d.t - step - 1, "every_row": d.t}
    return Made({"token": d.writes[step], "outputs": " · ".join(d.writes)}, step + 1, wrong)


def _slope(d: TracedSentence, rng: Random) -> tuple[str, int, int, float, float]:
    """A head of the encoder, a row and a column, the weight there, and the translation's gradient in it."""
    head, weights = d.head("encoder_self", rng)
    row, column = rng.randrange(d.n), rng.randrange(d.n)
    return head.title, row, column, float(weights[row, column]), seen(d.slopes[head.layer, head.head, row, column])


def _first_order(d: TracedSentence, rng: Random) -> Made | None:
    title, row, column, weight, slope = _slope(d, rng)
    if weight < 0.01 or abs(slope) < 0.01:
        return None
    values: _Values = {"head": title, "row": d.src[row], "column": d.src[column], "weight": weight, "slope": slope}
    return Made(values, -slope * weight, {"slope_alone": -slope, "weight_alone": -weight, "wrong_way": slope * weight})


def _hooked(d: TracedSentence, rng: Random) -> Made | None:
    title, row, column, _, slope = _slope(d, rng)
    times = rng.choice([2, 3, 5])
    if abs(slope) < 0.001:
        return None
    values: _Values = {"head": title, "row": d.src[row], "column": d.src[column], "slope": slope, "times": times}
    wrong = {"hooks_stay": slope * times**2, "hooks_look": slope, "hooks_divide": slope / times}
    return Made(values, slope * times, wrong)


def _patches(_d: TracedSentence, rng: Random) -> Made:
    side, patch = rng.choice([32, 48, 64, 96, 224]), rng.choice([4, 8, 16])
    count = (side // patch) ** 2
    wrong = {"no_class_token": count, "pixels": side * side + 1, "one_row": side // patch + 1}
    return Made({"side": side, "patch": patch}, count + 1, wrong)


def _maps(_d: TracedSentence, rng: Random) -> Made:
    layers, h = rng.randrange(2, 13), rng.choice([2, 4, 8, 16])
    one = layers * h
    wrong = {"cross_forgotten": 2 * one, "one_kind": one, "one_head": 3 * layers}
    return Made({"layers": layers, "heads": h}, 3 * one, wrong)


def _honest(d: TracedSentence, rng: Random) -> Made | None:
    head, weights = d.head("cross", rng)
    row = rng.randrange(d.t)
    places = [int(place) for place in np.argsort(-weights[row])[:3]]
    if len(places) < 3 or weights[row, places[2]] < 0.005:
        return None
    shares = [float(weights[row, place]) for place in places]
    exact = d.trace.weights["cross"][head.layer, head.head, row]
    lengths = [seen(float(d.norms[head.layer, head.head, row, place] / exact[place])) for place in places]
    counts = [share * length for share, length in zip(shares, lengths, strict=True)]
    best, heaviest = int(np.argmax(counts)), int(np.argmax(shares))
    if best == heaviest or sorted(counts)[-1] < 1.1 * sorted(counts)[-2]:
        return None
    values: _Values = {"head": head.title, "token": d.writes[row]}
    for name, place, share, length in zip("abc", places, shares, lengths, strict=True):
        values |= {name: d.src[place], f"w{name}": share, f"l{name}": length}
    other = next(i for i in range(3) if i not in (best, heaviest))
    why = "length_alone" if int(np.argmax(lengths)) == other else "neither"
    wrong = {"weight_explains": d.src[places[heaviest]], why: d.src[places[other]]}
    return Made(values, d.src[places[best]], wrong)


def _link(d: TracedSentence, rng: Random) -> Made | None:
    if (found := _sights(d, rng)) is None:
        return None
    values, x, z, mean = found
    wrong = {"off_by_one": f"{values['written']} – {z}", "names_the_read": f"{values['read']} – {x}"}
    return Made(values, f"{values['written']} – {x}", wrong | {"mean_of_heads": f"{values['written']} – {mean}"})


def _length(d: TracedSentence, rng: Random) -> Made:
    place, root = rng.randrange(d.n), math.sqrt(d.width)
    length = seen(float(embedded(d.translator, d.found.source).row[place]))
    wrong = {"unscaled": length, "by_width": length * d.width, "scaled_down": length / root}
    return Made({"token": d.src[place], "length": length, "width": d.width}, length * root, wrong)


def _likely(d: TracedSentence, rng: Random) -> Made | None:
    step, p = _step(d, rng)
    if not 0.05 < p < 0.9:
        return None
    log_p = seen(d.found.log_probs[step])
    wrong = {"one_less": 1 + log_p, "sign_off": -log_p, "base_ten": 10**log_p}
    return Made({"token": d.writes[step], "log_p": log_p}, math.exp(log_p), wrong)


def _cut(d: TracedSentence, rng: Random) -> Made:
    place, numbers = d.numbers(rng, 4)
    above = sum(each for each in numbers if each > 0)
    wrong = {"nothing_cut": sum(numbers), "turned": sum(map(abs, numbers)), "inverted": above - sum(numbers)}
    return Made({"token": d.src[place], **dict(zip("abcd", numbers, strict=True))}, above, wrong)


def _widened(d: TracedSentence, rng: Random) -> Made:
    width, inner = d.width, d.width * rng.choice([2, 3, 4, 6, 8])
    one = width * inner
    wrong = {"no_biases": 2 * one, "one_matrix": one + inner, "as_attention": 4 * (width**2 + width)}
    return Made({"width": width, "inner": inner}, 2 * one + inner + width, wrong)


def _alone(d: TracedSentence, rng: Random) -> Made | None:
    if d.n < 5:
        return None
    changed = rng.randrange(2, d.n - 1)
    return Made({"n": d.n, "changed": changed}, changed, {"mixed": d.n, "the_rest": d.n - changed, "untouched": 0})


def _layers(d: TracedSentence, rng: Random) -> Made:
    kernel = rng.choice([3, 5, 7])
    wrong = {"tiles": math.ceil(d.n / kernel), "step_a_token": d.n - 1, "one_layer": 1}
    return Made({"n": d.n, "kernel": kernel}, math.ceil((d.n - 1) / (kernel - 1)), wrong)


TEMPLATES: Mapping[str, Template] = {
    "1.mix": _mix, "1.written": _written, "1.soft": _soft,
    "2.scale": _scale, "2.total": _total, "2.back": _back,
    "3.slice": _slice, "3.counted": _counted, "3.shape": _shape,
    "4.cells": lambda d, _: Made(
        {"t": d.t, "last": d.read[-1]}, d.t * (d.t + 1) // 2,
        {"no_mask": d.t**2, "without_itself": d.t * (d.t - 1) // 2, "itself_alone": d.t},
    ),
    "4.seen": _seen_by, "4.padded": _padded,
    "5.wave": _wave, "5.period": _period, "5.moved": _moved,
    "6.normed": _normed, "6.means": _means, "6.across": _across,
    "7.smooth": _smooth, "7.loss": _loss, "7.rate": _rate,
    "8.padding": _padding, "8.buckets": _buckets, "8.rows": _rows,
    "9.between": lambda d, _: Made(
        {"s": d.n, "t": d.t}, [d.t, d.n],
        {"sides_swapped": [d.n, d.t], "source_alone": [d.n, d.n], "target_alone": [d.t, d.t]},
    ),
    "9.memory": lambda d, _: Made(
        {"t": d.t, "layers": d.decoder_layers}, d.decoder_layers,
        {"every_step": d.decoder_layers * d.t, "once_for_all": 1, "once_a_step": d.t},
    ),
    "9.shifted": _shifted,
    "10.reached": _reached, "10.first_order": _first_order, "10.hooked": _hooked,
    "11.pairs": lambda d, _: Made(
        {"n": d.n}, d.n * (d.n - 1) // 2,
        {"no_difference": 0, "diagonal_too": d.n * (d.n + 1) // 2, "gpt_sees_none": d.n**2},
    ),
    "11.patches": _patches, "11.maps": _maps,
    "12.honest": _honest, "12.link": _link,
    "12.even": lambda d, _: Made(
        {"t": d.t}, sum(1 / (row + 1) for row in range(d.t)) / d.t,
        {"causal_forgotten": 1 / d.t, "first_alone": 1.0, "cells_seen": (d.t + 1) / (2 * d.t)},
    ),
    "13.length": _length,
    "13.looked_up": lambda d, _: Made(
        {"entries": d.entries, "width": d.width, "n": d.n}, [d.n, d.width],
        {"one_hot": [d.n, d.entries], "whole_table": [d.entries, d.width], "pairs": [d.n, d.n]},
    ),
    "13.likely": _likely,
    "14.cut": _cut, "14.widened": _widened, "14.alone": _alone,
    "15.one_by_one": lambda d, _: Made(
        {"n": d.n}, d.n, {"all_at_once": 1, "all_pairs": d.n**2, "halving": (d.n - 1).bit_length()}
    ),
    "15.scores": lambda d, _: Made(
        {"n": d.n}, d.n**2, {"a_score_each": d.n, "half_table": d.n * (d.n + 1) // 2, "one_score": 1}
    ),
    "15.layers": _layers,
}  # fmt: skip
