"""A day of visits in a short time: what the server still holds of them when all have left.

Visitors come, a few at a time, each to a view, with a model and a sentence; a third asks for another sentence, some
bring a file of maps, some leave in the middle of an answer. Models are those that ship, and a folder of one's own: a
checkpoint, and a file of maps. Memory, open files, processes and temporary files are those of the server and its
helpers, counted when a first part of the visitors has left and again when all have: each time after a pause, in which
helpers end and Streamlit lets go of the sessions that it keeps for pages that come back. What an answer should have
been is found afterwards; one is mixed up where it is that of another sentence.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import random
import shutil
import tempfile
import time
import urllib.request
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.Common_pb2 import FileURLs
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from bench.browser import started_app
from bench.visitors import PATIENCE, Run, Visitor, family, resident, sentences
from model.folders import CHECKPOINTS, MODELS, families
from viz.core.views import VIEWS

FIRST = 0.4  # of the visits: what a server that has seen everything once holds
MOST_GROWTH = 3.0  # percent of memory
AGAIN, BRINGS, HURRIES = 1 / 3, 1 / 12, 1 / 12  # shares of the visitors
MOST_LOGGED = 20_000  # characters of the server's log, where something failed
HURRY = 0.3  # seconds until he who will not wait has left
XSRF = "_streamlit_xsrf"


@dataclass(frozen=True)
class Visit:
    """Who comes: to which view, with which model and sentences; whether with a file; whether he will not wait."""

    view: str
    model: str
    texts: tuple[str, ...]
    brings: bool
    hurries: bool


@dataclass
class Guest(Visitor):
    """A visitor who goes to any view, and may bring a file."""

    failed: list[str] = field(default_factory=list)  # what the page said of exceptions
    uploaders: dict[str, str] = field(default_factory=dict)  # boxes for files, by key

    async def look(self, view: str, **choices: str) -> Run:
        """The run that draws a view, whose link says these choices."""
        asked = BackMsg()
        asked.rerun_script.page_name = view
        return await self._run(asked, PATIENCE, urlencode(choices))

    async def bring(self, url: str, name: str, data: bytes) -> Run:
        """The run after a file of maps was uploaded.

        Raises:
            KeyError: there is no box for it on the page.
        """
        asked = BackMsg()
        asked.file_urls_request.request_id = "maps"
        asked.file_urls_request.file_names.append(name)
        await self.connection.send(asked.SerializeToString())
        message = ForwardMsg()
        while message.WhichOneof("type") != "file_urls_response":
            message = ForwardMsg.FromString(await asyncio.wait_for(self.connection.recv(decode=False), PATIENCE))
        place = message.file_urls_response.file_urls[0]
        await asyncio.to_thread(_put, url, place.upload_url, name, data)
        asked = BackMsg()
        state = asked.rerun_script.widget_states.widgets.add(id=self.uploaders["maps_file"])
        state.file_uploader_state_value.uploaded_file_info.add(
            name=name, size=len(data), file_id=place.file_id, file_urls=FileURLs.FromString(place.SerializeToString())
        )
        return await self._run(asked, PATIENCE)

    def _read(self, message: ForwardMsg, found: Run) -> None:
        super()._read(message, found)
        element = message.delta.new_element
        if element.HasField("exception"):
            self.failed.append(f"{element.exception.type}: {element.exception.message}")
        elif element.HasField("file_uploader"):
            self.uploaders[element.file_uploader.id.rpartition("-")[2]] = element.file_uploader.id


@dataclass
class Day:
    """What came of the visits: answers by model, sentence and text; what failed; counts."""

    answers: list[tuple[str, str, str | None]] = field(default_factory=list)
    failed: Counter[str] = field(default_factory=Counter)
    counts: Counter[str] = field(default_factory=Counter)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("--visits", type=int, default=10_000, metavar="N", help="how many (default 10000)")
    parser.add_argument("--visitors", type=int, default=4, metavar="N", help="at once (default 4)")
    parser.add_argument("--pause", type=float, default=150, metavar="S", help="before each count (default 150)")


def visits(number: int, models: Sequence[str], seed: int = 0) -> list[Visit]:
    """So many visits: every view in turn, with models and sentences by chance; the same at each run."""
    chance, texts, views = random.Random(seed), sentences(2 * number, seed), list(VIEWS)
    return [
        Visit(
            views[place % len(views)],
            chance.choice(models),
            tuple(texts[2 * place : 2 * place + (2 if chance.random() < AGAIN else 1)]),
            chance.random() < BRINGS,
            chance.random() < HURRIES,
        )
        for place in range(number)
    ]


def measure(args: argparse.Namespace) -> dict[str, Any]:
    """What the server held after the first visits and after all, and what became of the answers."""
    began, day, held = time.perf_counter(), Day(), list[dict[str, Any]]()
    with (
        _models(args.checkpoint) as (models, maps),
        tempfile.TemporaryDirectory() as place,
        _in(place),
        tempfile.TemporaryFile() as log,
        started_app(log) as (url, process),
    ):
        every = visits(args.visits, models)
        first = round(FIRST * args.visits)
        for part in (every[:first], every[first:]):
            asyncio.run(_visit_all(part, url, maps, args.visitors, day))
            time.sleep(args.pause)
            asyncio.run(_visit_all(every[:1], url, maps, 1, Day()))  # when one comes, Streamlit looks at old sessions
            held.append(_held(process, Path(place)))
        log.seek(0)
        said = log.read().decode(errors="replace")
    growth = 100 * (held[1]["memory"] / held[0]["memory"] - 1) if held[0]["memory"] else float("nan")
    return {
        "bench": "soak",
        "visits": args.visits,
        "seconds": round(time.perf_counter() - began),
        "answers": len(day.answers),
        **_judged(day, args.checkpoint),
        **day.counts,
        "failed": dict(day.failed),
        "log": said[said.find("Traceback") :][-MOST_LOGGED:] if day.failed and "Traceback" in said else "",
        "first": held[0],
        "end": held[1],
        "growth": round(growth, 1),
        "bar": MOST_GROWTH,
    }


def _judged(day: Day, checkpoint: str) -> dict[str, int]:
    """How many answers of a checkpoint were compared with its own, and what was not right with them."""
    from model.translator import Translator

    translator = Translator.from_checkpoint(checkpoint, "cpu")
    shown = [(text, found) for model, text, found in day.answers if model == checkpoint and found is not None]
    right = {text: translator.translate(text).text for text, _ in shown}
    others = set(right.values())
    return {
        "compared": len(shown),
        "mixed_up": sum(found != right[text] and found in others for text, found in shown),
        "wrong": sum(found != right[text] and found not in others for text, found in shown),
    }


@contextmanager
def _models(checkpoint: str) -> Iterator[tuple[list[str], bytes]]:
    """Names to choose from, those of a folder of one's own among them, which holds both sorts; and a file of maps."""
    from model.attribution.export import trace_npz
    from model.translator import Translator

    translation = Translator.from_checkpoint(checkpoint, "cpu").translate("I love you.", capture=True)
    maps, before = trace_npz(translation), os.environ.get(MODELS)
    with tempfile.TemporaryDirectory() as folder:
        shutil.copytree(CHECKPOINTS / checkpoint, Path(folder) / "mine")
        (Path(folder) / "saved.npz").write_bytes(maps)
        os.environ[MODELS] = folder
        try:
            yield [*[checkpoint] * 4, "mine", "saved.npz", *families()], maps
        finally:
            os.environ.pop(MODELS)
            if before is not None:
                os.environ[MODELS] = before


