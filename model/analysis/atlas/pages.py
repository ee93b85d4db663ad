"""An atlas as it is read: a table of every head's measures, and a page a head, made of the counts over a corpus."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from model.analysis.atlas.counts import Counts, KindCounts, Sampled
from model.analysis.atlas.kept import Sentence, SparseMap
from model.analysis.atlas.tally import COARSE, FAR, FINE, LINES, N_OFFSETS, NEAR_OFFSETS, SCALE, SENTENCE_MEASURES, SUMS
from model.analysis.heads.corpus import ratio
from model.analysis.heads.roles import OFFSETS, Profile, RowCounts, summed_up
from model.trace import HeadRef, Kind

QUANTILES = 5
PER_QUANTILE = 3  # sentences shown of each fifth
LISTED_TOKENS = 20  # a list
NEIGHBOURS = 6
FEWEST = 5  # rows with a token, for it to be listed
KEPT_DECIMALS = 4
_SHARES = {  # measures that are shares of rows, and which of LINES they are
    "previous": LINES.index("-1"),
    "itself": LINES.index("0"),
    "next": LINES.index("1"),
    "sink": LINES.index("special"),
    "rare": LINES.index("rare"),
}


def index_of(counts: Counts) -> dict[str, Any]:
    """Facts, and of each kind every head's measures, roles and errors: JSON-ready, [N] each, NaN as None."""
    kinds = {kind: _kind_index(own, kind) for kind, own in counts.kinds.items()}
    for name, kinds_of in (("vote", _decoder(counts)), ("cost", list(counts.kinds))):
        _add_sampled(kinds, kinds_of, counts.samples[f"{name}s"], name)
    facts = {name: value for name, value in counts.facts.items() if name != "kinds"}
    sizes = {kind: {"layers": sizes[0], "heads": sizes[1]} for kind, sizes in counts.facts["kinds"].items()}
    return {
        "facts": facts | {"refused": dict(sorted(counts.refused.items()))},
        "kinds": {kind: sizes[kind] | each for kind, each in kinds.items()},
    }


def pages_of(counts: Counts) -> dict[str, dict[str, Any]]:
    """The page of every head, by its code: JSON-ready."""
    pages = {}
    for kind, own in counts.kinds.items():
        heads = counts.facts["kinds"][kind][1]
        likeness, texts = neighbours(own, counts.sentences, kind), own.texts.saved()
        for n in range(len(own.kept.strongest)):
            head = HeadRef(kind, *divmod(n, heads))
            near = [(HeadRef(kind, *divmod(other, heads)).code, share) for other, share in likeness[n]]
            pages[head.code] = {
                **_histograms(own, n),
                "tokens": {"at": looked_at(*texts, n), "hard": looks_from(*texts, n)},
                "strongest": _strongest(own, counts.sentences, kind, n),
                "sample": _samples(own, counts.sentences, kind, n),
                "neighbours": near,
            }
    return pages


def profile_of(own: KindCounts, kind: Kind, layers: int) -> Profile:
    """Measures and roles as ``model.analysis.heads.roles`` defines them, of the counts of a kind."""
    tally = own.tally
    sums = {name: tally["sums"][SUMS.index(name)] / SCALE for name in ("entropy", "evenness", "distance", "confidence")}
    first = FAR + OFFSETS[0]
    sums |= {
        "sink": tally["lines"][LINES.index("special")],
        "rare": tally["lines"][LINES.index("rare")],
        "hits": tally["peaks"][first : first + len(OFFSETS)],
    }
    rows = dict.fromkeys(sums, tally["rows"])
    rows |= {"evenness": tally["choice"], "rare": tally["lines_of"][LINES.index("rare")]}
    rows["hits"] = tally["possible"][first : first + len(OFFSETS)]
    shaped = {name: values.reshape(*values.shape[:-1], layers, -1) for name, values in sums.items()}
    return summed_up(RowCounts(shaped, {name: np.asarray(each) for name, each in rows.items()}), kind)


def line_shares(own: KindCounts) -> tuple[np.ndarray, np.ndarray]:
    """Share of rows on each of LINES, and its standard error over sentences (as ``ratio``): [9, N] twice; NaN."""
    tally = own.tally
    rows, n = tally["lines_of"][:, None].astype(float), int(tally["sentences"])
    with np.errstate(divide="ignore", invalid="ignore"):
        share = tally["lines"] / rows
        residues = tally["lines_squared"] - 2 * share * tally["lines_crossed"]
        residues = residues + share**2 * tally["lines_of_squared"][:, None]
        error = np.sqrt(np.maximum(residues, 0) * (n / (n - 1) if n > 1 else np.nan)) / rows
    return share, error


