"""Which head's muting changes a token: against heads silenced one by one, by hand."""

from __future__ import annotations

import json
import re

import numpy as np
import pytest
import torch

from model.__main__ import main
from model.analysis.what_if.repair import Repair, repair_rates, repairs, turned
from model.analysis.what_if.swap import Change, Word, changes, source_words, swapped, variants
from model.own.source import neighbours
from model.own.text.vocab import BOS_ID
from model.trace import HeadRef, Label
from model.translator import Translator
from model.writing import WORD_START
from tests.analysis.strong import strong_heads
from tests.pages import reverse
from viz.charts.marked import bars, marked_text
from viz.core.theme import DARK, LIGHT


def cosine(a: np.ndarray, b: np.ndarray) -> float:
    return float(a @ b / np.sqrt((a @ a) * (b @ b)))


def by_hand(translator: Translator, word: str) -> dict[str, float]:
    """Cosine of a word's embedding with that of every other word that is one piece."""
    tokenizer, found = translator.src_tokenizer, {}
    table = translator.model.encoder.embedding.tokens.weight.detach().double().numpy()
    own = table[tokenizer.encode(word)[0].id]
    for piece, token_id in tokenizer.subwords.get_vocab().items():
        other = piece.removeprefix(WORD_START)
        if piece.startswith(WORD_START) and tokenizer.casing.get(other.lower()) == other and other.isalpha():
            found[other] = cosine(own, table[token_id])
    return {other: value for other, value in found.items() if other.lower() != word.lower()}


@pytest.mark.parametrize("word", ["street", "red", "car"])
def test_the_nearest_words_come_first(translator: Translator, word: str) -> None:
    expected = sorted(by_hand(translator, word).items(), key=lambda pair: -pair[1])[:4]
    found = neighbours(translator.model, translator.src_tokenizer, word, 4)
    assert [each.word for each in found] == [other for other, _ in expected]
    assert [each.cosine for each in found] == pytest.approx([value for _, value in expected], abs=1e-5)


def test_a_word_is_not_near_itself_whatever_its_casing(translator: Translator) -> None:
    found = {each.word for each in neighbours(translator.model, translator.src_tokenizer, "STREET", 1000)}
    assert found == set(by_hand(translator, "street"))
    assert "street" not in found


def test_beginnings_of_words_are_no_words(translator: Translator) -> None:
    pieces = {piece.removeprefix(WORD_START) for piece in translator.src_tokenizer.subwords.get_vocab()}
    found = {each.word for each in neighbours(translator.model, translator.src_tokenizer, "red", 1000)}
    assert found < pieces
    assert all(len(translator.src_tokenizer.encode(word)) == 1 for word in found)
    assert not any(word in found for word in ("stre", "anim", "s"))


@pytest.mark.parametrize("word", ["Ljubljana", "xyzzy", "", "<script>"])
def test_what_is_spelt_in_pieces_has_no_near_words(translator: Translator, word: str) -> None:
    assert neighbours(translator.model, translator.src_tokenizer, word) == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I love you.", ["You love me.", "I hate you.", "I do not love you."]),
        ("He saw them.", ["They saw him."]),
        ("She can't swim.", ["She can swim."]),
        ("She can swim.", ["She can not swim."]),
        ("The animal was too tired.", ["The animal was too wide.", "The animal was not too tired."]),
        ("Thinking machines", ["Sleeping machines"]),
        ("", []),
        ("<b>", []),
    ],
)
def test_sentences_that_differ_in_one_thing(text: str, expected: list[str]) -> None:
    assert variants(text) == expected


def test_letters_change_places_at_the_ends() -> None:
    assert variants("abc", letters=True) == ["cba"]
    assert variants("aba", letters=True) == variants("a", letters=True) == []


def test_words_are_whole_and_without_punctuation(translator: Translator) -> None:
    source = "“Tom didn't see Ljubljana,” he said."
    words = source_words(source, translator.translate(source).src)
    assert [word.text for word in words] == ["Tom", "did", "n't", "see", "Ljubljana", "he", "said"]
    assert all(source[word.start : word.end] == word.text for word in words)


