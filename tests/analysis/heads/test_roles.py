from __future__ import annotations

import json
import math
import shutil

import numpy as np
import pytest

from model.__main__ import main
from model.analysis.heads.ablation import ablate
from model.analysis.heads.corpus import heads_of, score_heads
from model.analysis.heads.patterns import PATTERNS, pattern_scores
from model.analysis.heads.roles import MEASURES, OFFSETS, count_rows, profile, summed_up
from model.analysis.heads.table import FILE, load_head_table
from model.folders import available, resolve
from model.own.source import source_rarity
from model.pairs import PairScores
from model.trace import KINDS, AttentionTrace, Label
from model.translator import Translator
from model.writing import Token

N, T = 6, 5  # English and Chinese words


def one_hot(places: list[int], width: int) -> np.ndarray:
    return np.eye(width)[places]


def trace_of(encoder: list[np.ndarray], decoder: list[np.ndarray], cross: list[np.ndarray]) -> AttentionTrace:
    src = tuple(Label(f"e{n}", n) for n in range(N))
    tgt = tuple(Label(f"z{n}", n) for n in range(T))
    weights = {kind: np.array([maps]) for kind, maps in zip(KINDS, (encoder, decoder, cross), strict=True)}
    eos, bos = Label("<eos>"), Label("<bos>")
    return AttentionTrace((*src, eos), (bos, *tgt), (*tgt, eos), weights, weights)


def even(rows: int, width: int) -> np.ndarray:
    return np.full((rows, width), 1 / width)


def causal(maps: np.ndarray) -> np.ndarray:
    maps = np.tril(maps)
    return maps / maps.sum(-1, keepdims=True)


@pytest.fixture
def known() -> AttentionTrace:
    """Heads that do one thing each."""
    last = N
    encoder = [
        one_hot([0, *range(N)], N + 1),  # the token before
        one_hot([*range(1, N + 1), last], N + 1),  # the token after
        one_hot([*range(N), last], N + 1),  # the token itself
        one_hot([last] * (N + 1), N + 1),  # <eos>
        one_hot([3] * (N + 1), N + 1),  # the rarest word
        even(N + 1, N + 1),
    ]
    decoder = [one_hot([0, *range(T)], T + 1), one_hot([0] * (T + 1), T + 1), one_hot([0, 1, 0, 3, 1, 2], T + 1)]
    diagonal = [round(t * N / T) for t in range(T + 1)]
    cross = [one_hot(diagonal, N + 1), one_hot([last] * (T + 1), N + 1), one_hot([3] * (T + 1), N + 1)]
    return trace_of(encoder, decoder, cross)


RARITY = np.array([1, 1, 2, 9, 3, 4, 0])


def test_each_head_is_called_what_it_is(known):
    roles = {kind: profile(known, kind, RARITY).roles[0] for kind in KINDS}
    assert roles["encoder_self"] == ["previous", "next", "itself", "sink", "rare", ""]
    assert roles["decoder_self"] == ["previous", "sink", ""]
    assert roles["cross"] == ["diagonal", "sink", "rare"]
    assert profile(known, "encoder_self").roles[0][4] == ""  # nobody said which word is rare


def test_hand_worked_measures(known):
    measures = profile(known, "encoder_self", RARITY).measures
    assert measures["previous"][0, :3] == pytest.approx([1, 0, 0])
    assert measures["next"][0, 1] == 1
    assert measures["sink"][0, 3] == 1
    assert measures["rare"][0].tolist()[3:5] == [0, 1]
    assert measures["confidence"][0].tolist()[3] == 0  # all of it on <eos>
    assert measures["confidence"][0].tolist()[4] == 1
    assert measures["entropy"][0, 5] == pytest.approx(math.log(N + 1))
    assert measures["evenness"][0, [0, 5]] == pytest.approx([0, 1])
    assert measures["distance"][0, 0] == pytest.approx((N - 1) / N)  # the first word has none before it
    assert measures["distance"][0, 3] == pytest.approx(np.mean([N - q for q in range(N)]))
    assert profile(known, "cross").measures["distance"][0, 0] < 0.5


def test_evenness_counts_the_keys_that_a_row_may_see():
    even_rows = causal(even(T + 1, T + 1))
    trace = trace_of([even(N + 1, N + 1)], [even_rows], [even(T + 1, N + 1)])
    for kind in KINDS:
        assert profile(trace, kind).measures["evenness"] == pytest.approx(1)


def test_what_cannot_be_is_not_a_number(known):
    decoder, cross = profile(known, "decoder_self").measures, profile(known, "cross").measures
    assert np.isnan(decoder["next"]).all()
    assert np.isnan(decoder["rare"]).all()
    assert np.isnan(cross["previous"]).all()
    assert not np.isnan(cross["offset"]).any()


