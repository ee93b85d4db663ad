"""Which map makes the links of the alignment page: its widgets, and how well that map links words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import streamlit as st

from model.analysis.alignment.gold import RULES, LinkRule, link_set
from model.analysis.alignment.known_pairs import best_writer, unaligned_methods
from model.analysis.alignment.word_maps import ALL, places
from model.attribution.methods import METHODS, SHIFTS, MethodName, Shift
from viz.charts.markup import line
from viz.core import models
from viz.core.choice import say
from viz.core.session import Session
from viz.widgets.picker import pick

RULE_NAMES: tuple[LinkRule, ...] = tuple(RULES)


@dataclass(frozen=True)
class Setting:
    """One way to make links."""

    # layer, head: the place; "all" layers, or "all" heads of a layer
    layer: int | str
    head: int | str
    method: MethodName  # what the map is made of
    shift: Shift  # which rows are a word's
    rule: LinkRule  # how a map becomes links

    @property
    def name(self) -> str:
        """All of it, for a title."""
        place = say("alignment.place.all")
        if self.layer != ALL:
            place = (
                say("alignment.place.layer", layer=self.layer) if self.head == ALL else f"L{self.layer} H{self.head}"
            )
        named = (f"method.{self.method}", f"alignment.rows.{self.shift}", f"alignment.rule.{self.rule}")
        return " · ".join((place, *map(say, named)))

    def index(self, n_layers: int, n_heads: int) -> tuple[int, int, int]:
        """Where its map stands in [shift, method, place] of the one way of drawing."""
        place = [(str(layer), str(head)) for layer, head in places(n_layers, n_heads)]
        at = place.index((str(self.layer), str(self.head)))
        return SHIFTS.index(self.shift), 0, at

    def links(self, word_map: np.ndarray) -> frozenset[tuple[int, int]]:
        """Links (source word, target word) that its rule makes of a map over words."""
        return link_set(RULES[self.rule](word_map)) if word_map.size else frozenset()


def decoder(now: Session) -> tuple[int, int]:
    """Layers and heads of the checkpoint's cross-attention."""
    sizes = now.model.facts.anatomy.kinds["cross"]
    return sizes.layers, sizes.heads


def setting(now: Session) -> Setting:
    """What the widgets hold; draws those that the frame has not shown."""
    source = pick("align_from", labelled=False)
    method: Any = pick("align_method", labelled=False, as_list=True, width=154)
    rule: Any = pick("align_links", labelled=False)
    per = METHODS[method].per  # what has no map of a head, or of a layer, makes links of what it has
    source = "all" if per == "model" else "layer" if per != "head" and source == "head" else source
    layer: int | str = ALL if source == "all" else min(now.head.layer, decoder(now)[0] - 1)
    return Setting(layer, now.head.head if source == "head" else ALL, method, now.shift, rule)


def choose(layer: int | str, head: int | str, **more: str) -> None:
    """Select a place, and more of a setting by the keys of its widgets; to be called in a widget's callback."""
    state = st.session_state
    state["align_from"] = "all" if layer == ALL else "layer" if head == ALL else "head"
    state.update({key: value for key, value in (("layer", layer), ("head", head)) if value != ALL}, **more)


def best_button(name: str, best: dict[str, Any]) -> None:
    """A button that selects one of the table's two best settings."""
    chosen = {"shift": best["shift"], "align_method": best["method"], "align_links": best["links"]}
    st.button(
        say(f"alignment.{name}", aer=f"{best['aer']:.0f}"),
        key=f"align_{name}",
        on_click=choose,
        args=(best["layer"], best["head"]),
        kwargs=chosen,
        help=say(f"alignment.{name}.help"),
    )


def rates_of(table: dict[str, Any], of: Setting) -> dict[str, Any] | None:
    """A checkpoint's error rates in percent, by layer and head, of a setting's method, rows and rule.

    None where the method was added after the table was made.
    """
    rates: dict[str, Any] | None = table["aer"][of.rule].get(of.method, {}).get(of.shift)
    return rates


def rate_of(table: dict[str, Any], of: Setting) -> float | None:
    """A setting's error rate in percent in a checkpoint's table; None where it was not measured."""
    rates = rates_of(table, of)
    if rates is None:
        return None
    if of.layer == ALL:
        return float(rates[ALL])
    row = rates["layers"][int(of.layer)]
    return float(row[-1] if of.head == ALL else row[int(of.head)])


def table_notice(name: str, method: MethodName) -> None:
    """One sentence where a checkpoint has no table of its own weights' scores, or this method is not in it."""
    table, why = models.entry_of(name).alignment
    why = "unmeasured" if table and method in unaligned_methods(table) else why
    if why:
        said = say(f"alignment.{why}", checkpoint=name, method=say(f"method.{method}"))
        st.html(line("alt", said, data_alignment=why))


def opening_line(now: Session) -> None:
    """Why the app opened on this head, while it is the one that is drawn; or why not on the table's best."""
    table, why = now.model.alignment
    start = now.model.opening
    here = {"layer": now.head.layer, "head": now.head.head, "shift": now.shift}
    if now.method != "weights" or any(start[name] != value for name, value in here.items()):
        return
    head = now.head.title
    if table:
        layers, heads = decoder(now)
        aer, diagonal = f"{best_writer(table)['aer']:.0f}", f"{table['diagonal']:.0f}"
        said = say(
            "alignment.opened", head=head, heads=layers * heads, aer=aer, pairs=table["sentences"], diagonal=diagonal
        )
    elif why != "missing":
        said = say(f"alignment.opened.{why}", head=head)
    else:
        return
    st.html(line("alt", said, data_alignment=why or "opened"))
