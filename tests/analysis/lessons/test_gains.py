"""What a class has gained, from its table: by hand, with an interval, and a sentence for what is none."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from model.__main__ import main
from model.analysis.lessons.gains import AnswersError, LessonAnswer, gain, gains, read_answers

HEAD = '"question","answer","time","first","item","form","right","learner","half"\n'


def answers(lesson: str, before: list[float], after: list[float], form: str = "after") -> list[LessonAnswer]:
    """Ten answers a learner and form, of which these shares are right."""
    return [
        LessonAnswer(lesson, name, f"learner {who}", place < round(10 * share))
        for name, shares in (("before", before), (form, after))
        for who, share in enumerate(shares)
        for place in range(10)
    ]


def test_a_gain_is_the_share_of_what_could_be_gained() -> None:
    found = gain(answers("4", [0.2, 0.6], [0.6, 0.8]), "4", "after")
    assert found is not None
    assert (found.learners, found.pre, found.post) == (2, 0.4, 0.7)
    assert found.gain == pytest.approx(0.3 / 0.6)
    assert found.low == pytest.approx(0.5)  # both learners gained half of what each could
    assert found.high == pytest.approx(0.5)


def test_the_interval_narrows_with_learners_and_not_with_their_answers() -> None:
    rng = np.random.default_rng(1)

    def width(learners: int, repeated: int = 1) -> float:
        shares = rng.choice([0.2, 0.5, 0.9], (2, learners))
        found = gain(answers("1", list(shares[0] / 2), list(shares[1])) * repeated, "1", "after")
        assert found is not None
        assert found.low <= found.gain <= found.high
        return found.high - found.low

    few = gain(answers("1", [0.1, 0.5], [0.9, 0.3]), "1", "after")
    many = gain(answers("1", [0.1, 0.5], [0.9, 0.3]) * 5, "1", "after")
    assert few is not None
    assert many is not None
    assert (many.low, many.high) == (pytest.approx(few.low), pytest.approx(few.high))
    assert width(80) < width(8)


def test_only_what_was_asked_twice_is_reported_and_a_perfect_beginning_gains_nothing() -> None:
    every = answers("10", [0.5], [0.7], "week") + answers("2", [1.0], [1.0])
    every += [LessonAnswer("3", "before", "x", True)]
    found = gains(every)
    assert [(each.lesson, each.form) for each in found] == [("2", "after"), ("10", "week")]
    assert np.isnan(found[0].gain)


def test_the_report_reads_what_the_app_saves(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = [
        f'"q","a","t","a","4.cells","{form}","{right}","k{i}",""\n'
        for form in ("before", "after")
        for i, right in enumerate((0, form == "after"))
    ]
    table = tmp_path / "a.csv"
    table.write_text(
        HEAD + '"of a scene","a","t","a","","","","",""\n' + "".join(rows).replace("True", "1").replace("False", "0"),
        encoding="utf-8-sig",
    )
    assert main(["lessons", "report", str(table)]) == 0
    said = capsys.readouterr().out.splitlines()[1].split()
    assert said[:6] == ["4", "after", "2", "0.00", "0.50", "0.50"]


@pytest.mark.parametrize("cells", ["", "later,1,k", "after,yes,k", "after,1,"])
def test_what_is_no_table_is_one_sentence(cells: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    table = tmp_path / "a.csv"
    table.write_text(HEAD + f"q,a,t,a,4.cells,{cells},\n" if cells else "a,b\n", encoding="utf-8")
    with pytest.raises(AnswersError):
        read_answers(table)
    assert main(["lessons", "report", str(table)]) == 2
    assert len(capsys.readouterr().err.splitlines()) == 1
