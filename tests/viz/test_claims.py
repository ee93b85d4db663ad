"""Every sentence with a number has its row in docs/claims.md, in both languages; what is measured is computed again."""

from __future__ import annotations

import math
import re
from collections import Counter
from pathlib import Path

import pytest

from model.analysis.faithfulness.corpus import KEPT_SHARES
from model.analysis.faithfulness.verdict import LEVEL
from model.analysis.heads.roles import POSITIONAL, RARE, SINK
from model.analysis.lessons import learning, scaling
from model.analysis.lessons.several import divisors
from model.live.task import LONGEST, SHORTEST
from viz.core.text import LANGUAGES

ROOT = Path(__file__).resolve().parents[2]
WRITTEN, FILLED = (
    [[cell.strip() for cell in line.strip("|").split(" | ")] for line in part.splitlines() if line.startswith("| `")]
    for part in (ROOT / "docs/claims.md").read_text(encoding="utf-8").split("## Numbers that are filled in")
)
PLACE = re.compile(r"\{[^}]*\}")
NO_CLAIM = re.compile(r"\b(19|20)\d\d\b|[A-Za-zα-ω]_\{?\d|\b[LH]\d+|\$[^$]*\$|[Ll]essons? \d+|第 ?\d+ ?课")
NUMBER = re.compile(r"(?<![\w.])[−+±]?\d+(?:,\d{3})*(?:\.\d+)?", re.ASCII)
APART = {
    "find.like.corpus.how": "“one minus”",
    "find.like.sentence.how": "“one minus”",
    "two.meaning": "“one minus”",
    "mix.less": "“times less” is 1/factor",
    "talk.keys": "“归零” is “from 0”",
    "error.UnknownCharacterError": "English shows the exception's own words",
}
"""Why Chinese writes a digit where English has a word, or none."""


def numbers(text: str) -> list[str]:
    """The numbers that a text itself says."""
    return NUMBER.findall(NO_CLAIM.sub(" ", PLACE.sub("", text)))


def keys_of(cell: str) -> list[str]:
    """The texts that the first cell of a row names."""
    named = re.findall(r"`([^`]+)`", cell)
    return [k for k in LANGUAGES["en"] for name in named if k == name or (name[-1] == "*" and k.startswith(name[:-1]))]


def said(language: str) -> dict[str, list[str]]:
    """The numbers of every text that has any."""
    return {key: found for key, text in LANGUAGES[language].items() if (found := numbers(text))}


def test_every_text_with_a_number_is_in_one_row_and_the_row_has_its_numbers() -> None:
    found, walked = said("en"), Counter[str]()
    for texts, stated, *_ in WRITTEN:
        keys = [key for key in keys_of(texts) if key in found]
        walked.update(keys)
        assert keys, texts
        assert set(stated.split()) == {number for key in keys for number in found[key]}, texts
    assert walked == Counter(dict.fromkeys(found, 1))


def test_both_languages_say_the_same_numbers() -> None:
    english, chinese = said("en"), said("zh")
    other = {key for key in english.keys() | chinese.keys() if set(english.get(key, ())) != set(chinese.get(key, ()))}
    assert other == set(APART)


def test_every_text_that_is_filled_in_is_in_one_row() -> None:
    filled = {key for key, text in LANGUAGES["en"].items() if "{" in PLACE.sub("{", text)}
    walked = Counter(key for texts, *_ in FILLED for key in keys_of(texts) if key in filled)
    assert walked == Counter(dict.fromkeys(filled, 1))


@pytest.mark.parametrize("row", WRITTEN + FILLED, ids=lambda row: row[0][:40])
def test_a_row_says_what_where_and_of_which_sample(row: list[str]) -> None:
    *_, claim, where, sample = row
    assert claim
    assert sample
    assert (ROOT / where.strip("`")).exists()


def test_a_text_fills_its_places_where_its_row_says() -> None:
    for texts, _, where, _ in FILLED:
        if where != "`viz/core/text/en.json`":
            first = texts.strip("`").split(".")[0]
            assert f"{first}." in (ROOT / where.strip("`")).read_text(encoding="utf-8"), texts


def test_a_number_more_or_another_is_seen() -> None:
    assert numbers("In 2017 W_2 of L3 H4 (lesson 5) had $2i$ and {n}") == []
    assert numbers("12,860 rows, −1 or 0.5 %, and 3.") == ["12,860", "−1", "0.5", "3"]
    assert numbers("第 5 课说 {n} 个中有 7 个") == ["7"]


PERCENT = {
    "heads.meaning.next": [POSITIONAL],
    "heads.meaning.previous": [POSITIONAL],
    "heads.meaning.rare": [RARE],
    "heads.meaning.sink": [SINK],
    "heads.no_role": [POSITIONAL, RARE],
    "trust.comprehensiveness.meaning": list(KEPT_SHARES),
    "honesty.deleted.rows": [LEVEL],
    "honesty.deleted.words": [LEVEL],
    "honesty.legend.random": [LEVEL, 1 - LEVEL],
}
COMPUTED = {
    **{f"heads.lead.{over}": [1, round(math.e, 1)] for over in ("corpus", "model", "sentence")},
    "lens.promotes.lead": [1, round(math.exp(1), 1)],
    "train.lead": [SHORTEST, LONGEST],
    "lesson.3.ask.1": [min(divisors(256)), max(divisors(256))],
    "lesson.1.answer.1": [0, *scaling.ENTRY_VALUES],
    "lesson.7.rates.lead": list(learning.NOAM[0]),
    "lesson.2.see": [14 * 8, 12 * 8, 8 * 8, 8],
    "lesson.15.gradient": [10],
    "inside.gradient.lead": [scaling.SURE],
    **{key: [100 * share for share in shares] for key, shares in PERCENT.items()},
}


