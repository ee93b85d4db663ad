"""The answer for one written token: which source word it comes from, with the evidence, in a column of 300 px."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import streamlit as st
from markupsafe import Markup

from model.analysis.faithfulness.evidence import Evidence, telling_token, told_by_deletion
from model.attribution.methods import METHODS, MethodName, traced_maps
from model.source import Need
from model.trace import AttentionTrace, Label
from viz.charts.markup import line, tag
from viz.core import models
from viz.core.answers.maps import attribution_maps, votes
from viz.core.answers.translations import trace, translation
from viz.core.answers.what_if import faithfulness, left_out, steps, token_left_out
from viz.core.choice import say
from viz.core.going import open_view
from viz.core.numbers import number, shown_piece, signed
from viz.core.session import Session, Subject, chosen_token
from viz.widgets import head_facts, repair

if TYPE_CHECKING:
    from model.analysis.residual.votes import Votes
    from model.trace import TracedTranslation

CHIP = "display: inline-block; border: 1px solid currentColor; border-radius: .4rem; padding: 0 .45rem; margin: .1rem;"
NEXT_BEST = 5
_NAMED = 2  # words, and heads, that the sentence names
_FIRST, _SECOND = "#0072B2", "#E69F00"
PANEL_STYLE = """<style>
.st-key-hl_answer { font-size: .9rem; }
.st-key-hl_answer p.hl-lead { font-size: 1.05rem; font-weight: 600; opacity: 1; margin: 0; }
.st-key-hl_answer p.hl-alt { font-size: .875rem; }
</style>"""


def trusted(checkpoint: str) -> MethodName | None:
    """The sort of map that a checkpoint's table of faithfulness begins with; None where there is no such table."""
    table, _ = faithfulness(checkpoint, models.entry_of(checkpoint).sha256)
    return table["best"] if table else None


def word_marks(subject: Subject, found: AttentionTrace, method: MethodName) -> np.ndarray:
    """How much each written token's row marks each source word, all heads and layers together: [T, W]."""
    from model.analysis.faithfulness.deletion import by_words

    maps = traced_maps(found, method) if METHODS[method].from_trace else attribution_maps(subject, method, None)
    return by_words(METHODS[method].whole(maps["cross"]), found.src, method)


def answer(now: Session) -> None:
    """Each written token with the word that it comes from, what deleting that costs, and how often this is right.

    Nothing where the checkpoint has no table, the sentence no word, or the model does not offer what it takes.
    """
    method, found = trusted(now.checkpoint), trace(now.subject)
    offered = now.model.opened.anatomy.abilities
    if method is None or not offered.issuperset(("hide", *METHODS[method].needs)):
        return
    left = left_out(now.subject)
    if not left.costs.size:
        return
    marks = word_marks(now.subject, found, method)
    chips = []
    for step, costs in enumerate(left.costs.T):
        token, place = found.tgt_outputs[step], int(marks[step].argmax())
        if token.is_special:
            continue
        said = {"token": token.text, "word": left.words[place].text, "cost": number(costs[place], 1)}
        chips.append(tag("span", say("answer.chip", **said), title=say("answer.said", **said), style=CHIP))
    st.html(line("alt", tag("b", say("answer.title")), " ", *chips, data_answer=method))
    st.html(line("alt", say("answer.how", method=say(f"method.{method}")), " ", right_rate(now.checkpoint, method)))


def right_rate(checkpoint: str, method: MethodName) -> str:
    """How often the word that a map marks most is one that people linked, on each sample where it was measured."""
    table, _ = models.entry_of(checkpoint).alignment
    named = (table or {}).get("named", {}).get(method)
    if table is None or named is None:
        return ""
    said = [say("answer.right", method=say(f"method.{method}"), **_measured(table, named))]
    news = table.get("news", {})
    if method in news.get("named", {}):
        said.append(say("answer.right.news", **_measured(news, news["named"][method])))
    return "".join(said) + say("answer.right.end")


def _measured(table: Mapping[str, Any], named: Mapping[str, Any]) -> dict[str, object]:
    """A rate in words, with its interval and its sample."""
    low, high = (f"{bound:.0f}" for bound in named["interval"])
    percent = f"{named['percent']:.0f}"
    return {"percent": percent, "words": f"{named['words']:,}", "pairs": table["sentences"], "low": low, "high": high}


