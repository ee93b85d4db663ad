"""What a room sees of its class: the code to join, the tally of the question, the answers as a table."""

from __future__ import annotations

import re
import socket
from collections.abc import Iterable, Mapping
from ipaddress import ip_address
from statistics import median

import segno
from markupsafe import Markup

from viz.charts.markup import line, tag
from viz.core.choice import language, say
from viz.core.classroom.book import SHEET_COLUMNS, GivenAnswer, answers_csv
from viz.core.classroom.questions import ClassQuestion, of
from viz.core.classroom.room import Room
from viz.export.show.storyboard import OPTION_LETTERS

# A UDP socket that is "connected" sends nothing; it only learns by which of this machine's addresses it would go.
_TOWARDS = ("10.255.255.255", "192.168.255.255", "172.31.255.255")
_HOST_NAME = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9.-]{0,250}[A-Za-z0-9])?|\[[0-9a-fA-F:.]{2,45}\]")
BARS_STYLE = """<style>
.hl-class-tally { container-type: inline-size; max-width: 60rem; }
.hl-class-bars { display: grid; grid-template-columns: minmax(4rem, auto) minmax(6rem, 1fr) 2rem;
  gap: .15rem .75rem; align-items: center; max-width: 60rem; margin: 0; font-size: 1.1rem; line-height: 1.3; }
.hl-class-bars dt, .hl-class-bars dd { margin: 0; overflow-wrap: anywhere; }
.hl-class-tally p, .hl-class-tally dl { margin: 0 !important; padding: 0; }
.hl-class-tally > .hl-alt { display: inline; }
.hl-class-tally .hl-lead { line-height: 1.3; }
/* Two bars in a row, so that the talk below has room. */
@container (min-width: 32rem) {
  .hl-class-tally > .hl-class-bars:has(dt:nth-of-type(3)) {
    grid-template-columns: repeat(2, fit-content(11rem) minmax(4rem, 1fr) 2rem); }
  .hl-class-tally > .hl-class-bars:has(dt:nth-of-type(3)) dt:nth-of-type(even) { padding-left: 1rem; } }
.hl-class-bars .bar { height: 1.2rem; background: #0b6bcb; border-radius: .2rem; min-width: 2px; }
.hl-class-bars .count { font-variant-numeric: tabular-nums; text-align: right; }
.hl-class-halves { display: grid; grid-template-columns: repeat(auto-fit, minmax(14rem, 1fr)); gap: .5rem 2rem; }
.hl-class-halves .hl-class-bars { grid-template-columns: fit-content(8rem) minmax(3rem, 1fr) 2rem; }
.hl-class-code { background: #fff; padding: .25rem; width: 11rem; height: 11rem; }
.hl-class-link { font-size: 1.25rem; overflow-wrap: anywhere; }
</style>"""


def code_picture(link: str) -> Markup:
    """The link as a QR code (ISO/IEC 18004), black on white in either theme."""
    picture = segno.make(link, error="m", micro=False).svg_data_uri(border=2, dark="#000", light="#fff")
    return tag("img", class_="hl-class-code", src=picture, alt=say("class.code", link=link))


def joining(link: str, people: int, most: int) -> Markup:
    """How to come in, and how many have."""
    return Markup("").join(
        [
            Markup(BARS_STYLE),  # noqa: S704
            code_picture(link),
            tag("p", link, class_="hl-class-link"),
            line("alt", say("class.people", people=people, most=most)),
        ]
    )


def bars(question: ClassQuestion, counted: Mapping[str, int]) -> Markup:
    """The tally, a bar an answer."""
    most = max([1, *counted.values()])
    rows = []
    for place, (answer, count) in enumerate(counted.items()):
        label = question.label(answer, language())
        named = f"{OPTION_LETTERS[place]} · {label}" if question.kind == "choice" else label
        bar = tag("div", class_="bar", style=f"width: {100 * count / most:.1f}%")
        rows += [tag("dt", named), tag("dd", bar), tag("dd", count, class_="count")]
    return Markup(BARS_STYLE) + tag("dl", *rows, class_="hl-class-bars")  # noqa: S704


def tally(room: Room, question: ClassQuestion) -> Markup:
    """The answers to the room's question; of a divided hall those of each half, beside each other."""
    if not (halves := room.tally_of_halves()):
        return bars(question, room.tally())
    found = []
    for half, counted in halves.items():
        told = say("class.half.tally", half=half, saw=say(f"class.halves.{room.split}.{half}"))
        found.append(tag("section", line("alt", told), bars(question, counted)))
    return tag("div", *found, class_="hl-class-halves")


def asked(room: Room, *, is_below: bool = False) -> Markup:
    """The room's question with its tally.

    Args:
        room: whose.
        is_below: the question itself stands in the talk below already.
    """
    question, answers = room.question, room.answers()
    if question is None:
        return Markup()
    told = say("class.asking" if room.is_asking else "class.over", answers=len(answers))
    parts = [] if is_below else [line("lead", of(question.ask, language()))]
    parts += [tally(room, question), line("alt", told)]
    if question.kind == "number" and answers:
        middle = question.read(median(map(float, answers)))
        parts += [Markup.escape(" "), line("alt", say("class.median", median=middle))]
    return tag("div", *parts, class_="hl-class-tally")


def table(given: Iterable[GivenAnswer]) -> bytes:
    """Answers as a spreadsheet opens them."""
    return answers_csv([say(f"class.column.{each}") for each in SHEET_COLUMNS], given, language())


def own_addresses() -> list[str]:
    """This machine's addresses in networks, the likeliest first; [] where it is in none."""
    found: dict[str, None] = {}
    for other in _TOWARDS:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asked:
            try:
                asked.connect((other, 9))
                found[asked.getsockname()[0]] = None
            except OSError:  # no way there
                continue
    return [each for each in found if not ip_address(each).is_loopback and each != "0.0.0.0"]  # noqa: S104


def is_host(said: str) -> bool:
    """Whether a text is a name or an address that a link can hold."""
    return _HOST_NAME.fullmatch(said) is not None


def room_link(host: str, port: int, prefix: str, code: str) -> str:
    """The link of a room.

    >>> room_link("192.168.1.5", 8501, "", "abc234")
    'http://192.168.1.5:8501/class/abc234'
    """
    below = f"/{prefix.strip('/')}" if prefix.strip("/") else ""
    return f"http://{host}:{port}{below}/class/{code}"
