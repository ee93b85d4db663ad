from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.torch import load_file, save_file

from model.__main__ import main
from model.commands.release.average import keep_score
from model.errors import CheckpointError, CorpusError
from model.evaluation.kept import must_score, read_must
from model.folders import resolve
from model.own import checkpoint
from model.own.checkpoint import load, load_tokenizers
from model.own.decoding.search import greedy
from model.own.network.config import TransformerConfig
from model.own.network.transformer import Transformer
from model.own.text.tokenize import pad, with_runs
from model.own.text.vocab import BOS_ID, EOS_ID, PAD_ID
from model.training.choice import DevFiles, chosen_by
from model.training.loop import MovingAverage, Trainer, grow
from model.training.loss import ProjectedCrossEntropy, TranslationLoss
from model.training.prepare import VocabularySettings, prepare, prepare_reversal
from model.training.settings import TrainingSettings, noam, trapezoid
from tests.pages import reverse


def test_noam_equals_values_worked_by_hand() -> None:
    # d_model 512 and 4,000 warm-up steps: the peak, at step 4,000, is 1 / sqrt(512 · 4,000).
    assert noam(4000, 512, 4000) == pytest.approx(6.9877e-4, rel=1e-4)
    assert noam(1, 512, 4000) == pytest.approx(1.7469e-7, rel=1e-4)
    assert noam(16000, 512, 4000) == pytest.approx(6.9877e-4 / 2, rel=1e-4)
    assert noam(2000, 512, 4000) == pytest.approx(6.9877e-4 / 2, rel=1e-4)


def test_the_other_schedules_rise_and_fall() -> None:
    falling = {"peak": 1.0, "warmup": 10, "cooldown": 1.0}
    assert trapezoid(5, 0.0, **falling) == 0.5
    assert trapezoid(100, 0.75, **falling) == 0.25
    assert trapezoid(100, 1.0, **falling) == 0
    assert [trapezoid(step, 0.9, 2.0, 4, cooldown=0.0) for step in (1, 4, 400)] == [0.5, 2.0, 2.0]
    assert [trapezoid(99, share, 1.0, 4, cooldown=0.2) for share in (0.5, 0.8, 0.95)] == pytest.approx([1, 1, 0.25])


def test_settings_refuse_what_makes_no_sense() -> None:
    with pytest.raises(ValueError, match="schedule must be one of noam, trapezoid"):
        TrainingSettings(schedule="cosine")
    with pytest.raises(ValueError, match="at least 1"):
        TrainingSettings(eval_every=0)
    with pytest.raises(ValueError, match="r_drop must not be negative"):
        TrainingSettings(r_drop=-1.0)
    with pytest.raises(ValueError, match="cooldown must lie"):
        TrainingSettings(cooldown=1.5)


def test_the_loss_smooths_the_targets_and_leaves_padding_out(model: Transformer) -> None:
    src = torch.tensor([[11, 12, EOS_ID], [13, EOS_ID, PAD_ID]])
    tgt_in = torch.tensor([[BOS_ID, 7, 8], [BOS_ID, 9, PAD_ID]])
    tgt_out = torch.tensor([[7, 8, EOS_ID], [9, EOS_ID, PAD_ID]])
    log_probs = model(src, tgt_in).log_softmax(-1)
    size, losses = 30, []
    for row, column in ((0, 0), (0, 1), (0, 2), (1, 0), (1, 1)):
        wanted = torch.full((size,), 0.1 / size)
        wanted[tgt_out[row, column]] += 0.9
        losses.append(-(wanted * log_probs[row, column]).sum())
    torch.testing.assert_close(TranslationLoss(model, 0.1)(src, tgt_in, tgt_out), torch.stack(losses).mean())
    assert TranslationLoss(model, 0.0)(src, tgt_in, tgt_out) != TranslationLoss(model, 0.1)(src, tgt_in, tgt_out)


