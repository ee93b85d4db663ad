"""Tiny, seeded, untrained models; a checkpoint folder made of them; a small corpus; the translator that is shipped."""

from __future__ import annotations

import os
from collections import Counter
from pathlib import Path

import pytest
import torch
from filelock import FileLock

from model.own import checkpoint
from model.own.network.config import TransformerConfig
from model.own.network.transformer import Transformer
from model.trace import AttentionTrace, TracedTranslation
from model.training.corpus import learn_characters, learn_english
from model.translator import Translator

pytest.register_assert_rewrite("tests.pages")
torch.set_num_threads(1)  # the models are tiny, and the machine may be busy

LONG_BEFORE = ("tests/browser/test_axe.py", "tests/browser/learn/test_lessons_by_keyboard.py")  # set-ups of minutes


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Files whose few tests wait for minutes come first, then those of many: no worker is left alone at the end."""
    many = Counter(item.path for item in items)
    items.sort(key=lambda item: (not item.nodeid.startswith(LONG_BEFORE), -many[item.path], str(item.path)))


PAIRS = [
    ("I love you.", "我爱你。"),
    ("You love me.", "你爱我。"),
    ("Tom didn't see the red car in Boston.", "汤姆在Boston没看见红车。"),
    ("The animal is tired.", "动物累了。"),
    ("The street was too long for Tom.", "街对汤姆太长了。"),
    ("Can you see it? It is red.", "你看得见吗？它是红的。"),
    ("We moved to New York yesterday.", "我们昨天搬到了New York。"),
    ("She is as tired as Tom is.", "她和汤姆一样累。"),
    ("It's 5 o'clock now.", "现在5点。"),
    ("My name is Mary, not Tom.", "我叫Mary，不叫Tom。"),
    ("Where is the street?", "街在哪里？"),
    ("The red car is mine.", "红车是我的。"),
]


@pytest.fixture
def config() -> TransformerConfig:
    return TransformerConfig(
        40, 30, d_model=16, d_ff=32, n_heads=4, n_encoder_layers=2, n_decoder_layers=3, dropout=0.0, max_len=64
    )


@pytest.fixture
def model(config: TransformerConfig) -> Transformer:
    torch.manual_seed(0)
    return Transformer(config).eval()


@pytest.fixture
def small_model() -> Transformer:
    """One whose norms and biases are not their neutral selves."""
    torch.manual_seed(3)
    sizes = {"d_model": 16, "d_ff": 32, "n_heads": 4, "n_encoder_layers": 2, "n_decoder_layers": 3}
    model = Transformer(TransformerConfig(20, 23, **sizes)).eval()
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            if "norm" in name or name.endswith("bias"):
                parameter.add_(0.3 * torch.randn_like(parameter))
    return model


@pytest.fixture(scope="session")
def pairs() -> list[tuple[str, str]]:
    return PAIRS


@pytest.fixture(scope="session")
def checkpoint_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An untrained English-Chinese checkpoint: its translations are nonsense, its format is real."""
    torch.manual_seed(3)
    tokenizers = learn_english([en for en, _ in PAIRS], 400), learn_characters([zh for _, zh in PAIRS], 20, 1)
    sizes = {"d_model": 32, "d_ff": 48, "n_heads": 4, "n_encoder_layers": 2, "n_decoder_layers": 2}
    model = Transformer(TransformerConfig(tokenizers[0].vocab_size, tokenizers[1].vocab_size, **sizes))
    folder = tmp_path_factory.mktemp("checkpoints") / "tiny"
    checkpoint.save(folder, model, tokenizers, {"note": "for tests"})
    return folder


@pytest.fixture(scope="session")
def translator(checkpoint_folder: Path) -> Translator:
    return Translator.from_checkpoint(checkpoint_folder, device="cpu")


@pytest.fixture(scope="session")
def en_zh() -> Translator:
    """The translator that is shipped."""
    return Translator.from_checkpoint("en-zh", "cpu")


@pytest.fixture(scope="session")
def compact_graphs(en_zh: Translator, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Its graphs with rounded weights, made by the first process that asks, which takes half a minute."""
    from model.onnx.export import export

    together = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        together = together.parent
    with FileLock(together / "compact.lock"):
        if not (made := together / "compact").is_dir():
            export(en_zh, together / "compact_begun", "compact")
            (together / "compact_begun").rename(made)
    return made


@pytest.fixture(scope="session")
def translation(en_zh: Translator) -> TracedTranslation:
    """What it makes of the sentence that tests of the pages use, with its trace."""
    from tests.pages import SENTENCE

    return en_zh.translate(SENTENCE, capture=True)


@pytest.fixture(scope="session")
def trace(translation: TracedTranslation) -> AttentionTrace:
    """Its maps."""
    return translation.trace


@pytest.fixture
def tsv(tmp_path: Path, pairs: list[tuple[str, str]]) -> Path:
    path = tmp_path / "pairs.tsv"
    path.write_text("".join(f"{en}\t{zh}\tbooks\n" for en, zh in pairs), encoding="utf-8")
    return path
