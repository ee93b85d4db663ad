"""JavaScript as tokens: enough of a reader to measure functions and to see which names a script uses."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

# What precedes a / that divides; after anything else it begins a regular expression.
_ENDS_A_VALUE = re.compile(r"[\w$)\]}\"'`]$")
_KEYWORDS_BEFORE_A_VALUE = {"return", "typeof", "case", "in", "of", "delete", "void", "throw", "new", "else", "do"}
_TOKEN = re.compile(
    r"(?P<space>\s+|//[^\n]*|/\*.*?\*/)"
    r"|(?P<string>\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*')"
    r"|(?P<name>[A-Za-z_$][\w$]*)"
    r"|(?P<number>\d[\w.]*|\.\d\w*)"
    r"|(?P<sign>=>|\.\.\.|\?\.(?!\d)|\?\?=?|[-+*%&|^!=<>]=+|.)",
    re.DOTALL,
)
_REGEX = re.compile(r"/(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n\[])+/[a-z]*")
_NO_FUNCTION = {"if", "for", "while", "switch", "catch", "with"}


@dataclass(frozen=True)
class Token:
    """A piece of a script: its text, what it is (name, string, template, regex, number or sign), and its line."""

    text: str
    sort: str
    line: int


@dataclass(frozen=True)
class Function:
    """A function, method or arrow function that has a body in braces."""

    name: str
    line: int
    lines: int


def tokens(source: str) -> list[Token]:
    """The script's tokens, without comments; of a template, its text is one and what it fills in are others."""
    return list(_tokens(source, 0, 1, inside=False)[0])


def _tokens(source: str, at: int, line: int, inside: bool) -> tuple[list[Token], int, int]:
    """Tokens from a place on, to the end, or ``inside`` a template to the brace that closes what it fills in."""
    found: list[Token] = []
    depth = 0
    while at < len(source):
        if source[at] == "`":
            more, at, line = _template(source, at + 1, line)
            found += more
            continue
        if source[at] == "/" and not _divides(found) and not source.startswith(("//", "/*"), at):
            match, sort = _REGEX.match(source, at), "regex"
        else:
            match = _TOKEN.match(source, at)
            sort = str(match and match.lastgroup)
        assert match is not None, f"line {line} cannot be read"
        if match[0] == "}" and inside and depth == 0:
            return found, match.end(), line
        depth += (match[0] == "{") - (match[0] == "}")
        if sort != "space":
            found.append(Token(match[0], sort, line))
        line += match[0].count("\n")
        at = match.end()
    return found, at, line


def _template(source: str, at: int, line: int) -> tuple[list[Token], int, int]:
    found = [Token("``", "template", line)]
    while source[at] != "`":
        if source.startswith("${", at):
            more, at, line = _tokens(source, at + 2, line, inside=True)
            found += more
        else:
            step = 2 if source[at] == "\\" else 1
            line += source[at : at + step].count("\n")
            at += step
    return found, at + 1, line


def _divides(before: list[Token]) -> bool:
    if not before or before[-1].text in _KEYWORDS_BEFORE_A_VALUE:
        return False
    return before[-1].sort != "sign" or bool(_ENDS_A_VALUE.search(before[-1].text))


def functions(source: str) -> list[Function]:
    """Every function with a body in braces, nested ones too; its lines run from its head to its last brace."""
    read = tokens(source)
    partner = dict(_partners(read))
    found = []
    for place, token in enumerate(read):
        if token.text != "{" or token.sort != "sign" or place == 0:
            continue
        head = _head(read, place, partner)
        if head is not None:
            end = read[partner[place]].line
            found.append(Function(_name(read, head), read[head].line, end - read[head].line + 1))
    return found


def _partners(read: list[Token]) -> Iterator[tuple[int, int]]:
    """Places of brackets that belong together, both ways."""
    open_ones: list[int] = []
    for place, token in enumerate(read):
        if token.sort != "sign":
            continue
        if token.text in "([{":
            open_ones.append(place)
        elif token.text in ")]}":
            start = open_ones.pop()
            yield place, start
            yield start, place
    assert not open_ones, "a bracket is never closed"


def _head(read: list[Token], brace: int, partner: dict[int, int]) -> int | None:
    """Where the function begins whose body this brace opens; None where it opens something else."""
    before = brace - 1
    if read[before].text == "=>":
        before -= 1
        return partner[before] if read[before].text == ")" else before
    if read[before].text != ")":
        return None
    before = partner[before] - 1
    return None if read[before].text in _NO_FUNCTION or read[before].sort != "name" else before


def _name(read: list[Token], head: int) -> str:
    if read[head].sort == "name" and read[head].text != "function" and read[head + 1].text == "(":
        return read[head].text
    before = head - 2 if head > 0 and read[head - 1].text == "async" else head - 1
    return read[before - 1].text if before > 0 and read[before].text in "=:" else "an unnamed function"


def free_names(source: str) -> set[str]:
    """Names that a script uses and nowhere makes: no declaration, parameter, import or label of that name is in it.

    A property (``.name``, ``{ name: … }``) is no use of a name, a shorthand (``{ name }``) is one.
    """
    read = tokens(source)
    partner = dict(_partners(read))
    used = {token.text for place, token in enumerate(read) if token.sort == "name" and not _is_property(read, place)}
    return used - set(_made(read, partner))


def _is_property(read: list[Token], place: int) -> bool:
    before = read[place - 1].text if place else ""
    after = read[place + 1].text if place + 1 < len(read) else ""
    return before in {".", "?."} or (after == ":" and before in {"{", ","})


def _made(read: list[Token], partner: dict[int, int]) -> Iterator[str]:
    """Names that are declared, imported, or stand among a function's parameters, at whatever depth."""
    for place, token in enumerate(read):
        after = read[place + 1] if place + 1 < len(read) else token
        if token.text in {"const", "let", "var", "import"}:
            end = partner[place + 1] + 1 if after.text in "[{" else place + 2
            yield from (each.text for each in read[place + 1 : end] if each.sort == "name")
        elif token.text in {"class", "function", "static", "get", "set", "async"} and after.sort == "name":
            yield after.text
        elif token.text == "=>" and read[place - 1].text == ")":
            yield from (each.text for each in read[partner[place - 1] : place] if each.sort == "name")
        elif token.text == "=>":
            yield read[place - 1].text
        elif token.text == "{" and (head := _head(read, place, partner)) is not None:
            yield from (each.text for each in read[head:place] if each.sort == "name")