@pytest.mark.parametrize("rows", [3, 1_300])
def test_the_loss_in_chunks_and_its_gradients_equal_those_of_pytorch(rows: int) -> None:
    generator = torch.Generator().manual_seed(rows)
    states = torch.randn(rows, 16, generator=generator, dtype=torch.float64).requires_grad_()
    weight = torch.randn(77, 16, generator=generator, dtype=torch.float64).requires_grad_()
    targets = torch.randint(0, 77, (rows,), generator=generator)
    found = ProjectedCrossEntropy.apply(states, weight, targets, 0.1)
    wanted = torch.nn.functional.cross_entropy(states @ weight.T, targets, label_smoothing=0.1)
    torch.testing.assert_close(found.double(), wanted, rtol=1e-5, atol=0)
    for mine, theirs in zip(
        *(torch.autograd.grad(3 * loss, (states, weight)) for loss in (found, wanted)), strict=True
    ):
        torch.testing.assert_close(mine, theirs, rtol=1e-4, atol=1e-7)


@pytest.mark.parametrize("rows", [3, 700])
def test_what_two_passes_disagree_in_and_its_gradients_equal_those_of_pytorch(rows: int) -> None:
    generator = torch.Generator().manual_seed(rows)
    states = torch.randn(2 * rows, 16, generator=generator, dtype=torch.float64).requires_grad_()
    weight = torch.randn(77, 16, generator=generator, dtype=torch.float64).requires_grad_()
    targets = torch.randint(0, 77, (rows,), generator=generator)
    found = ProjectedCrossEntropy.apply(states, weight, targets, 0.1, 3.0)
    one, other = (states @ weight.T).log_softmax(-1).chunk(2)
    kl = [
        torch.nn.functional.kl_div(a, b, reduction="batchmean", log_target=True)
        for a, b in ((one, other), (other, one))
    ]
    alike = torch.nn.functional.cross_entropy(states @ weight.T, targets.repeat(2), label_smoothing=0.1)
    wanted = alike + 3.0 / 2 * sum(kl) / 2
    torch.testing.assert_close(found.double(), wanted, rtol=1e-5, atol=0)
    for mine, theirs in zip(*(torch.autograd.grad(each, (states, weight)) for each in (found, wanted)), strict=True):
        torch.testing.assert_close(mine, theirs, rtol=1e-4, atol=1e-7)


def test_two_passes_agree_without_dropout_and_not_with_it(model: Transformer) -> None:
    src, tgt_in, tgt_out = (
        torch.tensor([[11, 20, EOS_ID]]),
        torch.tensor([[BOS_ID, 9, 8]]),
        torch.tensor([[9, 8, EOS_ID]]),
    )
    losses = [TranslationLoss(model.eval(), 0.1, r_drop) for r_drop in (0.0, 5.0)]
    torch.testing.assert_close(*(each(src, tgt_in, tgt_out) for each in losses))
    torch.manual_seed(1)
    for part in model.train().modules():
        if hasattr(part, "rate"):
            part.rate = 0.5
    apart = TranslationLoss(model, 0.1, 50.0)(src, tgt_in, tgt_out)
    assert apart > TranslationLoss(model, 0.1)(src, tgt_in, tgt_out) + 0.5


def test_one_batch_can_be_learnt_by_heart(model: Transformer) -> None:
    targets = [[9, 8, 7], [20, 21], [5, 5, 5, 6], [29]]
    src = torch.tensor([[11 + row, 20, 15, EOS_ID] for row in range(4)])
    tgt_in = pad([torch.tensor([BOS_ID, *row]).numpy() for row in targets])
    tgt_out = pad([torch.tensor([*row, EOS_ID]).numpy() for row in targets])
    assert [list(h.ids) for h in greedy(model, src)] != targets
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
    loss_module = TranslationLoss(model.train(), 0.0)
    for _ in range(120):
        optimizer.zero_grad()
        loss = loss_module(src, tgt_in, tgt_out)
        loss.backward()
        optimizer.step()
    assert loss.item() < 0.05
    assert [list(h.ids) for h in greedy(model.eval(), src)] == targets


