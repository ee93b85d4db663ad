"""Handouts: what a reader of PDF finds in them."""

from __future__ import annotations

import re
import zlib

from tests.pages import shipped
from viz.export.show.handout import handout
from viz.export.show.staged import Stage, stage
from viz.export.show.storyboard import Both, Predict, Storyboard, TalkScene

pytestmark = shipped
SENTENCE, TARGET = "The black cat is sleeping on the bed.", "黑猫在床上睡觉。"
HOSTILE = "</script><img src=x onerror=alert(1)> (\\) 龙"
NOTE = "先看这一行。[click] 再看“猫”那一格，" + "注意力都在这里，" * 12 + "完。"
SCENES = (
    TalkScene(
        SENTENCE, TARGET, link="h=best&r=read", title=Both(f"t {HOSTILE}", "讲义"), predict=Predict(Both("?"), row="猫")
    ),
    TalkScene(SENTENCE, TARGET, link="v=all", note=Both("note " * 200)),
    TalkScene(SENTENCE, TARGET, link="h=c.all&x=mean&d=votes&w=1&s=1", title=Both(HOSTILE), note=Both(NOTE)),
)


def staged(opens) -> Stage:
    return stage(Storyboard(Both("t"), SCENES), opens)


def streams(paper: bytes) -> list[bytes]:
    """A PDF's streams, unpacked."""
    found = []
    for part in re.findall(rb"stream\r?\n(.*?)\r?\nendstream", paper, re.DOTALL):
        try:
            found.append(zlib.decompress(part))
        except zlib.error:
            found.append(part)
    return found


def extracted(paper: bytes) -> list[str]:
    """The text of each page, as readers extract it: codes of two bytes by way of ToUnicode (ISO 32000-1, 9.10)."""
    parts = streams(paper)
    [table] = [part for part in parts if b"beginbfchar" in part]
    listed = b"".join(re.findall(rb"beginbfchar(.*?)endbfchar", table, re.DOTALL))
    signs = {
        int(code, 16): bytes.fromhex(text.decode()).decode("utf-16-be")
        for code, text in re.findall(rb"<([0-9A-F]+)> <([0-9A-F]+)>", listed)
    }
    meant = {b"n": b"\n", b"r": b"\r", b"t": b"\t", b"b": b"\b", b"f": b"\f"}
    pages = []
    for page in (part for part in parts if b" Tj" in part):
        shown = re.findall(rb"\(((?:[^\\()]|\\.)*)\) Tj", page, re.DOTALL)
        plain = [
            re.sub(rb"\\(.)", lambda found: meant.get(found[1], found[1]), each, flags=re.DOTALL) for each in shown
        ]
        codes = [[int.from_bytes(each[at : at + 2]) for at in range(0, len(each), 2)] for each in plain]
        pages.append("\n".join("".join(signs[code] for code in line) for line in codes))
    return pages


def test_a_handout_has_a_page_a_scene_and_runs_nothing(opens) -> None:
    paper = handout(staged(opens), "zh")
    assert paper.startswith(b"%PDF")
    assert len(re.findall(rb"/Type /Page\b", paper)) == len(SCENES)
    assert len(paper) < 200_000
    assert b"/JavaScript" not in paper
    assert b"/URI" not in paper


def test_its_text_can_be_extracted_and_holds_the_chinese_in_order(opens) -> None:
    first, second, third = extracted(handout(staged(opens), "zh"))
    assert first.startswith("讲义\n")
    assert f"{SENTENCE} → {TARGET}" in first
    assert "cat" in first.rsplit("答案：", 1)[1], "the map's own answer"
    assert second.count("note") == 200
    assert third.startswith(f"{HOSTILE}\n"), "markup is text"
    assert "".join(NOTE.split("[click]")).replace(" ", "") in third.replace("\n", "").replace(" ", "")
    assert "龘" not in first + second + third
    assert [page.splitlines()[-1][-5:] for page in (first, second, third)] == ["1 / 3", "2 / 3", "3 / 3"]
