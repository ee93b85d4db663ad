"""A head that is made to look at the token before is found by what the atlas says of it."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from model.analysis.atlas.book import read_atlas, write_book
from model.analysis.atlas.lines import LineCorpus
from model.analysis.atlas.pages import index_of, pages_of
from model.analysis.atlas.run import count, facts_of
from model.own import checkpoint
from model.own.network.positions import rotation
from model.trace import HeadRef
from model.translator import Translator

PLANTED = HeadRef("encoder_self", 0, 2)
SHARP = 60.0


@pytest.fixture(scope="module")
def planted(checkpoint_folder, tmp_path_factory) -> Translator:
    """The checkpoint of every test, whose encoder knows nothing but positions, and one head of which turns them back.

    PE(t) = M(1) · PE(t − 1), so a query M(−1) PE(t) is the key of the token before; see ``rotation``.
    """
    loaded = checkpoint.load(checkpoint_folder, "cpu")
    model = loaded.model
    layer = model.encoder.layers[0]
    width = model.config.d_model // model.config.n_heads
    place = slice(PLANTED.head * width, (PLANTED.head + 1) * width)
    back = rotation(-1, model.config.d_model).float()[:width, :width]  # the fastest pairs
    with torch.no_grad():
        model.encoder.embedding.tokens.weight.zero_()
        for linear, matrix in ((layer.self_attn.q_proj, SHARP * back), (layer.self_attn.k_proj, torch.eye(width))):
            linear.weight[place] = 0
            linear.weight[place, :width] = matrix
            linear.bias[place] = 0
    return Translator(loaded, "planted")


def test_the_head_is_the_extreme_of_the_scatter(planted, corpus_file, tmp_path):
    corpus = LineCorpus.of(corpus_file)
    counts = count(planted, corpus, facts_of(planted, corpus, None, "", 0))
    write_book(tmp_path / "atlas.zip", index_of(counts), pages_of(counts))
    atlas = read_atlas(tmp_path)
    assert atlas is not None
    shares = atlas.values("previous")
    best = atlas.heads[int(np.nanargmax(shares))]
    assert best == PLANTED
    assert atlas.value(PLANTED, "previous") > 0.95
    assert sorted(shares)[-2] < 0.8
    assert atlas.kinds["encoder_self"]["roles"][atlas.place(PLANTED)] == "previous"
    assert atlas.kinds["encoder_self"]["roles"].count("previous") == 1
    page = atlas.page(PLANTED)
    assert page is not None
    assert int(np.argmax(page["mass"])) == 7  # one before the middle
