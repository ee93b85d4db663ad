"""Pictures on white, pages and numbers, as the command line and the app write them."""

from __future__ import annotations

import csv
import io
import json
import re
import xml.etree.ElementTree as ET
import zlib

import numpy as np
import pytest
from PIL import Image

from model.folders import CHECKPOINTS
from model.trace import HeadRef, TracedTranslation
from tests.pages import shipped
from viz.__main__ import main
from viz.charts.colour import on_scale
from viz.charts.sheet.files import FILES, pdf, png, svg
from viz.charts.sheet.font import MISSING, SHEET_FONT, widths, writable
from viz.charts.sheet.sheet import Box, SheetMap, SheetStyle, Write, sheet, wrapped
from viz.core.selection import Selection
from viz.core.theme import LIGHT
from viz.export.shown import caption, labelled_maps, names, sheet_of

HOSTILE = "</script><img src=x onerror=alert(1)>"
HEADS = (HeadRef("cross", 2, 5), HeadRef("cross", 3, 1))
ABOUT = ("I love you.", "我爱你。", "en-zh")


def small(title: str = "map", **changes: object) -> SheetMap:
    values = np.array([[0.1, 0.9], [0.5, 0.0]], dtype=np.float32)
    return SheetMap(title, ("我", HOSTILE), ("love", "𠮷"), values, **changes)  # type: ignore[arg-type]


def texts(data: bytes) -> list[str]:
    return ["".join(each.itertext()) for each in ET.fromstring(data).iter("{http://www.w3.org/2000/svg}text")]


def streams(data: bytes) -> bytes:
    """What a PDF's compressed streams say."""
    found = b""
    for part in re.findall(rb"stream\r?\n(.*?)\r?\nendstream", data, re.DOTALL):
        try:
            found += zlib.decompress(part)
        except zlib.error:
            found += part
    return found


def test_a_sheet_has_a_box_of_the_right_colour_for_every_weight() -> None:
    made = sheet([small()], "said", SheetStyle(10, 9))
    assert made.width == pytest.approx(10 / 2.54 * 72)
    fills = [mark.fill for mark in made.marks if isinstance(mark, Box)][:4]
    for fill, weight in zip(fills, [0.1, 0.9, 0.5, 0.0], strict=True):
        found = [int(fill[i : i + 2], 16) / 255 for i in (1, 3, 5)]
        np.testing.assert_allclose(found, on_scale(np.array(weight), LIGHT.scale), atol=0.5 / 255 + 1e-9)
    hidden = sheet([small(threshold=0.6)], "said")
    assert [mark.fill for mark in hidden.marks if isinstance(mark, Box)][2] == LIGHT.surface != fills[2]


def test_nothing_sticks_out_of_a_sheet_and_type_is_as_asked() -> None:
    many = tuple(f"token{i}" for i in range(60))
    maps = [SheetMap("a long title " * 9, many, many, np.eye(60), 1.0) for _ in range(5)]
    made = sheet(maps, "word " * 100, SheetStyle(16, 9))
    for mark in made.marks:
        assert -0.01 <= mark.x <= made.width
        assert -0.01 <= mark.y <= made.height
        if isinstance(mark, Write) and mark.anchor == "start" and not mark.turned:
            assert mark.x + sum(widths().get(sign, 1) for sign in mark.text) * mark.size <= made.width + 0.5
    sizes = {mark.size for mark in sheet([small()], "said", SheetStyle(16, 12)).marks if isinstance(mark, Write)}
    assert 12 in sizes


def test_chinese_names_of_columns_stand_upright_and_latin_ones_are_turned() -> None:
    columns = (*"那只动物没有过马路", "动物", "<eos>")
    made = sheet([SheetMap("t", ("r",), columns, np.zeros((1, len(columns))))], "", SheetStyle(4, 9))
    written = {(mark.text, mark.turned) for mark in made.marks if isinstance(mark, Write)}
    assert {("那", False), ("<eos>", True)} <= written
    assert not {text for text, turned in written if turned} - {"<eos>"}
    names = [mark for mark in made.marks if isinstance(mark, Write) and mark.text in "动物"]
    above, below = sorted(names, key=lambda mark: mark.x)[2:]
    assert (above.text, below.text, above.x) == ("动", "物", below.x)
    assert below.y - above.y == pytest.approx(above.size)
    assert above.y - above.size >= 0


@pytest.mark.parametrize("bad", [(3, 9), (16, 200), (16, 0)])
def test_a_sheet_out_of_reason_is_refused(bad) -> None:
    with pytest.raises(ValueError, match="4 to 100 cm"):
        SheetStyle(*bad)
    with pytest.raises(ValueError, match="no map"):
        sheet([], "said")
    with pytest.raises(ValueError, match=r"shape \(2, 2\)"):
        SheetMap("t", ("a",), ("b",), np.zeros((2, 2)))


def test_hostile_tokens_are_text_in_svg_and_pdf() -> None:
    made = sheet([small(HOSTILE)], f"{HOSTILE}\u0000", SheetStyle(30, 9))
    method = svg(made)
    assert {each.tag.split("}")[1] for each in ET.fromstring(method).iter()} == {"svg", "title", "rect", "text"}
    assert HOSTILE in texts(method)
    assert b"<img" not in method
    page = pdf(made)
    assert page.startswith(b"%PDF")
    assert b"/JavaScript" not in page
    assert b"/URI" not in page