@pytest.mark.parametrize("key", COMPUTED)
def test_a_number_is_the_one_that_the_program_uses(key: str) -> None:
    assert [float(each.replace(",", "").lstrip("+")) for each in numbers(LANGUAGES["en"][key])] == pytest.approx(
        COMPUTED[key]
    )


WORDINGS = {
    "quality.rates": ("threshold} it catches", "that did not choose the threshold", "没有参与选择阈值"),
    "answer.right": ("", "the word that {method} marks most", "{method}标得最多的词"),
    "answer.right.news": ("", "long news sentences", "新闻"),
    "answer.said": ("comes from", "hangs most on", "最依赖"),
    "answer.title": ("comes from", "hangs on", "最依赖"),
    "panel.several": ("comes from", "hangs on several words", "依赖好几个词"),
    "panel.clear": ("more than any other", "times as much as without any other word", "倍"),
    "panel.share": ("Due to", "Of the state that it was read off", "写出它的那个状态"),
    "panel.facts.aer": ("", "strongest links", "最强连线"),
    "heads.aligns.read": ("{error} %)", "strongest links", "最强连线"),
    "heads.aligns.written": ("{error} %)", "strongest links", "最强连线"),
    "heads.lead.corpus": ("that matter", "whose muting costs most", "损失最大"),
    "heads.meaning.sink": ("needs a place", "often read as", "常被解读为"),
    "joint.lead": ("understates", "damage may add up", "损害叠加"),
    "joint.greedy": ("", "one greedy choice", "贪心"),
    "joint.sure": ("(standard error)", "over sentences, for this one model", "仅就这一个模型"),
    "picture.green": ("holds here", "beats chance", "胜过随机"),
    "app.layer.help": ("late layers", "counted from 0", "从 0 数起"),
    "inside.lead.3": ("the size of 1", "do not grow with the length of the vectors", "不会随向量的长度变大"),
    "inside.gradient.lead": ("a few have nearly all of it", "of the median row", "中位数"),
    "lesson.2.answer.1": ("hardly learn", "“suspects”", "“怀疑”"),
    "lesson.3.answer.2": ("none, because", "perhaps because", "也许因为"),
    "lesson.5.answer.2": ("is easy to learn", "may be easy to learn", "也许容易学会"),
    "lesson.5.apart.lead": ("far ones are not", "with ripples", "有起伏"),
    "lesson.6.idea": ("soon become one", "with it, later", "要晚得多"),
    "lesson.6.see": ("", "since such numbers have mean 0 and spread 1 too", "因为那样的数"),
    "lesson.7.log.lead": ("the best is kept", "which ships", "随程序发布的"),
    "lesson.7.see": ("", "gives ε / V to every class", "填充"),
    "lesson.9.answer.1": ("", "Q comes from the decoder", "Q 来自解码器"),
    "lesson.11.idea": ("differ in what becomes", "in what they are trained for", "训练目标"),
    "lesson.12.see": ("needs a place", "where that is always the same mark", "若总是放在同一个标记上"),
    "lesson.12.answer.1": ("", "Wiegreffe and Pinter 2019", "Wiegreffe 和 Pinter 2019"),
    "flow.lead.weights": ("", "as if every head counted alike", "好像每个头同样重要"),
    "flow.lead.norms": ("Kobayashi et al. 2021).", "as in GlobEnc (Modarressi et al. 2022)", "如 GlobEnc"),
    "method.meaning.rollout": ("has reached a state (", "if every head counted alike", "假设每个头同样重要"),
    "method.meaning.flow": ("(Kobayashi et al. 2021)", "as in GlobEnc (Modarressi et al. 2022)", "如 GlobEnc"),
    "method.meaning.frozen": ("biases aside", "the biases, which are large, are left out", "偏置"),
    "method.meaning.value_zeroing": ("", "in the decoder it is an extension", "用于解码器是本程序的扩展"),
    "method.meaning.votes": ("", "direct logit attribution", "直接 logit 归因"),
    "method.meaning.alti": ("", "does not know what the row writes", "不知道本行写什么"),
    "method.meaning.chefer": ("", "only the row’s own cross-attention", "只让本行自己的交叉注意力"),
    "reasons.source": ("", "This is QK attribution.", "这就是 QK 归因。"),
    "lens.promotes.lead": ("times as likely", "multiplies a token’s odds", "几率"),
    "past.found": ("found this by", "does this from step", "步起这样做"),
    "carry.result": ("", "more than 100 % overshoots", "走过了头"),
    "trust.kin": ("", "are favoured over those that do not", "比不知道的占便宜"),
}
"""Of a text what it once said, in English, or "" where something lacked; and what it says now, in both languages."""


@pytest.mark.parametrize("key", WORDINGS)
def test_no_text_says_more_than_was_found(key: str) -> None:
    wrong, right, chinese = WORDINGS[key]
    assert not wrong or wrong not in LANGUAGES["en"][key]
    assert right in LANGUAGES["en"][key]
    assert chinese in LANGUAGES["zh"][key]
