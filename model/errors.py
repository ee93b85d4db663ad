"""Errors that a visitor can cause; each message is one plain sentence."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

# Why a model lacks something.
Why = Literal[
    "form",
    "maps_only",
    "saved",
    "eager",
    "other",
    "no_output",
    "no_mask",
    "nothing_to_hide",
    "post_norm",
    "own_table",
    "own_only",
    "windows",
    "grouped",
]
REASONS: Mapping[Why, str] = {
    "form": "its kind of model has no such part",
    "maps_only": "its attention can only be watched, not entered",
    "saved": "a file of maps holds no model",
    "other": "worked out by hand, its numbers come out differently",
    "no_output": "it says nothing at the end that could become more or less probable",
    "no_mask": "the sentence has no place to fill in",
    "nothing_to_hide": "it reads no text beside what it writes",
    "post_norm": "its norms stand after the sums, so its logits do not split",
    "own_table": "only our own checkpoints show theirs",
    "own_only": "only our own checkpoints offer it",
    "windows": "it looks through windows, so no map has a row and a column for every patch",
    "grouped": "a sound's frames are shown several together, and only maps can be gathered so",
}


class HeadlightError(Exception):
    """Something the person at the screen can mend; the message says what."""


class EmptySentenceError(HeadlightError):
    """Nothing was typed."""


class SentenceTooLongError(HeadlightError):
    """More was typed than the model was made for; ``tokens`` is the limit where it counts tokens."""

    def __init__(self, message: str, tokens: int | None = None) -> None:
        super().__init__(message)
        self.tokens = tokens


class TextTooLongError(HeadlightError):
    """A text has more sentences than the app translates at once."""


class NotEnglishError(HeadlightError):
    """A checkpoint that reads English was given a text in another script."""


class UnknownCharacterError(HeadlightError):
    """A letter-by-letter checkpoint was given a character that it never saw."""


class TooManySentencesError(HeadlightError):
    """A batch has more sentences than a picture can show."""


class CheckpointError(HeadlightError):
    """A checkpoint is missing, damaged, or from a newer version."""


class NotWrittenError(HeadlightError):
    """A file could not be written, because the disk is full, say; the one that was there before still is."""


class CorpusError(HeadlightError):
    """A file of sentence pairs is missing or has a bad line."""


class FolderError(HeadlightError):
    """A Hugging Face folder cannot be shown; the sentence says why, and what would mend it."""


class MapsError(HeadlightError):
    """A file of maps cannot be read; the sentence says what is wrong with it."""


class MapsTooLargeError(HeadlightError):
    """The maps of what was given would take more memory than is allowed."""


class PictureError(HeadlightError):
    """A picture is missing, too large, or none."""


class SoundError(HeadlightError):
    """A sound is missing, too long, or no WAV file."""


class TrainerBusyError(HeadlightError):
    """Somebody else trains a model in the page just now; there is one place."""


MAX_CHARACTERS = 1_000
MAX_SRC_TOKENS = 200
MAX_PARTS = 40  # sentences
JUDGED_AT_ONCE = 64  # sentences of a corpus that are translated as one batch
