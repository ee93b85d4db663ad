"""The answers of a class as a table that a spreadsheet opens and does not run."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime

from viz.core.classroom.book import GivenAnswer
from viz.core.classroom.questions import of, unpacked

# What a spreadsheet may read as the beginning of a formula, also where it is written full-width.
_FORMULA = re.compile(r"\s*[=+\-@＝＋－＠|%\t\r\n]")
SHEET_COLUMNS = ("question", "answer", "time", "first", "item", "form", "right", "learner")
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:e[+-]?\d+)?")


def inert(cell: str) -> str:
    """A cell that no spreadsheet runs (https://owasp.org/www-community/attacks/CSV_Injection).

    >>> inert("=1+1"), inert("-3")
    ("'=1+1", '-3')
    """
    return f"'{cell}" if _FORMULA.match(cell) and not _NUMBER.fullmatch(cell) else cell


def answers_csv(titles: Sequence[str], given: Iterable[GivenAnswer], language: str) -> bytes:
    """A line an answer: question, answer, time (UTC), first move; nothing says who gave it.

    A lesson's question has four more: its template, when it was asked, whether the answer is right (``1`` or ``0``),
    and a code that a learner's answers share. ``python -m model lessons report`` reads these.

    Args:
        titles: of the columns.
        given: the answers.
        language: of questions and options.

    Returns:
        CSV (RFC 4180) in UTF-8 with a byte order mark, by which spreadsheets know it.
    """
    file = io.StringIO()
    table = csv.writer(file, quoting=csv.QUOTE_ALL)
    table.writerow(map(inert, titles))
    for each in given:
        question = unpacked(each.question)
        at = datetime.fromtimestamp(each.at, UTC).strftime("%Y-%m-%d %H:%M:%S")
        answer, first = (question.label(said, language) for said in (each.answer, each.first))
        is_right = str(int(each.answer == each.key)) if each.key else ""
        cells = (of(question.ask, language), answer, at, first, question.item, question.form, is_right, each.learner)
        table.writerow(map(inert, cells))
    return file.getvalue().encode("utf-8-sig")