def quantile(own: KindCounts, n: int, strengths: np.ndarray) -> np.ndarray:
    """In which fifth of the corpus each strength lies, 0 the weakest, for head n; equal ones stand in the middle."""
    held = own.tally["by_confidence"][:, n]
    places = np.minimum((strengths / SCALE * FINE).astype(int), FINE - 1)
    rank = (np.cumsum(held) - held / 2)[places] / max(1, held.sum())
    found: np.ndarray = np.minimum((rank * QUANTILES).astype(int), QUANTILES - 1)
    return found


def looked_at(texts: Sequence[str], counts: dict[str, np.ndarray], n: int) -> dict[str, list[list[Any]]]:
    """Tokens on which head n's largest weight is: text, rows, rows if it looked evenly.

    ``most`` by rows, ``more`` by how much more often than evenly: Dunning's (1993) log-likelihood of the two.
    """
    return _lists(texts, counts["at"][:, n], counts["even"] / SCALE)


def looks_from(texts: Sequence[str], counts: dict[str, np.ndarray], n: int) -> dict[str, list[list[Any]]]:
    """Tokens whose rows look hard: text, such rows, and how many at the head's mean rate; as ``looked_at``."""
    hard, own = counts["hard"][:, n], counts["own"]
    return _lists(texts, hard, own * (hard.sum() / max(1, own.sum())))


def _lists(texts: Sequence[str], found: np.ndarray, expected: np.ndarray) -> dict[str, list[list[Any]]]:
    with np.errstate(divide="ignore", invalid="ignore"):
        surprise = np.where((found >= FEWEST) & (found > expected), found * np.log(found / expected), 0.0)
    lists = {}
    for name, score in (("most", np.where(found >= FEWEST, found, 0)), ("more", surprise)):
        order = [int(place) for place in np.argsort(-score, kind="stable")[:LISTED_TOKENS] if score[place] > 0]
        lists[name] = [[texts[place], int(found[place]), round(float(expected[place]), 1)] for place in order]
    return lists


def neighbours(own: KindCounts, sentences: dict[int, Sentence], kind: Kind) -> list[list[tuple[int, float]]]:
    """For each head the heads of its kind whose maps overlap most with its own, and by how much, 0 to 1.

    The overlap of two rows is Σ min(α, β), one minus their total variation distance; mean over all rows of the
    sampled sentences, of the weights that are stored.
    """
    heads = len(own.kept.strongest)
    total, rows = np.zeros((heads, heads), np.int64), 0
    for digest, (_, keys, levels) in sorted(own.kept.sample.items()):
        height, width = (len(axis) for axis in sentences[digest].axes(kind))
        dense = np.zeros((heads, height, width + 1), np.int64)
        np.put_along_axis(dense, np.where(levels > 0, keys, width), levels.astype(np.int64), -1)
        flat = dense[..., :width].reshape(heads, -1)
        for head in range(heads):
            total[head] += np.minimum(flat, flat[head]).sum(-1)
        rows += height
    np.fill_diagonal(total, -1)
    order = np.argsort(-total, axis=1, kind="stable")[:, : min(NEIGHBOURS, heads - 1)]
    scale = 255 * max(1, rows)
    return [
        [(int(other), round(int(total[n, other]) / scale, KEPT_DECIMALS)) for other in order[n]] for n in range(heads)
    ]


def _kind_index(own: KindCounts, kind: Kind) -> dict[str, Any]:
    tally = own.tally
    if not tally:
        return {"rows": 0, "sentences": 0, "measures": {}, "errors": {}, "roles": [], "offset_at": []}
    profile, (share, error) = profile_of(own, kind, 1), line_shares(own)
    measures = _means(own) | {name: share[place] for name, place in _SHARES.items()}
    measures["coverage"] = tally["hit"] / max(1, int(tally["hittable"]))
    measures["offset"] = profile.measures["offset"][0]
    errors = {name: error[place] for name, place in _SHARES.items()}
    errors["offset"] = error[profile.offset_at[0] - NEAR_OFFSETS[0], np.arange(error.shape[1])]
    return {
        "rows": int(tally["rows"]),
        "sentences": int(tally["sentences"]),
        "linked": int(tally["linked"]),
        "measures": {name: _plain(values) for name, values in measures.items()},
        "errors": {name: _plain(values) for name, values in errors.items()},
        "roles": profile.roles[0],
        "offset_at": profile.offset_at[0].tolist(),
    }


