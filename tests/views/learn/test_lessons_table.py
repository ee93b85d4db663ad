"""Every row of docs/lessons.md: there is such a lesson, picture and view, and the value equals another computation."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from functools import cache
from pathlib import Path

import numpy as np
import pytest
import torch
import transformers

from model.common.scenes import scene
from model.folders import CHECKPOINTS
from model.passage import Ask
from tests.pages import SENTENCE, opened, plain_charts, shipped, words
from viz.core.models import entry_of
from viz.core.text import LANGUAGES
from viz.core.views import VIEWS
from viz.views.lessons.page import LESSONS

pytestmark = shipped
ROOT = Path(__file__).resolve().parents[3]
LINE = re.compile(r"^\| (H\d+) \| .* \| (\d+) \| `([\w.]+)` \| (\w+) \| (.*) \|$", re.MULTILINE)
TABLE = {row: rest for row, *rest in LINE.findall((ROOT / "docs/lessons.md").read_text(encoding="utf-8"))}
CONFIG = json.loads((ROOT / "checkpoints/en-zh/config.json").read_text(encoding="utf-8"))
WIDTH, HEADS = CONFIG["d_model"], CONFIG["n_heads"]


@cache
def page(lesson: str) -> tuple[str, list[dict]]:
    at = opened("lessons", lesson=lesson)
    tables = [str(cell) for table in at.table for cell in table.value.to_numpy().ravel()]
    return " ".join(" ".join([words(at), *tables]).split()), plain_charts(at)


def length(en_zh, sentence: str) -> int:
    return len(en_zh.labels(sentence)) + 1  # and the end


def buckets(en_zh) -> str:
    """The six shortest examples, by length, in batches as large as the largest of two lines as typed."""
    lines = sorted(entry_of("en-zh").examples, key=len)[:6]
    typed = [line for pair in zip(lines[:3], lines[3:], strict=True) for line in pair]
    lengths = [length(en_zh, line) for line in typed]
    most = max(2 * max(lengths[start : start + 2]) for start in (0, 2, 4))
    made: list[list[int]] = [[]]
    for each in sorted(lengths):
        if made[-1] and (len(made[-1]) + 1) * each > most:
            made.append([])
        made[-1].append(each)
    places = sum(len(batch) * batch[-1] for batch in made)
    empty = 100 * (1 - sum(lengths) / places)
    return f"By length: {len(made)} batches, {places} places, {empty:.0f} % padding."


def sinusoids(_: object) -> str:
    angle = np.arange(512)[:, None] / 10_000 ** (np.arange(0, WIDTH, 2) / WIDTH)
    table = np.hstack([np.sin(angle), np.cos(angle)])
    nearest = min(np.linalg.norm(np.delete(table, row, 0) - table[row], axis=1).min() for row in range(0, 512, 3))
    return f"no number exceeds {np.abs(table).max():.2f}; the two nearest rows are {nearest:.2f} apart"


def largest_weights(en_zh) -> str:
    start = entry_of("en-zh").opening
    weights = en_zh.translate(SENTENCE, capture=True).trace.encoder_self[start["layer"], start["head"]]
    return f"As it is. Largest weight of a row, on average: {weights.max(axis=1).mean():.2f}."


def batch_norm(en_zh) -> str:
    """Each sentence read by itself, without padding, then the batch's statistics in numpy."""
    states = []
    for sentence in (SENTENCE, *[line for line in entry_of("en-zh").examples if line != SENTENCE][:2]):
        seen = en_zh.forced(en_zh.ids(sentence, ()), Ask(kinds=(), source_stream=True))
        states.append(seen.source_stream.levels[3].double().numpy())  # after the embedding and layers 0, 1, 2
    every = np.vstack(states)
    normed = (states[0] - every.mean(axis=0)) / every.std(axis=0)
    return f"leaves tokens between {normed.std(axis=1).min():.2f} and {normed.std(axis=1).max():.2f}"


def fruit(_: object) -> str:
    powers = np.exp([8.0, 8.0 - np.log(1.5), -4.0])
    weights = powers / powers.sum()
    sums = " + ".join(f"{weight:.2f}·{value}" for weight, value in zip(weights, (10, 5, 2), strict=True))
    return f"{sums} = {weights @ [10, 5, 2]:.2f}"


