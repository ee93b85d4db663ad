"""A folder's model with all that was found out about it: made once, and shared by everybody who asks."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import torch

from model.errors import FolderError, Why
from model.folder.eager import EagerPasses, eager_sites
from model.folder.files.load import Loaded, load
from model.folder.forms import Continuing, Filling, Form, Translating
from model.folder.inner import Inner
from model.folder.passes import Passes
from model.folder.picture import Seeing
from model.folder.proofs import Proofs
from model.folder.sites import Sites, find_sites
from model.folder.watch import NAME
from model.folder.words.languages import languages_of
from model.folder.words.spell import Speller
from model.folder.writing import can_keep
from model.passage import one_thread
from model.source import ABILITIES, Anatomy, Need
from model.trace import KINDS

Pictures = Callable[[str], bytes]


@dataclass(frozen=True)
class Core:
    """The parts of one model; another language changes the form alone.

    ``keeps`` says whether it can write with keys and values kept from before.
    """

    loaded: Loaded
    form: Form
    sites: Sites
    passes: Passes
    inner: Inner
    anatomy: Anatomy
    keeps: bool
    lock: threading.RLock

    @contextmanager
    def running(self) -> Iterator[Any]:
        """The model, for one caller at a time: on one processor thread, without gradients."""
        with self.lock, one_thread(), torch.inference_mode():
            yield self.loaded.model

    def in_languages(self, source: str, target: str) -> Core:
        """The same model asked for other languages; itself where there is nothing to choose."""
        speller = getattr(self.form, "speller", None)
        if speller is None or not speller.languages.targets:
            return self
        form = type(self.form)(self.loaded, speller.of(speller.languages.chosen(source, target)))
        return replace(self, form=form, passes=type(self.passes)(form, self.sites), inner=Inner(form, self.sites))


def core(path: Path, pictures: Pictures, device: str) -> Core:
    """The model of a folder, looked into by short runs.

    Raises:
        FolderError: something is wrong with it, or it cannot be run on what Headlight can give it.
    """
    loaded = load(path)
    loaded.model.to(device)
    with one_thread():
        try:
            with torch.inference_mode():
                form, sites = _form(path.name, loaded, pictures)
            registered = loaded.model.config._attn_implementation == NAME and bool(sites.modules)
            passes = Passes(form, sites) if registered else EagerPasses(form, sites)
            inner = Inner(form, sites)
            anatomy = Proofs(form, sites, inner, passes).anatomy() if registered else _maps_only(form, sites)
        except FolderError:
            raise
        except Exception as error:
            said = " ".join(str(error).split())[:160] or type(error).__name__
            raise FolderError(f"{path.name} was loaded, but could not be run: {said}") from None
        with torch.inference_mode():
            keeps = anatomy.reads in ("text", "prompt") and can_keep(form)
    return Core(loaded, form, sites, passes, inner, anatomy, keeps, threading.RLock())


def _form(name: str, loaded: Loaded, pictures: Pictures) -> tuple[Form, Sites]:
    """The form that fits a model, tried on it."""
    main = getattr(loaded.model, "main_input_name", "")
    if loaded.is_picture:
        seeing = Seeing(loaded, pictures)
        return seeing, _sites(name, loaded.model, seeing)
    if main != "input_ids":
        raise FolderError(f"{name} reads {main.replace('_', ' ') or 'something else'}, and neither text nor pictures.")
    speller = Speller(loaded.reads, languages_of(loaded.reads))
    if loaded.model.config.is_encoder_decoder:
        translating = Translating(loaded, speller)
        return translating, _sites(name, loaded.model, translating)
    sites = _sites(name, loaded.model, continuing := Continuing(loaded, speller))
    return (continuing if "decoder_self" in sites.kinds else Filling(loaded, speller)), sites


def _sites(name: str, model: Any, form: Form) -> Sites:
    ids, lengths = form.probe()
    found = find_sites(name, model, form.arguments(ids), lengths)
    return found or eager_sites(name, model, form.arguments(ids), lengths)


def _maps_only(form: Form, sites: Sites) -> Anatomy:
    """What is left where attention does not pass through the registry: its maps."""
    why: dict[Need, Why] = dict.fromkeys(ABILITIES, "maps_only")
    why |= {kind: "form" for kind in KINDS if kind not in sites.kinds}
    return Anatomy(sites.kinds, frozenset(), form.reads, why)
