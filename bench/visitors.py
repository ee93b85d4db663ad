"""Many visitors of one server, each with a new sentence every few seconds.

Each visitor is a connection that speaks Streamlit's own protocol, to a server that this bench starts and
keeps on two processor cores. A wait is the time from sending a sentence to the last element of the page
that shows its translation. What is right is found afterwards, each sentence translated alone: an answer
is mixed up where it is the translation of another visitor's sentence, wrong where it is no right one
either, and lost where none came in a minute. A sentence is late where it was sent after its time because
the one before it was not answered yet. Memory and processor time are the server's with its helpers; memory
is taken when the warm-up ends and at the end.
"""

from __future__ import annotations

import argparse
import asyncio
import math
import os
import random
import re
import statistics
import tempfile
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from html import unescape
from pathlib import Path
from typing import Any, NamedTuple

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.asyncio.client import ClientConnection, connect

from bench.browser import started_app

MOST_BYTES = 200 * 2**20  # of one message
_TRANSLATION = re.compile(r'<p class="hl-translation"[^>]*>(.*?)</p>', re.DOTALL)
_TAG = re.compile(r"<rt>.*?</rt>|<[^>]*>")
CORES = 2
EVERY = 10.0  # seconds between a visitor's sentences
PATIENCE = 60.0  # seconds
QUIET = 0.5  # seconds after which a page is taken for whole
WARM_UP = 0.2  # of the time: before that, waits and memory do not count
BARS = {"median": 2.0, "p95": 5.0}
_PARENT, _TIMES, _RESIDENT = 1, slice(11, 15), 21  # fields of a process's stat, see ``_stat``
_PARTS = (
    ("Tom", "Mary", "My sister", "The old man", "Our teacher", "Her brother", "The doctor", "Their neighbour"),
    ("bought", "found", "lost", "sold", "saw", "wanted", "forgot", "painted"),
    ("two", "three", "four", "five", "seven", "ten", "twelve", "twenty"),
    ("red", "old", "small", "beautiful", "cheap", "heavy", "new", "strange"),
    ("books", "bicycles", "chairs", "apples", "letters", "boxes", "flowers", "cups"),
    ("at the market", "in the village", "near the station", "behind the school", "by the river", "in Boston"),
    ("yesterday", "last week", "this morning", "in the summer", "after dinner", "on Monday", "before it rained"),
)


@dataclass
class Run:
    """What one run of the app's script sent."""

    translation: str | None = None  # the last one that it showed; None for none
    seconds: float = 0.0  # from asking for the run to its last element
    ended: bool = False  # whether the script ended by itself