def trainer(data: Path, out: Path, steps: int) -> Trainer:
    sizes = {"d_model": 16, "d_ff": 32, "n_heads": 2, "n_encoder_layers": 1, "n_decoder_layers": 1}
    config = TransformerConfig(40, 40, dropout=0.0, **sizes)
    settings = TrainingSettings(steps=steps, batch_tokens=300, cooldown=0.0, warmup=2, eval_every=4, seed=3)
    return Trainer(data, out, config, settings, torch.device("cpu"))


@pytest.fixture(scope="module")
def reversal(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("reversal")
    prepare_reversal(folder, n_pairs=200)
    return folder


def test_a_resumed_run_ends_where_an_unbroken_one_does(reversal: Path, tmp_path: Path) -> None:
    trainer(reversal, tmp_path / "whole", 12).run()
    trainer(reversal, tmp_path / "broken", 4).run()
    resumed = trainer(reversal, tmp_path / "broken", 12)
    resumed.resume()
    assert resumed.progress.step == 4
    resumed.run()
    whole, broken = (load_file(tmp_path / name / "state/state-12.safetensors") for name in ("whole", "broken"))
    names = len(resumed.model.state_dict())
    assert len(whole) == 5 * names, "weights, their average, two moments, and step counts"
    assert not torch.equal(whole["model.encoder.norm.weight"], whole["average.encoder.norm.weight"])
    assert [path.name for path in (tmp_path / "whole/history").iterdir()] == ["00000000.safetensors"]
    for name, tensor in whole.items():
        torch.testing.assert_close(broken[name], tensor)


def test_training_leaves_a_checkpoint_and_a_log(reversal: Path, tmp_path: Path) -> None:
    trainer(reversal, tmp_path / "out", 4).run()
    loaded = checkpoint.load(tmp_path / "out")
    assert loaded.src_tokenizer.kind == "characters"
    assert loaded.meta["training"]["steps_done"] == 4
    log = [json.loads(line) for line in (tmp_path / "out/training_log.jsonl").read_text(encoding="utf-8").splitlines()]
    assert log[0]["step"] == 4
    assert "dev_bleu" in log[0]


def test_resuming_without_a_state_or_with_other_sizes_is_refused(reversal: Path, tmp_path: Path) -> None:
    with pytest.raises(CheckpointError, match="no training state to resume"):
        trainer(reversal, tmp_path / "new", 4).resume()
    trainer(reversal, tmp_path / "out", 1).run()
    other = trainer(reversal, tmp_path / "out", 4)
    other.model = Transformer(TransformerConfig(40, 40, 32, 32, 2, 1, 1))
    with pytest.raises(CheckpointError, match="model of other sizes"):
        other.resume()


def test_a_grown_model_repeats_the_layers_of_the_shallow_one(config: TransformerConfig) -> None:
    shallow = Transformer(TransformerConfig(40, 30, 16, 32, 4, 1, 2)).state_dict()
    deep = Transformer(config)
    grow(shallow, deep)
    weights = deep.state_dict()
    for layer, origin in enumerate((0, 1, 0)):
        name = "decoder.layers.{}.cross_attn.q_proj.weight"
        assert torch.equal(weights[name.format(layer)], shallow[name.format(origin)])
    assert torch.equal(weights["encoder.norm.bias"], shallow["encoder.norm.bias"])


def test_the_moving_average_follows_the_weights_and_lends_itself(model: Transformer) -> None:
    average = MovingAverage(model, decay=0.5)
    name = "encoder.norm.weight"
    before = model.state_dict()[name].clone()
    with torch.no_grad():
        model.state_dict()[name].add_(1.0)
    average.update(model, step=100)
    torch.testing.assert_close(average.weights[name], before + 0.5)
    with average.inside(model):
        torch.testing.assert_close(model.state_dict()[name], before + 0.5)
    torch.testing.assert_close(model.state_dict()[name], before + 1)
    average.update(model, step=1)  # early steps count for more: 1 − 2/11
    torch.testing.assert_close(average.weights[name], before + 0.5 + 0.5 * 9 / 11)


pytestmark = reverse


MUST = "The red car is mine.\t红\t车|汽车\nWhere is the street?\t街|路\n"


@pytest.fixture
def prepared(tsv: Path, tmp_path: Path) -> Path:
    folder = tmp_path / "choice"
    folder.mkdir()
    (folder / "short.tsv").write_text("I love you.\t我爱你。\n", encoding="utf-8")
    (folder / "long.tsv").write_text("You love me.\t你爱我。\tnews\nHe left.\t他走了。\tnews\n", encoding="utf-8")
    (folder / "words.tsv").write_text(MUST, encoding="utf-8")
    dev = [folder / "short.tsv", folder / "long.tsv"]
    prepare([tsv], folder / "data", dev, vocabulary=VocabularySettings(400, 10), must=folder / "words.tsv")
    return folder / "data"


def test_every_dev_file_is_scored_by_itself_and_so_are_the_words(prepared: Path) -> None:
    src, tgt = load_tokenizers(prepared, "english")
    choice = DevFiles(prepared, src, tgt)
    assert [(file.name, len(file.rows), file.references[0]) for file in choice.files] == [
        ("short", 1, "我爱你。"),
        ("long", 2, "你爱我。"),
    ]
    assert [token.id for token in src.encode("You love me.")] == choice.files[1].rows[0][:-1].tolist()
    config = TransformerConfig(src.vocab_size, tgt.vocab_size, 16, 32, 2, 1, 1, dropout=0.0)
    scores = choice.scores(Transformer(config))
    assert set(scores) == {"dev_bleu", "long_bleu", "must_percent"}


def test_the_best_are_chosen_by_all_files_and_the_words_together() -> None:
    assert chosen_by({"dev_bleu": 30.0}) == 30.0
    assert chosen_by({"dev_bleu": 30.0, "long_bleu": 10.0, "must_percent": 50.0}) == pytest.approx(50.0)
    better_words = {"dev_bleu": 30.0, "long_bleu": 10.0, "must_percent": 60.0}
    better_bleu = {"dev_bleu": 31.0, "long_bleu": 10.5, "must_percent": 50.0}
    assert chosen_by(better_words) > chosen_by(better_bleu)


def test_words_are_held_in_any_of_their_forms_and_failures_are_named(tmp_path: Path) -> None:
    path = tmp_path / "must.tsv"
    path.write_text(MUST, encoding="utf-8")
    result = must_score(read_must(path), ["红汽车是我的。", "它在哪里？"])
    assert (result.words, result.sentences) == ((2, 3), (1, 2))
    assert result.failures == (("Where is the street?", "它在哪里？", ("街",)),)
    assert result.percent == pytest.approx(200 / 3)


@pytest.mark.parametrize(("text", "complaint"), [("A car.\t \n", "line 1: expected English"), ("", "no sentence")])
def test_a_file_without_words_is_refused(tmp_path: Path, text: str, complaint: str) -> None:
    path = tmp_path / "must.tsv"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(CorpusError, match=complaint):
        read_must(path)
    with pytest.raises(CorpusError, match="cannot read"):
        read_must(tmp_path / "none.tsv")


def test_sources_can_be_left_out_and_vocabularies_grow(tsv: Path, prepared: Path, tmp_path: Path) -> None:
    summary = prepare([tsv], tmp_path / "data", vocabulary=VocabularySettings(keep=prepared, more_src=50))
    assert summary["pairs_by_source"] == {"books": 11}
    before = json.loads((prepared / "prepared.json").read_text(encoding="utf-8"))
    assert np.all(summary["src_vocab_size"] >= before["src_vocab_size"])
    with pytest.raises(CorpusError, match="0 sentence pairs are too few"):
        prepare([tsv], tmp_path / "none", without=["books"])


@pytest.fixture
def pair(tmp_path):
    first, second = tmp_path / "first", tmp_path / "second"
    for folder in (first, second):
        shutil.copytree(resolve("reverse"), folder, ignore=shutil.ignore_patterns("history", "*.npz"))
    weights = load_file(second / "model.safetensors")
    save_file({name: each + 1 for name, each in weights.items()}, second / "model.safetensors")
    return first, second


def test_the_mean_is_of_every_weight_and_says_what_it_is_made_of(pair, tmp_path, capsys) -> None:
    first, second = pair
    assert main(["average", str(first), str(second), "--share", "0.25", "--output", str(tmp_path / "new")]) == 0
    before, mean = (load_file(folder / "model.safetensors") for folder in (first, tmp_path / "new"))
    for name, each in before.items():
        torch.testing.assert_close(mean[name].float(), each.float() + 0.25, atol=5e-3, rtol=2e-3)
    meta = json.loads((tmp_path / "new" / "meta.json").read_text())
    assert meta["averaged"]["share"] == 0.25
    said = "python -m model average first second --share 0.25 --output new"
    assert meta["averaged"]["command"] == said, "no folder of this machine"
    assert meta["sha256"] != json.loads((first / "meta.json").read_text())["sha256"]
    assert "scores" not in meta
    dev = tmp_path / "dev.tsv"
    dev.write_text("abc\tcba\n")
    again = ["average", str(first), str(first), "--dev", str(dev), "--output", str(tmp_path / "same")]
    assert main(again) == 0
    assert "dev BLEU" in capsys.readouterr().out
    keep_score(tmp_path / "same", 12.5)
    assert json.loads((tmp_path / "same" / "meta.json").read_text())["scores"] == {"dev_bleu_greedy": 12.5}
    assert main(["translate", "--checkpoint", str(tmp_path / "new"), "abc"]) == 0


def test_tokens_that_only_the_second_knows_keep_its_weights(pair, tmp_path) -> None:
    first, second = pair
    with_runs(load(second).tgt_tokenizer.subwords).save(str(second / "tgt.json"))
    config = json.loads((second / "config.json").read_text())
    known = config["tgt_vocab_size"]
    grown = Transformer(TransformerConfig.from_dict(config | {"tgt_vocab_size": known + 30, "dropout": 0.3}))
    weights = {name: torch.full_like(each, 3.0, dtype=torch.float16) for name, each in grown.state_dict().items()}
    save_file(weights, second / "model.safetensors")
    (second / "config.json").write_text(json.dumps(grown.config.to_dict()))
    assert main(["average", str(first), str(second), "--share", "0.25", "--output", str(tmp_path / "new")]) == 0
    mean, name = load_file(tmp_path / "new" / "model.safetensors"), "decoder.embedding.tokens.weight"
    assert mean[name].shape[0] == known + 30
    assert (mean[name][known:] == 3).all()
    before = load_file(first / "model.safetensors")[name].float()
    torch.testing.assert_close(mean[name][:known].float(), 0.75 * before + 0.75, atol=5e-3, rtol=2e-3)
    assert main(["average", str(second), str(first), "--output", str(tmp_path / "other")]) == 2, "it knows fewer"


def test_what_does_not_fit_together_is_one_sentence(pair, tmp_path, capsys) -> None:
    first, second = pair
    assert main(["average", str(first), str(second), "--share", "1.5", "--output", str(tmp_path / "new")]) == 2
    config = json.loads((second / "config.json").read_text())
    (second / "config.json").write_text(json.dumps(config | {"n_heads": 2}))
    assert main(["average", str(first), str(second), "--output", str(tmp_path / "new")]) == 2
    (second / "config.json").write_text(json.dumps(config))
    vocabulary = (second / "tgt.json").read_text()
    (second / "tgt.json").write_text(
        vocabulary.replace('"a"', '"!"', 1).replace('"b"', '"a"', 1).replace('"!"', '"b"', 1)
    )
    assert main(["average", str(first), str(second), "--output", str(tmp_path / "new")]) == 2
    said = capsys.readouterr().err.splitlines()
    assert "from 0 to 1" in said[0]
    assert "different settings in config.json" in said[1]
    assert "number their tokens differently" in said[2]
    assert not (tmp_path / "new").exists()
