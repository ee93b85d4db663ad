"""The checkpoints, and what lies in their folders."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import streamlit as st

from model import examples
from model.analysis.alignment.known_pairs import load_alignment
from model.analysis.what_if.quality import load_warning
from model.checkpoints import Facts, read_facts
from model.folders import CONFIG, LOG, META, available, resolve
from viz.state.choice import chosen

DEFAULT_CHECKPOINT = "en-zh"


@lru_cache(maxsize=1)
def checkpoints() -> tuple[str, ...]:
    """Names of the checkpoints that there were when the app started."""
    return tuple(available())


def default_checkpoint() -> str:
    """The checkpoint that the app opens on: en-zh, or the first there is."""
    names = checkpoints()
    return DEFAULT_CHECKPOINT if DEFAULT_CHECKPOINT in names else next(iter(names), DEFAULT_CHECKPOINT)


def checkpoint() -> str:
    """Name of the chosen checkpoint; the default where the choice does not exist."""
    return str(chosen("checkpoint", default_checkpoint(), checkpoints()))


def default_text(name: str) -> str:
    """The sentence that a checkpoint opens on."""
    return next(iter(example_sentences(name)), "")


def example_sentences(name: str) -> tuple[str, ...]:
    """The sentences one click away for a checkpoint."""
    return examples.sentences(str(meta(name).get("src_tokenizer", "")))


@lru_cache(maxsize=16)
def opening(name: str) -> Mapping[str, Any]:
    """The head, and which rows of it, that a checkpoint opens on.

    The best single head of its alignment table, where these weights made it; else ``opens_on`` in its
    meta.json; else cross-attention's last layer.
    """
    last = facts(name).anatomy.layers("cross") - 1
    table, _ = alignment(name)
    best = {key: table["best_head"][key] for key in ("kind", "layer", "head", "shift")} if table else {}
    return {"kind": "cross", "layer": last, "head": 0, "shift": "written", **meta(name).get("opens_on", {}), **best}


@lru_cache(maxsize=16)
def alignment(name: str) -> tuple[dict[str, Any] | None, str]:
    """A checkpoint's alignment table; or None and why: "missing", "damaged", or "stale": other weights made it."""
    return load_alignment(name, sha256(name))


@lru_cache(maxsize=16)
def warning(name: str) -> dict[str, Any] | None:
    """At which confidence to warn of a checkpoint's translations, and how often that is right; None where unknown."""
    return load_warning(name, sha256(name))[0]


@lru_cache(maxsize=16)
def config(name: str) -> dict[str, Any]:
    """What a checkpoint's config.json says, to be shown."""
    return _json(name, CONFIG)


@lru_cache(maxsize=16)
def facts(name: str) -> Facts:
    """The sizes of a checkpoint."""
    return read_facts(name)


@lru_cache(maxsize=16)
def meta(name: str) -> dict[str, Any]:
    """What a checkpoint's meta.json says."""
    return _json(name, META)


def sha256(name: str) -> str:
    """The sum that a checkpoint's weights have, by its meta.json; "None" where that says none."""
    return str(meta(name).get("sha256"))


@st.cache_data(max_entries=16, show_spinner=False)
def training_log(name: str) -> list[dict[str, Any]]:
    """The entries of a checkpoint's training log; empty where it has none."""
    path = resolve(name) / LOG
    lines = path.read_text(encoding="utf-8").splitlines() if path.is_file() else []
    return [json.loads(line) for line in lines]


def _json(name: str, file: str) -> dict[str, Any]:
    value: dict[str, Any] = json.loads((resolve(name) / file).read_text(encoding="utf-8"))
    return value