@dataclass
class Visitor:
    """One open page: what it knows of the widgets on it."""

    connection: ClientConnection
    widgets: dict[str, str] = field(default_factory=dict)

    @classmethod
    async def arrive(cls, url: str, headers: Mapping[str, str] | None = None) -> Visitor:
        """A visitor who has a connection and has not asked for anything; ``headers`` go with its handshake."""
        address = f"{url.replace('http', 'ws', 1)}/_stcore/stream"
        how: dict[str, Any] = {"subprotocols": ["streamlit"], "max_size": MOST_BYTES, "compression": None}
        return cls(await connect(address, additional_headers=headers, **how))

    async def open(self, patience: float, query: str = "") -> Run:
        """The run that draws the page for the first time; ``query`` is what its link says."""
        return await self._run(BackMsg(), patience, query)

    async def translate(self, sentence: str, patience: float) -> Run:
        """The run after a sentence was typed and Enter pressed.

        Raises:
            KeyError: there is no box for a sentence on the page.
        """
        asked = BackMsg()
        states = asked.rerun_script.widget_states.widgets
        states.add(id=self.widgets["text"], string_value=sentence)
        states.add(id=self.widgets["button"], trigger_value=True)
        return await self._run(asked, patience)

    async def rest(self, quiet: float) -> None:
        """Read what comes by itself, until nothing has for so many seconds: a page may come twice."""
        while True:
            try:
                message = ForwardMsg.FromString(await asyncio.wait_for(self.connection.recv(decode=False), quiet))
            except TimeoutError:
                return
            if message.WhichOneof("type") == "delta":
                self._read(message, Run())

    async def leave(self) -> None:
        """Close the page."""
        await self.connection.close()

    async def _run(self, asked: BackMsg, patience: float, query: str = "") -> Run:
        """Ask for a run, and read until it ends, or for so many seconds."""
        asked.rerun_script.context_info.timezone = "UTC"
        asked.rerun_script.context_info.locale = "en-US"
        asked.rerun_script.query_string = query
        found, began, started = Run(), False, time.perf_counter()
        await self.connection.send(asked.SerializeToString())
        while not found.ended and (left := patience - (time.perf_counter() - started)) > 0:
            try:
                message = ForwardMsg.FromString(await asyncio.wait_for(self.connection.recv(decode=False), left))
            except TimeoutError:
                break
            sort = message.WhichOneof("type")
            began = began or sort == "new_session"
            if began and sort == "delta":
                found.seconds = time.perf_counter() - started
                self._read(message, found)
            found.ended = began and sort == "script_finished"
        return found

    def _read(self, message: ForwardMsg, found: Run) -> None:
        element = message.delta.new_element
        if element.HasField("html") and (shown := _TRANSLATION.search(element.html.body)):
            found.translation = unescape(_TAG.sub("", shown[1]))
        elif element.HasField("text_input") and "-text" in element.text_input.id and element.text_input.form_id:
            self.widgets["text"] = element.text_input.id
        elif element.HasField("button") and element.button.is_form_submitter:
            self.widgets.setdefault("button", element.button.id)


class Answer(NamedTuple):
    """A sentence, when it was sent, and what came back."""

    sentence: str
    sent: float
    late: bool
    run: Run


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("--visitors", type=int, default=50, metavar="N", help="visitors at once (default 50)")
    parser.add_argument("--seconds", type=float, default=300, metavar="S", help="how long (default 300)")


def measure(args: argparse.Namespace) -> dict[str, Any]:
    """Median and 95th percentile of the waits, what went wrong, and the server's memory."""
    from model.translator import Translator  # not before the server has the processor to itself

    with tempfile.TemporaryFile() as log, started_app(log) as (url, process):
        keep_to_cores(process)
        answers, memory = asyncio.run(_visits(url, process, args))
    translator = Translator.from_checkpoint(args.checkpoint, "cpu")
    right = {each.sentence: translator.translate(each.sentence).text for each in answers}
    return {
        "bench": "visitors",
        "visitors": args.visitors,
        "seconds": args.seconds,
        "cores": min(CORES, os.cpu_count() or 1),
        "load": os.getloadavg()[0],
        **judged([each for each in answers if each.sent >= WARM_UP * args.seconds], right),
        **memory,
        "bars": BARS,
    }


def judged(answers: list[Answer], right: dict[str, str]) -> dict[str, Any]:
    """What the answers are worth, given the right translation of every sentence."""
    waits, counts = [], dict.fromkeys(("lost", "mixed_up", "wrong"), 0)
    others = set(right.values())
    for each in answers:
        shown = each.run.translation
        if shown == right[each.sentence] and each.run.ended:
            waits.append(each.run.seconds)
        elif shown is None or not each.run.ended:
            counts["lost"] += 1
        else:
            counts["mixed_up" if shown in others else "wrong"] += 1
    ordered = sorted(waits) or [math.nan]
    return {
        "sentences": len(answers),
        "late": sum(each.late for each in answers),
        "median": round(statistics.median(ordered), 2),
        "p95": round(ordered[math.ceil(0.95 * len(ordered)) - 1], 2),
        "longest": round(ordered[-1], 2),
        **counts,
    }


def sentences(number: int, seed: int = 0) -> list[str]:
    """So many different sentences, in an order that has nothing to do with their words.

    Raises:
        ValueError: there are not so many.
    """
    places = random.Random(seed).sample(range(math.prod(len(words) for words in _PARTS)), number)
    return [_sentence(place) for place in places]


def _sentence(place: int) -> str:
    chosen = []
    for words in _PARTS:
        place, at = divmod(place, len(words))
        chosen.append(words[at])
    return f"{' '.join(chosen)}."


