"""The figures of docs/results.md in words, in both languages, from a checkpoint's tables."""

from __future__ import annotations

import json
import re
import textwrap
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from model.analysis.alignment.known_pairs import ALIGNMENT
from model.analysis.faithfulness.table import FAITHFULNESS, LOWER_IS_BETTER, RANDOM, rows_of
from model.attribution.methods import METHODS
from model.errors import HeadlightError
from model.folders import CONFIG, META

COLUMNS = (  # a measure, and how words were deleted
    ("comprehensiveness", "mask"),
    ("comprehensiveness", "average"),
    ("sufficiency", "mask"),
    ("sufficiency", "average"),
    ("rank_correlation", "mask"),
    ("token_cost", "mask"),
    ("token_rank_correlation", "mask"),
)
ROW_TITLES = {
    "votes": ("votes", "投票"),
    "frozen": ("gradient × input, attention and norms held", "梯度 × 输入（固定注意力和归一化）"),
    "alti": ("ALTI+", "ALTI+"),
    "chefer": ("relevancy (Chefer et al.)", "相关性（Chefer 等）"),
    "flow": ("flow by norms", "按范数的流"),
    "norms": ("norms", "范数"),
    "weights": ("weights", "权重"),
    "gradient_weight": ("gradient × weight", "梯度 × 权重"),
    "gradient": ("gradient", "梯度"),
    "rollout": ("rollout", "逐层累乘"),
    "input_gradient": ("input × gradient", "输入 × 梯度"),
    "leave_one_out": ("leave-one-out (the yardstick)", "逐词删除（标尺）"),
    "cross_zeroing": ("value zeroing, all cross layers (its kin)", "值置零，全部交叉层（与标尺同类）"),
    "value_zeroing": ("value zeroing by layer (its kin)", "逐层值置零（与标尺同类）"),
    RANDOM: ("random words", "随机的词"),
}
HEADS = {
    "en": "| what is drawn | comprehensiveness ↑ masked | ↑ averaged | sufficiency ↓ masked | ↓ averaged"
    " | rank correlation with leaving words out ↑ | cost of a token's top word ↑"
    " | rank correlation token by token ↑ |",
    "zh": "| 画的是什么 | comprehensiveness ↑ 掩码 | ↑ 平均 | sufficiency ↓ 掩码 | ↓ 平均"
    " | 与逐词删除的等级相关 ↑ | 每个词元首选词的代价 ↑"
    " | 逐个词元的等级相关 ↑ |",
}


@dataclass(frozen=True)
class Tables:
    """What a checkpoint's folder says: meta.json, config.json, alignment.json and faithfulness.json."""

    meta: dict[str, Any]
    config: dict[str, Any]
    alignment: dict[str, Any]
    faithfulness: dict[str, Any]

    @classmethod
    def of(cls, folder: Path) -> Tables:
        """Read them.

        Raises:
            HeadlightError: one is missing, or other weights made it.
        """
        files = (META, CONFIG, ALIGNMENT, FAITHFULNESS)
        try:
            values = [json.loads((folder / name).read_text(encoding="utf-8")) for name in files]
        except (OSError, ValueError) as error:
            raise HeadlightError(f"the figures need {', '.join(files)} in {folder.name}: {error}") from None
        meta = values[0]
        for name, table in zip(files[2:], values[2:], strict=True):
            if table.get("sha256") != meta["sha256"]:
                raise HeadlightError(f"{name} in {folder.name} was made by other weights")
        return cls(*values)


def pairs(tables: Tables, language: str) -> str:
    """Number of training pairs."""
    return f"{tables.meta['data']['train_pairs']:,}"


def sizes(tables: Tables, language: str) -> str:
    """Layers, heads and widths."""
    c = tables.config
    if language == "zh":
        layers = f"{c['n_encoder_layers']} + {c['n_decoder_layers']} 层"
        return f"{layers}，{c['n_heads']} 个头，d_model {c['d_model']}，d_ff {c['d_ff']}"
    layers = f"{c['n_encoder_layers']} + {c['n_decoder_layers']} layers"
    return f"{layers}, {c['n_heads']} heads, d_model {c['d_model']}, d_ff {c['d_ff']}"