def draw_rivals(now: Session, place: int) -> None:
    """The step's candidates with their probabilities; one that is chosen is compared with what was written."""
    found = translation(now.subject)
    step = steps(now.subject, NEXT_BEST)[place]
    others = {
        each.id: f"{shown_piece(each.piece)} {each.probability:.0%}"
        for each in step.candidates
        if each.id != step.written.id
    }
    rival = st.pills(
        say("panel.rivals"), list(others), format_func=others.__getitem__, key=f"rival_{place}_{step.written.id}"
    )
    if rival is None:
        return
    before = found.tgt_ids[:place]
    voted = votes(now.subject.text, now.checkpoint, before, step.written.id, rival)
    other = next(each.piece for each in step.candidates if each.id == rival)
    words = word_votes(voted, [(label.text, label.word) for label in found.trace.src])
    said = {"token": shown_piece(step.written.piece), "other": shown_piece(other)}
    facts = {"difference": signed(voted.difference, 1), "words": _named(words), "heads": _named(head_votes(voted))}
    st.html(line("alt", say("panel.why", **said, **facts), data_rival=rival, data_difference=f"{voted.difference:.4f}"))


def word_votes(voted: Votes, src: list[tuple[str, int]]) -> dict[str, float]:
    """The cross heads' votes by source word, the largest first; pieces of a word, by its number, add up."""
    texts: dict[int, str] = {}
    sums: dict[int, float] = {}
    for place, ((text, word), value) in enumerate(zip(src, voted.sources.sum((0, 1)).tolist(), strict=True)):
        key = word if word >= 0 else -1 - place  # a special token is its own
        texts[key] = texts.get(key, "") + text.removeprefix("##")
        sums[key] = sums.get(key, 0.0) + value
    order = sorted(sums, key=lambda key: -abs(sums[key]))
    return {texts[key]: sums[key] for key in order}


def head_votes(voted: Votes) -> dict[str, float]:
    """The votes of every head, the largest first, by "cross L3 H2"."""
    found = {
        f"{say(f'kind.{kind}')} L{layer} H{head}": float(values[layer, head])
        for kind, values in voted.heads.items()
        for layer, head in np.ndindex(*values.shape)
    }
    return dict(sorted(found.items(), key=lambda each: -abs(each[1])))


def _named(values: dict[str, float]) -> str:
    return ", ".join(f"{name} {signed(value, 1)}" for name, value in list(values.items())[:_NAMED])


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


def share_bar(first: float, sentence: str) -> Markup:
    """The first part's share, from 0 to 1, and what is said of both."""
    inner = tag("i", style=f"display: block; width: {100 * first:.1f}%; background: {_FIRST}")
    look = f"display: flex; height: .45rem; border-radius: .2rem; overflow: hidden; background: {_SECOND}"
    return line("alt", sentence, data_share=f"{first:.4f}") + tag("div", inner, style=look, aria_hidden="true")


def token_of(now: Session) -> int | None:
    """The written token that answers are for, counted from 0: the chosen one, else one to begin with; None without any.

    An end that was never written has no answer.
    """
    found = translation(now.subject)
    outputs = found.trace.tgt_outputs
    place = chosen_token(len(outputs))
    if place is not None and place < len(found.log_probs):
        return place
    return telling_token(outputs, found.log_probs)


def answer_line(now: Session, with_head: bool) -> None:
    """Where the token comes from, in a sentence, and another on the chosen head where that is what is shown.

    Nothing where there is no token, or the model does not offer what it takes.
    """
    place = token_of(now)
    offers = now.model.opened.anatomy.offers
    if place is not None and offers("hide") and offers("cross"):
        _evidence(now, translation(now.subject), place, with_head)


