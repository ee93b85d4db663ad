"""Which word goes with which: links of the current translation, and how true such links are on known pairs."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import streamlit as st

from model.analysis.alignment.gold import error_rate, links_csv, pharaoh
from viz.charts.markup import line
from viz.core.answers.translations import translation
from viz.core.choice import Labels, say, within
from viz.core.crowd.sharing import shared_out
from viz.core.kept import kept
from viz.core.models import entry_of
from viz.core.session import Session
from viz.core.theme import Theme
from viz.views.alignment import truth_meter
from viz.widgets import alignment, chart, head_facts
from viz.widgets.picker import bar, pick
from viz.widgets.places import register

if TYPE_CHECKING:
    import numpy as np

    from model.analysis.alignment.gold import GoldPair
    from model.attribution.methods import MethodName
    from viz.core.session import Subject

LABELS = ("hint", "linked", "alone")
_component = register("word_links", LABELS)


@kept(32)
@shared_out
def word_maps(subject: Subject, method: MethodName) -> tuple[list[str], list[str], np.ndarray]:
    """Words of a sentence and its translation, and the maps of one sort over them that can link them."""
    from model.analysis.alignment.word_maps import translation_maps

    return translation_maps(subject.model.opened, translation(subject), (method,))


@kept(8)
def truth_pairs(checkpoint: str) -> list[GoldPair]:
    """The pairs whose alignment is known, for a checkpoint."""
    from model.analysis.alignment.known_pairs import truth_pairs as pairs

    return pairs(str(entry_of(checkpoint).meta.get("src_tokenizer")))


@kept(64)
def truth_maps(checkpoint: str, number: int, method: MethodName) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The maps of one sort over the words of one such pair, its target forced; the error rates of the links they make;
    and how many tokens each target word has."""
    from model.analysis.alignment.error_table import ErrorTable
    from model.analysis.alignment.word_maps import pair_maps, tokens_per_word

    sizes, pair = entry_of(checkpoint).facts.anatomy.kinds["cross"], truth_pairs(checkpoint)[number]
    maps = pair_maps(entry_of(checkpoint).opened, pair, (method,))
    table = ErrorTable(sizes.layers, sizes.heads, (method,))
    table.add(maps, pair)
    return maps, table.rates, tokens_per_word(entry_of(checkpoint).opened, pair)


def word_links(
    src: Sequence[str],
    tgt: Sequence[str],
    links: Collection[tuple[int, int]],
    *,
    theme: Theme,
    labels: Labels,
    key: str,
) -> None:
    """Two lines of words, or two columns where lines would be too long; pointing at a word lights up its links.

    Args:
        src, tgt: the words.
        links: source word, target word; a word without one is drawn dashed.

    Raises:
        ValueError: a link names a word that is not there.
    """
    if any(not (0 <= i < len(src) and 0 <= j < len(tgt)) for i, j in links):
        raise ValueError(f"a link is outside the {len(src)} and {len(tgt)} words")
    ordered = sorted(links, key=lambda link: (link[1], link[0]))
    data = {"src": list(src), "tgt": list(tgt), "links": [list(link) for link in ordered]}
    _component.mount(data, theme=theme, labels=labels, key=key)


@dataclass(frozen=True)
class _Aligned:
    """What is aligned, by which setting, whose maps are at ``place``."""

    session: Session
    chosen: alignment.Setting
    place: tuple[int, ...]

    @property
    def table(self) -> dict[str, Any] | None:
        """The checkpoint's own, where it has one."""
        return self.session.model.alignment[0]


def best_buttons(about: _Aligned) -> None:
    """The ways to the best settings that the checkpoint's table knows, and to the best heads' maps."""
    if about.table:
        alignment.best_button("best_head", about.table["best_head"])
        alignment.best_button("best", about.table["best"])
        head_facts.beside_button(head_facts.best_first(head_facts.alignment_scores(about.session.model)))


def score_line(about: _Aligned, key: str, **values: object) -> None:
    """One sentence on what is shown and how true it is."""
    table, chosen = about.table, about.chosen
    rate = alignment.rate_of(table, chosen) if table else None
    if table and rate is not None:
        known = {"aer": rate, "diagonal": table["diagonal"]}
        values |= {name: f"{rate:.0f}" for name, rate in known.items()} | {"pairs": table["sentences"]}
    sentence = say(key if rate is None else f"{key}.scored", name=chosen.name, **values)
    st.html(line("alt", sentence))
    alignment.table_notice(about.session.checkpoint, chosen.method)


def this_sentence(about: _Aligned) -> None:
    """Links of the current translation, to look at and to take away."""
    src, tgt, maps = word_maps(about.session.subject, about.chosen.method)
    links = about.chosen.links(maps[about.place])
    word_links(src, tgt, links, theme=about.session.theme, labels=within("alignment.words"), key="word_links")
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        score_line(about, "alignment.links")
        best_buttons(about)
    line = pharaoh(links)
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.code(line or "∅", language=None, wrap_lines=True)
        st.download_button("i-j", line + "\n", "headlight-alignment.txt", "text/plain", on_click="ignore")
        csv = links_csv(links, src, tgt, maps[about.place])
        st.download_button("CSV", csv, "headlight-alignment.csv", "text/csv", on_click="ignore")


def known_pair(about: _Aligned) -> None:
    """One pair that people have aligned: every head's error on it, and the chosen map."""
    now, chosen = about.session, about.chosen
    pairs = truth_pairs(now.checkpoint)
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        number = truth_meter.pair_picker(pairs)
        best_buttons(about)
    maps, rates, tokens = truth_maps(now.checkpoint, number, chosen.method)
    links = chosen.links(maps[about.place])
    score_line(about, "alignment.meter", here=f"{100 * error_rate(links, pairs[number]):.0f}")
    scores, picture = st.columns([9, 11], gap="medium")
    with scores:
        truth_meter.grid(now, chosen, rates)
    with picture:
        truth_meter.picture(pairs[number], maps[about.place] / tokens[:, None], links, chosen, now.theme)


def view(session: Session) -> None:
    """Links of this sentence, or of a pair whose links are known."""
    with bar():
        shown = pick("align_view", labelled=False)
        chosen = alignment.setting(session)
    about = _Aligned(session, chosen, chosen.index(*alignment.decoder(session)))
    (this_sentence if shown == "sentence" else known_pair)(about)
    chart.lead(f"alignment.why.{session.shift}")