def test_no_words_in_punctuation() -> None:
    assert source_words("?!", (Label("?", 0, 0, 1), Label("!", 1, 1, 2))) == []


@pytest.mark.parametrize(
    ("start", "end", "new", "expected"),
    [(0, 3, "a", "A red car."), (4, 7, " blue ", "The blue car."), (8, 11, "", "The red .")],
)
def test_the_word_is_exchanged_and_a_beginning_stays_capital(start: int, end: int, new: str, expected: str) -> None:
    source = "The red car."
    sentence, put = swapped(source, Word(source[start:end], start, end), new)
    assert sentence == expected
    assert sentence[put.start : put.end] == put.text


def test_only_a_capital_at_the_beginning_is_taken_over() -> None:
    assert swapped("I saw Tom.", Word("Tom", 6, 9), "cats")[0] == "I saw cats."
    assert swapped("i saw", Word("i", 0, 1), "we")[0] == "we saw"


def test_changes_are_where_the_tokens_differ() -> None:
    assert changes("我有红车。", "我有一辆蓝车。") == [Change(2, 3, 2, 5)]
    assert changes("我有", "我有") == []
    assert changes("", "我") == [Change(0, 0, 0, 1)]


def test_a_long_sentence_is_written_smaller() -> None:
    sizes = [re.findall(r"font-size: ([\d.]+)rem", marked_text(["猫"] * count, (), LIGHT))[0] for count in (40, 41)]
    assert float(sizes[1]) < float(sizes[0])


@pytest.mark.parametrize("theme", [LIGHT, DARK])
def test_marked_text_marks_those_places_and_shows_text_literally(theme) -> None:
    html = marked_text(["New", "##er", "York", "<b>", "好"], {3}, theme)
    assert html.count("<mark") == 1
    assert "&lt;b&gt;</mark>" in html
    assert "Newer York" in html
    assert theme.accent in html


def test_bars_show_values_literally_and_never_overflow() -> None:
    html = bars(["<img src=x>", "two"], [4.0, 1.0], 2.0, {1}, LIGHT, "a & b")
    assert "<img" not in html
    assert "width: 100%" in html
    assert "width: 50%" in html
    assert html.count("dashed") == 1
    with pytest.raises(ValueError, match="2 words have 1 values"):
        bars(["a", "b"], [1.0], 1.0, (), LIGHT, "")


SENTENCE, CHINESE = "Tom didn't see the red car in Boston.", "汤姆没看见红车。"
BLOCKS = {"encoder_self": "encoder.layers.{}.self_attn", "decoder_self": "decoder.layers.{}.self_attn"}
BLOCKS["cross"] = "decoder.layers.{}.cross_attn"


@pytest.fixture(scope="module")
def loud(translator: Translator) -> Translator:
    """A model whose heads matter so much that muting one changes tokens."""
    return strong_heads(translator, decoder_layers=2, times=4)


def repaired_by_hand(model: Translator, ids: tuple[int, ...], step: int, head: HeadRef | None) -> torch.Tensor:
    """Log-probabilities [V] after the first ``step`` ids, what one head hands to W_O set to 0 by a hook."""
    hooks = []
    if head is not None:
        size = model.model.config.d_model // model.model.config.n_heads
        own = slice(head.head * size, (head.head + 1) * size)

        def silence(_module: object, args: tuple[torch.Tensor]) -> tuple[torch.Tensor]:
            changed = args[0].clone()
            changed[..., own] = 0
            return (changed,)

        block = model.model.get_submodule(BLOCKS[head.kind].format(head.layer))
        hooks.append(block.out_proj.register_forward_pre_hook(silence))
    try:
        with torch.inference_mode():
            src = model.encode_source(SENTENCE)[1]
            return model.model(src, torch.tensor([[BOS_ID, *ids[:step]]]))[0, -1].log_softmax(-1)
    finally:
        for hook in hooks:
            hook.remove()