@pytest.mark.parametrize("kind", KINDS)
def test_sums_agree_with_plain_loops(kind):
    rng = np.random.default_rng(1)
    maps = [rng.dirichlet(np.ones(N + 1), N + 1) for _ in range(3)]
    own = [causal(rng.random((T + 1, T + 1))) for _ in range(3)]
    trace = trace_of(maps, own, [rng.dirichlet(np.ones(N + 1), T + 1) for _ in range(3)])
    found = profile(trace, kind, RARITY)
    for head in range(3):
        expected = slow(trace, kind, head)
        for name, value in expected.items():
            assert found.measures[name][0, head] == pytest.approx(value, nan_ok=True), name


def slow(trace: AttentionTrace, kind: str, head: int) -> dict[str, float]:
    """The measures of one head, token by token."""
    weights = trace.weights[kind][0, head]
    rows = {"encoder_self": range(N), "decoder_self": range(1, T + 1), "cross": range(T)}[kind]
    special = 0 if kind == "decoder_self" else N
    got: dict[str, list[float]] = {name: [] for name in ("entropy", "distance", "confidence", "sink", "rare")}
    offsets: dict[int, list[float]] = {offset: [] for offset in OFFSETS}
    for q in rows:
        row = weights[q].tolist()
        width = q + 1 if kind == "decoder_self" else N + 1
        place = q * N / T if kind == "cross" else q
        top = max(range(len(row)), key=row.__getitem__)
        got["entropy"].append(-sum(w * math.log(w) for w in row if w > 0))
        got["distance"].append(sum(w * abs(place - k) for k, w in enumerate(row)))
        got["confidence"].append(max(w for k, w in enumerate(row) if k != special))
        got["sink"].append(top == special)
        got["rare"].append(top == 3)
        for offset, seen in offsets.items():
            if 0 <= round(place) + offset < width:
                seen.append(top == round(place) + offset)
    means = {name: sum(values) / len(values) for name, values in got.items()}
    common = [sum(seen) / len(seen) for seen in offsets.values() if 2 * len(seen) >= len(rows)]
    means["offset"] = max(common)
    means["previous"] = math.nan if kind == "cross" else sum(offsets[-1]) / len(offsets[-1])
    return means | ({"rare": math.nan} if kind == "decoder_self" else {})


def test_sentences_add_up(known):
    rng = np.random.default_rng(2)
    maps = [rng.dirichlet(np.ones(N + 1), N + 1) for _ in range(6)]
    other = trace_of(maps, [causal(rng.random((T + 1, T + 1)))] * 3, [rng.dirichlet(np.ones(N + 1), T + 1)] * 3)
    both = count_rows(known, "encoder_self", RARITY) + count_rows(other, "encoder_self")
    whole, one, two = (
        summed_up(both, "encoder_self"),
        profile(known, "encoder_self", RARITY),
        profile(other, "encoder_self"),
    )
    assert whole.rows == 2 * N
    np.testing.assert_allclose(whole.measures["entropy"], (one.measures["entropy"] + two.measures["entropy"]) / 2)
    np.testing.assert_array_equal(whole.measures["rare"], one.measures["rare"])  # the other said nothing about it
    assert whole.roles[0][0] == ""  # half of the rows do something else


def test_an_empty_translation_has_no_measures():
    eos, bos, src = Label("<eos>"), Label("<bos>"), (Label("a", 0), Label("<eos>"))
    weights = {"encoder_self": np.full((1, 2, 2, 2), 0.5), "decoder_self": np.ones((1, 2, 1, 1))}
    weights["cross"] = np.full((1, 2, 1, 2), 0.5)
    trace = AttentionTrace(src, (bos,), (eos,), weights, weights)
    for kind in ("decoder_self", "cross"):
        found = profile(trace, kind)
        assert np.isnan(found.measures["entropy"]).all()
        assert found.roles == [["", ""]]


def test_more_pieces_and_later_merges_are_rarer():
    pieces = [("▁the", 300, 0), ("▁zeb", 900, 1), ("ra", 310, 1), ("▁dog", 500, 2), ("▁the", 300, 3)]
    rarity = source_rarity([Token(text, token_id, word, 0, 1) for text, token_id, word in pieces])
    assert rarity[0] == rarity[4] < rarity[3] < rarity[1] == rarity[2]
    assert rarity[-1] == 0
    assert len(rarity) == len(pieces) + 1


@pytest.fixture
def two(pairs):
    return pairs[1], pairs[3]


def table_over(translator, pairs, facts):
    found = PairScores.of(pairs, lambda _, pair: score_heads(translator, *pair))
    return heads_of(translator, pairs, found, facts), found.refused


