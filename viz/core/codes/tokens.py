"""Target tokens as a short string for a link: ``a71a1427.45.7.2`` is a fingerprint, then the tokens' ids."""

from __future__ import annotations

import re
from collections.abc import Sequence
from zlib import crc32

_CODE = re.compile(r"([0-9a-f]{8})((?:\.[0-9]{1,7})+)")


def token_code(ids: Sequence[int], about: str) -> str:
    """Ids, and a fingerprint of what they translate: "" for no ids.

    >>> token_code([45, 7], "a sentence")
    'a71a1427.45.7'
    """
    return ".".join([_fingerprint(about), *map(str, ids)]) if ids else ""


def token_ids(code: str, about: str, vocab_size: int, most: int, end_id: int, never: Sequence[int]) -> tuple[int, ...]:
    """The ids that ``token_code`` wrote; () where the code is not one about this, or no model could write it.

    Args:
        code: whatever stands in the link.
        about: what the ids must be about.
        vocab_size: ids are below it.
        most: ids that a translation can have.
        end_id: of the token that ends a translation, and can only be the last.
        never: ids that no model writes.
    """
    match = _CODE.fullmatch(code)
    if not match or match[1] != _fingerprint(about):
        return ()
    ids = tuple(int(part) for part in match[2][1:].split("."))
    ended = end_id in ids[:-1] or set(never) & set(ids)
    return () if ended or max(ids) >= vocab_size or len(ids) > most else ids


def _fingerprint(about: str) -> str:
    return f"{crc32(about.encode('utf-8', 'replace')):08x}"
