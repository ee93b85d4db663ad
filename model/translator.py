"""The way in: a model at work, a checkpoint of our own, somebody's folder, or a file of saved maps."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from model.folders import Entry, entry, languages_in, resolve, sort_at, split_step
from model.own.paragraphs import translate_text
from model.own.translator import Translator

__all__ = ["Translator", "has_gpu", "open_model", "translate_text"]


def has_gpu() -> bool:
    """Whether models are opened on a GPU."""
    return torch.cuda.is_available()


def open_model(name: str, pictures: Callable[[str], bytes] | None = None) -> Any:
    """The model of a name or a path: a ``Translator``, a ``FolderSource`` or a ``SavedSource``.

    transformers is imported for a folder alone.

    Args:
        name: as ``model.folders.shelf`` lists it, or a path that holds a ``/``; after ``@`` languages, or a step.
        pictures: gives the bytes of a picture by its name, for a model that sees.

    Raises:
        HeadlightError: there is no such model, or something is wrong with it.
    """
    base, _ = split_step(name)
    found = entry(base) or Entry(resolve(base), sort_at(resolve(base)))
    if found.sort == "own":
        return Translator.from_checkpoint(name)
    if found.sort == "maps":
        from model.saved.source import SavedSource

        return SavedSource.open(found.path, name)
    from model.folder.source import FolderSource, no_picture

    made = FolderSource.open(found.path, name, pictures or no_picture)
    languages = languages_in(name)
    return made.in_languages(*languages, name) if any(languages) else made
