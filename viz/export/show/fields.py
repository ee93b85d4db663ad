"""YAML as fields that know where they stand. Nothing is built from it but text: no tags, no aliases, no types."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import NoReturn

import yaml

from viz.export.show.storyboard import MOST_FILE_BYTES, StoryboardError

MOST_DEPTH = 8
MOST_NODES = 10_000
_NOTHING = "tag:yaml.org,2002:null"


@dataclass(frozen=True)
class Field:
    """A place in the file: its node, and what it is called."""

    node: yaml.Node
    name: str

    @property
    def line(self) -> int:
        """The line on which it begins, from 1."""
        return int(self.node.start_mark.line) + 1

    def fail(self, why: str) -> NoReturn:
        """Say what is wrong here.

        Raises:
            StoryboardError: always.
        """
        raise StoryboardError(f"Line {self.line}, {self.name}: {why}.")

    def mapping(self, known: Iterable[str], needed: Iterable[str] = ()) -> dict[str, Field]:
        """Its entries by name.

        Raises:
            StoryboardError: it is no mapping, an entry stands twice or is unknown, or a needed one is missing.
        """
        if not isinstance(self.node, yaml.MappingNode):
            self.fail(f"must be a mapping, not {_form(self.node)}")
        found: dict[str, Field] = {}
        known = tuple(known)
        for key, value in self.node.value:
            name = key.value if isinstance(key, yaml.ScalarNode) else "?"
            entry = Field(value, f"{self.name}.{name[:30]}".lstrip("."))
            if name not in known:
                Field(key, self.name or "the file").fail(f"{name[:40]!r} is unknown; known are {', '.join(known)}")
            if name in found:
                entry.fail("stands twice")
            found[name] = entry
        for name in set(needed) - set(found):
            self.fail(f"{name} is missing")
        return found

    def items(self, least: int, most: int) -> list[Field]:
        """Its entries in order.

        Raises:
            StoryboardError: it is no list, or has too few or too many.
        """
        if not isinstance(self.node, yaml.SequenceNode):
            self.fail(f"must be a list, not {_form(self.node)}")
        if not least <= len(self.node.value) <= most:
            self.fail(f"must have {least} to {most} entries, and has {len(self.node.value)}")
        return [Field(value, f"{self.name}[{place}]") for place, value in enumerate(self.node.value, 1)]

    def text(self, most: int, least: int = 1) -> str:
        """Its text.

        Raises:
            StoryboardError: it is no text, empty, or too long.
        """
        if not isinstance(self.node, yaml.ScalarNode) or self.node.tag == _NOTHING:
            self.fail(f"must be text, not {_form(self.node)}")
        value: str = self.node.value.strip()
        if not least <= len(value) <= most:
            self.fail(f"must have {least} to {most:,} characters, and has {len(value):,}")
        return value

    def number(self, low: int, high: int) -> int:
        """Its whole number.

        Raises:
            StoryboardError: it is none, or out of bounds.
        """
        said = self.text(40)
        if not (said.isascii() and said.isdecimal()) or len(said) > 9 or not low <= int(said) <= high:
            self.fail(f"must be a whole number from {low} to {high}, not {said!r}")
        return int(said)

    def amount(self, most: int) -> float:
        """Its number from 0 on, with at most two decimals.

        Raises:
            StoryboardError: it is none, or too large.
        """
        said = self.text(40)
        if not re.fullmatch(r"\d{1,6}(?:\.\d{1,2})?", said, re.ASCII) or not float(said) <= most:
            self.fail(f"must be a number from 0 to {most}, such as 1.5, not {said!r}")
        return float(said)


def _form(node: yaml.Node) -> str:
    if isinstance(node, yaml.MappingNode):
        return "a mapping"
    if isinstance(node, yaml.SequenceNode):
        return "a list"
    return "nothing" if node.tag == _NOTHING else "text"


def parse(data: bytes | str) -> Field:
    """The whole file as one field.

    Raises:
        StoryboardError: it is too large or no UTF-8, no YAML, or has tags, aliases, several documents, or too much.
    """
    raw = data.encode() if isinstance(data, str) else data
    if len(raw) > MOST_FILE_BYTES:
        raise StoryboardError(f"The file has {len(raw):,} bytes; a storyboard has at most {MOST_FILE_BYTES:,}.")
    try:
        text = raw.decode("utf-8-sig")
        _check(text)
        node = yaml.compose(text, Loader=yaml.SafeLoader)
    except UnicodeDecodeError as error:
        raise StoryboardError("The file is no text in UTF-8.") from error
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        place = f"Line {mark.line + 1}" if mark else "The file"
        raise StoryboardError(
            f"{place}: this is no YAML: {getattr(error, 'problem', None) or 'it breaks off'}."
        ) from error
    if node is None:
        raise StoryboardError("The file is empty.")
    return Field(node, "")


def _check(text: str) -> None:
    """Nothing, where the file is plain YAML of a reasonable size; told by its events, before anything is built."""
    depth, nodes, documents = 0, 0, 0
    for event in yaml.parse(text, Loader=yaml.SafeLoader):
        line = event.start_mark.line + 1 if event.start_mark else 1
        if isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None):
            raise StoryboardError(f"Line {line}: anchors and aliases (& and *) are not allowed.")
        if getattr(event, "tag", None):
            raise StoryboardError(f"Line {line}: tags (!) are not allowed.")
        documents += isinstance(event, yaml.DocumentStartEvent)
        nodes += isinstance(event, yaml.NodeEvent)
        depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        if depth > MOST_DEPTH or nodes > MOST_NODES or documents > 1:
            raise StoryboardError(
                f"Line {line}: a storyboard is one document, {MOST_DEPTH} levels deep and of {MOST_NODES:,} entries "
                "at most."
            )
