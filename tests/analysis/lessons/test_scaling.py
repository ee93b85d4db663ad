"""What a hook on the weights is given is the gradient: checked by changing one weight a little."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch

from model.__main__ import main
from model.analysis.lessons.gains import AnswersError, LessonAnswer, gain, gains, read_answers
from model.analysis.lessons.hooks import caught, hook_on, shown_code
from model.analysis.lessons.scaling import growth, jacobian, jacobian_norm, saturation, softmax
from model.attribution.per_head import gradient_maps
from model.errors import HeadlightError
from model.own.capture import hook_name
from model.translator import Translator
from tests.pages import reverse

pytestmark = reverse


@pytest.fixture(scope="module")
def grown():
    return growth(sizes=(1, 4, 64, 256), samples=2000)


def test_variance_of_dot_products_is_d_k_and_division_makes_it_one(grown):
    plain, divided = grown.variance
    np.testing.assert_allclose(plain, grown.sizes, rtol=0.06)
    np.testing.assert_allclose(divided, 1, rtol=0.06)
    np.testing.assert_allclose(plain / divided, grown.sizes, rtol=1e-9)  # the same draws, divided


def test_without_the_division_one_key_takes_all_and_the_gradient_vanishes(grown):
    plain, divided = grown.largest
    assert (np.diff(plain) > 0).all()
    assert plain[-1] > 0.9
    assert divided.max() < 0.6
    plain, divided = grown.gradient
    assert (np.diff(plain[1:]) < 0).all()
    assert plain[0] == divided[0], "√1 divides nothing"
    assert plain[-1] < 0.2 * divided[-1], "the median row"


def test_the_gradient_is_that_of_q_dot_k_through_the_division():
    """Worked by differences: how the weights of the median row move with each dot product, not with each score."""
    rng = np.random.default_rng(5)
    query, key = rng.standard_normal((1, 1, 16), np.float32), rng.standard_normal((1, 3, 16), np.float32)
    dots = (key @ query.transpose(0, 2, 1))[0, :, 0].astype(np.float64)
    step = 1e-6
    for number, divisor in enumerate((1.0, 4.0)):
        ends = [softmax((dots + sign * step * np.eye(3)) / divisor) for sign in (1, -1)]
        slopes = (ends[0] - ends[1]) / (2 * step)
        found = growth((16,), samples=1, keys=3, seed=5).gradient[number][0]
        assert found == pytest.approx(np.sqrt((slopes**2).sum()), rel=1e-5)


def test_most_rows_are_saturated_and_a_few_have_the_gradient_only_without_the_division(grown):
    """Row by row, from the same draws."""
    rng = np.random.default_rng(0)
    for size in (1, 4, 64, 256):
        query, key = (rng.standard_normal((2000, many, size), np.float32) for many in (1, 10))
    dots = [key[row].astype(float) @ query[row, 0].astype(float) for row in range(2000)]
    for place, divisor in enumerate((1.0, 16.0)):
        sure, slopes = 0, []
        for row in dots:
            powers = np.exp(row / divisor - max(row / divisor))
            weights = powers / powers.sum()
            sure += weights.max() > 0.99
            slopes.append(np.linalg.norm(np.diag(weights) - np.outer(weights, weights)))
        steepest = sorted(slopes)[-400:]
        assert grown.saturated[place][-1] == pytest.approx(sure / 2000, abs=1e-3)
        assert grown.steep[place][-1] == pytest.approx(sum(steepest) / sum(slopes), abs=1e-3)
    assert grown.saturated[0][-1] > 0.5 > grown.saturated[1][-1]
    assert grown.steep[0][-1] > 0.5 > grown.steep[1][-1]


def test_same_seed_same_numbers():
    one, same, other = (growth((8,), 50, seed=seed).variance[0] for seed in (1, 1, 2))
    assert one == same
    assert one != other


def test_softmax_of_a_a_2a_is_the_closed_form():
    a = np.array([0.0, 1.0, np.log(2), 5.0, 800.0])
    found = saturation(a, 16)
    with np.errstate(over="ignore", under="ignore"):
        np.testing.assert_allclose(found.weights[0][:, 2], 1 / (1 + 2 * np.exp(-a)), atol=1e-15)
        np.testing.assert_allclose(found.weights[1][:, 2], 1 / (1 + 2 * np.exp(-a / 4)), atol=1e-15)
    np.testing.assert_allclose(found.weights[0][2], [0.25, 0.25, 0.5])  # worked by hand: 2, 2, 4 of 8
    assert found.weights[0][3, 2] > 0.98 > found.weights[1][3, 2]


def test_gradient_by_hand_at_both_ends_and_between():
    ends = jacobian_norm(np.array([[1 / 3, 1 / 3, 1 / 3], [0, 0, 1], [0.25, 0.25, 0.5]]))
    np.testing.assert_allclose(ends[:2], [np.sqrt(2) / 3, 0], atol=1e-15)
    # p(1 − p): 3/16, 3/16, 1/4; pairs −1/16, −1/8, −1/8, each twice; squares sum to 56/256
    assert ends[2] == pytest.approx(np.sqrt(18 / 256 + 16 / 256 + 2 * (1 + 4 + 4) / 256))


def test_jacobian_is_the_slope_of_softmax():
    scores = np.array([0.3, -1.0, 2.0, 0.1])
    steps = np.eye(4) * 1e-6
    slopes = np.stack([(softmax(scores + step) - softmax(scores - step)) / 2e-6 for step in steps], axis=1)
    np.testing.assert_allclose(jacobian(softmax(scores)), slopes, atol=1e-9)
    np.testing.assert_allclose(jacobian(softmax(scores)).sum(axis=0), 0, atol=1e-15)


def test_gradient_vanishes_as_a_grows_only_later_with_the_division():
    found = saturation(np.array([0.0, 6.0, 30.0]), 64)
    assert found.gradient[0][0] == pytest.approx(np.sqrt(2) / 3)
    assert found.gradient[0][2] < 1e-10
    assert found.gradient[1][2] > 1e-3
    assert found.gradient[1][0] == pytest.approx(np.sqrt(2) / 3 / 8), "with equal scores the division only costs"
    with pytest.raises(ValueError, match="at least 1"):
        saturation(np.zeros(1), 0)


STEP, PLACES = 2, (("cross", 1, 0, 1, 3), ("decoder_self", 0, 2, 2, 1), ("encoder_self", 1, 1, 4, 0))


@pytest.fixture(scope="module")
def translator() -> Translator:
    return Translator.from_checkpoint("reverse", device="cpu")


@pytest.fixture(scope="module")
def written(translator: Translator):
    return translator.translate("lights", capture=True)


def log_p(translator: Translator, written, place: tuple, by: float) -> float:
    """The log-probability of STEP's token with one weight larger by so much, in double precision."""
    kind, layer, head, row, key = place
    ids = translator.ids(written.source, written.tgt_ids, written.finished)

    def moved(_module, _args, output: torch.Tensor) -> torch.Tensor:
        changed = output.clone()
        changed[0, head, row, key] += by
        return changed

    handle = translator.model.get_submodule(hook_name(kind, layer, "weights_hook")).register_forward_hook(moved)
    try:
        with torch.inference_mode():
            return float(translator.model(ids.src, ids.inputs)[0, STEP].double().log_softmax(-1)[ids.written[STEP]])
    finally:
        handle.remove()


