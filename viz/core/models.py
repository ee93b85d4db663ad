"""The models that can be chosen: each is resolved from its name once, to a handle that says what is known of it."""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Mapping
from functools import cached_property, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import streamlit as st

from model import examples
from model.analysis.alignment.known_pairs import best_writer, load_alignment
from model.analysis.faithfulness.table import load_scenes
from model.analysis.what_if.repair import load_warning
from model.checkpoints import read_facts
from model.errors import CheckpointError, HeadlightError
from model.folders import (
    CHECKPOINTS,
    CONFIG,
    LOG,
    META,
    Entry,
    Sort,
    fingerprint,
    resolve,
    set_models,
    shelf,
)
from model.history import snapshots
from model.source import Facts, LacksAbilityError, LanguageChoice, ModelHandle, Reads
from viz.core import kept
from viz.core.choice import chosen

if TYPE_CHECKING:
    from model.translator import Translator

DEFAULT_MODEL = "en-zh"
UPLOADED = "_uploaded_maps"  # in a visitor's session: the file of maps that he opened


class ModelEntry:
    """A model that can be chosen, and what is known of it before its weights are read.

    Attributes:
        name: as the link and the picker say it; what follows ``@`` is a step of training, or languages.
        base: the name as it is listed.
        kind: "own", a checkpoint of our own Transformer; "folder", a Hugging Face folder; "maps", a file of maps.
    """

    kind: Sort = "own"

    def __init__(self, name: str, base: str, path: Path) -> None:
        self.name, self.base, self.path = name, base, path

    @property
    def opened(self) -> ModelHandle:
        """The model itself, shared by all visitors; the first call loads PyTorch.

        Raises:
            HeadlightError: something is wrong with it.
        """
        return kept.shared(self.base, self.sha256)

    @property
    def ships(self) -> bool:
        """Whether it came with the program, and not from the visitor's own folder."""
        return self.path.parent == CHECKPOINTS and self.name == self.base

    @cached_property
    def _shipped_meta(self) -> dict[str, Any]:
        return self._json(META)

    @cached_property
    def meta(self) -> dict[str, Any]:
        """What meta.json says."""
        return self._shipped_meta

    @property
    def sha256(self) -> str:
        """What tells its weights from others: their sum, by meta.json; "None" where that says none."""
        return str(self.meta.get("sha256"))

    @property
    def by_letter(self) -> bool:
        """Whether its tokens are letters, as the toy task's are."""
        return self.kind == "own" and self.meta.get("src_tokenizer") == "characters"

    @cached_property
    def config(self) -> dict[str, Any]:
        """What config.json says, to be shown."""
        return self._json(CONFIG)

    @cached_property
    def facts(self) -> Facts:
        """Its sizes.

        Raises:
            HeadlightError: they cannot be found.
        """
        return read_facts(self.name)

    @property
    def reads(self) -> Reads:
        """What it is given."""
        return self.facts.anatomy.reads

    @property
    def languages(self) -> LanguageChoice:
        """LanguageChoice that it can be asked for, from and into, and those that it starts with."""
        return (), (), "", ""

    @property
    def mask(self) -> str:
        """What stands for a place to fill in, where it fills in any."""
        return ""

    @property
    def examples(self) -> tuple[str, ...]:
        """The sentences one click away."""
        return examples.sentences(str(self.meta.get("src_tokenizer", "")))

    @property
    def default_text(self) -> str:
        """The sentence that it opens on."""
        return next(iter(self.examples), "")

    @cached_property
    def opening(self) -> Mapping[str, Any]:
        """The head that it opens on, and that its rows are named after what they write.

        The head of its alignment table that aligns best while it writes, where these weights made the table; else
        ``opens_on`` in its meta.json; else cross-attention's last layer.
        """
        anatomy = self.facts.anatomy
        kind = "cross" if "cross" in anatomy.kinds else next(iter(anatomy.kinds))
        start = {"kind": kind, "layer": anatomy.kinds[kind].layers - 1, "head": 0, "shift": "written"}
        table, _ = self.alignment
        best = best_writer(table) if table else {}
        return {**start, **self.meta.get("opens_on", {}), **{key: best[key] for key in start if best}}

    @cached_property
    def alignment(self) -> tuple[dict[str, Any] | None, str]:
        """Its alignment table; or None and why: "missing", "damaged", or "stale": other weights made it."""
        return load_alignment(self.base, self.sha256)

    @cached_property
    def scenes(self) -> dict[str, Any] | None:
        """Where a model of pictures looks on scenes whose answer is known; None where that was not measured."""
        return load_scenes(self.name, self.sha256) if self.ships else None

    @cached_property
    def warning(self) -> dict[str, Any] | None:
        """At which confidence to warn of its translations, and how often that is right; None where unknown."""
        return load_warning(self.name, self.sha256)[0]

    @cached_property
    def at_steps(self) -> tuple[str, ...]:
        """Its names at the steps of its training whose weights it keeps, in order: "reverse@600"."""
        if self.kind != "own":
            return ()
        try:
            return tuple(f"{self.base}@{step}" for step in snapshots(self.path))
        except CheckpointError:
            return ()

    @cached_property
    def training_log(self) -> list[dict[str, Any]]:
        """The entries of its training log; empty where it has none."""
        path = self.path / LOG
        lines = path.read_text(encoding="utf-8").splitlines() if path.is_file() and self._keeps_a_log else []
        return [json.loads(line) for line in lines]

    @property
    def _keeps_a_log(self) -> bool:
        return self.kind == "own" or self.ships

    def _json(self, file: str) -> dict[str, Any]:
        """What a JSON file of its folder says.

        Raises:
            CheckpointError: it is gone, or damaged.
        """
        try:
            value: dict[str, Any] = json.loads((resolve(self.name) / file).read_text(encoding="utf-8"))
        except (OSError, ValueError):
            raise CheckpointError(f"{file} of {self.name} is gone, or cannot be read") from None
        return value


