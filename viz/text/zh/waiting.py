"""Interface strings in Chinese: what is being computed, while it is."""

from __future__ import annotations

STRINGS: dict[str, str] = {
    "wait.beam": "正在进行束搜索…",
    "wait.ways": "正在用三种方式翻译…",
    "wait.steps": "正在重新查看每一步…",
    "wait.fork": "正在从这里继续翻译…",
    "wait.votes": "正在统计各头的投票…",
    "wait.repair": "正在把每个头逐个静音…",
}
