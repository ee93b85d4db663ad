"""The page of heads: how sure costs are, heads muted together, and the nearest to each role."""

from __future__ import annotations

import numpy as np
import pytest

from model.analysis.heads.table import HeadTable
from model.trace import HeadRef
from tests.pages import charts, markup, opened, shipped
from viz.views.heads.page import nearest
from viz.widgets import head_facts
from viz.widgets.head_facts import HeadFacts

ROW = {"se": 0.01, "alone": 0.02, "cost": 0.05}


def test_the_nearest_head_of_each_role_stands_beside_the_others_of_its_kind():
    shares = np.array([[0.1, 0.5], [0.3, 0.2]])
    none = np.full((2, 2), np.nan)
    measures = {"previous": none, "next": none, "offset": shares, "rare": 1 - shares, "sink": shares.T}
    facts = HeadFacts({}, {"cross": measures}, {"cross": np.array([[0, -2], [0, 0]])}, {})
    found = {(row[1].split("L")[1], round(row[2], 3)): row for row in nearest(facts)}
    assert {key: (round(row[3], 3), row[4]) for key, row in found.items()} == {
        ("0\xa0H1", 0.5): (0.2, 0.9),
        ("0\xa0H0", 0.9): (pytest.approx(2 / 3, abs=1e-3), 0.66),
        ("1\xa0H0", 0.5): (0.2, 0.66),
    }


@pytest.mark.parametrize(("head", "said"), [(0, "one row late"), (1, "that it writes"), (2, "No fixed habit")])
def test_a_head_that_aligns_words_is_called_so_with_the_row_by_which_it_does(head, said):
    nothing = {name: np.zeros((1, 3)) for name in ("previous", "next", "offset", "sink", "rare")}
    errors = {"written": np.array([[80.0, 34.0, 35.0]]), "read": np.array([[6.6, 36.0, 99.0]])}
    facts = HeadFacts({}, {"cross": nothing}, {"cross": np.zeros((1, 3), int)}, {"cross": [[""] * 3]}, errors=errors)
    assert said in facts.habit(HeadRef("cross", 0, head))


@shipped
def test_a_table_tells_its_errors_and_what_muting_together_costs(monkeypatch):
    table, about = head_facts.corpus_table("en-zh")
    both = ["c0.1", "c2.5"]
    sets = [{**ROW, "which": which, "heads": both[:n]} for which in ("most", "least", "greedy") for n in (1, 2)]
    facts = {**table.facts, "together": {"sentences": 7, "tokens": 70, "sets": sets}}
    errors = {kind: np.full_like(values, 0.004) for kind, values in table.importance.items()}
    made = HeadTable(facts, table.importance, table.measures, table.offset_at, table.roles, table.patterns, errors)
    monkeypatch.setattr(head_facts, "corpus_table", lambda _: (made, about))
    at = opened("heads", scope="corpus")
    unsure = sum(int((np.abs(each) < 0.008).sum()) for each in table.importance.values())
    assert f"{unsure} of 144 heads" in markup(at)
    (figure,) = charts(at)
    assert figure["data"][0]["y"] == [0.05, 0.05]
    assert figure["data"][0]["error_y"]["array"] == [0.02, 0.02]
    monkeypatch.setattr(head_facts, "corpus_table", lambda _: (None, "none"))
    assert not charts(opened("heads", scope="corpus"))
