"""Whatever a visitor types, a link holds or a file contains is data: it is read, or refused in one sentence.

Hypothesis makes the inputs. A run of the tests tries some of each; ``make fuzz`` tries FUZZ_EXAMPLES of each.
"""

from __future__ import annotations

import io
import json
import os
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from model.analysis.what_if.repair import repeated_run
from model.analysis.what_if.verdict import lost_numbers
from model.errors import HeadlightError
from model.folder.files.look import read_config
from model.folders import resolve
from model.own.checkpoint import load_tokenizers
from model.saved.reading import read_maps
from model.sentences import sentence_spans
from viz.core.codes.choices import CHOICES, read_token
from viz.core.codes.mix import parse_pattern, pattern_code
from viz.core.selection import read_link
from viz.export.show.reading import read_storyboard, shipped, shipped_storyboard
from viz.export.show.storyboard import write_storyboard

FUZZ = settings(
    max_examples=int(os.environ.get("FUZZ_EXAMPLES", "150")),
    deadline=10_000,  # milliseconds: nothing hangs
    derandomize="FUZZ_EXAMPLES" not in os.environ,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture, HealthCheck.data_too_large],
)
# Whole Unicode with lone surrogates left out (no file and no browser sends them), and what people do type.
TEXTS = st.one_of(
    st.text(max_size=300),
    st.lists(
        st.sampled_from(
            [
                "I",
                "don't",
                "3.5%",
                "1,000,000",
                "Mr.",
                "“No”",
                "…",
                "?!",
                "<b>",
                "😀",
                "我",
                "\n\n",
                "a\u0301",
                "$x$",
                "--",
            ]
        ),
        max_size=40,
    ).map(" ".join),
)
CODES = st.text(st.sampled_from("abcdehxtpmvow0123456789.,=&%;:-_ #/\x00é我"), max_size=80)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=12), inner, max_size=4),
    max_leaves=12,
)
NAMES = (
    "self", "encoder_self", "decoder_self", "cross", "tokens", "src_tokens", "tgt_tokens", "tgt_outputs",
    "source", "translation", "log_probs", "scores_cross", "x",
)  # fmt: skip


@FUZZ
@given(TEXTS)
def test_sentences_cover_a_text_in_order_and_hold_all_that_is_no_space(text: str) -> None:
    spans = sentence_spans(text)
    assert all(0 <= start < end <= len(text) for start, end in spans)
    assert all(one[1] <= other[0] for one, other in pairwise(spans))
    kept = "".join(text[start:end] for start, end in spans)
    assert "".join(kept.split()) == "".join(text.split())


@pytest.fixture(scope="module")
def tokenizers() -> tuple[Any, Any]:
    return load_tokenizers(resolve("en-zh"), "english")


@FUZZ
@given(text=TEXTS)
def test_every_token_of_a_text_stands_where_its_span_says(tokenizers: tuple[Any, Any], text: str) -> None:
    for tokenizer in tokenizers:
        tokens = tokenizer.encode(text)
        assert all(0 <= each.start <= each.end <= len(text) for each in tokens)
        assert all(one.start <= other.start for one, other in pairwise(tokens))


@FUZZ
@given(TEXTS, TEXTS)
def test_lost_numbers_stand_in_the_source_and_a_repeated_run_in_the_translation(source: str, text: str) -> None:
    narrow = source.translate(str.maketrans("０１２３４５６７８９：．，％－", "0123456789:.,%-"))
    assert all(each.number in narrow for each in lost_numbers(source, text))
    run = repeated_run(text, source)
    assert run * 3 in text


@FUZZ
@given(CODES)
def test_a_link_of_the_viewer_means_the_same_when_it_is_written_again(said: str) -> None:
    chosen = read_link(said)
    assert read_link(chosen.link) == chosen


@FUZZ
@given(st.sampled_from(sorted(CHOICES)), CODES)
def test_a_choice_means_one_of_its_options_or_nothing(name: str, said: str) -> None:
    assert CHOICES[name].read(said) in (None, *CHOICES[name].options)
    token = read_token(said)
    assert token is None or token >= 0


@FUZZ
@given(st.one_of(CODES, st.from_regex(r"[0-9a-f]{16}", fullmatch=True)))
def test_a_painted_pattern_is_what_its_code_says(code: str) -> None:
    painted = parse_pattern(code)
    assert set(np.unique(painted)) <= {0.0, 1.0}
    np.testing.assert_array_equal(parse_pattern(pattern_code(painted)), painted)


@FUZZ
@given(st.dictionaries(st.sampled_from(NAMES), st.one_of(
    arrays.arrays(st.sampled_from([np.float32, np.int8, np.bool_]), arrays.array_shapes(max_dims=5, max_side=5)),
    arrays.arrays(np.dtype("<U8"), arrays.array_shapes(max_dims=2, max_side=6)),
), max_size=5))  # fmt: skip
def test_a_file_of_maps_is_maps_of_rows_of_shares_or_one_sentence(held: dict[str, np.ndarray]) -> None:
    file = io.BytesIO()
    np.savez(file, **held)
    try:
        found = read_maps(file.getvalue())
    except HeadlightError:
        return
    for weights in found.trace.weights.values():
        assert weights.ndim == 4
        assert np.isfinite(weights).all()


@FUZZ
@given(st.binary(max_size=400), st.booleans())
def test_bytes_that_are_no_file_of_maps_are_one_sentence(data: bytes, zipped: bool) -> None:
    with pytest.raises(HeadlightError):
        read_maps((b"PK\x03\x04" if zipped else b"") + data)


@FUZZ
@given(st.one_of(
    st.text(max_size=200),
    JSON.map(lambda held: yaml.safe_dump(held, allow_unicode=True)),
    st.tuples(st.sampled_from(shipped()), st.integers(0, 5000), st.text(max_size=6)).map(
        lambda cut: (whole := write_storyboard(shipped_storyboard(cut[0])))[: cut[1]] + cut[2] + whole[cut[1] + 3 :]
    ),
))  # fmt: skip
def test_a_storyboard_is_read_or_refused_in_a_sentence(text: str) -> None:
    try:
        board = read_storyboard(text)
    except HeadlightError:
        return
    assert read_storyboard(write_storyboard(board)) == board


@FUZZ
@given(st.one_of(st.binary(max_size=100), JSON.map(lambda held: json.dumps(held).encode())))
def test_a_config_is_read_or_refused_in_a_sentence(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "config.json").write_bytes(data)
    try:
        found = read_config(tmp_path)
    except HeadlightError:
        return
    assert isinstance(found["model_type"], str)
