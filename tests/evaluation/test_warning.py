"""At which confidence to warn, on confidences and scores whose truth is known."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from model.__main__ import main
from model.analysis.what_if.quality import load_warning
from model.analysis.what_if.verdict import verdict
from model.commands.release.warning import POOR, Judged, JudgedSentence, judged_rates, measured, read_judged, warning
from model.errors import CorpusError
from model.translator import Translator


def judged(confidence, chrf, doubted=None) -> Judged:
    """Sentences of which none is doubted for another reason than confidence, or these."""
    others = np.zeros(len(confidence), bool) if doubted is None else np.array(doubted, bool)
    return Judged(np.array(confidence), np.array(chrf), others, others)


PARTED = judged([0.2, 0.3, 0.25, 0.28, 0.8, 0.9, 0.7, 0.75], [2.0, 3.0, 1.0, 4.0, 50.0, 60.0, 40.0, 30.0])


def test_where_confidence_parts_poor_from_good_every_warning_is_right() -> None:
    facts = warning(PARTED, PARTED)
    assert 0.3 < facts["threshold"] <= 0.7
    assert (facts["caught"], facts["false_alarms"], facts["right"], facts["auc"]) == (1.0, 0.0, 1.0, 1.0)
    assert (facts["sentences"], facts["poor"], facts["poor_below"]) == (8, 4, POOR)


def test_rates_are_those_of_the_shipped_threshold_on_sentences_that_did_not_choose() -> None:
    """The threshold lies at 0.5; of five others two of three poor ones lie below it, and one of two good ones."""
    others = judged([0.1, 0.4, 0.9, 0.45, 0.8], [1.0, 1.0, 1.0, 50.0, 50.0])
    facts = warning(PARTED, others)
    assert facts["threshold"] == warning(PARTED, PARTED)["threshold"]
    assert (facts["caught"], facts["false_alarms"], facts["right"]) == (0.667, 0.5, 0.667)
    assert (facts["sentences"], facts["poor"]) == (5, 3)
    surer = judged(others.confidence / 2 + 0.5, others.chrf)
    assert (warning(PARTED, surer)["caught"], warning(PARTED, surer)["right"]) == (0.0, None)


def test_a_named_fault_warns_whatever_the_confidence_and_has_a_rate_of_its_own() -> None:
    others = judged([0.9, 0.9, 0.9, 0.1], [1.0, 50.0, 50.0, 1.0], [True, True, False, False])
    facts = warning(PARTED, others)
    assert (facts["caught"], facts["false_alarms"]) == (1.0, 0.5)
    assert (facts["bad"], facts["bad_right"]) == (0.5, 0.5)
    assert warning(PARTED, judged([0.9, 0.1], [50.0, 1.0]))["bad_right"] is None


def test_confidence_that_knows_nothing_has_half_the_area() -> None:
    nothing = judged([0.5] * 8, [1.0, 1.0, 50.0, 50.0] * 2)
    assert warning(nothing, nothing)["auc"] == 0.5


def test_without_poor_translations_there_is_no_threshold_and_no_rate() -> None:
    good = judged([0.5, 0.6, 0.7, 0.8], [50.0, 60.0, 70.0, 80.0])
    for pair in ((good, PARTED), (PARTED, good)):
        with pytest.raises(ValueError, match="too few poor translations"):
            warning(*pair)


def test_confidence_is_the_geometric_mean_of_the_token_probabilities(translator: Translator) -> None:
    own = np.exp(translator.translate("Tom saw it.").log_probs)
    assert verdict(translator.translate("Tom saw it.")).confidence == pytest.approx(
        float(np.prod(own) ** (1 / len(own))), rel=1e-5
    )


def test_each_sentence_has_its_verdict_and_its_score(translator: Translator) -> None:
    rows = [("Tom saw it.", translator.translate("Tom saw it.").text), ("I see.", "Q")]
    found = measured(translator, rows, lambda said: (len(said.source) / 20, said.source == "I see.", False))
    assert found.confidence.tolist() == [11 / 20, 6 / 20]
    assert (found.doubted.tolist(), found.bad.tolist()) == ([False, True], [False, False])
    assert found.chrf.tolist() == [pytest.approx(100), 0]


def test_the_command_saves_what_the_app_reads_and_says_why_not(
    checkpoint_folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    pairs = tmp_path / "pairs.tsv"
    pairs.write_text("Tom saw it.\t汤姆看见它。\n" * 4, encoding="utf-8")
    argv = [
        "warning",
        "--tsv",
        str(pairs),
        "--score",
        str(pairs),
        "--checkpoint",
        str(checkpoint_folder),
        "--save",
        "--json",
    ]
    monkeypatch.setattr("model.commands.release.warning.measured", lambda *_: judged([0.9] * 4, [90.0] * 4))
    assert main(argv) == 2
    assert "pairs.tsv, pairs.tsv: too few poor translations" in capsys.readouterr().err
    parted = judged([0.1, 0.1, 0.9, 0.9], [1.0, 1.0, 90.0, 90.0])
    monkeypatch.setattr("model.commands.release.warning.measured", lambda *_: parted)
    assert main(argv) == 0
    table = json.loads(capsys.readouterr().out)
    found, why = load_warning(str(checkpoint_folder), table["sha256"])
    assert (found, why) == (table, "")
    assert str(tmp_path) not in table["command"]
    assert load_warning(str(checkpoint_folder), "other") == (None, "stale")
    (checkpoint_folder / "warning.json").write_text('{"threshold": 7}', encoding="utf-8")
    assert load_warning(str(checkpoint_folder), table["sha256"]) == (None, "damaged")
    (checkpoint_folder / "warning.json").unlink()


def test_judged_translations_that_the_weights_no_longer_write_are_left_out(translator: Translator) -> None:
    texts = {english: translator.translate(english).text for english in ("Tom saw it.", "I see.", "Tom saw me.")}
    rows = [JudgedSentence(english, text, english != "I see.") for english, text in texts.items()]
    stale = JudgedSentence("I see.", "Q", True)
    found = judged_rates(translator, [*rows, stale], lambda said: said.source == "Tom saw it.")
    assert found == {"sentences": 3, "wrong": 2, "caught": 0.5, "false_alarms": 0.0, "changed": 1}
    assert judged_rates(translator, [stale], lambda _: True)["caught"] is None


@pytest.mark.parametrize("line", ["", "I see.\t我看见。", "I see.\t我看见。\tperhaps", "\t我看见。\tright"])
def test_a_line_without_a_judgement_is_refused(line: str, tmp_path: Path) -> None:
    file = tmp_path / "judged.tsv"
    file.write_text(line and f"Tom saw it.\t汤姆看见它。\twrong\n{line}\n", encoding="utf-8")
    with pytest.raises(CorpusError, match="line 2: expected English" if line else "holds no sentence"):
        read_judged(file)