def draw(now: Session) -> None:
    """What else is known of the token, and the ways on; nothing where there is no token."""
    place = token_of(now)
    if place is None:
        return
    found = translation(now.subject)
    token = found.trace.tgt_outputs[place].text
    sure = say("panel.sure", percent=f"{math.exp(found.log_probs[place]):.0%}")
    offers = now.model.opened.anatomy.offers
    with st.container(key="hl_answer", gap="small"):
        st.html(PANEL_STYLE)
        st.html(line("lead", say("panel.title", token=token)) + line("alt", sure))
        if offers("hide") and offers("cross") and (rate := right_rate(now.checkpoint, "leave_one_out")):
            st.html(line("alt", rate))  # deletion has named the word
        if offers("internals") and offers("votes") and offers("cross"):
            draw_rivals(now, place)
        if _offers_all(now, "cross", *METHODS["alti"].needs):
            source = source_share(now, place)
            st.html(share_bar(source, say("panel.share", source=f"{source:.0%}", read=f"{1 - source:.0%}")))
        if facts := head_facts_line(now):
            st.html(line("alt", facts))
        _ways_on(now)


def source_share(now: Session, place: int) -> float:
    """How much of a step's last state came from the source, by ALTI+; the rest came from the translation so far."""
    return float(np.clip(attribution_maps(now.subject, "alti", None)["cross"][0, 0, place].sum(), 0.0, 1.0))


def told(said: Evidence, words: Sequence[Label], token: str, method: str) -> str:
    """The evidence in a sentence; ``method`` is what the map that marks words is called."""
    quoted = [f"“{words[place].text}”" for place in said.others[:2]]
    facts = {
        "token": token,
        "word": words[said.word].text,
        "cost": number(said.cost, 1),
        "times": f"{math.floor(said.times):d}" if math.isfinite(said.times) else "",
        "marked": words[said.marked].text,
        "others": ", ".join(quoted),
        "method": method,
    }
    key = "alone" if said.found == "clear" and not math.isfinite(said.times) else said.found
    return say(f"panel.{key}", **facts)


def _evidence(now: Session, found: TracedTranslation, place: int, with_head: bool) -> None:
    from model.analysis.faithfulness.deletion import source_words

    if not (words := source_words(found.src)):
        return
    method = trusted(now.checkpoint)
    if method is None or not _offers_all(now, *METHODS[method].needs):
        method = "weights"
    marks = word_marks(now.subject, found.trace, method)[place]
    said = told_by_deletion(lambda words: token_left_out(now.subject, place, words), marks)
    look = "holds" if said.found == "clear" else "fails" if said.found == "split" else "alt"
    sentence = told(said, words, found.trace.tgt_outputs[place].text, say(f"method.{method}"))
    about_head = _of_head(now, found, place, said, words) if with_head else ""
    st.html(line(look, sentence, data_found=said.found, data_word=words[said.word].text) + about_head)


def _of_head(now: Session, found: TracedTranslation, place: int, said: Evidence, words: Sequence[Label]) -> str:
    """What the chosen cross head says to it."""
    rows = head_words(now, found.trace) if now.kind == "cross" else ()
    if place >= len(rows):
        return ""
    pointed = int(rows[place].argmax())
    how = "open" if said.found != "clear" else "agrees" if pointed == said.word else "differs"
    named = {"head": now.head.title, "word": words[pointed].text}
    return line("fails" if how == "differs" else "alt", say(f"panel.head.{how}", **named), data_head=how)


def _offers_all(now: Session, *needs: Need) -> bool:
    return all(map(now.model.opened.anatomy.offers, needs))


def _ways_on(now: Session) -> None:
    """The views that show more, each a button."""
    reads, offers = now.model.opened.anatomy.reads, now.model.opened.anatomy.offers
    views = {
        "trust": reads == "text",
        "fork": offers("internals") and offers("votes") and reads in ("text", "prompt"),
        "one_head": True,
        "heads": offers("gains"),
        "alignment": reads == "text" and offers("internals") and offers("gradients"),
    }
    with st.container(horizontal=True, gap="small"):
        for name in (name for name, there in views.items() if there):
            st.button(say(f"panel.open.{name}"), key=f"more_{name}", type="tertiary", on_click=_open, args=(name,))
        if offers("gains"):
            st.button(say("panel.open.repair"), key="more_repair", type="tertiary", on_click=repair.open_desk)


def _open(name: str) -> None:
    """Go to a view; to that of deletion with this sentence, not the table over many."""
    if name == "trust":
        st.session_state["trust"] = "sentence"
    open_view(name)