def scores(tables: Tables, language: str) -> str:
    """BLEU and chrF, greedy and with a beam of 4."""
    s = tables.meta["scores"]
    greedy, beam = ((f"{s[f'test_bleu_{how}']:.1f}", f"{s[f'test_chrf_{how}']:.1f}") for how in ("greedy", "beam4"))
    if language == "zh":
        return (
            f"Tatoeba Challenge 测试集（2021-08-07）的 {s['test_pairs']} 对：贪心 BLEU {greedy[0]}、chrF {greedy[1]}；"
            f"束宽 4 时 BLEU {beam[0]}、chrF {beam[1]}"
        )
    return (
        f"on {s['test_pairs']:,} pairs of the Tatoeba Challenge's test set (2021-08-07): greedy BLEU {greedy[0]}, "
        f"chrF {greedy[1]}; beam 4 BLEU {beam[0]}, chrF {beam[1]}"
    )


def kept(tables: Tables, language: str) -> str:
    """Numbers and names that are kept, and loops."""
    s = tables.meta["scores"]
    values = {
        "loops": s["test_unfinished"],
        "of": s["test_pairs"],
        "texts": s["joined_texts"],
        "joined": s["joined_unfinished"],
        "whole": f"{s['sentences_with_every_number_percent']:.0f}",
        "numbers": f"{s['numbers_kept_percent']:.0f}",
        "long": f"{s['numbers_kept_in_long_sentences_percent']:.0f}",
        "names": f"{s['names_right_percent']:.0f}",
    }
    if language == "zh":
        return (
            "在自带的 200 个含数字和名字的句子里，{numbers} % 的数字原样保留（15 个词以上的句子里 {long} %；"
            "{whole} % 的句子保留了全部数字），"
            "{names} % 的名字译对；{of} 个测试句中有 {loops} 个、{texts} 段两句话的短文中有 {joined} 段陷入循环。"
        ).format(**values)
    return _wrapped(
        "In the 200 sentences with numbers and names that come with the program {numbers} % of the numbers stand "
        "exactly ({long} % in those of 15 words and more; {whole} % of the sentences keep all of theirs), and "
        "{names} % of the names are right. Of {of:,} test sentences {loops} run into a loop, of {texts} texts of two "
        "sentences {joined}.".format(**values)
    )


def joined(tables: Tables, language: str) -> str:
    """BLEU of texts of two sentences, sentence by sentence and as one."""
    s = tables.meta["scores"]
    apart, one = f"{s['joined_bleu']:.1f}", f"{s['joined_as_one_bleu']:.1f}"
    if language == "zh":
        return f"由两个测试句拼成的 {s['joined_texts']} 段短文，逐句翻译 BLEU {apart}，当作一句翻译 {one}"
    return f"{s['joined_texts']} texts of two test sentences get BLEU {apart} sentence by sentence and {one} as one"


def faithfulness(tables: Tables, language: str) -> str:
    """The table of faithfulness, the best of each column in bold."""
    lines = [HEADS[language], "|---" + "|--:" * len(COLUMNS) + "|"]
    for row, titles in ROW_TITLES.items():
        cells = [_cell(tables.faithfulness, row, *column) for column in COLUMNS]
        lines.append(f"| {titles[language == 'zh']} | {' | '.join(cells)} |")
    return "\n".join(lines)


def _cell(table: dict[str, Any], row: str, measure: str, way: str) -> str:
    """A mean; bold where it is the best of those that take nothing away themselves, or within its standard error."""
    rows = rows_of(table, way=way)
    plain = [name for name in ROW_TITLES if name in METHODS and not METHODS[name].perturbs]
    method = [mean for name in plain if (mean := rows[name][measure]["mean"]) is not None]
    best = min(method) if measure in LOWER_IS_BETTER else max(method)
    value = rows[row][measure]["mean"]
    if value is None:
        return "–"
    error = max(rows[name][measure]["se"] or 0.0 for name in plain if rows[name][measure]["mean"] == best)
    return f"**{value:z.2f}**" if abs(value - best) <= error and row in plain else f"{value:z.2f}"


def faithfulness_pairs(tables: Tables, language: str) -> str:
    """How many pairs the table of faithfulness is over."""
    return f"{tables.faithfulness['sentences']:,}"


