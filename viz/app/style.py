"""How the frame looks: everything above a picture is low, so that the picture begins high."""

from __future__ import annotations

import base64
from pathlib import Path

from viz.core.codes.choices import CHOICES
from viz.core.language import within
from viz.core.theme import FONTS
from viz.widgets.registry import register

_component = register("page_look", ())


def page_look(key: str) -> None:
    """Run the script again whenever the browser's look has become another, light or dark.

    Args:
        key: names this place on the page.
    """
    _component.mount({}, labels=within(""), key=key, on_turned_change=lambda: None)


def follow() -> None:
    """Draw the page anew when the browser turns dark or light; nothing is seen of this."""
    page_look("hl_look")


CODED = ", ".join(f".st-key-{name}" for name in (*CHOICES, "of"))  # boxes of codes, beside what the visitor sees
LINE = ".st-key-hl_bar"  # of the views of a mode, and the pickers
LOGO = base64.b64encode((Path(__file__).parent / "logo.svg").read_bytes()).decode("ascii")
STYLE = f"""<style>
.stApp, .stApp button, .stApp input, .stApp textarea {{ font-family: {FONTS}; }}
@media (min-width: 1700px) {{ html {{ font-size: 19px !important; }} }}
.stAppHeader {{ display: none; }}
.stMainBlockContainer {{ padding: .25rem 1.25rem 1rem; max-width: none; }}
.stMainBlockContainer > .stVerticalBlock {{ gap: .25rem; }}
.stForm {{ border: 0; padding: 0; }}
.st-key-hl_steps, .st-key-hl_look {{ position: absolute; }}
[data-testid="InputInstructions"] {{ display: none; }}
[data-testid^="stBaseButton-primary"]:enabled, [data-testid^="stBaseButton-primary"]:enabled p {{
  color: light-dark(#FFFFFF, #10151C) !important; font-weight: 600; }}
.st-key-hl_header, .st-key-hl_sentence {{ flex-wrap: nowrap; min-width: 0; }}
.hl-logo {{ display: block; height: 32px; width: 41px;
  background: url("data:image/svg+xml;base64,{LOGO}") no-repeat left; }}
@media (min-width: 1240px) {{ .hl-logo {{ width: 172px; }} }}
[data-testid="stPageLink-NavLink"]:focus-visible {{
  outline: 2px solid light-dark(#9E4706, #F2B14A); outline-offset: -2px; }}
.st-key-hl_modes, .st-key-hl_views {{ flex-wrap: nowrap; flex: none; }}
.st-key-hl_modes a, .st-key-hl_views a {{ padding: .2rem .55rem; min-height: 0; margin: 0; border-radius: .4rem; }}
.st-key-hl_modes a p {{ font-size: 1rem; white-space: nowrap; }}
.st-key-hl_views a p {{ font-size: .9rem; white-space: nowrap; }}
{LINE} {{ min-height: 34px; flex-wrap: wrap; row-gap: .25rem; }}
{LINE} .stSlider {{ height: 30px; margin-top: -4px; }}
{LINE} .stButtonGroup button {{ min-height: 28px; height: 28px; padding: 0 .5rem; min-width: 0; }}
{LINE} [data-testid="stPopoverButton"], {LINE} .stButton button,
{LINE} .stDownloadButton button {{ min-height: 28px; height: 28px; padding: 0 .6rem; }}
.hl-translation {{ position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); margin: 0; }}
.hl-translation.seen {{ position: static; width: auto; height: auto; clip-path: none; font-size: 1.5rem;
  line-height: 44px; white-space: nowrap; overflow-x: auto; scrollbar-width: thin; }}
.hl-translation.parts {{ position: static; width: auto; height: auto; clip-path: none; font-size: 1.1rem; }}
.hl-translation ruby {{ ruby-align: center; }}
.hl-translation rt {{ font-size: .5em; padding: 0 .12em; user-select: none; }}
.hl-translation mark {{ color: inherit; background: light-dark(#FFE9C7, #4A3A1A); border-radius: .25rem; }}
.hl-error {{ font-size: 1.05rem; margin: 0; padding: .7rem 1rem; border-left: .3rem solid #D55E00;
  background: rgba(213, 94, 0, .12); border-radius: .3rem; overflow-wrap: anywhere; }}
.hl-status {{ font-size: .875rem; opacity: .75; text-align: right; margin: 0; white-space: nowrap; }}
.hl-holds, .hl-fails, .hl-alt {{ font-size: .95rem; margin: 0; opacity: .85; overflow-wrap: anywhere; }}
.hl-line + .hl-line {{ margin-top: .4rem; }}
.hl-fails {{ color: light-dark(#A84300, #F0853C); opacity: 1; font-weight: 600; }}
.hl-verdict {{ font-size: .95rem; line-height: 1.3; margin: 0; overflow-wrap: anywhere; }}
.hl-verdict strong {{ color: light-dark(#1B6E3C, #6FD08C); }}
.hl-verdict[data-judged=doubtful] {{ color: light-dark(#A84300, #F0853C); font-weight: 600; }}
.hl-verdict[data-judged=bad] {{ color: light-dark(#B3122B, #FF8A8A); font-weight: 600; }}
.hl-verdict:not([data-judged=good]) strong {{ color: inherit; }}
div:has(> .st-key-hl_forced), {CODED} {{ display: none; }}
.st-key-hl_inspected {{ padding: .2rem .8rem; border: 1px solid light-dark(#B4530A, #F2B14A); border-radius: .5rem; }}
.st-key-talk_frame iframe {{ display: block; height: calc(100vh - 8.5rem); min-height: 24rem; }}
.st-key-hl_lesson h3 {{ padding: .25rem 0 0; }}
.st-key-hl_lesson .stVerticalBlock {{ gap: .5rem; }}
.st-key-hl_lesson .katex-display {{ margin: 0; padding: .6rem .2rem; }}
@media (min-width: 1100px) {{ .katex-display {{ overflow: visible !important; }} }}
.hl-lead {{ font-size: 1rem; opacity: .85; margin: 0 0 .25rem; max-width: 60rem; }}
</style>"""
