"""What sixty waiting phones cost the server: processor seconds of the process that answers them, a phone and minute."""

from __future__ import annotations

import argparse
import asyncio
import json
import resource
import sys
import tempfile
import threading
import time
from http.client import HTTPConnection

import uvicorn
from starlette.applications import Starlette

from viz.app.server.guard import Guard
from viz.core.classroom.questions import ClassQuestion
from viz.core.classroom.room import Room, the_room

PHONES = 60


def post(port: int, code: str, verb: str, **said: object) -> dict[str, object]:
    """What the server says to one phone."""
    there = HTTPConnection("127.0.0.1", port, timeout=40)
    there.request("POST", f"/class/{code}/{verb}", json.dumps(said), {"Content-Type": "application/json"})
    found: dict[str, object] = json.loads(there.getresponse().read())
    there.close()
    return found


def follow(port: int, code: str, end: float) -> None:
    """One phone: joins, waits for what is asked, answers it, waits again."""
    phone = post(port, code, "join")["phone"]
    version: object = ""
    while time.monotonic() < end:
        now = post(port, code, "now", phone=phone, version=version)
        version = now.get("version", "")
        if now.get("asking") and now.get("mine") is None:
            post(port, code, "answer", phone=phone, question=now["question"], answer=1)


def serve(port: int) -> uvicorn.Server:
    """The guard on a port of this machine."""
    return uvicorn.Server(uvicorn.Config(Guard(Starlette(), [], {}), port=port, log_level="warning"))


def lecture(room: Room, end: float, every: int) -> None:
    """A question, and after so many seconds the next."""
    number = 0
    while time.monotonic() < end:
        number += 1
        room.ask(ClassQuestion("choice", (f"Question {number}?", ""), (("one", ""), ("two", ""))))
        time.sleep(min(every, max(0, end - time.monotonic())))


def main(argv: list[str]) -> int:
    """Print the figure; the phones are threads of a process of their own."""
    parser = argparse.ArgumentParser(prog="python -m bench.classroom", description=__doc__)
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--every", type=int, default=30, help="seconds between questions")
    parser.add_argument("--port", type=int, default=8797)
    args = parser.parse_args(argv)
    from multiprocessing import get_context

    with tempfile.TemporaryDirectory() as folder:
        sys.argv = ["bench", f"--class={folder}"]
        room = the_room()
        assert room is not None
        room.open()
        server = serve(args.port)
        threading.Thread(target=asyncio.run, args=(server.serve(),), daemon=True).start()
        while not server.started:
            time.sleep(0.05)
        end = time.monotonic() + args.seconds
        phones = get_context("spawn").Process(target=crowd, args=(args.port, room.code, args.seconds))
        phones.start()
        used = resource.getrusage(resource.RUSAGE_SELF)
        lecture(room, end, args.every)
        now = resource.getrusage(resource.RUSAGE_SELF)
        seconds = now.ru_utime + now.ru_stime - used.ru_utime - used.ru_stime
        print(f"{room.people} phones, {len(room.given())} answers, {args.seconds} s")
        print(f"{1000 * seconds / PHONES / (args.seconds / 60):.1f} ms a phone and minute")
        phones.terminate()
    return 0


def crowd(port: int, code: str, seconds: int) -> None:
    """All phones."""
    end = time.monotonic() + seconds
    for _ in range(PHONES):
        threading.Thread(target=follow, args=(port, code, end)).start()
        time.sleep(0.06)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