def errors(tables: Tables, language: str) -> str:
    """The largest standard error in the table of faithfulness, rounded up."""
    table = tables.faithfulness
    found = [rows_of(table, way=way)[row][name]["se"] for row in ROW_TITLES for name, way in COLUMNS]
    return f"{-(-max(value for value in found if value is not None) // 0.01) / 100:.2f}"


def alignment(tables: Tables, language: str) -> str:
    """Error rates on the news sentences and on the everyday pairs, with the held-out ones."""
    news, truth = tables.alignment["news"], tables.alignment
    if language == "zh":
        return (
            f"在 {news['sentences']} 个人工对齐的新闻句子（刘洋和孙茂松的样本）上，{_rates_zh(news)}"
            "（`python -m model align --tsv FILE`）。"
            f"在程序自带的 {truth['sentences']} 个日常句对上，{_rates_zh(truth)}（`python -m model align --truth`）。"
        )
    return _wrapped(
        f"On {news['sentences']} news sentences linked by people (Liu and Sun's sample) {_rates_en(news)} "
        f"(`python -m model align --tsv FILE`). On the {truth['sentences']} everyday pairs that come with the program "
        f"{_rates_en(truth)} (`python -m model align --truth`)."
    )


def _rates_en(facts: dict[str, Any]) -> str:
    return (
        "the best setting, {setting}, has an alignment error rate of {best:.1f} %; chosen on one half and scored "
        "on the other, {fair:.1f} % (95 % interval of the sample {low:.1f} to {high:.1f}). One head alone gets down to "
        "{one:.1f} %, with {one_head}; by plain weights, each word linked one way, the best has {head:.1f} % "
        "(chosen so, {fair_head:.1f} %); a guess along the diagonal {diagonal:.1f} %"
    ).format(**_rates(facts), setting=_setting(facts["best"], "en"), one_head=_setting(facts["one_head"], "en"))


def _rates_zh(facts: dict[str, Any]) -> str:
    return (
        "最好的设置（{setting}）的对齐错误率是 {best:.1f} %；在一半句对上选出、在另一半上打分则是 {fair:.1f} %"
        "（95 % 区间 {low:.1f} 到 {high:.1f}）；单独一个头最好是 {one:.1f} %（{one_head}），"
        "只看权重、单向连线时最好的头是 {head:.1f} %（这样选则 {fair_head:.1f} %）；沿对角线猜是 {diagonal:.1f} %"
    ).format(**_rates(facts), setting=_setting(facts["best"], "zh"), one_head=_setting(facts["one_head"], "zh"))


def _rates(facts: dict[str, Any]) -> dict[str, float]:
    fair = facts["held_out"]["best"]
    return {
        "best": facts["best"]["aer"],
        "fair": fair["aer"],
        "low": fair["interval"][0],
        "high": fair["interval"][1],
        "head": facts["best_head"]["aer"],
        "one": facts["one_head"]["aer"],
        "fair_head": facts["held_out"]["best_head"]["aer"],
        "diagonal": facts["diagonal"],
    }


def _setting(best: dict[str, Any], language: str) -> str:
    """A setting in words."""
    zh = language == "zh"
    titles = ROW_TITLES.get(best["method"], (best["method"], best["method"]))
    method = titles[zh].partition(" (")[0].partition("（")[0]
    if best["layer"] == "all":
        place = "所有层" if zh else "over all layers"
    elif best["head"] == "all":
        place = f"第 {best['layer']} 层所有头" if zh else f"over the heads of layer {best['layer']}"
    else:
        place = f"L{best['layer']} H{best['head']}" if zh else f"of L{best['layer']} H{best['head']}"
    both = best["links"] == "grow"
    links = ("双向连线" if both else "单向连线") if zh else f"with links {'both ways' if both else 'one way'}"
    return f"{place}的{method}，{links}" if zh else f"{method} {place} {links}"


def _wrapped(text: str) -> str:
    """The text in lines of 120, commands in one piece."""
    whole = re.sub(r"`[^`]*`", lambda match: match[0].replace(" ", "\0"), text)
    lines = textwrap.wrap(whole, 120, break_long_words=False, break_on_hyphens=False)
    return "\n".join(lines).replace("\0", " ")


FIGURES: dict[str, Callable[[Tables, str], str]] = {
    function.__name__: function
    for function in (pairs, sizes, scores, kept, joined, faithfulness, faithfulness_pairs, errors, alignment)
}