async def _visits(url: str, process: int, args: argparse.Namespace) -> tuple[list[Answer], dict[str, Any]]:
    """All answers; the memory in between, in MB; and the processor time that a sentence took, in ms."""
    each = math.ceil(args.seconds / EVERY)
    texts = sentences(each * args.visitors)
    visitors = []
    for _ in range(args.visitors):  # one after the other: how they arrive is not what is measured
        visitors.append(await Visitor.arrive(url))
        await visitors[-1].open(PATIENCE)
    await asyncio.gather(*(visitor.rest(QUIET) for visitor in visitors))  # the first one's page comes twice
    started = time.perf_counter()
    visits = [
        asyncio.create_task(
            _visit(visitor, texts[number :: args.visitors], started, EVERY * number / args.visitors, args.seconds)
        )
        for number, visitor in enumerate(visitors)
    ]
    await asyncio.sleep(WARM_UP * args.seconds)
    memory, busy = {"memory_warm": resident(process)}, spent(process)
    answers = [answer for found in await asyncio.gather(*visits) for answer in found]
    memory["memory_end"] = resident(process)
    later = sum(each.sent >= WARM_UP * args.seconds for each in answers)
    memory["processor"] = round(1000 * (spent(process) - busy) / max(later, 1), 1)
    await asyncio.gather(*(visitor.leave() for visitor in visitors))
    return answers, memory


async def _visit(visitor: Visitor, texts: list[str], started: float, first: float, seconds: float) -> list[Answer]:
    """One visitor's answers; his first sentence comes so many seconds after the start."""
    found = []
    for number, text in enumerate(texts):
        due = first + EVERY * number
        now = time.perf_counter() - started
        if max(now, due) >= seconds:
            break
        await asyncio.sleep(max(0.0, due - now))
        sent = time.perf_counter() - started
        found.append(Answer(text, sent, now > due and number > 0, await visitor.translate(text, PATIENCE)))
    return found


def keep_to_cores(process: int) -> None:
    """Let a process, and what it will start, run on no more than CORES of this machine's cores, where that can be."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(process, sorted(os.sched_getaffinity(0))[:CORES])


def resident(process: int) -> float | None:
    """Resident memory of a process and its children in MB; None where the system does not say."""
    pages = [int(_stat(each)[_RESIDENT]) for each in family(process)]
    return round(sum(pages) * os.sysconf("SC_PAGE_SIZE") / 2**20, 1) if pages else None


def spent(process: int) -> float:
    """Seconds of processor time that a process and its children have used, those that ended among them.

    Not a number where the system does not say.
    """
    ticks = [sum(map(int, _stat(each)[_TIMES])) for each in family(process)]
    return sum(ticks) / os.sysconf("SC_CLK_TCK") if ticks else math.nan


def family(process: int) -> list[int]:
    """A process and its children; none where the system does not say."""
    found = [int(path.name) for path in Path("/proc").glob("[0-9]*")]
    return [each for each in found if each == process or _stat(each)[_PARENT] == str(process)]


def _stat(process: int) -> list[str]:
    """What Linux says of a process from its state on, see proc(5); zeros where it has ended."""
    try:
        return Path(f"/proc/{process}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    except OSError:
        return ["0"] * 50


def table(result: dict[str, Any]) -> str:
    """The result for a person."""
    bars = result["bars"]
    return "\n".join(
        (
            f"{result['visitors']} visitors, {result['seconds']:.0f} s, {result['sentences']} sentences after warm-up",
            f"median wait        {result['median']:6.2f} s   (bar {bars['median']:.1f} s)",
            f"95 % within        {result['p95']:6.2f} s   (bar {bars['p95']:.1f} s); longest {result['longest']:.2f} s",
            f"lost {result['lost']}, mixed up {result['mixed_up']}, wrong {result['wrong']}, late {result['late']}",
            f"memory             {result['memory_warm']} MB after warm-up, {result['memory_end']} MB at the end",
            f"processor time     {result['processor']:6.1f} ms a sentence",
            f"server on {result['cores']} cores; load {result['load']:.1f}",
        )
    )
