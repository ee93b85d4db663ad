"""Equal digits in a row as one token: 555 and 00 are the hardest to copy as equal tokens at neighbouring places."""

from __future__ import annotations

import json
from string import digits

from tokenizers import Tokenizer as SubwordModel

from model.errors import CheckpointError
from model.writing import WORD_START

MOST_EQUAL = 4  # digits of one token
RUN = "|".join(f"{digit}{{1,{MOST_EQUAL}}}" for digit in digits)


def has_runs(subwords: SubwordModel) -> bool:
    """Whether a vocabulary knows any run of equal digits; those of checkpoints of old know none."""
    return any(subwords.token_to_id(2 * digit) is not None for digit in digits)


def with_runs(subwords: SubwordModel) -> SubwordModel:
    """The same vocabulary, and behind it a token for each two to ``MOST_EQUAL`` equal digits in a row.

    Digits that it does not know have none; those that begin an English word have their own.
    """
    if has_runs(subwords):
        return subwords
    told = json.loads(subwords.to_str())
    vocabulary, merges = told["model"]["vocab"], told["model"]["merges"]
    for start in (WORD_START, ""):  # what begins a word is merged first, so that the rest of its run joins it
        for digit in digits:
            for length in range(2, MOST_EQUAL + 1 if start + digit in vocabulary else 0):
                before = start + (length - 1) * digit
                vocabulary[before + digit] = len(vocabulary)
                merges.append([before, digit])
    merges += [[2 * digit, 2 * digit] for digit in digits if 4 * digit in vocabulary]
    if told["pre_tokenizer"]:
        told["pre_tokenizer"]["pattern"] = {"Regex": f"{WORD_START}?({RUN}|[^0-9{WORD_START}]+)"}
    return SubwordModel.from_str(json.dumps(told))


def written_before(subwords: SubwordModel, before: SubwordModel) -> list[list[int]]:
    """How an earlier vocabulary writes each token that has been added to it since, in the order of their ids.

    Raises:
        CheckpointError: it is no earlier one: a token has another id there.
    """
    size = before.get_vocab_size()
    if any(before.id_to_token(number) != subwords.id_to_token(number) for number in range(size)):
        raise CheckpointError(
            "the two vocabularies number their tokens differently: weights of one mean nothing with the other"
        )
    added = [str(subwords.id_to_token(number)) for number in range(size, subwords.get_vocab_size())]
    return [before.encode([token], is_pretokenized=True).ids for token in added]