@contextmanager
def _in(place: str) -> Iterator[None]:
    """Temporary files of what is started meanwhile are in a folder of their own."""
    before = os.environ.get("TMPDIR")
    os.environ["TMPDIR"] = place
    try:
        yield
    finally:
        os.environ.pop("TMPDIR")
        if before is not None:
            os.environ["TMPDIR"] = before


async def _visit_all(every: Sequence[Visit], url: str, maps: bytes, at_once: int, day: Day) -> None:
    left = iter(every)

    async def one_after_another() -> None:
        for visit in left:
            await _visit(visit, url, maps, day)

    await asyncio.gather(*(one_after_another() for _ in range(at_once)))


async def _visit(visit: Visit, url: str, maps: bytes, day: Day) -> None:
    """One visitor from his coming to his leaving."""
    guest = await Guest.arrive(url)
    try:
        asked = guest.look(visit.view, checkpoint=visit.model, text=visit.texts[0])
        if visit.hurries:
            day.counts["hurried"] += 1
            await asyncio.wait_for(asked, HURRY)
            return
        _told(await asked, visit, visit.texts[0], day)
        for text in visit.texts[1:]:
            if guest.widgets.keys() >= {"text", "button"}:
                _told(await guest.translate(text, PATIENCE), visit, text, day)
        if visit.brings and "maps_file" in guest.uploaders:
            day.counts["brought"] += 1
            day.counts["unfinished"] += not (await guest.bring(url, "mine.npz", maps)).ended
    except TimeoutError:
        pass
    finally:
        day.failed.update(guest.failed)
        await guest.leave()


