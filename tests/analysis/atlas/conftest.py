"""Fifty-four pairs: those of every test, and those that people linked; one with links as its own file."""

from __future__ import annotations

from pathlib import Path

import pytest

from model.analysis.alignment.gold import read_gold

TRUTH = Path(__file__).resolve().parents[3] / "model/truth/en-zh.tsv"


@pytest.fixture(scope="session")
def fifty(pairs) -> list[tuple[str, str]]:
    return [*pairs, *((each.src_text, each.tgt_text) for each in read_gold(TRUTH))]


@pytest.fixture(scope="session")
def corpus_file(fifty, tmp_path_factory) -> Path:
    path = tmp_path_factory.mktemp("atlas") / "fifty.tsv"
    path.write_text("".join(f"{en}\t{zh}\n" for en, zh in fifty), encoding="utf-8")
    return path


@pytest.fixture(scope="session")
def small_file(fifty, tmp_path_factory) -> Path:
    path = tmp_path_factory.mktemp("atlas") / "some.tsv"
    path.write_text("".join(f"{en}\t{zh}\n" for en, zh in fifty[:20]), encoding="utf-8")
    return path
