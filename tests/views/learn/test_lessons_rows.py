"""Every row of docs/lessons.md's second table: its place is there, and its value is what another computation gives."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable

import numpy as np
import pytest
import torch
from safetensors.numpy import load_file
from torch import nn

from model.analysis.lessons.recurrent import FAR, LETTERS, WIDTH, fresh
from model.own.passes import attention_block
from model.passage import Ask
from tests.pages import SENTENCE, shipped
from tests.views.learn.test_lessons_table import CONFIG, HEADS, ROOT, length, page
from tests.views.learn.test_lessons_table import WIDTH as D
from viz.core.models import entry_of
from viz.core.text import LANGUAGES

pytestmark = shipped
LINE = re.compile(r"^\| (N\d+) \| .* \| (\d+) \| `([\w.]+)` \| (.*) \|$", re.MULTILINE)
TABLE = {row: rest for row, *rest in LINE.findall((ROOT / "docs/lessons.md").read_text(encoding="utf-8"))}
FOLDER = ROOT / "checkpoints/en-zh"
D_K = D // HEADS
RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def vocabulary(side: str) -> dict[str, int]:
    return json.loads((FOLDER / f"{side}.json").read_text(encoding="utf-8"))["model"]["vocab"]


def power(value: float, digits: int) -> str:
    mantissa, _, exponent = f"{value:.{digits}e}".partition("e")
    return f"{mantissa}·10{str(int(exponent)).translate(RAISED)}"


def written(en_zh) -> int:
    return len(en_zh.translate(SENTENCE).tgt_ids) + 1


def fused(_: object) -> str:
    config = json.loads((ROOT / "checkpoints/tiny-vit/config.json").read_text(encoding="utf-8"))
    width, heads = config["hidden_size"], config["num_attention_heads"]
    n = (config["image_size"] // config["patch_size"]) ** 2 + 1
    shapes = [1, n, width], [1, n, 3 * width], [1, n, 3, heads, width // heads], [3, 1, heads, n, width // heads]
    return " → ".join(map(str, shapes))


def smaller_matrices(_: object) -> str:
    """Row by row, and W_Q itself made smaller."""
    rng = np.random.default_rng(0)
    asked, found = rng.standard_normal((2, 500, 256))
    queries, keys = rng.standard_normal((2, 256, 64))
    dots = [[(a @ queries / 16 / 8) @ (b @ keys / 16) for b in found] for a in asked]
    return f"of {np.var(dots):.2f} where W_Q starts √d_k times smaller"


def normed_states(en_zh, layer: int) -> np.ndarray:
    """What an encoder layer's attention is given: the stream under its norm, by hand."""
    seen = en_zh.forced(en_zh.ids(SENTENCE, ()), Ask(kinds=(), source_stream=True))
    stream = seen.source_stream.levels[layer].double().numpy()
    weights = load_file(FOLDER / "model.safetensors")
    scale, shift = (weights[f"encoder.layers.{layer}.self_attn_norm.{part}"] for part in ("weight", "bias"))
    spread = np.sqrt(stream.var(axis=1, keepdims=True) + 1e-5)
    return (stream - stream.mean(axis=1, keepdims=True)) / spread * scale + shift


def bare(en_zh) -> str:
    x = normed_states(en_zh, entry_of("en-zh").opening["layer"])
    largest = []
    for row in x:
        powers = np.exp([(row @ other) / math.sqrt(D) for other in x])
        largest.append((powers / powers.sum()).max())
    return f"x asks x. Largest: {np.mean(largest):.2f}."


def gelu(_: object) -> str:
    minus, plus = (x * (1 + math.erf(x / math.sqrt(2))) / 2 for x in (-1, 1))
    return f"GELU(−1) = {minus:.2f}, GELU(1) = {plus:.2f}".replace("-", "−")


def rows_of_sentence(en_zh) -> np.ndarray:
    table = load_file(FOLDER / "model.safetensors")["encoder.embedding.tokens.weight"].astype(float)
    return table[en_zh.encode_source(SENTENCE)[1][0].tolist()]


def scaled_rows(en_zh) -> str:
    lengths = [math.sqrt(sum((16 * number) ** 2 for number in row)) for row in rows_of_sentence(en_zh)]
    return f"multiplied by √{D} = {math.isqrt(D)}: {np.mean(lengths):.1f}"


