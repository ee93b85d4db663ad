"""Composition of heads against whole matrices, and of a head that was made to read another."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from model.analysis.residual.composition import chance, compositions, written_words
from model.own import checkpoint
from model.source import LacksAbilityError
from model.trace import HeadRef
from model.translator import Translator


@pytest.fixture
def own(checkpoint_folder) -> Translator:
    return Translator(checkpoint.load(checkpoint_folder, "cpu"), "own")


def whole(model, kind, layer, head):
    """W_Q, W_K, W_V, W_O of a head as they act on rows, the norms before them folded in: numpy [D, d] and [d, D]."""
    maps, size = model.projections(kind, layer), model.facts.d_head
    part = slice(head * size, (head + 1) * size)
    query, key = model.norms(kind, layer)
    centre = np.eye(model.facts.d_model) - 1 / model.facts.d_model
    read = [
        centre @ np.diag(norm.scale.double().numpy()) @ weight.double().numpy()[part].T
        for (weight, _), norm in ((maps.query, query), (maps.key, key), (maps.value, key))
    ]
    return *read, maps.out[0].double().numpy()[:, part].T


@pytest.mark.parametrize(
    ("writer", "reader", "ways"),
    [
        (HeadRef("encoder_self", 0, 1), HeadRef("encoder_self", 1, 2), "QKV"),
        (HeadRef("encoder_self", 1, 3), HeadRef("cross", 0, 2), "KV"),
        (HeadRef("decoder_self", 0, 0), HeadRef("cross", 0, 1), "Q"),
        (HeadRef("cross", 0, 3), HeadRef("decoder_self", 1, 3), "QKV"),
    ],
)
def test_scores_are_those_of_whole_matrices(own, writer, reader, ways):
    _, _, value, out = whole(own, *writer)
    query, key, value_2, out_2 = whole(own, *reader)
    first, pattern, second = value @ out, query @ key.T, value_2 @ out_2
    products = {"Q": (first @ pattern, pattern), "K": (first @ pattern.T, pattern), "V": (first @ second, second)}
    for head in (writer, reader):
        found = {each.way: each.score for each in compositions(own, head) if each[:2] == (writer, reader)}
        assert set(found) == set(ways)
        for way, score in found.items():
            product, other = products[way]
            expected = np.linalg.norm(product) / np.linalg.norm(first) / np.linalg.norm(other)
            assert score == pytest.approx(expected, rel=1e-6)


def test_a_head_that_was_made_to_read_another_comes_first(own):
    writer, reader = HeadRef("decoder_self", 0, 2), HeadRef("cross", 1, 0)
    size = own.facts.d_head
    first, second = own.model.decoder.layers[0].self_attn, own.model.decoder.layers[1].cross_attn
    with torch.no_grad():
        written = first.out_proj.weight[:, writer.head * size : (writer.head + 1) * size]
        second.q_proj.weight[reader.head * size : (reader.head + 1) * size] = written.T
    found = compositions(own, reader)
    assert found[0][:3] == (writer, reader, "Q")
    others = [each.score for each in found[1:]]
    assert found[0].score > 2 * np.mean(others)
    assert np.sqrt(np.mean(np.square(others))) == pytest.approx(chance(own.facts.d_model), rel=0.35)


def test_nobody_reads_what_comes_later(own):
    found = compositions(own, HeadRef("encoder_self", 1, 0))
    assert {(each.writer.kind, each.writer.layer) for each in found} == {("encoder_self", 0), ("encoder_self", 1)}
    assert {each.reader.kind for each in found if each.writer.layer == 1} == {"cross"}
    assert [each.score for each in found] == sorted((each.score for each in found), reverse=True)


def test_what_a_head_writes_raises_the_logits_of_its_words(own):
    head = HeadRef("cross", 1, 2)
    (share, up, down), *_ = written_words(own, head, most=3)
    _, _, value, out = whole(own, *head)
    values, direction = np.linalg.svd(value @ out)[1:]
    assert share == pytest.approx(values[0] ** 2 / (values**2).sum())
    last = own.unembedding
    logits = (last.table.double().numpy() * last.scale.double().numpy()) @ (direction[0] - direction[0].mean())
    order = [n for n in (logits - logits.mean()).argsort().tolist() if n not in own.never_written]
    ends = [[own.piece(each) for each in ids] for ids in (order[:-4:-1], order[:3])]
    assert [up, down] in (ends, ends[::-1])  # a singular direction has no sign


def test_a_model_without_projections_says_so(own, monkeypatch):
    from dataclasses import replace

    monkeypatch.setattr(own, "anatomy", replace(own.anatomy, abilities=frozenset()))
    with pytest.raises(LacksAbilityError):
        compositions(own, HeadRef("cross", 0, 0))
