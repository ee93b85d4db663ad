"""An atlas of models that translate nothing: of what they read, the other column left aside."""

from __future__ import annotations

import pytest

from model.__main__ import main
from model.analysis.atlas.book import read_atlas
from model.folders import families
from model.translator import open_model


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
