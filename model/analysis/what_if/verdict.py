"""One verdict on a translation, with its reasons: what was lost, changed or repeated, and where the model was unsure.

It needs no reference. ``model.commands.release.warning`` measures how often it is right.
"""

from __future__ import annotations

import calendar
import math
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import groupby
from typing import Literal, Protocol

import numpy as np

from model.analysis.what_if.repair import repeated_run
from model.trace import Label, Translation, mean_probability

_NARROW = str.maketrans("０１２３４５６７８９：．，％－", "0123456789:.,%-")
_DIGITS = r"\d{1,3}(?:,\d{3})+(?!\d)(?:\.\d+)?|\d+(?:\.\d+)?"
_ENGLISH = re.compile(rf"({_DIGITS})(?:[\s-]*(hundred|thousand|million|billion|trillion)\b)?", re.IGNORECASE)
_CHINESE = re.compile(rf"({_DIGITS})\s*([十百千万亿兆]*)|([〇零一二两三四五六七八九十百千万亿半]+)")
_MONTH = re.compile(rf"\b(?:{'|'.join(calendar.month_name[1:])})\b")
_SCALES = {"hundred": 10**2, "thousand": 10**3, "million": 10**6, "billion": 10**9, "trillion": 10**12}
_UNITS = {"十": 10, "百": 100, "千": 1000, "万": 10**4, "亿": 10**8, "兆": 10**12}
_ONES = {each: value for value, each in enumerate("零一二三四五六七八九")} | {"〇": 0, "两": 2}
Level = Literal["good", "doubtful", "bad"]
Cause = Literal["unfinished", "repeated", "number", "word", "low", "confidence", "unread", "token", "rare"]
BAD: frozenset[Cause] = frozenset(("unfinished", "repeated", "number", "word", "low"))  # the others make it doubtful
THRESHOLD = 0.6  # of confidence, where no table says better
LOW = 0.45  # of confidence: below, the translation is taken for wrong
UNSURE = 0.13  # probability of a token
BACKWARD_WEIGHT = 0.2  # of what the backward model says beside confidence: their spreads are some 1 to 5
USUAL_LENGTH, LENGTH_POWER = 12, 0.25  # tokens; in more, one mistake is lost in the mean: it counts (n / 12)^¼-fold
UNREAD = -6.0  # log-probability of a word that cannot be read back, in nats, all its pieces together
MOST_UNREAD = 3  # words that are named
TRACELESS = 0.35  # nats that deleting a word costs the token that it costs most
SURE_TRACE = 3.5  # logits that a word brings one token by all heads: with so many it is taken to have left a trace
RARE_PIECES = 3
IDEOGRAPH = re.compile(r"[\u4e00-\u9fff]")
# English words that a good translation may leave out, or say in a way that hangs on no single token.
_FUNCTION = """
    a an the this that these those my your his her its our their i you he she it we they me him us them who whom
    whose which what where when why how am is are was were be been being do does did done have has had having
    will would shall should can could may might must ought need let not no nor and or but so if then than as of
    at by for with about against between into through during before after above below to from up down in out on
    off over under again further once here there all any both each few more most other some such only own same
    too very just also even still yet ever never always already much many lot one ones else however because
    since until unless while although though whether per upon within without toward towards among across around
    along behind beside besides beyond near like get gets got getting go goes going went gone come comes coming
    came make makes made making take takes took taken taking put puts give gives gave given way thing things
    something anything everything nothing someone anyone everyone nobody people well now please quite rather
    really true speaking mount mr mrs ms dr st exactly o'clock
    man men woman women person
"""
FUNCTION_WORDS = frozenset(_FUNCTION.split())
_NUMBERS = """
    two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen
    nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred thousand million billion half dozen first
    second third
"""
NUMBER_WORDS = frozenset(_NUMBERS.split())


@dataclass(frozen=True)
class LostNumber:
    """A number of the source that its translation lacks: as it stands there, and what seems to stand for it; or ""."""

    number: str
    became: str


