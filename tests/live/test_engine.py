"""The engine of the live page, run by node, makes what Python makes: tokens, spans, sentences, loops, labels."""

from __future__ import annotations

import base64
import json
import random
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from model.folders import CHECKPOINTS
from model.onnx.packed import WeightStore
from model.own.decoding.stepping import looping
from model.own.text.tokenize import EnglishTokenizer, source_labels, target_labels
from model.sentences import parts_of
from tests.live.asking import ask
from viz.export.live import dense

needs_node = pytest.mark.skipif(shutil.which("node") is None, reason="no node")
TRUTH = Path(__file__).resolve().parent.parent.parent / "model" / "truth"
HARD = (
    "I can't, don't, won't; 'tis, 'Twas: \"Hello,\" he said. ``x'' gimme cannot gonna wanna go",
    '"\'" \'\' "a" ``` \'\'\' """',
    "At 3:45 it cost 5,000.50 or $5 (50%) in the U.S. Mr. X's dogs' 'quoted' ''two''",
    "<eos> <0x41> <unk> </script> 😀 émile Ünïcode 中文 ﬃ İstanbul ǅ ſ \U00020bb7",
    "a--b — c – d … e... a\nb\tc\x1cd\x85e\u2028f\ufeffg 555-0012 00 11111 22222222",
    "«bon» “hi” ‘x’ „y I’m “sure” you’re ¿Qué? ¡No! x\ud800y",
    "THE CAT SAT I i tOM TOM tom e\u0301clair n\u0303 ½ ² Ⅷ ٣ x:٣ x,٣",
    'She said, "Go." Then "Stop!" (Really?) Yes. No. 5 is J. Smith, e.g. Mr. Lee. I. We… I know. Well... ok',
    "hello there. how are you? fine.\n\nA new paragraph. U.S. Army etc. The end of Inc. But p. 5",
    "end.)\n\n",
    "a . b",
    "..",
)
MIXED_IN = [*"\"'`.,:;-–—()[]{}<>!?*&%$#@… \n\u00a0“”‘’«»'s\U0001f600中éÉ0012", "''", "``", "--", "...", "n't", "'ll"]


def mixed(text: str, chance: random.Random) -> str:
    """The text with one to four characters put in somewhere."""
    letters = list(text)
    for _ in range(chance.randint(1, 4)):
        letters.insert(chance.randrange(len(letters) + 1), chance.choice(MIXED_IN))
    return "".join(letters)


def sentences() -> list[str]:
    plain = [
        line.split("\t")[0] for file in sorted(TRUTH.glob("*.tsv")) for line in file.read_text("utf-8").splitlines()
    ]
    chance = random.Random(0)
    return [*HARD, *plain, *(mixed(text, chance) for text in (*plain, *HARD) for _ in range(4))]


def units(text: str) -> list[int]:
    """How many UTF-16 units stand before each character, and before the end."""
    places = [0]
    for char in text:
        places.append(places[-1] + (2 if char > "\uffff" else 1))
    return places


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, Any]]:
    asked = {"checkpoint": str(CHECKPOINTS / "en-zh"), "texts": sentences()}
    answers: list[dict[str, Any]] = ask(asked, tmp_path_factory.mktemp("asked"))["texts"]
    return answers


@needs_node
def test_tokens_and_their_spans_are_those_of_python(found: list[dict[str, Any]]) -> None:
    tokenizer = EnglishTokenizer.load(CHECKPOINTS / "en-zh")
    differ, longest = [], 0
    for text, answer in zip(sentences(), found, strict=True):
        at, tokens = units(text), tokenizer.encode(text)
        expected = [[t.text, t.id, t.word, at[t.start], at[min(t.end, len(text))]] for t in tokens]
        got = [[t["text"], t["id"], t["word"], t["start"], t["end"]] for t in answer["tokens"]]
        longest = max(longest, len(got))
        if got != expected:
            differ.append((text, expected, got))
    assert differ == []
    assert longest > 40


@needs_node
def test_labels_and_sentences_are_those_of_python(found: list[dict[str, Any]]) -> None:
    tokenizer = EnglishTokenizer.load(CHECKPOINTS / "en-zh")
    several = 0
    for text, answer in zip(sentences(), found, strict=True):
        if "\ud800" not in text:
            labels = source_labels(text, tokenizer.encode(text))
            assert answer["labels"] == [
                {"text": each.text, "word": each.word, "start": each.start, "end": each.end} for each in labels
            ]
        at, parts = units(text), parts_of(text, "english")
        assert answer["parts"] == [[at[start], at[end]] for start, end in parts], text
        several += len(parts) > 1
    assert several > 10


@needs_node
def test_loops_target_labels_and_dense_text_are_those_of_python(tmp_path: Path) -> None:
    chance = random.Random(1)
    loops = [[chance.randrange(2, 4) for _ in range(chance.randrange(30))] for _ in range(300)]
    loops += [[5, 7, 8, 9, 7, 8, 9, 7, 8, 9], [7, 8, 9, 7, 8, 9], []]
    targets = [["▁Tom", "my", "在", "▁New", "▁", "York", "3", "。"], ["▁", "a"], []]
    data = [bytes(chance.randrange(256) for _ in range(size)) for size in (0, 1, 6, 7, 8, 1000)] + [bytes(range(256))]
    asked: dict[str, Any] = {"checkpoint": str(CHECKPOINTS / "en-zh"), "loops": loops, "targets": targets}
    asked["dense"] = [dense(each) for each in data]
    store, numbers = WeightStore(), np.random.default_rng(1)
    codes = [numbers.integers(-most, most, 501).astype(np.int16) for most in (3, 128, 500, 32768)]
    for each in codes:
        store.place(each, 0.25)
    high, low = (base64.b64encode(each).decode() for each in store.packed())
    asked["weights"] = {"table": store.table, "high": high, "low": low}
    answer = ask(asked, tmp_path)
    assert answer["loops"] == [sorted(looping(ids)) for ids in loops]
    assert sum(map(bool, answer["loops"])) > 10
    assert [base64.b64decode(each) for each in answer["plain"]] == data
    assert answer["values"] == (np.concatenate(codes) * 0.25).tolist()
    for pieces, labels in zip(targets, answer["targets"], strict=True):
        expected = [[each.text, each.word, each.start, each.end] for each in target_labels(pieces)]
        assert [[each["text"], each["word"], each["start"], each["end"]] for each in labels] == expected


def test_dense_text_can_lie_in_a_page() -> None:
    text = dense(bytes(range(256)) * 50)
    assert not set("\0\r<") & set(text)
    assert len(text.encode()) < 1.18 * 256 * 50
    assert json.loads(json.dumps(text)) == text
