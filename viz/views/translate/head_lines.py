"""What is known of the chosen head, and what it points to."""

from __future__ import annotations

import numpy as np

from model.trace import AttentionTrace
from viz.core.language import say
from viz.core.numbers import number
from viz.core.session import Session
from viz.widgets import head_facts


def head_words(now: Session, found: AttentionTrace) -> np.ndarray:
    """How much the step that writes each token weighs each source word in the chosen cross head: [T, W]."""
    from model.analysis.faithfulness.deletion import by_words

    return by_words(found.cross[now.head[1:]], found.src)


def head_facts_line(now: Session) -> str:
    """The head's habit, importance and alignment error, from the checkpoint's tables; "" where there are none."""
    facts, head = [], now.head
    table, _ = head_facts.corpus_table(now.checkpoint) if now.model.kind == "own" else (None, "")
    if table is not None and head.kind in table.importance:
        facts.append(head_facts.of_corpus(table, now.model).habit(head).rstrip(".。"))
        facts.append(say("panel.facts.importance", value=number(float(table.importance[head.kind][head[1:]]), 3)))
    errors, (aligned, _) = head_facts.alignment_errors(now.model), now.model.alignment
    if aligned and head.kind == "cross" and not head_facts.aligns(errors, head):  # its habit says it already
        aer = f"{errors['written'][head[1:]]:.0f}"
        facts.append(say("panel.facts.aer", aer=aer, pairs=aligned["sentences"]))
    return say("panel.facts", head=head.title, facts="; ".join(facts)) if facts else ""
