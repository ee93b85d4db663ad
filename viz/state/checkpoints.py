"""The models that can be chosen, and what is known of them."""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

import streamlit as st

from model import examples
from model.analysis.alignment.known_pairs import best_writer, load_alignment
from model.analysis.faithfulness.scenes import load_scenes
from model.analysis.what_if.quality import load_warning
from model.checkpoints import read_facts
from model.errors import CheckpointError, HeadlightError
from model.folders import CHECKPOINTS, CONFIG, LOG, META, Entry, Sort, fingerprint, resolve, set_models, shelf
from model.history import snapshots
from model.source import Facts, Reads
from viz.state.choice import chosen

DEFAULT_CHECKPOINT = "en-zh"
UPLOADED = "_uploaded_maps"  # in a visitor's session: the file of maps that he opened


@lru_cache(maxsize=1)
def entries() -> Mapping[str, Entry]:
    """All that could be chosen when the app started, by its name."""
    problem()
    return shelf()


@lru_cache(maxsize=1)
def problem() -> HeadlightError | None:
    """What is wrong with the folder of models that the app was started with; None where nothing is."""
    try:
        set_models(sys.argv[1:])
    except HeadlightError as error:
        return error
    return None


def checkpoints() -> tuple[str, ...]:
    """Names of all that can be chosen: checkpoints that ship, one's own models, and an uploaded file of maps last."""
    uploaded = st.session_state.get(UPLOADED)
    return (*entries(), uploaded.name) if uploaded is not None else tuple(entries())


def sort_of(name: str) -> Sort:
    """What a model is: a checkpoint of our own, somebody's folder, or a file of maps."""
    base = base_of(name)
    return entries()[base].sort if base in entries() else "maps" if base in checkpoints() else "own"


def base_of(name: str) -> str:
    """The name as it is listed, without the languages that may follow it."""
    return name if name in entries() or name in checkpoints() else name.rpartition("@")[0] or name


def default_checkpoint() -> str:
    """The checkpoint that the app opens on: en-zh, or the first there is."""
    names = checkpoints()
    return DEFAULT_CHECKPOINT if DEFAULT_CHECKPOINT in names else next(iter(names), DEFAULT_CHECKPOINT)


def checkpoint() -> str:
    """Name of the chosen model, with its languages where others than its first are chosen; else the default."""
    name = chosen_name()
    if sort_of(name) != "folder":
        return name
    sources, targets, source, target = languages(name)
    pair = (chosen("from", source, sources), chosen("into", target, targets))
    return name if pair == (source, target) else f"{name}@{pair[0]}-{pair[1]}"


def chosen_name() -> str:
    """The listed name of the chosen model; the default where the choice does not exist."""
    return str(chosen("checkpoint", default_checkpoint(), checkpoints()))


def languages(name: str) -> tuple[tuple[str, ...], tuple[str, ...], str, str]:
    """Languages that a model can be asked for, from and into, and those that it starts with."""
    return _model(base_of(name)).languages if sort_of(name) == "folder" else ((), (), "", "")


def reads(name: str) -> Reads:
    """What a model is given."""
    return facts(name).anatomy.reads


def default_text(name: str) -> str:
    """The sentence that a checkpoint opens on."""
    return next(iter(example_sentences(name)), "")


def mask(name: str) -> str:
    """What stands for a place to fill in, where a model fills in any."""
    return str(getattr(_model(name), "mask", ""))


def uploaded(name: str, data: bytes) -> Any:
    """A file of maps that a visitor brought; the end of its name tells it from others of the same name.

    Raises:
        MapsError: something is wrong with it.
    """
    from model.saved.reading import read_maps
    from model.saved.source import SavedSource

    return SavedSource(read_maps(data), f"{name[:60]} · {hashlib.sha256(data).hexdigest()[:12]}")


def _model(name: str) -> Any:
    from viz.state.answers.translations import translator

    return translator(name)


def example_sentences(name: str) -> tuple[str, ...]:
    """The sentences one click away for a checkpoint."""
    if sort_of(name) == "own":
        return examples.sentences(str(meta(name).get("src_tokenizer", "")))
    if sort_of(name) == "maps":
        return (_model(name).found.source,)
    if own := meta(name).get("examples"):
        return tuple(own)
    found = examples.sentences(reads(name))
    return tuple(each.replace("[MASK]", _model(name).mask) for each in found)


