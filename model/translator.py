"""The way in: a model at work, a checkpoint of our own, somebody's folder, or a file of saved maps."""

from __future__ import annotations

from collections.abc import Callable
from os.path import isfile  # false, not an error, for a name that no file can have
from pathlib import Path

import torch

from model.folders import Entry, entry, languages_in, resolve, sort_at, split_step
from model.own.translator import Translator, translate_text
from model.source import ModelHandle

__all__ = ["Translator", "has_gpu", "open_model", "translate_text"]


def has_gpu() -> bool:
    """Whether models are opened on a GPU."""
    return torch.cuda.is_available()


def open_model(name: str, pictures: Callable[[str], bytes] | None = None) -> ModelHandle:
    """The model of a name or a path: a ``Translator``, a ``FolderSource`` or a ``SavedSource``.

    transformers is imported for a folder alone.

    Args:
        name: as ``model.folders.shelf`` lists it, or the path of a folder or an NPZ file that holds a ``/``; after
            ``@`` languages, or a step.
        pictures: gives the bytes of a picture by its name, for a model that sees; those that ship, where not said.

    Raises:
        HeadlightError: there is no such model, or something is wrong with it.
    """
    base, _ = split_step(name)
    found = entry(base) or _at(base)
    if found.sort == "own":
        return Translator.from_checkpoint(name)
    if found.sort == "maps":
        from model.saved.reading import SavedSource

        return SavedSource.open(found.path, name)
    from model.folder.source import FolderSource, shipped_or_none

    made = FolderSource.open(found.path, name, pictures or shipped_or_none)
    languages = languages_in(name)
    return made.in_languages(*languages, name) if any(languages) else made


def _at(path: str) -> Entry:
    """What lies at a path: a file of saved maps, or a folder; raises CheckpointError where there is neither."""
    if path.endswith(".npz") and "/" in path and isfile(path):
        return Entry(Path(path), "maps")
    return Entry(resolve(path), sort_at(resolve(path)))