class SnapshotEntry(ModelEntry):
    """A checkpoint of our own as it was after so many steps of training; its tokenizers are there once."""

    @cached_property
    def meta(self) -> dict[str, Any]:
        """As that of the finished one, with a sum of its own: what was measured is not of its weights."""
        found = self._shipped_meta
        return {**found, "sha256": f"{found.get('sha256')}{self.name.removeprefix(self.base)}"}

    @property
    def opened(self) -> ModelHandle:
        """As ``ModelEntry.opened``."""
        return kept.at_step(self.name, str(self._shipped_meta.get("sha256")))


class FolderEntry(ModelEntry):
    """Somebody's Hugging Face folder; what it is, is found by running it."""

    kind: Sort = "folder"

    @property
    def opened(self) -> ModelHandle:
        """As ``ModelEntry.opened``, asked for the languages of its name."""
        model = super().opened
        return model if self.name == self.base else kept.in_languages(self.name, self.sha256)

    @cached_property
    def meta(self) -> dict[str, Any]:
        """What meta.json says of one that ships; of others what tells their weights apart."""
        return self._shipped_meta if self.path.parent == CHECKPOINTS else {"sha256": fingerprint(self.path)}

    @property
    def facts(self) -> Facts:
        """As ``ModelEntry.facts``."""
        return self.opened.facts

    @property
    def config(self) -> dict[str, Any]:
        """As ``ModelEntry.config``."""
        return dict(self.opened.config)

    @property
    def languages(self) -> LanguageChoice:
        """As ``ModelEntry.languages``."""
        return kept.shared(self.base, self.sha256).languages

    @property
    def mask(self) -> str:
        """As ``ModelEntry.mask``."""
        return self.opened.mask

    @property
    def examples(self) -> tuple[str, ...]:
        """Those that its meta.json names, or those for what it reads."""
        if own := self.meta.get("examples"):
            return tuple(own)
        return tuple(each.replace("[MASK]", self.mask) for each in examples.sentences(self.reads))