@pytest.mark.parametrize("place", PLACES)
def test_the_gradient_is_what_a_small_change_of_the_weight_does(translator, written, place: tuple) -> None:
    kind, layer, *at = place
    found = caught(translator, written, kind, layer, STEP)
    slope = (log_p(translator, written, place, 5e-3) - log_p(translator, written, place, -5e-3)) / 1e-2
    assert float(found.gradients[tuple(at)]) == pytest.approx(slope, abs=2e-3)
    np.testing.assert_allclose(found.weights.sum(-1), 1.0, atol=1e-5)
    assert found.calls == 1


def test_a_key_of_the_future_has_a_gradient_that_no_picture_shows(translator, written) -> None:
    found = caught(translator, written, "decoder_self", 1, STEP)
    future = torch.ones(found.weights.shape[1:]).triu(1).bool()
    assert found.gradients[:, future].abs().max() > 0, "the hook is given one"
    assert not found.where_seen()[:, future].any()
    assert torch.equal(found.where_seen()[:, ~future], found.gradients[:, ~future])


def test_maps_of_gradients_are_what_the_hook_caught_where_a_key_may_be_seen(translator, written) -> None:
    found = caught(translator, written, "decoder_self", 1, STEP).gradients.numpy()
    map_ = gradient_maps(translator, written, STEP)["decoder_self"][1]
    later = np.triu(np.ones(found.shape[-2:], bool), 1)
    np.testing.assert_allclose(found[..., ~later], map_[..., ~later], atol=1e-6)
    assert (map_[..., later] == 0).all()
    assert (found[:, STEP + 1 :] == 0).all(), "rows after the step come too late"


