from __future__ import annotations

from viz.charts.ruby import is_chinese, readings, ruby


def test_every_character_gets_its_syllable_and_the_rest_stays() -> None:
    assert readings("动物") == ["dòng", "wù"]
    assert ruby("它，Tom!") == "<ruby>它<rt>tā</rt></ruby>，Tom!"
    assert ruby("") == ""


def test_readings_go_by_words() -> None:
    assert readings("银行") == ["yín", "háng"]
    assert readings("行走") == ["xíng", "zǒu"]


def test_a_character_that_no_table_knows_stands_alone_and_markup_is_inert() -> None:
    rare = chr(0x323A0)
    assert readings(f"动{rare}物") == ["dòng", "", "wù"]
    assert not is_chinese("。")
    shown = ruby(f"<img src=x>动{rare}")
    assert "<img" not in shown
    assert shown.endswith(f"<ruby>动<rt>dòng</rt></ruby>{rare}")
