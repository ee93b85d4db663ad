"""The figures in docs/results.md and the licence are those of the shipped tables."""

from __future__ import annotations

import copy
import json
import re
import shutil
from pathlib import Path

import pytest

from model.__main__ import main
from model.errors import HeadlightError
from model.folders import CHECKPOINTS, META
from model.release.figures import FIGURES, Tables
from model.release.parts import BLOCK, LICENCE, RESULTS, ROOT, credited, filled, source_table, trained_on


@pytest.fixture
def reverse(tmp_path: Path) -> Path:
    folder = tmp_path / "toy"
    shutil.copytree(CHECKPOINTS / "reverse", folder)
    return folder


@pytest.fixture
def letters(tmp_path: Path) -> Path:
    path = tmp_path / "letters.tsv"
    path.write_text("".join(f"{text}\t{text[::-1]}\n" for text in ("abc", "q1", "zebra")), encoding="utf-8")
    return path


def said(capsys: pytest.CaptureFixture[str]) -> dict[str, str]:
    lines = [line.split(": ", 2) for line in capsys.readouterr().err.splitlines() if "model tables: " in line]
    return {name: what for _, name, what in lines}


def test_what_other_weights_made_is_made_anew_and_nothing_else(reverse: Path, letters: Path, capsys) -> None:
    (reverse / "examples/0.npz").unlink()
    heads = json.loads((reverse / "heads.json").read_text(encoding="utf-8"))
    (reverse / "heads.json").write_text(json.dumps(heads | {"sha256": "0"}), encoding="utf-8")
    before = (reverse / "alignment.json").read_bytes()
    files = ["--dev", str(letters), "--test", str(letters)]
    assert main(["tables", "--checkpoint", f"{reverse}/", *files, "--again", "--only", "scores"]) == 0
    assert main(["tables", "--checkpoint", f"{reverse}/", *files]) == 0
    what = said(capsys)
    assert what["examples"].endswith(" s")
    assert what["heads"].endswith(" s")
    assert what["alignment"] == what["scores"] == what["faithfulness"] == "is there already"
    assert what["news"] == "left out: it needs --news"
    assert what["licence"].startswith("left out: ")
    assert what["results"] == "left out: docs/results.md is about en-zh"
    assert (reverse / "examples/0.npz").is_file()
    assert (reverse / "alignment.json").read_bytes() == before
    assert json.loads((reverse / "heads.json").read_text(encoding="utf-8"))["sentences"] == 3
    scores = json.loads((reverse / "meta.json").read_text(encoding="utf-8"))["scores"]
    assert (scores["test_exact_percent"], scores["test_pairs"], scores["test_unfinished"]) == (100.0, 3, 0)
    assert main(["tables", "--checkpoint", f"{reverse}/", *files]) == 0
    assert "is there already" in said(capsys)["heads"]


def test_a_part_that_fails_stops_the_command_with_its_reason(reverse: Path, tmp_path: Path, capsys) -> None:
    missing = str(tmp_path / "none.tsv")
    argv = ["tables", "--checkpoint", f"{reverse}/", "--again", "--test", missing, "--only", "scores"]
    assert main(argv) == 2
    assert "there is no file" in capsys.readouterr().err


FOLDER = CHECKPOINTS / "en-zh"


@pytest.fixture(scope="module")
def tables() -> Tables:
    return Tables.of(FOLDER)


@pytest.mark.parametrize("language", RESULTS)
def test_the_results_say_what_the_tables_say(language: str, tables: Tables) -> None:
    text = RESULTS[language].read_text(encoding="utf-8")
    assert filled(text, tables, language) == text
    assert {match["name"] for match in BLOCK.finditer(text)} == set(FIGURES)
    other = text.replace(f"{tables.alignment['best']['aer']:.1f} %", "0.1 %")
    assert other != text
    assert filled(other, tables, language) == text


def test_the_figures_are_in_the_tables(tables: Tables) -> None:
    """Read from the files by hand, not by the code that writes the document."""
    text = RESULTS["en"].read_text(encoding="utf-8")
    meta = json.loads((FOLDER / META).read_text(encoding="utf-8"))
    assert f"greedy BLEU {meta['scores']['test_bleu_greedy']:.1f}" in text
    assert f"{sum(meta['data']['pairs_by_source'].values()):,}<!--" in text
    facts = json.loads((FOLDER / "faithfulness.json").read_text(encoding="utf-8"))
    norms = re.search(r"\| norms \| (.*?) \| (.*?) \|", text)
    assert norms is not None
    masked, averaged = (facts["settings"][place]["rows"]["norms"]["comprehensiveness"] for place in (0, 2))
    assert [facts["settings"][place]["way"] for place in (0, 2)] == ["mask", "average"]
    means = [masked["mean"], averaged["mean"]]
    assert [float(cell.strip("*")) for cell in norms.groups()] == [round(mean, 2) for mean in means]
    table = text[text.index("| what is drawn") : text.index("| leave-one-out")]
    assert len(re.findall(r"\*\*[\d.]+\*\*", table)) >= 7, "the best of each of the seven columns is bold"