def test_there_is_no_gradient_of_a_step_that_is_not_there(translator, written) -> None:
    with pytest.raises(IndexError):
        caught(translator, written, "cross", 0, 99)
    with pytest.raises(HeadlightError):
        caught(translator, translator.translate("ö"), "cross", 0, 0)


def test_the_code_that_is_shown_is_the_code_that_runs() -> None:
    given: dict[str, list[torch.Tensor]] = {"weights": [], "gradients": []}
    space = {"Tensor": torch.Tensor}
    exec(f"from __future__ import annotations\n{shown_code()}", space)
    for hang in (hook_on, space["hook_on"]):
        weights = torch.tensor([0.25, 0.75], requires_grad=True)
        hang(weights * 1, given)  # of a tensor in the graph, which is dropped: its hook is never called
        hang(weights, given)
        (weights * torch.tensor([2.0, 3.0])).sum().backward()
        assert torch.equal(given["gradients"].pop(), torch.tensor([2.0, 3.0]))
        assert given["gradients"] == []


HEAD = '"question","answer","time","first","item","form","right","learner","half"\n'


def answers(lesson: str, before: list[float], after: list[float], form: str = "after") -> list[LessonAnswer]:
    """Ten answers a learner and form, of which these shares are right."""
    return [
        LessonAnswer(lesson, name, f"learner {who}", place < round(10 * share))
        for name, shares in (("before", before), (form, after))
        for who, share in enumerate(shares)
        for place in range(10)
    ]


def test_a_gain_is_the_share_of_what_could_be_gained() -> None:
    found = gain(answers("4", [0.2, 0.6], [0.6, 0.8]), "4", "after")
    assert found is not None
    assert (found.learners, found.pre, found.post) == (2, 0.4, 0.7)
    assert found.gain == pytest.approx(0.3 / 0.6)
    assert found.low == pytest.approx(0.5)  # both learners gained half of what each could
    assert found.high == pytest.approx(0.5)


def test_the_interval_narrows_with_learners_and_not_with_their_answers() -> None:
    rng = np.random.default_rng(1)

    def width(learners: int, repeated: int = 1) -> float:
        shares = rng.choice([0.2, 0.5, 0.9], (2, learners))
        found = gain(answers("1", list(shares[0] / 2), list(shares[1])) * repeated, "1", "after")
        assert found is not None
        assert found.low <= found.gain <= found.high
        return found.high - found.low

    few = gain(answers("1", [0.1, 0.5], [0.9, 0.3]), "1", "after")
    many = gain(answers("1", [0.1, 0.5], [0.9, 0.3]) * 5, "1", "after")
    assert few is not None
    assert many is not None
    assert (many.low, many.high) == (pytest.approx(few.low), pytest.approx(few.high))
    assert width(80) < width(8)


def test_only_what_was_asked_twice_is_reported_and_a_perfect_beginning_gains_nothing() -> None:
    every = answers("10", [0.5], [0.7], "week") + answers("2", [1.0], [1.0])
    every += [LessonAnswer("3", "before", "x", True)]
    found = gains(every)
    assert [(each.lesson, each.form) for each in found] == [("2", "after"), ("10", "week")]
    assert np.isnan(found[0].gain)


def test_the_report_reads_what_the_app_saves(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = [
        f'"q","a","t","a","4.cells","{form}","{right}","k{i}",""\n'
        for form in ("before", "after")
        for i, right in enumerate((0, form == "after"))
    ]
    table = tmp_path / "a.csv"
    table.write_text(
        HEAD + '"of a scene","a","t","a","","","","",""\n' + "".join(rows).replace("True", "1").replace("False", "0"),
        encoding="utf-8-sig",
    )
    assert main(["lessons", "report", str(table)]) == 0
    said = capsys.readouterr().out.splitlines()[1].split()
    assert said[:6] == ["4", "after", "2", "0.00", "0.50", "0.50"]


@pytest.mark.parametrize("cells", ["", "later,1,k", "after,yes,k", "after,1,"])
def test_what_is_no_table_is_one_sentence(cells: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    table = tmp_path / "a.csv"
    table.write_text(HEAD + f"q,a,t,a,4.cells,{cells},\n" if cells else "a,b\n", encoding="utf-8")
    with pytest.raises(AnswersError):
        read_answers(table)
    assert main(["lessons", "report", str(table)]) == 2
    assert len(capsys.readouterr().err.splitlines()) == 1