def memory(en_zh) -> str:
    tokens = length(en_zh, SENTENCE)
    layers, shape = CONFIG["n_decoder_layers"], [HEADS, tokens, WIDTH // HEADS]
    return f"M is [{tokens}, {WIDTH}]; each of the {layers} decoder layers makes its own K and V of it, {shape}"


def steep(_: object) -> str:
    plain, divided = (1 / (1 + 2 * np.exp(-a)) for a in (8, 8 / np.sqrt(64)))
    return f"the third weight is {plain:.3f} without the division and {divided:.3f} with it"


def parameters(_: object) -> str:
    counted = f"{4 * WIDTH * WIDTH + 4 * WIDTH:,}"
    return f"From 1 to 64 heads: at least {counted}, at most {counted}."


def hook(en_zh) -> str:
    written = len(en_zh.translate(SENTENCE).tgt_ids) + 1  # and the end
    return f"was given a tensor [{HEADS}, {written}, {length(en_zh, SENTENCE)}]"


def patches(_: object) -> str:
    """The first scene, through transformers' own attention, at the head on which the app opens as far as it has one."""
    model = transformers.ViTForImageClassification.from_pretrained(
        CHECKPOINTS / "tiny-vit", attn_implementation="eager", dtype=torch.float32
    ).eval()
    layer, head = (min(entry_of("en-zh").opening[name], 3) for name in ("layer", "head"))
    made = scene(7)
    pixels = torch.from_numpy(np.asarray(made.image).copy()).permute(2, 0, 1)[None] / 127.5 - 1
    with torch.inference_mode():
        row = model(pixel_values=pixels, output_attentions=True).attentions[layer][0, head, 0, 1:].double().numpy()
    share = row[made.decides.ravel()].sum() / row.sum()
    return f"{share:.0%} of the attention on patches falls on those that decide “{made.answer}”"


def both_sides(_: object) -> str:
    words = transformers.AutoTokenizer.from_pretrained(CHECKPOINTS / "tiny-bert")
    tokens = len(words("My sister [MASK] a red bicycle yesterday.")["input_ids"])
    return f"{tokens} tokens; 100% of the pairs have a weight."


EXPECTED: dict[str, Callable[..., str]] = {
    "H1": buckets,
    "H2": lambda _: f"{WIDTH} = {HEADS} × {WIDTH // HEADS}",
    "H3": hook,
    "H4": sinusoids,
    "H5": largest_weights,
    "H6": lambda _: f"np.triu(ones, 1), size 20: {sum(range(21))} cells may be seen",
    "H7": lambda _: f"1 − ε = {1 - 0.4:.2f}, each of the three others {0.4 / 3:.3f}",
    "H8": lambda _: f"512:4000 peaks at {1e4 * (512 * 4000) ** -0.5:.2f}·10⁻⁴",
    "H9": steep,
    "H10": parameters,
    "H11": batch_norm,
    "H12": fruit,
    "H13": patches,
    "H14": both_sides,
    "H15": memory,
}


def test_every_row_is_in_the_table() -> None:
    assert set(TABLE) == set(EXPECTED) == {f"H{number}" for number in range(1, 16)}


@pytest.mark.parametrize("row", TABLE)
def test_a_row_has_a_lesson_a_picture_a_view_and_its_value(en_zh, row: str) -> None:
    lesson, picture, view, value = TABLE[row]
    said, method = page(lesson)
    assert value == EXPECTED[row](en_zh)
    assert value in said
    assert picture.startswith(f"lesson.{lesson}.")
    assert all(f"{picture}.alt" in LANGUAGES[language] for language in LANGUAGES)
    assert method
    assert view in LESSONS[lesson].views
    assert view in VIEWS


def test_a_wrong_value_is_seen() -> None:
    assert "From 1 to 64 heads: at least 263,169" not in page("3")[0]


def test_the_memory_is_drawn_as_the_mean_of_each_layers_heads(en_zh) -> None:
    cross = en_zh.translate(SENTENCE, capture=True).trace.cross
    method = page("9")[1][0]["cells"]["values"]
    np.testing.assert_allclose(method, cross[:, :, 2].mean(axis=1), atol=1e-6)