def test_a_method_without_a_score_is_a_dash_and_one_without_a_title_goes_by_its_name(tables: Tables) -> None:
    older = copy.deepcopy(tables)
    for part in (older.faithfulness["pairs"], *(each["rows"] for each in older.faithfulness["settings"])):
        del part["alti"]
    lines = {line.split(" | ")[0]: line for line in FIGURES["faithfulness"](older, "en").splitlines()}
    assert lines["| ALTI+"] == "| ALTI+ |" + " – |" * 7
    assert "–" not in lines["| norms"]
    older.alignment["best"]["method"] = "newest"
    assert "the best setting, newest over all layers" in FIGURES["alignment"](older, "en").replace("\n", " ")


def test_what_lies_within_the_standard_error_of_the_best_is_bold_too(tables: Tables) -> None:
    changed = copy.deepcopy(tables)
    rows = changed.faithfulness["settings"][0]["rows"]
    rows["votes"]["token_cost"] = {"mean": 9.0, "se": 0.05}
    rows["chefer"]["token_cost"]["mean"], rows["frozen"]["token_cost"]["mean"] = 8.96, 8.94
    text = FIGURES["faithfulness"](changed, "en")
    assert "**9.00**" in text
    assert "**8.96**" in text
    assert "| 8.94 |" in text


def test_marks_without_a_figure_and_tables_of_other_weights_are_refused(tables: Tables, tmp_path: Path) -> None:
    with pytest.raises(HeadlightError, match="there is no figure 'luck'"):
        filled("a <!-- figures: luck -->7<!-- /figures -->", tables, "en")
    with pytest.raises(HeadlightError, match="lack what the figure 'scores' needs"):
        filled("<!-- figures: scores --><!-- /figures -->", Tables({"scores": {}}, {}, {}, {}), "en")
    for name in ("meta.json", "config.json", "alignment.json", "faithfulness.json"):
        value = json.loads((FOLDER / name).read_text(encoding="utf-8"))
        if name == "alignment.json":
            value["sha256"] = "0"
        (tmp_path / name).write_text(json.dumps(value), encoding="utf-8")
    with pytest.raises(HeadlightError, match=r"alignment.json .* other weights"):
        Tables.of(tmp_path)
    assert filled("no mark 7", tables, "en") == "no mark 7"


def test_the_licence_lists_every_source_of_the_weights() -> None:
    meta = json.loads((FOLDER / META).read_text(encoding="utf-8"))
    text = (FOLDER / LICENCE).read_text(encoding="utf-8")
    assert credited(FOLDER, meta) == (text, meta)
    assert set(meta["data"]["pairs_by_source"]) <= set(trained_on(meta))
    for name, count in trained_on(meta).items():
        assert f"| {name} | {count:,} |" in text
        assert meta["data"]["credits"]["sources"][name]["licence"]
    with pytest.raises(HeadlightError, match="no credit for mystery"):
        source_table({"mystery": 1}, {})


def test_sources_of_the_runs_that_a_run_began_with_are_credited_too() -> None:
    first = {"pairs_by_source": {"old": 7, "both": 3}}
    meta = {"data": {"pairs_by_source": {"new": 5, "both": 4}}, "began_with": {"began_with": first}}
    assert trained_on(meta) == {"new": 5, "both": 4, "old": 7}
    assert trained_on({"data": {"pairs_by_source": {"new": 5}}}) == {"new": 5}


@pytest.mark.parametrize("name", ["README.md", "README.zh.md"])
def test_a_newcomer_reads_ninety_lines_and_no_figure_that_ages(name: str) -> None:
    text = (ROOT / name).read_text(encoding="utf-8")
    assert len(text.splitlines()) <= 90
    assert BLOCK.search(text) is None
    assert not re.search(r"BLEU|chrF|\d %", text)


DOCUMENTS = sorted((*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")))


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.name)
def test_links_between_documents_lead_somewhere(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    found = re.findall(r"\]\((?!https?:|gallery/)([^)#\s]+)", text)  # the site's build makes the gallery
    assert [link for link in found if not (path.parent / link).exists()] == []


def test_the_older_name_of_the_results_is_still_known(reverse: Path, capsys) -> None:
    assert main(["tables", "--checkpoint", f"{reverse}/", "--only", "readme"]) == 0
    assert "results" in said(capsys)