@lru_cache(maxsize=16)
def opening(name: str) -> Mapping[str, Any]:
    """The head that a checkpoint opens on, and that its rows are named after what they write.

    The head of its alignment table that aligns best while it writes, where these weights made the table; else
    ``opens_on`` in its meta.json; else cross-attention's last layer.
    """
    anatomy = facts(name).anatomy
    kind = "cross" if "cross" in anatomy.kinds else next(iter(anatomy.kinds))
    start = {"kind": kind, "layer": anatomy.kinds[kind].layers - 1, "head": 0, "shift": "written"}
    table, _ = alignment(name)
    best = best_writer(table) if table else {}
    return {**start, **meta(name).get("opens_on", {}), **{key: best[key] for key in start if best}}


@lru_cache(maxsize=16)
def alignment(name: str) -> tuple[dict[str, Any] | None, str]:
    """A checkpoint's alignment table; or None and why: "missing", "damaged", or "stale": other weights made it."""
    return load_alignment(base_of(name), sha256(name)) if sort_of(name) != "maps" else (None, "missing")


@lru_cache(maxsize=16)
def scenes(name: str) -> dict[str, Any] | None:
    """Where a model of pictures looks on scenes whose answer is known; None where that was not measured."""
    return load_scenes(name, sha256(name)) if ships(name) else None


@lru_cache(maxsize=16)
def warning(name: str) -> dict[str, Any] | None:
    """At which confidence to warn of a checkpoint's translations, and how often that is right; None where unknown."""
    return load_warning(name, sha256(name))[0]


@lru_cache(maxsize=16)
def config(name: str) -> dict[str, Any]:
    """What a checkpoint's config.json says, to be shown."""
    return _json(name, CONFIG) if sort_of(name) == "own" else dict(_model(name).config)


def facts(name: str) -> Facts:
    """The sizes of a model; a folder's are found by running it."""
    if sort_of(name) == "own":
        return _own_facts(name)
    found: Facts = _model(name).facts
    return found


@lru_cache(maxsize=16)
def _own_facts(name: str) -> Facts:
    return read_facts(name)


def meta(name: str) -> dict[str, Any]:
    """What a shipped model's meta.json says; of other models what tells their weights apart."""
    base = base_of(name)
    if sort_of(name) == "own" and name != base:  # a snapshot: what was measured is not of its weights
        found = _shipped_meta(base)
        return {**found, "sha256": f"{found.get('sha256')}{name.removeprefix(base)}"}
    if sort_of(name) == "own" or ships(base):
        return _shipped_meta(base)
    return {"sha256": fingerprint(entries()[base].path)} if base in entries() else {"sha256": base}


@lru_cache(maxsize=16)
def at_steps(name: str) -> tuple[str, ...]:
    """Names of a checkpoint as it was at the steps of its training whose weights it keeps, in order: "reverse@600"."""
    if sort_of(name) != "own":
        return ()
    try:
        return tuple(f"{base_of(name)}@{step}" for step in snapshots(resolve(name)))
    except CheckpointError:
        return ()


def ships(name: str) -> bool:
    """Whether a model came with the program, and not from the visitor's own folder."""
    return name in entries() and entries()[name].path.parent == CHECKPOINTS


@lru_cache(maxsize=16)
def _shipped_meta(name: str) -> dict[str, Any]:
    return _json(name, META)


def sha256(name: str) -> str:
    """The sum that a checkpoint's weights have, by its meta.json; "None" where that says none."""
    return str(meta(name).get("sha256"))


@st.cache_data(max_entries=16, show_spinner=False)
def training_log(name: str) -> list[dict[str, Any]]:
    """The entries of a checkpoint's training log; empty where it has none."""
    path = resolve(name) / LOG if sort_of(name) == "own" or ships(name) else Path()
    lines = path.read_text(encoding="utf-8").splitlines() if path.is_file() else []
    return [json.loads(line) for line in lines]


def _json(name: str, file: str) -> dict[str, Any]:
    value: dict[str, Any] = json.loads((resolve(name) / file).read_text(encoding="utf-8"))
    return value