def _means(own: KindCounts) -> dict[str, np.ndarray]:
    """The means of SUMS over the rows that each is about; NaN where there is none."""
    tally = own.tally
    over = dict.fromkeys(SUMS, int(tally["rows"])) | {"evenness": int(tally["choice"]), "aligned": int(tally["linked"])}
    return {name: tally["sums"][place] / SCALE / (over[name] or np.nan) for place, name in enumerate(SUMS)}


def _decoder(counts: Counts) -> list[Kind]:
    return [kind for kind in counts.kinds if kind != "encoder_self"]


def _add_sampled(kinds: dict[Kind, dict[str, Any]], names: Sequence[Kind], sampled: Sampled, measure: str) -> None:
    """What was measured on sampled sentences alone, with its standard error, as numbers a written token."""
    arrays = sampled.arrays()
    if not arrays:
        return
    means, errors = ratio(arrays["values"] / SCALE, arrays["tokens"])
    start = 0
    for kind in names:
        end = start + len(kinds[kind]["roles"])
        kinds[kind]["measures"][measure] = _plain(means[start:end])
        kinds[kind]["errors"][measure] = _plain(errors[start:end])
        kinds[kind][f"{measure}_sentences"] = len(arrays["tokens"])
        start = end


def _histograms(own: KindCounts, n: int) -> dict[str, Any]:
    tally = own.tally
    rows = max(1, int(tally["rows"]))
    fine = tally["by_confidence"][:, n].reshape(COARSE, -1).sum(1)
    by = {name: tally[f"by_{name}"][:, n] for name in SENTENCE_MEASURES if name != "confidence"}
    return {
        "mass": _plain(tally["mass"][:N_OFFSETS, n] / SCALE / rows),
        "peaks": tally["peaks"][:, n].tolist(),
        "possible": tally["possible"].tolist(),
        "hist_peak": tally["hist_peak"][:, n].tolist(),
        "hist_even": tally["hist_even"][:, n].tolist(),
        "by": {"confidence": fine.tolist()} | {name: values.tolist() for name, values in by.items()},
    }


def _strongest(own: KindCounts, sentences: dict[int, Sentence], kind: Kind, n: int) -> list[dict[str, Any]]:
    found = sorted(own.kept.strongest[n].items(), reverse=True)
    return [shown(sentences[digest], kind, strength, each) for (strength, digest), each in found]


def _samples(own: KindCounts, sentences: dict[int, Sentence], kind: Kind, n: int) -> list[dict[str, Any]]:
    """Of each fifth of the corpus by strength some of the sampled sentences: those of smallest hash."""
    sample = sorted(own.kept.sample.items())
    if not sample:
        return []
    fifths = quantile(own, n, np.array([strengths[n] for _, (strengths, *_) in sample]))
    found = []
    for fifth in range(QUANTILES):
        for place in np.flatnonzero(fifths == fifth)[:PER_QUANTILE]:
            digest, (strengths, keys, levels) = sample[int(place)]
            each = shown(sentences[digest], kind, int(strengths[n]), SparseMap(keys[n], levels[n]))
            found.append({"fifth": fifth, **each})
    return found


def shown(sentence: Sentence, kind: Kind, strength: int, found: SparseMap) -> dict[str, Any]:
    """A sentence with its map as a page holds it: of each row key, weight in 255ths, key, weight …"""
    rows, columns = sentence.axes(kind)
    cells = [
        [int(each) for key, level in zip(keys, levels, strict=True) if level for each in (key, level)]
        for keys, levels in zip(found.keys, found.weights, strict=True)
    ]
    return {
        "src": sentence.src,
        "tgt": sentence.tgt,
        "rows": list(rows),
        "columns": list(columns),
        "strength": round(strength / SCALE, KEPT_DECIMALS),
        "cells": cells,
    }


def _plain(values: np.ndarray) -> list[float | None]:
    return [None if np.isnan(value) else round(float(value), KEPT_DECIMALS) for value in values]
