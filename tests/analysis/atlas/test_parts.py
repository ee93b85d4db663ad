"""Parts of an atlas, however the corpus is cut, add up to the same bytes."""

from __future__ import annotations

import json
import random
import subprocess
import sys
import zipfile
from pathlib import Path

import numpy as np
import pytest
import torch

from model.__main__ import main
from model.analysis.atlas import counts as counting
from model.analysis.atlas.book import ATLAS, read_atlas, write_book
from model.analysis.atlas.counts import merged
from model.analysis.atlas.kept import SAMPLE, KeptMaps
from model.analysis.atlas.lines import LineCorpus
from model.analysis.atlas.pages import index_of, pages_of
from model.analysis.atlas.run import count, facts_of
from model.errors import CorpusError
from model.folders import families
from model.own import checkpoint
from model.own.network.layers import rotation
from model.pairs import BUCKETS, digest_of
from model.trace import HeadRef
from model.translator import Translator, open_model


def made(out: Path, checkpoint: Path, file: Path, *more: str) -> bytes:
    assert main(["atlas", "--tsv", str(file), "--checkpoint", str(checkpoint), "--out", str(out), *more]) == 0
    return (out / ATLAS).read_bytes() if (out / ATLAS).is_file() else b""


@pytest.fixture(scope="module")
def whole(small_file, checkpoint_folder, tmp_path_factory) -> bytes:
    return made(tmp_path_factory.mktemp("whole"), checkpoint_folder, small_file)


@pytest.mark.parametrize("parts", [1, 3, 7])
def test_merged_parts_are_one_run_byte_for_byte(whole, small_file, checkpoint_folder, tmp_path, parts):
    order = list(range(1, parts + 1))
    random.Random(parts).shuffle(order)
    folders = [tmp_path / str(number % 2) for number in order]
    for number, folder in zip(order, folders, strict=True):
        assert made(folder, checkpoint_folder, small_file, "--part", f"{number}/{parts}") == b""
    places = [str(folder) for folder in sorted(set(folders), reverse=True)]
    assert main(["atlas", "--merge", *places, "--out", str(tmp_path), "--checkpoint", str(checkpoint_folder)]) == 0
    assert (tmp_path / ATLAS).read_bytes() == whole


def test_the_order_of_the_lines_changes_nothing(whole, small_file, checkpoint_folder, tmp_path):
    lines = small_file.read_text(encoding="utf-8").splitlines(keepends=True)
    shuffled = tmp_path / small_file.name
    shuffled.write_text("".join(reversed(lines)), encoding="utf-8")
    assert made(tmp_path / "out", checkpoint_folder, shuffled) == whole
    shuffled.write_text("".join(lines[1:]), encoding="utf-8")
    assert made(tmp_path / "other", checkpoint_folder, shuffled) != whole


