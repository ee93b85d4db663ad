"""Opened models, shared by all visitors: the last few, by their names and weights."""

from __future__ import annotations

import sys

from model.errors import HeadlightError
from model.folders import languages_in, resolve, split_step
from model.history import snapshot
from model.source import ModelHandle
from viz.core.kept import kept
from viz.core.pictures import picture


def has_pytorch() -> bool:
    """Whether this process has loaded PyTorch; before, the first visit of all does without where it can."""
    return "torch" in sys.modules


def shared(base: str, weights: str) -> ModelHandle:
    """The model of a listed name; what is wrong with a folder is found out once, until its files change.

    Raises:
        HeadlightError: something is wrong with it.
    """
    found = _opened(base, weights)
    if isinstance(found, HeadlightError):
        raise found
    return found


@kept(4)
def _opened(base: str, _weights: str) -> ModelHandle | HeadlightError:
    from model.translator import open_model

    try:
        return open_model(base, picture)
    except HeadlightError as error:
        return error


@kept(4)
def at_step(name: str, weights: str) -> ModelHandle:
    """A checkpoint of our own as it was at the step of training that its name says; its tokenizers are there once.

    ``weights`` are the finished one's. Raises as ``shared``.
    """
    from model.translator import Translator

    base, step = split_step(name)
    finished = shared(base, weights)
    assert isinstance(finished, Translator), "folders and files of maps keep no steps"
    return finished.at_snapshot(snapshot(resolve(base), int(step or 0)))


@kept(16)
def in_languages(name: str, weights: str) -> ModelHandle:
    """A listed model asked for the languages of its name; its weights are there once; raises as ``shared``."""
    return shared(name.rpartition("@")[0], weights).in_languages(*languages_in(name), name)
