from __future__ import annotations

import io
import json
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from model.__main__ import COMMANDS, main
from model.errors import (
    MAX_CHARACTERS,
    MAX_SRC_TOKENS,
    CheckpointError,
    EmptySentenceError,
    SentenceTooLongError,
    UnknownCharacterError,
)
from model.evaluation.corpus import evaluate, score
from model.own.text.vocab import BOS_ID, EOS_ID
from model.trace import TracedTranslation
from model.translator import Translator, translate_text
from model.writing import Hypothesis

JSON_KEYS = ["source", "translation", "src_tokens", "tgt_tokens", "log_probs", "finished", "sentences"]


def feed(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO(text))


def test_one_translation_a_line(checkpoint_folder: Path, translator: Translator, capsys) -> None:
    sentences = ["I love you.", "Where is\nthe street?"]
    assert main(["translate", "--checkpoint", str(checkpoint_folder), *sentences]) == 0
    assert capsys.readouterr().out.splitlines() == [translator.translate(text).text for text in sentences]


def test_lines_of_stdin_keep_their_places(
    checkpoint_folder: Path, translator: Translator, capsys, monkeypatch: pytest.MonkeyPatch
) -> None:
    feed(monkeypatch, f"I love you.\n\n{'word ' * 300}\nTom is tired.\r\n")
    assert main(["translate", "--checkpoint", str(checkpoint_folder), "--beam", "2"]) == 2
    out, err = capsys.readouterr()
    first, last = (translator.translate(text, beam=2).text for text in ("I love you.", "Tom is tired."))
    assert out == f"{first}\n\n\n{last}\n"
    assert "line 3: The text has 1,500 characters" in err
    assert "line 2" not in err


def test_json_lines_hold_what_the_help_says(
    checkpoint_folder: Path, translator: Translator, capsys, monkeypatch: pytest.MonkeyPatch
) -> None:
    feed(monkeypatch, "Tom's car.\n\n")
    assert main(["translate", "--json", "--checkpoint", str(checkpoint_folder)]) == 0
    found, blank = map(json.loads, capsys.readouterr().out.splitlines())
    expected = translator.translate("Tom's car.")
    assert list(found) == list(blank) == JSON_KEYS
    assert found["translation"] == expected.text
    assert found["src_tokens"] == [label.text for label in expected.src]
    assert found["tgt_tokens"] == [label.text for label in expected.tgt]
    assert found["log_probs"] == pytest.approx(expected.log_probs, abs=1e-5)
    assert len(found["log_probs"]) == len(found["tgt_tokens"]) + found["finished"]
    assert (blank["translation"], blank["src_tokens"], blank["finished"]) == ("", [], True)


def test_a_text_of_several_sentences_is_translated_one_by_one_or_as_one(
    checkpoint_folder: Path, translator: Translator, capsys, tmp_path: Path
) -> None:
    text, parts = "Tom is tired. I love you.", ["Tom is tired.", "I love you."]
    here = ["--checkpoint", str(checkpoint_folder)]
    assert main(["translate", "--json", *here, text]) == 0
    found = json.loads(capsys.readouterr().out)
    apart = [translator.translate(part) for part in parts]
    assert [part["source"] for part in found["sentences"]] == parts
    assert [part["translation"] for part in found["sentences"]] == [part.text for part in apart]
    assert found["tgt_tokens"] == [label.text for part in apart for label in part.tgt]
    assert main(["translate", "--joint", *here, text]) == 0
    assert capsys.readouterr().out == f"{translator.translate(text).text}\n"
    path = tmp_path / "maps.npz"
    assert main(["trace", text, "--sentence", "2", "--output", str(path), *here]) == 0
    assert "sentence 2 of 2" in capsys.readouterr().err
    with np.load(path) as arrays:
        assert str(arrays["source"]) == "I love you."
    assert main(["trace", text, "--joint", "--output", str(path), *here]) == 0
    with np.load(path) as arrays:
        assert str(arrays["source"]) == text
    assert main(["trace", text, "--sentence", "3", "--output", str(path), *here]) == 2


def test_a_sentence_that_is_too_long_is_named_by_its_number(checkpoint_folder: Path, capsys) -> None:
    text = f"Tom is tired. The {'word ' * 300}."
    assert main(["translate", "--checkpoint", str(checkpoint_folder), text]) == 2
    assert "text 1: Sentence 2: The text has 1,5" in capsys.readouterr().err


