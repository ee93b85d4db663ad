"""A text of several sentences is translated sentence by sentence, each with its own maps.

The model has seen few texts of two or three sentences and writes them worse as one (``python -m model
evaluate --join 200 --tsv dev.tsv``, with ``--joint`` and without, says by how much).
"""

from __future__ import annotations

from typing import Any

from model.errors import SentenceTooLongError
from model.own.source import OwnSource
from model.sentences import parts_of
from model.trace import Span, TranslatedText, Translation


def spans_of(translator: Any, text: str) -> list[Span]:
    """Where the parts of a text lie that are translated one by one; see ``parts_of``. A folder's is one part."""
    return parts_of(text, translator.src_tokenizer.kind if isinstance(translator, OwnSource) else "")


def translate_text(
    translator: Any, text: str, beam: int = 1, capture: bool = False, joint: bool = False
) -> TranslatedText:
    """Translate a text sentence by sentence, or with ``joint`` as one; see ``Translator.translate`` for the rest.

    Raises:
        EmptySentenceError, SentenceTooLongError, UnknownCharacterError: as ``Translator.translate``; the
            message says which sentence is too long.
    """
    spans = [(0, len(text))] if joint else spans_of(translator, text)
    parts: list[Translation] = []
    for number, (start, end) in enumerate(spans, 1):
        part = text[start:end]
        try:
            done = translator.translate(part, beam, capture=True) if capture else translator.translate(part, beam)
        except SentenceTooLongError as error:
            if len(spans) == 1:
                raise
            raise SentenceTooLongError(f"Sentence {number}: {error}", error.tokens) from None
        parts.append(done)
    return TranslatedText(text, tuple(parts), tuple(spans))
