"""Numbers of an English sentence in its Chinese translation: which of them are there, and what stands instead."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

_NARROW = str.maketrans("０１２３４５６７８９：．，％－", "0123456789:.,%-")
_DIGITS = r"\d{1,3}(?:,\d{3})+(?!\d)(?:\.\d+)?|\d+(?:\.\d+)?"
_ENGLISH = re.compile(rf"({_DIGITS})(?:[\s-]*(hundred|thousand|million|billion|trillion)\b)?", re.IGNORECASE)
_CHINESE = re.compile(rf"({_DIGITS})\s*([十百千万亿兆]*)|([〇零一二两三四五六七八九十百千万亿半]+)")
_SCALES = {"hundred": 10**2, "thousand": 10**3, "million": 10**6, "billion": 10**9, "trillion": 10**12}
_UNITS = {"十": 10, "百": 100, "千": 1000, "万": 10**4, "亿": 10**8, "兆": 10**12}
_ONES = {each: value for value, each in enumerate("零一二三四五六七八九")} | {"〇": 0, "两": 2}


@dataclass(frozen=True)
class LostNumber:
    """A number of the source that its translation lacks: as it stands there, and what seems to stand for it; or ""."""

    number: str
    became: str


def lost_numbers(source: str, translation: str) -> tuple[LostNumber, ...]:
    """Numbers in digits of an English text that its Chinese translation does not hold, in their order.

    A number is held if its digits or its value stand there, in digits or in Chinese numerals, with 万 and 亿 or not;
    an hour may be counted to 24, ``:00`` may go and ``:30`` be 半; of ``1980s`` two digits will do. Each place counts
    once. What then is left over in digits, in order, is told as what the lost ones became.

    >>> lost_numbers("The city has 1,000,000 people.", "这座城市有1,000个人。")
    (LostNumber(number='1,000,000', became='1,000'),)
    >>> lost_numbers("It costs 70,000 dollars at 4:30.", "四点半它要7万美元。")
    ()
    """
    theirs = list(_found(translation.translate(_NARROW)))
    lost, used = [], set[int]()
    for text, values, optional in _wanted(source.translate(_NARROW)):
        place = next((n for n, (_, value, _) in enumerate(theirs) if n not in used and value in values), None)
        if place is not None:
            used.add(place)
        elif not optional:
            lost.append(text)
    left = [text for n, (text, _, in_digits) in enumerate(theirs) if n not in used and in_digits]
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