def test_evaluate_joins_pairs_and_scores_what_is_kept(checkpoint_folder: Path, tsv: Path, capsys) -> None:
    here = ["--checkpoint", str(checkpoint_folder)]
    assert main(["evaluate", "--tsv", str(tsv), "--join", "4", *here]) == 0
    assert json.loads(capsys.readouterr().out)["sentences"] == 4
    assert main(["evaluate", "--truth", "--limit", "2", "--json", *here]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert facts["numbers"] == {"kept": 0, "of": 5, "percent": 0.0}
    assert facts["numbers_of_long_sentences"] == facts["numbers"]
    assert facts["names"]["of"] == 1
    first, second = (failure["missing"] for failure in facts["failures"])
    assert (sorted(first), sorted(second)) == (["11:05", "9:48", "利兹"], ["2006", "31", "84"])
    assert main(["evaluate", "--truth", "--limit", "2", *here]) == 0
    assert "0 of   5" in capsys.readouterr().out


def test_evaluate_counts_the_words_that_translations_must_have(checkpoint_folder: Path, tmp_path: Path, capsys) -> None:
    path = tmp_path / "must.tsv"
    path.write_text("I love you.\t不会有的词|也不会有\nHello.\t没有的词\n", encoding="utf-8")
    argv = ["evaluate", "--must", str(path), "--checkpoint", str(checkpoint_folder)]
    assert main([*argv, "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert facts["words"] == facts["sentences_with_every_word"] == {"kept": 0, "of": 2, "percent": 0.0}
    assert [failure["missing"] for failure in facts["failures"]] == [["不会有的词"], ["没有的词"]]
    assert main([*argv, "--limit", "1"]) == 0
    assert "words that must stand" in capsys.readouterr().out
    path.write_text("no word\n", encoding="utf-8")
    assert main(argv) == 2
    assert "line 1: expected English" in capsys.readouterr().err


def test_a_cut_translation_gets_a_notice(checkpoint_folder: Path, translator: Translator, capsys) -> None:
    cut = next(
        text for text in ("Tom", "I", "red car", "is tired", "We moved") if not translator.translate(text).finished
    )
    assert main(["translate", "--checkpoint", str(checkpoint_folder), cut]) == 0
    assert "text 1: the translation reached the cap on length" in capsys.readouterr().err


@pytest.mark.parametrize("target", [None, "我爱Tom。"])
def test_trace_writes_plain_arrays(
    checkpoint_folder: Path, translator: Translator, tmp_path: Path, capsys, target: str | None
) -> None:
    path = tmp_path / "maps.with.dots"
    forced = [] if target is None else ["--target", target]
    text = "Tom didn't see it."
    assert main(["trace", text, "--output", str(path), "--checkpoint", str(checkpoint_folder), *forced]) == 0
    expected = translator.translate(text, capture=True) if target is None else translator.trace(text, target)
    assert capsys.readouterr().out == f"{expected.text}\n"
    trace = expected.trace
    assert trace is not None
    with np.load(path, allow_pickle=False) as arrays:
        for kind in ("encoder_self", "decoder_self", "cross"):
            np.testing.assert_allclose(arrays[kind], trace.weights[kind], atol=1e-6)
            assert arrays[kind].dtype == np.float32
        assert arrays["src_tokens"].tolist() == [label.text for label in trace.src]
        assert arrays["tgt_tokens"].tolist()[0] == "<bos>"
        assert arrays["tgt_outputs"].tolist() == [label.text for label in trace.tgt_outputs]
        assert arrays["cross"].shape[2:] == (len(arrays["tgt_tokens"]), len(arrays["src_tokens"]))
        assert str(arrays["translation"]) == expected.text


def test_evaluate_prints_one_object(checkpoint_folder: Path, tsv: Path, capsys) -> None:
    assert main(["evaluate", "--tsv", str(tsv), "--checkpoint", str(checkpoint_folder), "--limit", "3"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert list(result) == ["bleu", "chrf", "exact", "sentences", "unfinished", "seconds", "signature"]
    assert result["sentences"] == 3
    assert "tok:zh" in result["signature"]


def test_evaluate_names_the_lines_it_cannot_translate(checkpoint_folder: Path, tmp_path: Path, capsys) -> None:
    path = tmp_path / "long.tsv"
    path.write_text(f"I love you.\t我爱你。\n{'word ' * 300}\t字\n", encoding="utf-8")
    assert main(["evaluate", "--tsv", str(path), "--checkpoint", str(checkpoint_folder)]) == 0
    out, err = capsys.readouterr()
    assert json.loads(out)["sentences"] == 2
    assert "line 2 counts as untranslated" in err


def test_prepare_and_train_make_a_checkpoint_that_translates(tsv: Path, tmp_path: Path, capsys) -> None:
    data, out = str(tmp_path / "data"), str(tmp_path / "made")
    assert main(["prepare", "--tsv", str(tsv), "--out", data, "--src-vocab", "400", "--tgt-merges", "9"]) == 0
    assert json.loads(capsys.readouterr().out)["train_pairs"] == 11
    sizes = ["--layers", "1", "--heads", "2", "--d-model", "16", "--d-ff", "16", "--device", "cpu"]
    assert main(["train", "--data", data, "--out", out, "--steps", "2", *sizes]) == 0
    assert json.loads(capsys.readouterr().out)["checkpoint"] == out
    assert main(["train", "--data", data, "--out", out, "--steps", "3", "--resume", "--device", "cpu"]) == 0
    assert main(["translate", "--checkpoint", out, "Tom"]) == 0
    said = json.loads((tmp_path / "made" / "meta.json").read_text(encoding="utf-8"))["command"]
    assert said.startswith("python -m model train --data data --out made --steps "), "no folder of this machine"


def test_of_several_hypotheses_the_one_is_taken_that_both_directions_find_best(en_zh: Translator, capsys) -> None:
    sentence = "The boy read the book."
    written, scores = en_zh.translate(sentence), dict[tuple[int, ...], float]()
    for each in en_zh.search(sentence, 3, lambda _: None):
        back = en_zh.read_back(replace(written, tgt_ids=each.ids))
        scores[each.ids] = each.score(0.6) + 0.2 * Hypothesis((), back, finished=True).score(0.6)
    best = en_zh.best_both_ways(sentence, 3)
    assert len(scores) == 3
    assert best.tgt_ids == max(scores, key=lambda ids: scores[ids])
    assert en_zh.both_ways(best) == pytest.approx(max(scores.values()))
    capsys.readouterr()
    assert main(["translate", "--beam", "3", "--read-back", sentence]) == 0
    assert capsys.readouterr().out == f"{best.text}\n"
    assert translate_text(en_zh, sentence, read_back=True).text == en_zh.best_both_ways(sentence, 6).text


def test_to_learn_from_the_hypothesis_is_written_that_is_near_to_the_reference(
    en_zh: Translator, tmp_path: Path, capsys
) -> None:
    sentence = "The boy read the book."
    searched = [en_zh.decode_target(each.ids) for each in en_zh.search(sentence, 6, lambda _: None)]
    best = en_zh.best_both_ways(sentence).text
    far = "天气很好"  # no word of it stands in any hypothesis
    others = [each for each in searched if each != best]
    pairs, out = tmp_path / "pairs.tsv", tmp_path / "near.tsv"
    long = " ".join(["word"] * 600)
    pairs.write_text("".join(f"{line}\n" for line in (f"{sentence}\t{others[0]}", f"{sentence}\t{far}", f"{long}\t天")))
    assert main(["evaluate", "--tsv", str(pairs), "--nearest", str(out)]) == 0
    written = [line.split("\t") for line in out.read_text(encoding="utf-8").splitlines()]
    assert written == [[sentence, others[0], "written_chosen"], [sentence, best, "written_chosen"]]
    printed = capsys.readouterr()
    assert json.loads(printed.out) == {"written": 2}
    assert "line 3 was left out: " in printed.err


def test_a_backward_model_reads_translations_back(tsv: Path, tmp_path: Path, capsys) -> None:
    """p(source | translation) is that of the model that train --backward leaves in a checkpoint's folder."""
    data, out, back = tmp_path / "data", tmp_path / "made", tmp_path / "made" / "backward"
    assert main(["prepare", "--tsv", str(tsv), "--out", str(data), "--src-vocab", "400", "--tgt-merges", "9"]) == 0
    sizes = ["--layers", "1", "--heads", "2", "--d-model", "16", "--d-ff", "16", "--device", "cpu"]
    train = ["train", "--data", str(data), "--steps", "2", *sizes]
    assert main([*train, "--out", str(out)]) == 0
    alone = Translator.from_checkpoint(out, "cpu")
    translation = alone.translate("Tom saw it.")
    assert alone.read_back(translation) == ()
    assert alone.better_both_ways(translation) is None
    assert main(["evaluate", "--checkpoint", str(out), "--tsv", str(tsv), "--beam", "3", "--read-back"]) == 2
    assert main(["translate", "--checkpoint", str(out), "--read-back", "Tom saw it."]) == 2
    assert main(["evaluate", "--checkpoint", str(out), "--tsv", str(tsv), "--nearest", str(tmp_path / "near.tsv")]) == 2
    assert capsys.readouterr().err.count("made has no backward model: nothing can be read back.") == 3
    assert not (tmp_path / "near.tsv").exists()
    assert main([*train, "--out", str(back), "--backward"]) == 0
    assert json.loads((back / "meta.json").read_text(encoding="utf-8"))["scores"]["dev_token_percent"] > 0
    translator = Translator.from_checkpoint(out, "cpu")
    found = translator.read_back(translation)
    ids = alone.encode_source("Tom saw it.")[1]
    model, src_ids = translator.backward, torch.tensor([[*translation.tgt_ids, EOS_ID]])
    assert model is not None
    assert len(found) == ids.shape[1] == len(translation.src) + 1
    for place, value in enumerate(found):  # one token after another, as if it were written
        inputs = torch.cat([torch.tensor([[BOS_ID]]), ids[:, :place]], 1)
        with torch.inference_mode():
            expected = model(src_ids, inputs)[0, -1].log_softmax(-1)[ids[0, place]]
        assert value == pytest.approx(float(expected), abs=1e-5)
    assert main([*train, "--out", str(tmp_path / "more"), "--backward", "--start-from", str(out)]) == 2
    assert "a backward model begins with nothing" in capsys.readouterr().err
    shutil.rmtree(back)
    shutil.copytree(out, back)  # no backward model, but one of the same direction
    with pytest.raises(CheckpointError, match="made/backward is of other vocabularies than made"):
        Translator.from_checkpoint(out, "cpu")
    (back / "model.safetensors").write_bytes(b"no weights")
    with pytest.raises(CheckpointError, match="made/backward cannot be loaded"):
        Translator.from_checkpoint(out, "cpu")


@pytest.mark.parametrize(
    ("argv", "sentence"),
    [
        (["translate", "--checkpoint", "nope", "Hi"], "there is no checkpoint 'nope'; there are: "),
        (["translate", "--checkpoint", "TINY", ""], "text 1: There is nothing to translate"),
        (
            ["trace", "Hi", "--checkpoint", "TINY", "--output", "/no/such/folder/x.npz"],
            "x.npz could not be written (No such",
        ),
        (["trace", " ", "--checkpoint", "TINY", "--output", "x.npz"], "There is nothing to translate"),
        (["evaluate", "--tsv", "none.tsv"], "there is no file none.tsv"),
        (["evaluate", "--truth", "--nearest", "x.tsv"], "--nearest goes with --tsv: what is it to be near to?"),
        (["prepare", "--tsv", "none.tsv", "--out", "x"], "there is no file none.tsv"),
        (["train", "--data", "none", "--out", "x"], "none was not written by prepare"),
    ],
)
def test_errors_are_one_sentence_on_stderr(checkpoint_folder: Path, capsys, argv: list[str], sentence: str) -> None:
    argv = [str(checkpoint_folder) if word == "TINY" else word for word in argv]
    assert main(argv) == 2
    out, err = capsys.readouterr()
    assert out.strip() == ""
    assert err.startswith(f"python -m model {argv[0]}: ")
    assert sentence in err
    assert err.count("\n") == 1


@pytest.mark.parametrize(
    "argv", [[], ["sing"], ["translate", "--beam", "0"], ["trace", "Hi"], ["evaluate", "--limit", "x"]]
)
def test_usage_errors_are_one_sentence_too(capsys, argv: list[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        main(argv)
    assert caught.value.code == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_help_is_quick_because_it_loads_no_pytorch() -> None:
    code = "import sys; from model.__main__ import main\n"
    code += "try: main(sys.argv[1:])\nfinally: assert 'torch' not in sys.modules"
    for argv in (["--help"], ["translate", "--help"], ["trace", "--help"], ["evaluate", "--help"]):
        done = subprocess.run([sys.executable, "-c", code, *argv], capture_output=True, text=True, check=True)
        assert "python -m model" in done.stdout
    assert set(COMMANDS) >= {"translate", "trace", "evaluate", "prepare", "train"}


def test_evaluate_translates_as_translate_does(translator: Translator, pairs: list[tuple[str, str]]) -> None:
    result = evaluate(translator, pairs)
    assert list(result.translations) == [translate_text(translator, english).text for english, _ in pairs]
    assert result.refused == {}
    assert result.scores == score(result.translations, [chinese for _, chinese in pairs])
    beam = evaluate(translator, pairs[:2], beam=3)
    assert list(beam.translations) == [translator.translate(english, beam=3).text for english, _ in pairs[:2]]


def test_evaluate_counts_refused_sentences_as_untranslated(translator: Translator) -> None:
    result = evaluate(translator, [("I love you.", "我爱你。"), ("word " * 250, "字"), (" ", "空")])
    assert result.translations[1:] == ("", "")
    assert result.translations[0] == translator.translate("I love you.").text
    assert list(result.refused) == [2, 3]
    assert "limit is 1,000" in result.refused[2]


def test_scores_are_whole_only_for_the_reference_itself() -> None:
    assert score(["我爱你。你爱我。"], ["我爱你。你爱我。"]).bleu == pytest.approx(100)
    assert score(["我爱你。你爱我。"], ["动物累了，很累。"]).bleu < 20
    assert "tok:zh" in score(["我"], ["我"]).signature
    assert score(["cba54321"], ["cba54321"], by_letter=True).bleu == pytest.approx(100)


def test_blank_and_endless_texts_are_refused_in_a_sentence(translator: Translator) -> None:
    for text in ("", "  \n\t"):
        with pytest.raises(EmptySentenceError, match="nothing to translate"):
            translator.translate(text)
    with pytest.raises(SentenceTooLongError, match="1,005 characters; the limit is 1,000"):
        translator.translate("word " * 201)
    with pytest.raises(SentenceTooLongError, match=f"tokens; the limit is {MAX_SRC_TOKENS}"):
        translator.translate("x " * (MAX_CHARACTERS // 2))
    with pytest.raises(EmptySentenceError, match="to force is empty"):
        translator.trace("I love you.", "")
    with pytest.raises(SentenceTooLongError, match="to force has more than"):
        translator.trace("I love you.", "我" * 600)


def test_capture_changes_no_translation(translator: Translator) -> None:
    plain = translator.translate("Tom didn't see the red car.")
    traced = translator.translate("Tom didn't see the red car.", capture=True)
    assert not isinstance(plain, TracedTranslation)
    assert (plain.text, plain.tgt, plain.tgt_ids) == (traced.text, traced.tgt, traced.tgt_ids)
    assert plain.log_probs == pytest.approx(traced.log_probs, abs=1e-4)


def test_labels_point_into_both_texts(translator: Translator) -> None:
    found = translator.translate("  Tom didn't\nsee the car.")
    for text, labels in ((found.source, found.src), (found.text, found.tgt)):
        assert labels
        for label in labels:
            shown = label.text.removeprefix("##")
            assert shown == "␣" or text[label.start : label.end].strip() == shown


def test_a_forced_translation_is_as_probable_as_the_found_one(en_zh: Translator) -> None:
    found = en_zh.translate("I love you.")
    forced = en_zh.trace("I love you.", found.text)
    assert (forced.text, forced.tgt_ids) == (found.text, found.tgt_ids)
    assert len(forced.log_probs) == len(forced.tgt) + 1
    assert forced.log_probs == pytest.approx(found.log_probs, abs=1e-4)
    other = en_zh.trace("Tom is tired.", found.text)
    assert sum(other.log_probs) < sum(found.log_probs) - 1


def test_a_letter_by_letter_checkpoint_reads_only_what_it_knows() -> None:
    reverse = Translator.from_checkpoint("reverse", device="cpu")
    found = reverse.translate("HeadLight")
    assert found.text == "thgildaeh"
    assert [label.text for label in found.src] == list("HeadLight")
    for text, unknown in (("head light", "' '"), ("naïve", "'ï'"), ("İb", "'İ'")):
        with pytest.raises(UnknownCharacterError, match=f"reverse does not know the character {unknown}"):
            reverse.translate(text)
    with pytest.raises(SentenceTooLongError, match="25 tokens; the limit is 24") as caught:
        reverse.translate("a" * 25)
    assert caught.value.tokens == 24


def test_half_a_surrogate_pair_is_translated_like_any_character(translator: Translator) -> None:
    assert translator.translate("a \ud800 b").src[1].start == 2