def lost_numbers(source: str, translation: str) -> tuple[LostNumber, ...]:
    """Numbers in digits of an English text that its Chinese translation does not hold, in their order.

    A number is held if its digits or its value stand there, in digits or in Chinese numerals, with 万 and 亿 or not;
    an hour may be counted to 24, ``:00`` may go and ``:30`` be 半; of ``1980s`` two digits will do. Each place counts
    once. What then is left over in digits, in order, is told as what the lost ones became; a month by its name is none,
    and neither is a number that the source has too.

    >>> lost_numbers("The city has 1,000,000 people.", "这座城市有1,000个人。")
    (LostNumber(number='1,000,000', became='1,000'),)
    >>> lost_numbers("It costs 70,000 dollars at 4:30.", "四点半它要7万美元。")
    ()
    """
    theirs = list(_found(translation.translate(_NARROW)))
    lost, used, own = [], set[int](), set[Fraction]()
    for text, values, optional in _wanted(source.translate(_NARROW)):
        own |= values
        place = next((n for n, (_, value, _) in enumerate(theirs) if n not in used and value in values), None)
        if place is not None:
            used.add(place)
        elif not optional:
            lost.append(text)
    left = [
        text for n, (text, value, in_digits) in enumerate(theirs) if n not in used and in_digits and value not in own
    ]
    return tuple(LostNumber(text, left[n] if n < len(left) else "") for n, text in enumerate(lost))