class MapsEntry(FolderEntry):
    """A file of maps in place of a model: listed, or uploaded by this visitor, whose alone it is."""

    kind: Sort = "maps"

    def __init__(self, name: str, base: str, path: Path, brought: ModelHandle | None = None) -> None:
        super().__init__(name, base, path)
        self._brought = brought

    @property
    def opened(self) -> ModelHandle:
        """The maps; as ``ModelEntry.opened``."""
        return self._brought or kept.shared(self.base, self.sha256)

    @property
    def languages(self) -> LanguageChoice:
        """None to choose."""
        return self.opened.languages

    @cached_property
    def meta(self) -> dict[str, Any]:
        """What tells it apart."""
        return {"sha256": self.base if self._brought else fingerprint(self.path)}

    @property
    def examples(self) -> tuple[str, ...]:
        """The sentence that its maps are of."""
        return (self.opened.translate("", capture=True).source,)

    @cached_property
    def alignment(self) -> tuple[dict[str, Any] | None, str]:
        """None was measured."""
        return None, "missing"


_KINDS: Mapping[Sort, type[ModelEntry]] = {"own": ModelEntry, "folder": FolderEntry, "maps": MapsEntry}


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


def names() -> tuple[str, ...]:
    """Names of all that can be chosen: checkpoints that ship, one's own models, and an uploaded file of maps last."""
    brought = _uploaded()
    return tuple(entries()) if brought is None else (*entries(), brought.name)


def entry_of(name: str) -> ModelEntry:
    """What is known of the model of a name; of one that is nowhere, as if it were a checkpoint that cannot be read."""
    brought = _uploaded()
    if brought is not None and brought.name == name and name not in entries():
        return MapsEntry(name, name, Path(), brought)
    return _entry_of(name)


@lru_cache(maxsize=64)
def _entry_of(name: str) -> ModelEntry:
    known = entries()
    base = name if name in known else name.rpartition("@")[0] or name
    if base not in known:
        return ModelEntry(name, name, CHECKPOINTS / name)
    found = known[base]
    if found.sort == "own" and name != base:
        return SnapshotEntry(name, base, found.path)
    return _KINDS[found.sort](name, base, found.path)


def forget() -> None:
    """Forget what is known of every model: to be called when their files, or the folder of models, have changed."""
    entries.cache_clear()
    _entry_of.cache_clear()


def default_model() -> str:
    """The name of the model that the app opens on: en-zh, or the first there is."""
    found = names()
    return DEFAULT_MODEL if DEFAULT_MODEL in found else next(iter(found), DEFAULT_MODEL)


def listed() -> ModelEntry:
    """The chosen model as it is listed, whatever languages are asked of it; the default where there is none such."""
    return entry_of(str(chosen("checkpoint", default_model(), names())))


def current() -> ModelEntry:
    """The chosen model, with its languages where others than its first are chosen; else the default."""
    found = listed()
    if found.kind != "folder":
        return found
    sources, targets, source, target = found.languages
    pair = (chosen("from", source, sources), chosen("into", target, targets))
    return found if pair == (source, target) else entry_of(f"{found.name}@{pair[0]}-{pair[1]}")


def own_translator(name: str) -> Translator:
    """The model of a name, for what looks into our own Transformer's modules.

    Raises:
        LacksAbilityError: it is of another kind.
    """
    from model.translator import Translator

    found = entry_of(name).opened
    if not isinstance(found, Translator):
        raise LacksAbilityError("positions", name, "own_only")
    return found


def uploaded(name: str, data: bytes) -> ModelHandle:
    """A file of maps that a visitor brought; the end of its name tells it from others of the same name.

    Raises:
        MapsError: something is wrong with it.
    """
    from model.saved.reading import SavedSource, read_maps

    return SavedSource(read_maps(data), f"{name[:60]} · {hashlib.sha256(data).hexdigest()[:12]}")


def _uploaded() -> ModelHandle | None:
    found: ModelHandle | None = st.session_state.get(UPLOADED)
    return found