def test_all_heads_at_once_are_heads_silenced_by_hand_one_by_one(loud: Translator) -> None:
    ids = tuple(token.id for token in loud.encode_target(CHINESE))
    changes = []
    for step, written in enumerate([*ids, loud.end_id]):
        found, before = repairs(loud, SENTENCE, ids, step), repaired_by_hand(loud, ids, step, None)
        assert (found.written, found.first) == (written, _best(loud, before))
        np.testing.assert_allclose(found.plain, before[list(found.tokens)], atol=1e-4)
        for head in loud.anatomy.all_heads():
            after = repaired_by_hand(loud, ids, step, head)
            np.testing.assert_allclose(found.muted[head.kind][head[1:]], after[list(found.tokens)], atol=1e-4)
            assert int(found.then[head.kind][head[1:]]) == _best(loud, after)
            changes.append(_best(loud, after) != _best(loud, before))
            assert found.changes(head) == changes[-1]
    assert 0 < sum(changes) < len(changes)  # or nothing was told apart


def _best(model: Translator, log_probs: torch.Tensor) -> int:
    return max((i for i in range(len(log_probs)) if i not in model.never_written), key=lambda i: float(log_probs[i]))


def test_the_ranking_begins_with_what_changes_the_token_and_then_goes_by_the_change() -> None:
    muted = np.log(np.array([[[0.4, 0.5, 0.1], [0.5, 0.4, 0.1], [0.3, 0.2, 0.5], [0.2, 0.3, 0.1]]], np.float32))
    plain = np.log(np.array([0.6, 0.3, 0.1], np.float32))
    found = Repair(2, (7, 8, 9), plain, {"cross": muted}, {"cross": np.array([[8, 7, 9, 7]])}, 7)
    assert [head.head for head in found.ranked()] == [2, 0, 3, 1]
    assert [head.head for head in found.ranked(8)] == [0, 1, 3, 2]
    assert found.ranked(9)[0].head == 2
    np.testing.assert_allclose(found.change(7)["cross"][0, 1], np.log(0.5 / 0.6), atol=1e-6)
    with pytest.raises(ValueError, match="not in tuple"):
        found.change(5)


def test_a_step_that_wrote_nothing_is_refused(loud: Translator) -> None:
    for step in (-1, 3):
        with pytest.raises(IndexError, match="no step"):
            repairs(loud, SENTENCE, (5, 6), step)
    with pytest.raises(IndexError, match="no step 2 of 2"):
        repairs(loud, SENTENCE, (5, 6), 2, finished=False)


@reverse
def test_rates_count_by_hand_what_single_mutings_do_on_the_toy() -> None:
    toy = Translator.from_checkpoint("reverse", "cpu")
    facts = repair_rates(turned(toy, "abc", "cbx"))
    ids = [token.id for token in toy.encode_target("cbx")]
    wrong, right = [], []
    for step, token in enumerate([*ids, toy.end_id]):
        found = repairs(toy, "abc", ids, step)
        made = [int(found.then[head.kind][head[1:]]) for head in toy.anatomy.all_heads()]
        (right if found.first == token else wrong).append((token, made))
    assert (facts["wrong"], facts["right"]) == (len(wrong), len(right))
    assert facts["wrong"] >= 1  # x is no letter of abc
    assert facts["repaired"] == sum(token in made for token, made in wrong)
    assert facts["spoiled"] == sum(any(each != token for each in made) for token, made in right)
    assert repair_rates([(False, 0.0)]) == {
        "wrong": 0, "repaired": 0, "repairing": None, "right": 1, "spoiled": 0, "spoiling": 0.0
    }  # fmt: skip
    assert facts["spoiling"] == pytest.approx(np.mean([np.mean(np.array(made) != t) for t, made in right]), abs=1e-4)


@reverse
def test_the_command_prints_one_object(tmp_path, capsys) -> None:
    (tmp_path / "pairs.tsv").write_text("abc\tcba\néé\tx\n", encoding="utf-8")
    assert main(["repair", "--checkpoint", "reverse", "--tsv", str(tmp_path / "pairs.tsv")]) == 0
    out, err = capsys.readouterr()
    assert "line 2 was left out" in err
    told = json.loads(out)
    assert (told["sentences"], told["wrong"] + told["right"]) == (1, 4)
    assert main(["repair", "--tsv", str(tmp_path / "none.tsv")]) == 2
    assert "there is no file" in capsys.readouterr().err