def _wanted(text: str) -> Iterator[tuple[str, set[Fraction], bool]]:
    """Each number of an English text, the values that will do for it, and whether it may go."""
    for found in _ENGLISH.finditer(text):
        value = Fraction(found[1].replace(",", ""))
        before, after = text[: found.start()], text[found.end() :]
        scale = _SCALES.get((found[2] or "").lower(), 1)
        values = {value * scale}
        minutes = before.endswith(":") and before[-2:-1].isdigit()
        if minutes and value == 30:
            values.add(Fraction(1, 2))
        if re.match(r":\d\d", after) or re.match(r"\s*(?:p\.?m|o'clock)", after, re.IGNORECASE):
            values |= {value + 12, value - 12}
        if value == 12 and re.match(r"\s*(?:a\.?m)", after, re.IGNORECASE):
            values.add(Fraction(0))
        if after.startswith("s") and not after[1:2].isalpha() and value >= 1000:
            values |= {value % 100, Fraction(value // 100 + 1)}
        yield found[0].strip(), values, minutes and value == 0
    for found in _MONTH.finditer(text):  # last, so that 3 of "3 March" is not taken for the month
        yield found[0], {Fraction([*calendar.month_name].index(found[0]))}, True


def _found(text: str) -> Iterator[tuple[str, Fraction, bool]]:
    """Each number of a Chinese text, its value, and whether it stands in digits."""
    for found in _CHINESE.finditer(text):
        if found[1]:
            value = Fraction(found[1].replace(",", ""))
            for unit in found[2]:
                value *= _UNITS[unit]
            yield found[0].strip(), value, True
        else:
            yield found[0], _numeral(found[0]), False


def _numeral(text: str) -> Fraction:
    """The value of Chinese numerals: 三百二十 is 320, 二〇〇四 is 2004, 两万五 is 25,000."""
    if text == "半":
        return Fraction(1, 2)
    text = text.replace("半", "")
    if not any(each in _UNITS for each in text):
        return Fraction("".join(str(_ONES[each]) for each in text) or "0")
    total = section = Fraction(0)
    digit, last = Fraction(0), 1
    for each in text:
        if each in _ONES:
            digit = Fraction(_ONES[each])
            last = 1 if each in "零〇" else last
            continue
        unit = _UNITS[each]
        if unit >= 10**4:
            total = (total + section + digit) * unit if total < unit else total + (section + digit) * unit
            section = Fraction(0)
        else:
            section += (digit or 1) * unit
        digit, last = Fraction(0), unit
    return total + section + digit * (last // 10 if last > 10 else 1)


class Deleted(Protocol):
    """What deleting each of W source words costs each of T written tokens (``leave_one_out``)."""

    @property
    def words(self) -> tuple[Label, ...]:
        """The source words."""

    @property
    def costs(self) -> np.ndarray:
        """In nats, [W, T]."""


@dataclass(frozen=True)
class Doubt:
    """One reason to doubt a translation."""

    cause: Cause  # what kind of reason
    what: str = ""  # the word, number, token or run of characters that it is about; "" where about the whole
    became: str = ""  # what stands in the place of a number; "" for nothing
    share: float = 0.0  # a probability in [0, 1], of causes that have one


@dataclass(frozen=True)
class Verdict:
    """What is to be thought of a translation."""

    confidence: float  # geometric mean of the token probabilities, in [0, 1]
    doubts: tuple[Doubt, ...]  # the reasons against it, gravest first

    @property
    def level(self) -> Level:
        """ "bad" where something is known to be wrong or nearly everything unsure, "doubtful" for lesser reasons."""
        if any(doubt.cause in BAD for doubt in self.doubts):
            return "bad"
        return "doubtful" if self.doubts else "good"


def verdict(
    translation: Translation,
    left: Deleted | None = None,
    threshold: float = THRESHOLD,
    read_back: Sequence[float] = (),
) -> Verdict:
    """The verdict on a translation.

    - "unfinished", "repeated": it ran into the limit, or into a loop that the source does not have.
    - "number": digits of the source do not stand in it (only where it is Chinese).
    - "word": a content word left no trace: deleting it costs no written token more than ``TRACELESS`` nats. One that
      ``may_be_traceless`` spares for its votes was not deleted, and its cost in ``left`` is infinite. With
      ``read_back`` it is told of words alone that cannot be read back either.
    - "low", "confidence": the geometric mean of the token probabilities lies below ``LOW``, or below the threshold.
    - "unread": with ``read_back`` the threshold is one of ``joint_confidence``; what lies below it is told by the
      content words that cannot be read back, or else as a whole.
    - "token", "rare": the model gave a written token less than ``UNSURE``; a content word is spelt in ``RARE_PIECES``
      pieces or more, hyphens and digits not counted. Told where there is another doubt, since by themselves they say
      little: counted once on the 620 of ``model/truth/judged-en-zh.tsv``, 10 of 390 right translations had such a
      token and 54 of 230 wrong ones.

    Args:
        translation: a finished one.
        left: what deleting each source word costs it; without, nothing is said of words.
        threshold: of confidence, or with ``read_back`` of both together.
        read_back: log-probability of each source token given the translation, in nats (``Translator.read_back``).
    """
    unread = unread_words(translation, read_back)
    doubts = _faults(translation)
    doubts += [Doubt("word", word) for word in traceless_words(left) if not read_back or word in unread] if left else []
    doubts += _unsure(translation, threshold, read_back, unread)
    if doubts:
        doubts += _unsure_token(translation)
        doubts += [Doubt("rare", word) for word in _rare_words(translation)]
    return Verdict(translation.confidence, tuple(doubts))


def _faults(translation: Translation) -> list[Doubt]:
    """What can be seen without the model: no end, a loop, numbers that were lost."""
    found = [] if translation.finished else [Doubt("unfinished")]
    if run := repeated_run(translation.text, translation.source):
        found.append(Doubt("repeated", run))
    if IDEOGRAPH.search(translation.text) or not any(map(str.isalpha, translation.text)):
        lost = lost_numbers(translation.source, translation.text)
        found += [Doubt("number", each.number, each.became) for each in lost]
    return found


def _unsure(
    translation: Translation, threshold: float, read_back: Sequence[float], unread: Sequence[str]
) -> list[Doubt]:
    """What is to be said of a model that was not sure, or of what cannot be read back."""
    confidence = translation.confidence
    if confidence < LOW:
        return [Doubt("low", share=confidence)]
    if (joint_confidence(translation, read_back) if read_back else confidence) >= threshold:
        return []
    if unread:
        return [Doubt("unread", word) for word in unread[:MOST_UNREAD]]
    whole = [Doubt("unread", share=mean_probability(read_back))] if read_back else []
    return [*whole, Doubt("confidence", share=confidence)]


def joint_confidence(translation: Translation, read_back: Sequence[float]) -> float:
    """Confidence times the geometric mean of the source's probabilities, read back, to the ``BACKWARD_WEIGHT``.

    Of n tokens, more than ``USUAL_LENGTH``, a mean's logarithm counts (n / ``USUAL_LENGTH``) ** ``LENGTH_POWER`` times.
    """
    return _for_length(translation.log_probs) * math.pow(_for_length(read_back), BACKWARD_WEIGHT)


def _for_length(log_probs: Sequence[float]) -> float:
    longer = max(1.0, len(log_probs) / USUAL_LENGTH)
    return math.pow(mean_probability(log_probs), math.pow(longer, LENGTH_POWER))


def unread_words(translation: Translation, read_back: Sequence[float]) -> list[str]:
    """Content words of the source below ``UNREAD``, the least probable first; a number's word may stand in digits."""
    found: dict[int, tuple[float, int, int]] = {}
    for label, value in zip(translation.src, read_back, strict=False):
        known, start, _ = found.get(label.word, (0.0, label.start, 0))
        found[label.word] = (known + value, start, label.end)
    words = sorted((value, translation.source[start:end]) for value, start, end in found.values() if value < UNREAD)
    return list(dict.fromkeys(word for _, word in words if _is_content(word) and word.lower() not in NUMBER_WORDS))


def traceless_words(left: Deleted) -> list[str]:
    """Content words of the source on which no written token hangs; one that stands there twice is left out."""
    most = left.costs.max(axis=1) if left.costs.size else np.full(len(left.words), np.inf)
    return [left.words[place].text for place in may_be_traceless(left.words) if most[place] < TRACELESS]


def may_be_traceless(words: Sequence[Label], votes: np.ndarray | None = None) -> list[int]:
    """Places of the words whose deletion must be tried: content words that stand there once.

    With votes, logits [T, W] that each word brings each token directly, those with ``SURE_TRACE`` are spared.
    """
    texts = [word.text for word in words]
    counts = Counter(text.lower() for text in texts)
    brought = np.full(len(texts), -np.inf) if votes is None else votes.max(axis=0, initial=-np.inf)
    tried = zip(texts, brought.tolist(), strict=True)
    return [
        place
        for place, (text, vote) in enumerate(tried)
        if vote < SURE_TRACE and _is_content(text) and counts[text.lower()] == 1
    ]


def _is_content(word: str) -> bool:
    return sum(map(str.isalpha, word)) > 2 and word.lower() not in FUNCTION_WORDS


def _unsure_token(translation: Translation) -> list[Doubt]:
    """The written word of which the model was least sure, where that is little."""
    pairs = zip(translation.tgt, translation.log_probs, strict=False)
    words = [(value, label.text) for label, value in pairs if any(map(str.isalnum, label.text))]
    if not words or (least := min(words))[0] >= np.log(UNSURE):
        return []
    return [Doubt("token", least[1].removeprefix("##"), share=float(np.exp(least[0])))]


def _rare_words(translation: Translation) -> list[str]:
    """Content words of the source that are spelt in many pieces, each once, in order."""
    pieces: dict[int, list[str]] = {}
    end = 0
    for label in translation.src:
        if not label.is_special and label.start >= end:  # a later byte of a character adds nothing
            pieces.setdefault(label.word, []).append(translation.source[label.start : label.end])
            end = label.end
    words = ["".join(parts) for parts in pieces.values() if _longest_run(parts) >= RARE_PIECES]
    return list(dict.fromkeys(word for word in words if _is_content(word)))


def _longest_run(pieces: list[str]) -> int:
    """How many pieces in a row are letters alone: "five-year-old" has no more than one, "statesman" two or more."""
    return max(sum(1 for _ in run) if letters else 0 for letters, run in groupby(pieces, str.isalpha))
