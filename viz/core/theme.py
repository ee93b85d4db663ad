"""Colours, fonts and margins, in light and in dark."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

FONTS = (
    '"Source Sans", "Source Sans 3", system-ui, -apple-system, "Segoe UI", "Noto Sans CJK SC", "Noto Sans SC", '
    '"PingFang SC", "Hiragino Sans GB", "Microsoft YaHei", "WenQuanYi Micro Hei", sans-serif'
)
# Okabe and Ito 2008: eight colours that the colour-blind tell apart; one a head, then again from the start.
HEAD_COLOURS = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#8C8C00", "#7A5195")


@dataclass(frozen=True)
class Theme:
    """One look.

    ``scale`` maps a weight from 0 to 1 to a colour; its lightness changes monotonically, from the
    page's own background, so that it reads in grey and for the colour-blind. ``diverging`` does so
    from -1 to 1.
    """

    name: str
    background: str
    surface: str
    text: str
    muted: str
    grid: str
    accent: str
    scale: tuple[tuple[float, str], ...]
    diverging: tuple[tuple[float, str], ...]

    @property
    def is_dark(self) -> bool:
        """True for the dark look."""
        return self.name == "dark"

    def colours(self) -> dict[str, Any]:
        """All of them as a browser takes them: CSS, and scales as lists of place and colour."""
        lists = ("scale", "diverging")
        plain = {each.name: getattr(self, each.name) for each in fields(self) if each.name not in ("name", *lists)}
        return plain | {name: [list(stop) for stop in getattr(self, name)] for name in lists}


LIGHT = Theme(
    name="light",
    background="#FCFBF8",
    surface="#F1EFE9",
    text="#1C2530",
    muted="#5B6673",
    grid="#DDD9CF",
    accent="#9E4706",
    scale=((0.0, "#FCFBF8"), (0.25, "#C9DDEB"), (0.5, "#79AAD0"), (0.75, "#2F6FA8"), (1.0, "#08284F")),
    diverging=((0.0, "#8C3A00"), (0.25, "#DB8F4C"), (0.5, "#FCFBF8"), (0.75, "#79AAD0"), (1.0, "#08284F")),
)
DARK = Theme(
    name="dark",
    background="#10151C",
    surface="#1A222C",
    text="#E7EBF0",
    muted="#9AA7B4",
    grid="#2C3743",
    accent="#F2B14A",
    scale=((0.0, "#10151C"), (0.25, "#1F3F66"), (0.5, "#5A7286"), (0.75, "#B9A45F"), (1.0, "#FFE27A")),
    diverging=((0.0, "#FFC08A"), (0.25, "#A85B1E"), (0.5, "#10151C"), (0.75, "#2F6FA8"), (1.0, "#BFE0FF")),
)


def theme_named(name: str | None) -> Theme:
    """The look called "light" or "dark"; light where the name is unknown."""
    return DARK if name == "dark" else LIGHT


def head_colour(head: int) -> str:
    """The colour that stands for a head."""
    return HEAD_COLOURS[head % len(HEAD_COLOURS)]
