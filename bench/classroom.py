"""What sixty waiting phones cost the server: processor seconds of the process that answers them, a phone and minute.

What a server uses anyway, which nobody asks anything, is measured before the phones come and taken off. The server is
a process of its own, which asks a question every half minute; the phones are threads of this one. Each joins, waits
for what is asked, and answers. With ``--against DIR``, a checkout of another commit, each serves in turns.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import resource
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from typing import Any

import uvicorn
from starlette.applications import Starlette
from streamlit import config

PHONES = 60
BAR = 5.0  # milliseconds a phone and minute
IDLE = 10.0  # seconds in which nobody asks anything
THOUGHT = 0.2  # seconds between a question and a phone's answer
HERE = Path(__file__).resolve().parents[1]


class PhoneBench:
    """One phone as its browser speaks: a connection that waits for news, and beside it one for what is sent meanwhile.

    Both are kept, as HTTP/1.1 and every browser do, and opened anew where the server has closed one that lay idle.

    Args:
        port: of the server.
        code: of the room.
    """

    def __init__(self, port: int, code: str) -> None:
        self.code, self.name = code, None
        self.waits, self.sends = (HTTPConnection("127.0.0.1", port, timeout=40) for _ in range(2))
        self.name = self.post(self.waits, "join")["phone"]

    def post(self, there: HTTPConnection, verb: str, **said: object) -> dict[str, Any]:
        """What the server says; {} where there is no news.

        Raises:
            ConnectionError: it does not answer.
        """
        body = json.dumps({"phone": self.name} | said)
        for _ in range(2):
            try:
                there.request("POST", f"/class/{self.code}/{verb}", body, {"Content-Type": "application/json"})
                found: dict[str, Any] = json.loads(there.getresponse().read() or b"{}")
                return found
            except (ConnectionError, HTTPException):
                there.close()
        raise ConnectionError("the server does not answer")

    def follow(self, end: float) -> None:
        """Wait for what is asked, and answer while the next wait has begun, until an end (of ``time.monotonic``)."""
        version: object = ""
        while time.monotonic() < end:
            now = self.post(self.waits, "now", version=version)
            version = now.get("version", version)
            if now.get("asking") and now.get("mine") is None:
                said = {"question": now["question"], "answer": 1}
                threading.Timer(THOUGHT, self.post, (self.sends, "answer"), said).start()


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("--against", type=Path, metavar="DIR", help="a checkout of another commit, measured in turns")
    parser.add_argument("--turns", type=int, default=1, metavar="N", help="turns of each (default 1)")
    parser.add_argument("--seconds", type=int, default=60, metavar="N", help="of a turn (default 60)")
    parser.add_argument("--every", type=int, default=30, metavar="N", help="seconds between questions (default 30)")


def measure(args: argparse.Namespace) -> dict[str, Any]:
    """Milliseconds a phone and minute, the median of all turns, here and in the other checkout; answers that came."""
    trees = {"here": HERE} | ({"there": args.against.resolve()} if args.against else {})
    seen: dict[str, list[dict[str, Any]]] = {name: [] for name in trees}
    for _ in range(args.turns):
        for name, tree in trees.items():
            seen[name].append(_turn(tree, args.seconds, args.every))
    medians = {name: statistics.median(each["milliseconds"] for each in turns) for name, turns in seen.items()}
    return {
        "bench": "classroom",
        "phones": PHONES,
        "bar": BAR,
        "milliseconds": medians,
        "turns": seen,
    }


def table(result: dict[str, Any]) -> str:
    """The result for a person."""
    lines = [f"{result['phones']} phones; bar {result['bar']} ms a phone and minute"]
    for name, turns in result["turns"].items():
        each = ", ".join(
            "{milliseconds:.1f} beside {idle:.1f} idle, {answers} answers".format(**turn) for turn in turns
        )
        lines.append(f"{name:<8}{result['milliseconds'][name]:>6.1f} ms; turns: {each}")
    return "\n".join(lines)


def _turn(tree: Path, seconds: int, every: int) -> dict[str, Any]:
    """What a fresh server with the code of a tree used while the phones were there."""
    code = (
        f"import sys, importlib.util as u; sys.path.insert(0, {str(tree)!r});"
        f"spec = u.spec_from_file_location('bench_classroom', {str(Path(__file__).resolve())!r});"
        f"m = u.module_from_spec(spec); spec.loader.exec_module(m); m._serve({seconds}, {every})"
    )
    command = [sys.executable, "-c", code]
    with subprocess.Popen(command, cwd=tree, stdout=subprocess.PIPE, text=True) as server:  # noqa: S603
        assert server.stdout
        port, room = server.stdout.readline().split()
        end = time.monotonic() + seconds
        for _ in range(PHONES):
            threading.Thread(target=_follow, args=(int(port), room, end), daemon=True).start()
            time.sleep(0.06)
        found: dict[str, Any] = json.loads(server.stdout.readline())
    return found


def _follow(port: int, room: str, end: float) -> None:
    """One phone, which goes when the server does."""
    try:
        PhoneBench(port, room).follow(end)
    except ConnectionError:
        return


def _serve(seconds: int, every: int) -> None:
    """Serve a class and ask it; print port and code, and at the end what was used; runs in the other checkout too."""
    from viz.app.server.guard import Guard
    from viz.core.classroom.questions import ClassQuestion
    from viz.core.classroom.room import the_room

    with tempfile.TemporaryDirectory() as folder:
        sys.argv = ["bench", f"--class={folder}"]
        room = the_room()
        assert room is not None
        room.open()
        config.get_option("server.port")  # Streamlit's log stands before the server; as there, requests are in none
        server = uvicorn.Server(uvicorn.Config(Guard(Starlette(), [], {}), port=0, log_level="error", access_log=False))
        threading.Thread(target=asyncio.run, args=(server.serve(),), daemon=True).start()
        while not server.started:
            time.sleep(0.05)
        idle = -_used()
        time.sleep(IDLE)
        idle += _used()
        print(server.servers[0].sockets[0].getsockname()[1], room.code, flush=True)
        used, began = _used(), time.monotonic()
        for number in range(seconds // every):
            room.ask(ClassQuestion("choice", (f"Question {number}?", ""), (("one", ""), ("two", ""))))
            time.sleep(max(0, began + every * (number + 1) - time.monotonic()))
        whole, idle = (1000 * each / PHONES for each in ((_used() - used) * 60 / seconds, idle * 60 / IDLE))
        found = {"milliseconds": round(whole - idle, 2), "idle": round(idle, 2), "answers": len(room.given())}
        print(json.dumps(found), flush=True)


def _used() -> float:
    """Processor seconds of this process."""
    now = resource.getrusage(resource.RUSAGE_SELF)
    return now.ru_utime + now.ru_stime