def scores(en_zh) -> str:
    found = en_zh.translate(SENTENCE)
    logits = en_zh.forced(en_zh.ids(SENTENCE, found.tgt_ids), Ask(kinds=(), logits=True)).logits[2].double()
    return f"scores {logits.max():.2f}; less {math.log(sum(math.exp(each) for each in logits)):.2f},"


def dropped(_: object) -> str:
    bytes_dropped = round(0.1 * 256)
    return f"{bytes_dropped / 256:.0%} become 0 and the others {256 / (256 - bytes_dropped):.2f}"


def gradient_of_rnn(_: object) -> str:
    """The product of every step's derivative, in float64 and by hand."""
    model = fresh("rnn", 0)
    got = {name: value.detach().double().numpy() for name, value in model.named_parameters()}
    read = torch.randint(LETTERS, (64, FAR), generator=torch.Generator().manual_seed(0)).numpy()
    into, on = got["body.weight_ih_l0"], got["body.weight_hh_l0"]
    lengths = []
    for string in read:
        state, slopes = np.zeros(WIDTH), []
        for letter in string:
            pushed = into @ got["embedding.weight"][letter] + got["body.bias_ih_l0"] + got["body.bias_hh_l0"]
            state = np.tanh(pushed + on @ state)
            slopes.append(1 - state**2)
        back = got["out.weight"].sum(0)
        for slope in slopes[:0:-1]:
            back = (back * slope) @ on
        lengths.append(np.linalg.norm((back * slopes[0]) @ into))
    return f"{FAR - 1} letters back it is {power(float(np.mean(lengths)), 1)} in the RNN"


def convolution(_: object) -> str:
    layers, reach = 0, 1
    while reach < 8:
        layers, reach = layers + 1, reach + 2
    return f"A convolution over 3 letters needs {layers} layers"


def scripts(_: object) -> str:
    known = vocabulary("tgt")
    old, new = (sum(each in known for each in script) for script in ("愛國學車馬說個這門見", "爱国学车马说个这门见"))
    return f"has {old} of ten characters in their traditional form (愛國學 …) and {new} of the same"


def unknown(_: object) -> str:
    known = vocabulary("src")
    words = ["my", "sister", "bought", "a", "red", "bicycle", "yesterday", ".", "unfriendliestness"]
    lost = [word for word in words if f"▁{word}" not in known]
    return f"<unk> for {len(lost)} of your {len(words)} words: {', '.join(lost)}."


def rotation(_: object) -> str:
    angle = np.arange(512)[:, None] / 10_000 ** (np.arange(0, D, 2) / D)
    sine, cosine = (function(angle).astype(np.float32).astype(float) for function in (np.sin, np.cos))
    turn = 1 / 10_000 ** (np.arange(0, D, 2) / D)
    made = np.cos(turn) * sine[:-1] + np.sin(turn) * cosine[:-1], np.cos(turn) * cosine[:-1] - np.sin(turn) * sine[:-1]
    error = max(np.abs(one - other[1:]).max() for one, other in zip(made, (sine, cosine), strict=True))
    return f"turns every PE(t) into PE(t + 1), within {power(float(error), 0)}"


def loss(en_zh) -> str:
    nats = -sum(en_zh.translate(SENTENCE).log_probs)
    return f"ntokens = {written(en_zh)}, and the loss, {nats:.2f} nats, is {nats / written(en_zh):.2f} a token"


def typed_rows(_: object) -> str:
    predicted, lost = (0, 0.2, 0.7, 0.1, 0), []
    for target in (2, 1):
        label = [0, *(0.6 if place == target else 0.4 / 3 for place in range(1, 5))]
        terms = [math.inf if p == 0 else y * math.log(y / p) for y, p in zip(label, predicted, strict=True) if y]
        lost.append("∞" if math.isinf(sum(terms)) else f"{sum(terms):.2f}")
    return f"lose {lost[0]} and {lost[1]} nats"


def machines(_: object) -> str:
    powers = math.exp(14), math.exp(12)
    shares = " and ".join(f"{each / sum(powers):.2f}" for each in powers)
    return f"÷ 8 they are {112 // 8} and {96 // 8}, and the weights {shares}"


def unlike(_: object) -> str:
    attention = nn.MultiheadAttention(300, 6, batch_first=True)
    keys = torch.zeros(64, 10, 300)
    out, weights = attention(torch.zeros(64, 12, 300), keys, keys, average_attn_weights=False)
    return f"the weights are {list(weights.shape)} and what comes out {list(out.shape)}"