def test_a_corpus_is_the_mean_of_its_sentences(translator, two):
    table, refused = table_over(translator, two, {"sha256": "0"})
    forced = [translator.trace(*pair) for pair in two]
    tokens = [len(each.log_probs) for each in forced]
    assert refused == {}
    assert table.facts["sentences"] == 2
    assert table.facts["tokens"] == sum(tokens)
    assert table.facts["nats_per_token"] == pytest.approx(sum(sum(f.log_probs) for f in forced) / sum(tokens), abs=1e-3)
    for kind in KINDS:
        total = sum(ablate(translator, each).importance[kind] for each in forced)
        np.testing.assert_allclose(table.importance[kind], total / sum(tokens), atol=1e-6)
        for name in PATTERNS:
            mean = sum(pattern_scores(each.trace, kind, name) for each in forced) / 2
            np.testing.assert_allclose(table.patterns[kind][name], mean, atol=1e-9)
        profiles = [profile(f.trace, kind, translator.rarity(f.source)) for f in forced]
        rows = [each.rows for each in profiles]
        entropy = sum(each.measures["entropy"] * each.rows for each in profiles) / sum(rows)
        np.testing.assert_allclose(table.measures[kind]["entropy"], entropy, atol=1e-9)


def test_what_is_saved_is_read_again(translator, two, tmp_path):
    table, _ = table_over(translator, two, {"sha256": "7", "file": "a.tsv", "command": "c"})
    table.save(tmp_path)
    again = load_head_table(tmp_path)
    assert again is not None
    assert again.facts == table.facts
    for kind in KINDS:
        np.testing.assert_allclose(again.importance[kind], table.importance[kind], atol=5.1e-5)
        assert again.roles[kind] == table.roles[kind]
        for name in MEASURES:
            np.testing.assert_allclose(again.measures[kind][name], table.measures[kind][name], atol=5.1e-5)


@pytest.mark.parametrize("content", [None, "", "[]", "{}", '{"kinds": {}}', '{"kinds": {"cross": 1}}'])
def test_a_damaged_table_is_no_table(tmp_path, content):
    if content is not None:
        (tmp_path / FILE).write_text(content)
    assert load_head_table(tmp_path) is None


def printed(capsys, *argv: object) -> dict:
    assert main(["heads", *map(str, argv), "--json"]) == 0
    return json.loads(capsys.readouterr().out.splitlines()[-1])


def test_the_command_ranks_every_head(checkpoint_folder, tsv, two, translator, tmp_path, capsys):
    folder = shutil.copytree(checkpoint_folder, tmp_path / "copy")
    found = printed(capsys, "--tsv", tsv, "--checkpoint", f"{folder}", "--limit", 3, "--save")
    values = [head["nats_per_token"] for head in found["heads"]]
    assert len(values) == 24
    assert values == sorted(values, reverse=True)
    assert found["sentences"] == 3
    assert found["sha256"] == translator.meta["sha256"] == json.loads((folder / FILE).read_text())["sha256"]
    assert str(tmp_path) not in (folder / FILE).read_text()
    head = found["heads"][0]
    assert head["nats_per_sentence"] == pytest.approx(head["nats_per_token"] * found["tokens"] / 3, abs=1e-3)


def test_without_json_a_table_and_without_save_no_file(checkpoint_folder, tsv, capsys):
    assert main(["heads", "--tsv", str(tsv), "--checkpoint", f"{checkpoint_folder}", "--limit", "1"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 25
    assert lines[0].split()[:2] == ["head", "nats/token"]
    assert not (checkpoint_folder / FILE).exists()


def test_a_bad_line_is_named_and_an_unusable_one_left_out(checkpoint_folder, tmp_path, capsys):
    path = tmp_path / "bad.tsv"
    path.write_text("I love you.\t我爱你。\nno tab here\n", encoding="utf-8")
    assert main(["heads", "--tsv", str(path), "--checkpoint", f"{checkpoint_folder}"]) == 2
    assert "line 2" in capsys.readouterr().err
    path.write_text("I love you.\t我爱你。\n" + "word " * 3000 + "\t我\n", encoding="utf-8")
    assert main(["heads", "--tsv", str(path), "--checkpoint", f"{checkpoint_folder}", "--json"]) == 0
    out, err = capsys.readouterr()
    assert json.loads(out)["sentences"] == 1
    assert "line 2 was left out" in err
    path.write_text("word " * 3000 + "\t我\n", encoding="utf-8")
    assert main(["heads", "--tsv", str(path), "--checkpoint", f"{checkpoint_folder}"]) == 2
    assert len(capsys.readouterr().err.strip().splitlines()) == 1


@pytest.mark.parametrize("name", [name for name in available() if (resolve(name) / FILE).is_file()])
def test_a_shipped_table_fits_its_checkpoint(name):
    table, translator = load_head_table(resolve(name)), Translator.from_checkpoint(name, "cpu")
    assert table is not None
    config = translator.model.config
    for kind in KINDS:
        depth = config.n_encoder_layers if kind == "encoder_self" else config.n_decoder_layers
        assert table.importance[kind].shape == (depth, config.n_heads)
        assert set(table.measures[kind]) == set(MEASURES)
        assert set(table.patterns[kind]) == set(PATTERNS)
    assert table.facts["sha256"] == translator.meta["sha256"]
    assert table.facts["sentences"] >= 100
