"""The token that is looked at, in every view."""

from __future__ import annotations

from model.analysis.faithfulness.evidence import telling_token
from model.trace import TracedTranslation
from viz.core.session import chosen_token


def looked_at(found: TracedTranslation) -> int:
    """The place of the chosen one among written tokens; where none is chosen, of one to begin with: see its source."""
    outputs = found.trace.tgt_outputs
    chosen = chosen_token(len(outputs))
    return (telling_token(outputs, found.log_probs) or 0) if chosen is None else chosen