def steepness(_: object) -> str:
    """By differences: the weights of [8, 8, 16] as each dot product moves."""
    norms = []
    for root in (1.0, 8.0):
        slopes = []
        for place in range(3):
            ends = []
            for step in (1e-6, -1e-6):
                dots = np.array([8.0, 8, 16])
                dots[place] += step
                powers = np.exp(dots / root)
                ends.append(powers / powers.sum())
            slopes.append((ends[0] - ends[1]) / 2e-6)
        norms.append(f"{np.linalg.norm(slopes):.2g}")
    return f"is {norms[0]} and {norms[1]}"


def additive(_: object) -> str:
    """E tanh²(q + k) of a normal of variance 2, by quadrature."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(80)
    return f"{weights @ np.tanh(math.sqrt(2) * nodes) ** 2 / weights.sum():.1f} at d_k = 512"


def wrong_class(_: object) -> str:
    powers = np.exp([8.0, 8, 16])
    p = powers / powers.sum()
    return f"{math.dist(p, [1, 0, 0]):.2f} here if the first class was wanted"


def outlier(en_zh) -> str:
    """After encoder layer 2, as the lesson opens."""
    seen = en_zh.forced(en_zh.ids(SENTENCE, ()), Ask(kinds=(), source_stream=True))
    stream = seen.source_stream.levels[3].double().numpy()
    normed = (stream - stream.mean(axis=1, keepdims=True)) / stream.std(axis=1, keepdims=True)
    return f"here one is as large as {np.abs(normed).max():.1f}"


def signs(en_zh) -> str:
    rows = rows_of_sentence(en_zh)
    dots = [rows[one] @ rows[other] for one in range(len(rows)) for other in range(one)]
    return f"{len(dots)} pairs of tokens {sum(dot > 0 for dot in dots)} have a dot product above 0"


def shuffled(en_zh) -> str:
    """With ``weigh`` itself replaced, in place of hooks."""
    ids = en_zh.ids(SENTENCE, en_zh.translate(SENTENCE).tgt_ids)
    start, moved = entry_of("en-zh").opening, []
    with torch.inference_mode():
        before = en_zh.model(ids.src, ids.inputs)[0].softmax(-1)
        for places in ([(start["layer"], [start["head"]])], [(layer, list(range(HEADS))) for layer in range(6)]):
            generator, restored = torch.Generator().manual_seed(0), []
            for layer, heads in places:
                block = attention_block(en_zh.model, "cross", layer)

                def weigh(query, key, mask=None, *, own=block.weigh, heads=heads, generator=generator):
                    weights = own(query, key, mask).clone()
                    for head in heads:
                        order = torch.rand(weights.shape[2:], generator=generator).argsort(-1)
                        weights[0, head] = torch.stack([row[o] for row, o in zip(weights[0, head], order, strict=True)])
                    return weights

                block.weigh = weigh
                restored += [block, block.heads_hook.register_forward_hook(lambda *given: None)]
            after = en_zh.model(ids.src, ids.inputs)[0].softmax(-1)
            for block, handle in zip(restored[::2], restored[1::2], strict=True):
                del block.weigh
                handle.remove()
            moved.append(f"{(after - before).abs().sum(-1).mean() / 2:.2f}")
    return f"moves the predictions by {moved[0]}, of all cross heads by {moved[1]}"


def inputs(en_zh) -> str:
    labels = [en_zh.piece(token) for token in en_zh.translate(SENTENCE).tgt_ids[:2]]
    return f"trg[:, :-1] is “<bos> {' '.join(labels)} …”"


def attention_and_feed_forward(_: object) -> str:
    own, hidden = D * CONFIG["d_ff"] * 2 + CONFIG["d_ff"] + D, CONFIG["d_ff"]
    return f"{D} → {hidden} → {D} numbers, {own:,} parameters beside attention’s {4 * (D * D + D):,}"


def waves(_: object) -> str:
    first, last, limit = (2 * math.pi * 10_000**share for share in (0, (D - 2) / D, 1))
    return f"after {first:.2f} (2π) to {last:,.0f} positions; the paper’s limit, 10000·2π = {limit:,.0f}"


EXPECTED: dict[str, Callable[..., str]] = {
    "N1": lambda en_zh: f"is then even, {1 / written(en_zh):.3f} on each of {written(en_zh)} keys",
    "N2": lambda en_zh: f"[BS, ML, HC, HS] [3, 14, {HEADS}, {D_K}]",
    "N3": fused,
    "N4": lambda _: "a gradient of [1, 2, 3] arrives as [2, 4, 6]; after hook.remove() as [1, 2, 3] again",
    "N5": smaller_matrices,
    "N6": bare,
    "N7": attention_and_feed_forward,
    "N8": gelu,
    "N9": lambda _: f"which makes everything {math.sqrt((D - 1) / D):.4f} times PyTorch’s",
    "N10": lambda _: f"a channel’s mean stands on {16 * 48 * 48:,} numbers",
    "N11": scaled_rows,
    "N12": scores,
    "N13": lambda _: f"±{math.sqrt(6 / (D + D)):.3f} for {D} × {D}",
    "N14": dropped,
    "N15": gradient_of_rnn,
    "N16": convolution,
    "N17": lambda _: f"here 8 × {WIDTH} = {8 * WIDTH} numbers",
    "N18": lambda _: f"The source table has {len(vocabulary('src')):,} rows of {D} numbers",
    "N19": lambda _: f"up to {entry_of('en-zh').meta['training']['batch_tokens']:,} target places",
    "N20": scripts,
    "N21": unknown,
    "N22": lambda en_zh: (
        f"{4 / 5:.2f} is word 4 of 5 and word 16 of 20, and in yours, of {length(en_zh, SENTENCE)} tokens, "
        f"one step is {1 / length(en_zh, SENTENCE):.2f}"
    ),
    "N23": lambda _: f"Counting to {2**4} in binary (4 digits, fastest first; 0 is drawn as −1)",
    "N24": waves,
    "N25": rotation,
    "N26": lambda _: f"np.triu(·, 1) keeps {', '.join(str(n) for n in range(1, 17) if (n - 1) % 4 > (n - 1) // 4)},",
    "N27": loss,
    "N28": typed_rows,
    "N29": lambda _: f"by a factor 2, {power(2 * (512 * 4000) ** -0.5, 2)} at the peak of 512:4000",
    "N30": lambda _: "(SimpleLossCompute)",
    "N31": lambda _: (ROOT / "model/truth/en-zh.tsv").read_text("utf-8").split("\n")[4].split("\t")[1].replace(" ", ""),
    "N32": machines,
    "N33": unlike,
    "N34": steepness,
    "N35": additive,
    "N36": wrong_class,
    "N37": outlier,
    "N38": lambda en_zh: (
        f"Q comes from the decoder, {[HEADS, written(en_zh), D_K]}, and K and V from the encoder, "
        f"{[HEADS, length(en_zh, SENTENCE), D_K]}"
    ),
    "N39": lambda _: f"[Start] {SENTENCE} [Delim] She bought a bicycle. [Extract]",
    "N40": inputs,
    "N41": signs,
    "N42": lambda _: "for d = 20 (The Annotated Transformer): waves of {:.1f} and {:.1f} positions".format(
        *(2 * math.pi * 10_000 ** (pair / 20) for pair in (4, 6))
    ),
    "N43": shuffled,
}


def test_every_row_has_its_computation() -> None:
    assert set(TABLE) == set(EXPECTED)


@pytest.mark.parametrize("row", TABLE)
def test_a_row_has_its_place_and_its_value(en_zh, row: str) -> None:
    lesson, place, value = TABLE[row]
    assert place.startswith(f"lesson.{lesson}.")
    assert all({place, f"{place}.lead"} & set(LANGUAGES[language]) for language in LANGUAGES)
    assert value == EXPECTED[row](en_zh)
    assert value in page(lesson)[0]


def test_a_value_that_is_off_is_seen() -> None:
    assert "13,661 rows" not in page("13")[0]


def test_binary_is_drawn_with_minus_one() -> None:
    counted = page("5")[1][1]["cells"]["values"][:, :4]
    assert set(counted.ravel()) == {-1.0, 1.0}
    assert counted[5].tolist() == [1, -1, 1, -1]


def test_the_staircase_shows_what_has_been_read() -> None:
    texts = page("9")[1][2]["cells"]["texts"]
    assert [row.count("[MASK]") for row in texts] == list(range(len(texts)))[::-1]
    assert texts[3][:2] == ["<bos>", "我"]