def test_a_part_that_was_killed_is_absent_and_made_again(
    whole, small_file, checkpoint_folder, tmp_path, monkeypatch, capsys
):
    def killed(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    made(tmp_path, checkpoint_folder, small_file, "--part", "1/2")
    part = ["atlas", "--tsv", str(small_file), "--checkpoint", str(checkpoint_folder), "--part", "2/2"]
    with monkeypatch.context() as patch:
        patch.setattr(counting.np, "savez_compressed", killed)
        assert main([*part, "--out", str(tmp_path)]) == 130
    assert [path.name for path in tmp_path.glob("part-*")] == ["part-1-of-2.npz"]
    merge = ["atlas", "--merge", str(tmp_path), "--out", str(tmp_path / "m"), "--checkpoint", str(checkpoint_folder)]
    assert main(merge) == 0
    assert "there is no atlas yet" in capsys.readouterr().err
    assert not (tmp_path / "m" / ATLAS).exists()
    assert main([*part, "--out", str(tmp_path)]) == 0
    assert main(merge) == 0
    assert (tmp_path / "m" / ATLAS).read_bytes() == whole


def test_parts_that_overlap_or_are_of_other_runs_are_refused(small_file, checkpoint_folder, tmp_path, capsys):
    made(tmp_path / "a", checkpoint_folder, small_file, "--part", "1/2")
    made(tmp_path / "b", checkpoint_folder, small_file, "--part", "1/4")
    made(tmp_path / "c", checkpoint_folder, small_file, "--part", "2/2", "--limit", "15")
    for other, said in (("b", "another part has counted"), ("c", "of another run")):
        places = [str(tmp_path / name) for name in ("a", other)]
        assert main(["atlas", "--merge", *places, "--out", str(tmp_path)]) == 2
        assert said in capsys.readouterr().err
    part = tmp_path / "a" / "part-1-of-2.npz"
    for data in (b"PK", part.read_bytes()[:3000]):  # as a copy that was cut off leaves it
        part.write_bytes(data)
        with pytest.raises(CorpusError, match="no part of an atlas"):
            merged([part])
    np.savez(tmp_path / "evil.npz", json=np.array([{"facts": 1}], dtype=object))
    with pytest.raises(CorpusError, match="no part of an atlas"):
        merged([tmp_path / "evil.npz"])


@pytest.mark.parametrize("said", ["0/3", "4/3", "1/513", "1", "a/b"])
def test_a_part_that_is_none_is_refused(small_file, tmp_path, said, capsys):
    with pytest.raises(SystemExit):
        main(["atlas", "--tsv", str(small_file), "--out", str(tmp_path), "--part", said])
    assert "must be I/N" in capsys.readouterr().err


def test_a_part_with_nowhere_to_go_is_refused(small_file, checkpoint_folder, capsys):
    what = ["atlas", "--tsv", str(small_file), "--checkpoint", str(checkpoint_folder), "--part", "1/2", "--save"]
    assert main(what) == 2
    assert "say with --out where the part is to be written" in capsys.readouterr().err
    assert not (checkpoint_folder / ATLAS).exists()


def test_two_processes_of_torchrun_make_the_same(whole, small_file, checkpoint_folder, tmp_path):
    command = [sys.executable, "-m", "torch.distributed.run", "--nproc-per-node", "2", "--standalone", "-m", "model"]
    options = ["atlas", "--tsv", str(small_file), "--checkpoint", str(checkpoint_folder), "--out", str(tmp_path)]
    done = subprocess.run([*command, *options], capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    assert (tmp_path / ATLAS).read_bytes() == whole


def test_a_line_is_in_one_bucket_and_a_bucket_in_one_part(small_file):
    corpus = LineCorpus.of(small_file)
    lines = [line for bucket in range(BUCKETS) for batch in corpus.batches(bucket) for line in batch]
    assert sorted((line.src, line.tgt) for line in lines) == sorted(
        tuple(line.split("\t")) for line in small_file.read_text(encoding="utf-8").splitlines()
    )
    assert sorted(bucket for part in range(7) for bucket in corpus.buckets(part, 7)) == list(range(BUCKETS))
    assert {line.digest % BUCKETS for batch in corpus.batches(lines[0].digest % BUCKETS) for line in batch} == {
        lines[0].digest % BUCKETS
    }


def test_long_sentences_go_through_in_small_batches(tmp_path, monkeypatch):
    monkeypatch.setattr("model.analysis.atlas.lines.BUCKETS", 1)
    path = tmp_path / "long.tsv"
    path.write_text("".join(f"{n} word\t{n}{'字' * (n % 2 * 200)}\n" for n in range(80)), encoding="utf-8")
    batches = [[len(line.tgt) > 100 for line in batch] for batch in LineCorpus.of(path).batches(0)]
    assert sum(map(len, batches)) == 80
    assert max(len(batch) for batch in batches) == 32
    assert all(len(batch) == 1 for batch in batches if any(batch))


def test_the_sample_is_of_the_smallest_hashes_in_whatever_order(fifty):
    digests = [digest_of(f"{src} {number}", tgt) for number in range(4) for src, tgt in fifty]
    kept = KeptMaps([{}])
    random.Random(0).shuffle(digests)
    for digest in digests:
        if kept._is_sampled(digest):
            kept.put_sample(digest, np.zeros(1), np.zeros((1, 1, 8)), np.zeros((1, 1, 8)))
    assert sorted(kept.sample) == sorted(digests)[:SAMPLE]
    assert not kept._is_sampled(max(digests))


def test_a_line_without_a_translation_is_named(tmp_path):
    path = tmp_path / "bad.tsv"
    path.write_text("one\t一\ntwo\n", encoding="utf-8")
    with pytest.raises(CorpusError, match="line 2"):
        LineCorpus.of(path)
    assert len(LineCorpus.of(path, limit=1).digests) == 1


def test_a_file_that_is_no_atlas_is_none(whole, tmp_path):
    assert read_atlas(tmp_path) is None
    path = tmp_path / ATLAS
    for data in (b"", b"PK", whole[: len(whole) // 2]):
        path.write_bytes(data)
        assert read_atlas(tmp_path) is None
    path.write_bytes(whole)
    atlas = read_atlas(tmp_path)
    assert atlas is not None
    assert len(atlas.heads) == 24
    assert atlas.page(HeadRef("cross", 9, 9)) is None
    page = atlas.page(HeadRef("cross", 1, 2))
    assert page is not None
    assert [len(page[name]) for name in ("mass", "hist_peak", "strongest")] == [17, 20, 8]
    with zipfile.ZipFile(path) as book:
        index = json.loads(book.read("index.json"))
        assert max(info.file_size for info in book.infolist()) <= 60_000
    index["kinds"]["cross"]["roles"].pop()
    write_book(path, index, {})
    assert read_atlas(tmp_path) is None


@pytest.mark.skipif("tiny-gpt" not in families(), reason="the tiny models are not there")
@pytest.mark.parametrize(("name", "kind"), [("tiny-bert", "encoder_self"), ("tiny-gpt", "decoder_self")])
def test_every_head_of_another_family_has_its_page(name, kind, small_file, tmp_path, capsys):
    (tmp_path / "long.tsv").write_text(
        small_file.read_text(encoding="utf-8") + "word " * 300 + "\t字\n", encoding="utf-8"
    )
    assert main(["atlas", "--tsv", str(tmp_path / "long.tsv"), "--checkpoint", name, "--out", str(tmp_path)]) == 0
    assert "1 lines were left out: SentenceTooLongError" in capsys.readouterr().err
    atlas = read_atlas(tmp_path)
    assert atlas is not None
    assert list(atlas.kinds) == [kind]
    assert atlas.heads == open_model(name).anatomy.all_heads()
    assert atlas.kinds[kind]["sentences"] == 20
    assert all(0 < atlas.value(head, "peak") <= 1 for head in atlas.heads)
    page = atlas.page(atlas.heads[-1])
    assert page is not None
    assert page["strongest"]


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