def test_a_pdf_carries_its_font_and_its_texts_can_be_searched() -> None:
    page = pdf(sheet([small()], "说明"))
    assert b"/FontFile3" in page
    assert len(page) < 40_000
    mapped = streams(page).decode("latin-1").upper()
    for sign in "我说":
        assert f"<{ord(sign):04X}>" in mapped
    assert f"<{ord('龘'):04X}>" not in mapped


def test_a_png_has_the_size_that_is_asked_for() -> None:
    image = Image.open(io.BytesIO(png(sheet([small()], "said", SheetStyle(10, 9)))))
    assert image.width == pytest.approx(10 / 2.54 * 300, abs=1)
    assert image.getpixel((2, 2)) == (255, 255, 255)
    assert len(set(image.getdata())) > 20


def test_the_font_is_small_and_boxes_stand_for_what_it_lacks() -> None:
    assert SHEET_FONT.stat().st_size < 1_000_000
    assert (SHEET_FONT.parent / "OFL.txt").read_text(encoding="utf-8").count("SIL OPEN FONT LICENSE") >= 1
    assert {"我", "é", "A", "→", "Σ", MISSING} <= set(widths())
    assert writable("我𠮷\tA") == f"我{MISSING} A"


@shipped
def test_the_font_has_every_character_that_the_translator_writes() -> None:
    vocabulary = json.loads((CHECKPOINTS / "en-zh" / "tgt.json").read_text(encoding="utf-8"))["model"]["vocab"]
    pieces = "".join(vocabulary)
    assert len(set(pieces)) > 3000
    missing = {sign for sign in pieces if sign not in widths() and not sign.isspace()}
    assert not {sign for sign in missing if "\u4e00" <= sign <= "\u9fff"}
    assert len(missing) <= 25, "letters with marks that names have, which Noto's Chinese font lacks: they become a box"


def test_captions_break_between_words_and_never_before_a_full_stop() -> None:
    lines = wrapped("one two 三四五。六", 30, 9)
    assert "".join(lines).replace(" ", "") == "onetwo三四五。六"
    assert len(lines) > 1
    assert not any(line.startswith("。") for line in lines)


@shipped
def test_a_caption_says_what_is_drawn_and_how_it_is_read(translation: TracedTranslation) -> None:
    plain, read = (
        Selection(HEADS[:1]),
        Selection(HEADS, words=True, hide_special=True, shift="read", together="difference"),
    )
    for language, parts in (("en", ("I love you.", "en-zh", "attention weights")), ("zh", ("我爱你。", "注意力"))):
        said = caption(plain, names(plain, language), ABOUT, language)
        assert all(part in said for part in parts)
        assert len(caption(read, names(read, language), ABOUT, language)) > len(said) + 20
    assert names(read, "en")[-1] == "L2 H5 − L3 H1"
    made = sheet_of(
        read,
        list(zip(names(read, "en"), labelled_maps(read, translation.trace.weights, translation.trace), strict=True)),
        "en",
        "said",
    )
    gap = labelled_maps(read, translation.trace.weights, translation.trace)[2].weights
    assert any(isinstance(mark, Write) and mark.text == "(c) L2 H5 − L3 H1" for mark in made.marks)
    assert gap.min() < 0 < gap.max()


@shipped
@pytest.mark.parametrize("ending", ["html", *FILES, "csv", "json", "npz"])
def test_the_command_writes_every_ending(ending: str, tmp_path, capsys) -> None:
    path = tmp_path / f"map.{ending}"
    argv = ["export", "I love you.", "--output", str(path), "--head", "c2.5", "c3.1", "--lang", "zh"]
    assert main(argv) == 0
    assert capsys.readouterr().out == "我爱你。\n"
    data = path.read_bytes()
    starts = {"html": b'<!doctype html>\n<html lang="zh-CN">', "svg": b"<svg", "pdf": b"%PDF", "png": b"\x89PNG"}
    assert data.startswith(starts.get(ending, b""))
    if ending == "json":
        first, second = json.loads(data)["maps"]
        assert (first["title"][-5:], second["title"][-5:]) == ("L2 H5", "L3 H1")
        assert first["columns"] == second["columns"]
        assert first["columns"][-1] == "<eos>"
        assert first["values"] != second["values"]
    if ending == "csv":
        rows = list(csv.reader(data.decode().splitlines()))
        empty = rows.index([])
        assert (rows[0][0][-5:], rows[empty + 1][0][-5:]) == ("L2 H5", "L3 H1")
        assert rows[1] == rows[empty + 2]
        assert len(rows) == 2 * empty + 1
    if ending == "svg":
        assert any("交叉" in text for text in texts(data))


@shipped
@pytest.mark.parametrize(
    ("more", "said"),
    [
        (["--output", "x.doc"], "must end in html"),
        (["--output", "x.pdf", "--head", "q1.2"], "is no head"),
        (["--output", "x.pdf", "--head", "c9.0"], "heads 0–7, got L9 H0"),
        (["--output", "x.pdf", "--difference"], "two heads of one kind"),
        (["--output", "x.pdf", "--width", "1000"], "4 to 100 cm"),
        (["--output", "/nowhere/x.pdf"], "x.pdf could not be written (No such file"),
    ],
)
def test_what_cannot_be_done_is_said_in_one_sentence(more, said, capsys, tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["export", "I love you.", *more]) == 2
    out = capsys.readouterr()
    assert said in out.err
    assert out.err.count("\n") == 1
    assert list(tmp_path.iterdir()) == []
