from __future__ import annotations

import json
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file

from model.errors import CheckpointError
from model.own import checkpoint
from model.own.decoding.search import greedy
from model.own.network.config import TransformerConfig
from model.own.network.transformer import Transformer
from model.own.text.tokenize import pad
from model.own.text.vocab import BOS_ID, EOS_ID, PAD_ID
from model.training.loop import MovingAverage, Trainer, TrainingSettings, grow, noam, trapezoid
from model.training.loss import ProjectedCrossEntropy, TranslationLoss
from model.training.prepare import prepare_reversal


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