def _told(run: Run, visit: Visit, text: str, day: Day) -> None:
    day.counts["unfinished"] += not run.ended
    day.answers.append((visit.model, text, run.translation))


def _put(url: str, path: str, name: str, data: bytes) -> None:
    """Upload a file as a page does: in a form, with the token that the server gave."""
    with urllib.request.urlopen(f"{url}/_stcore/health", timeout=30) as answer:  # noqa: S310 - our own address
        cookie = next(
            (each.partition(";")[0] for each in answer.headers.get_all("Set-Cookie", ()) if each.startswith(XSRF)), ""
        )
    edge = "headlight-soak"
    head = f'--{edge}\r\nContent-Disposition: form-data; name="file"; filename="{name}"\r\n\r\n'
    headers = {"Content-Type": f"multipart/form-data; boundary={edge}", "Cookie": cookie}
    headers["X-Xsrftoken"] = cookie.partition("=")[2]
    body = head.encode() + data + f"\r\n--{edge}--\r\n".encode()
    asked = urllib.request.Request(f"{url}{path}", body, headers, method="PUT")  # noqa: S310 - our own address
    urllib.request.urlopen(asked, timeout=30).close()  # noqa: S310


def _held(process: int, place: Path) -> dict[str, Any]:
    """What a server and its helpers hold: memory in MB, open files, processes, temporary files."""
    members = family(process)
    files = sum(len(list(Path(f"/proc/{each}/fd").iterdir())) for each in members)
    return {
        "memory": resident(process),
        "files": files,
        "processes": len(members),
        "temporary": sum(1 for _ in place.rglob("*")),
    }


def table(result: dict[str, Any]) -> str:
    """The result for a person."""
    first, end = result["first"], result["end"]
    failed = "".join(f"\n  {count} × {said}" for said, count in result["failed"].items())
    return "\n".join(
        (
            f"{result['visits']} visits in {result['seconds']} s, {result['answers']} answers: unfinished "
            f"{result.get('unfinished', 0)}, left in the middle {result.get('hurried', 0)}, "
            f"files brought {result.get('brought', 0)}",
            f"{result['compared']} compared: mixed up {result['mixed_up']}, wrong {result['wrong']}",
            f"exceptions shown   {sum(result['failed'].values())}{failed}" + f"\n{result['log']}".rstrip(),
            f"memory             {first['memory']} MB after the first part, {end['memory']} MB at the end: "
            f"{result['growth']:+.1f} % (bar {result['bar']:.0f} %)",
            f"open files         {first['files']}, then {end['files']}",
            f"processes          {first['processes']}, then {end['processes']}",
            f"temporary files    {first['temporary']}, then {end['temporary']}",
        )
    )
