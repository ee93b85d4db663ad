"""Three replicas of the app behind nginx, as compose.yaml runs them, and one of them killed in the middle.

Every visitor has a cookie, a connection that speaks Streamlit's own protocol, and a new sentence every few seconds.
Whose connection breaks comes back, as a browser does, with his cookie and the link of his page, which holds his
sentence. An answer is lost where none came before the connection broke or in a minute; who comes back sees his sentence
where its translation is the one that the model makes of it alone.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import re
import secrets
import shutil
import socket
import statistics
import subprocess
import sys
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

from websockets.exceptions import ConnectionClosed, InvalidHandshake

from bench.browser import ROOT, wait_until_healthy
from bench.visitors import EVERY, PATIENCE, QUIET, Run, Visitor, sentences

REPLICAS = 3


@dataclass
class Told:
    """What happened to one visitor."""

    cookie: str  # that he was given
    # sentence, translation (None: lost) and seconds
    answers: list[tuple[str, str | None, float]] = field(default_factory=list)
    # sentence and translation of each page that was opened again
    returns: list[tuple[str, str | None]] = field(default_factory=list)
    refused: int = 0  # how often nobody took his connection
    too_late: int = 0  # how many of the lost answers did not come in time, though the connection held


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("--visitors", type=int, default=150, metavar="N", help="visitors at once (default 150)")
    parser.add_argument(
        "--every", type=float, default=EVERY, metavar="S", help="between a visitor's sentences (default 10)"
    )
    parser.add_argument("--seconds", type=float, default=120, metavar="S", help="how long (default 120)")


@contextmanager
def running_replicas(number: int, folder: Path) -> Iterator[tuple[list[int], list[subprocess.Popen[bytes]]]]:
    """Ports and processes of so many servers with one secret, as containers would have it."""
    environment = {**os.environ, "STREAMLIT_SERVER_COOKIE_SECRET": secrets.token_hex(32), "OMP_NUM_THREADS": "1"}
    ports = [free_port() for _ in range(number)]
    with (folder / "replicas.log").open("wb") as log:
        servers = [
            subprocess.Popen(  # noqa: S603
                [sys.executable, "-m", "headlight", "serve", "--port", str(port)],
                cwd=ROOT,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
            )
            for port in ports
        ]
        try:
            for port, server in zip(ports, servers, strict=True):
                wait_until_healthy(server, f"http://127.0.0.1:{port}/_stcore/health")
            yield ports, servers
        finally:
            for server in servers:
                server.kill()
                server.wait()


def measure(args: argparse.Namespace) -> dict[str, Any]:
    """What was lost, who came back and what he saw, and how the replicas shared the visitors."""
    from model.translator import Translator

    with (
        tempfile.TemporaryDirectory() as name,
        running_replicas(REPLICAS, Path(name)) as (ports, servers),
        nginx_before(ports, Path(name)) as url,
    ):
        told = asyncio.run(_visits(url, servers, args))
    translator = Translator.from_checkpoint(args.checkpoint, "cpu")
    texts = {text for each in told for text, *_ in (*each.answers, *each.returns)}
    right = {text: translator.translate(text).text for text in texts}
    return {
        "bench": "replicas",
        "visitors": args.visitors,
        "seconds": args.seconds,
        "replicas": REPLICAS,
        **judged(told, right),
        "load": os.getloadavg()[0],
    }


def judged(told: Sequence[Told], right: dict[str, str]) -> dict[str, Any]:
    """Counts over all visitors, given the right translation of every sentence."""
    answers = [answer for each in told for answer in each.answers]
    lost = [sum(shown is None for _, shown, _ in each.answers) for each in told]
    waits = [seconds for _, shown, seconds in answers if shown is not None]
    returns = [pair for each in told for pair in each.returns]
    return {
        "sentences": len(answers),
        "lost": sum(lost),
        "too_late": sum(each.too_late for each in told),
        "most_lost_by_one": max(lost, default=0),
        "most_broken_by_one": max((n - each.too_late for n, each in zip(lost, told, strict=True)), default=0),
        "wrong": [(text, shown) for text, shown, _ in answers if shown is not None and shown != right[text]],
        "returned": len(returns),
        "returned_to_their_sentence": sum(shown == right[text] for text, shown in returns),
        "refused": sum(each.refused for each in told),
        "cookies": len({each.cookie for each in told}),
        "median": round(statistics.median(waits), 2) if waits else None,
    }


def cookie_of(url: str) -> str:
    """The cookie that a first request is given.

    Raises:
        KeyError: none is given.
    """
    with urllib.request.urlopen(url, timeout=30) as answer:  # noqa: S310 - our own address
        given = Counter(part.split(";")[0] for part in answer.headers.get_all("Set-Cookie", []))
    return next(each for each in given if each.startswith(f"{COOKIE}="))


async def _visits(url: str, servers: Sequence[subprocess.Popen[bytes]], args: argparse.Namespace) -> list[Told]:
    each = int(args.seconds // args.every) + 1
    texts = sentences(each * args.visitors)
    told, visitors = [], []
    for _ in range(args.visitors):
        told.append(Told(await asyncio.to_thread(cookie_of, url)))
        visitors.append(await _arrived(url, told[-1], ""))
    started = time.perf_counter()
    visits = [
        asyncio.create_task(
            _visit(url, visitor, one, texts[n :: args.visitors], started + args.every * n / args.visitors, args)
        )
        for n, (visitor, one) in enumerate(zip(visitors, told, strict=True))
    ]
    await asyncio.sleep(args.seconds / 2)
    servers[0].kill()
    await asyncio.gather(*visits)
    return told


async def _arrived(url: str, told: Told, text: str) -> Visitor:
    """A visitor with an open page, tried again as a browser does, a second apart; ``text`` stands in his link."""
    for _ in range(int(PATIENCE)):
        try:
            visitor = await Visitor.arrive(url, {"Cookie": told.cookie, "Origin": url})
            run = await visitor.open(PATIENCE, urlencode({"text": text}) if text else "")
            await visitor.rest(QUIET)
        except (ConnectionClosed, InvalidHandshake, OSError):
            told.refused += 1
            await asyncio.sleep(1)
            continue
        if text:
            told.returns.append((text, run.translation))
        return visitor
    raise RuntimeError("nobody lets a visitor in")


async def _visit(
    url: str, visitor: Visitor, told: Told, texts: list[str], first: float, args: argparse.Namespace
) -> None:
    """One visitor's sentences, a new one every few seconds."""
    end = first + args.seconds
    for number, text in enumerate(texts):
        due = first + args.every * number
        if max(due, time.perf_counter()) >= end:
            break
        await asyncio.sleep(max(0.0, due - time.perf_counter()))
        try:
            await visitor.rest(QUIET)
            run = await visitor.translate(text, PATIENCE)
            told.too_late += not run.ended
        except ConnectionClosed:
            run = Run()
        told.answers.append((text, run.translation if run.ended else None, run.seconds))
        if not run.ended:
            visitor = await _arrived(url, told, text)


def table(result: dict[str, Any]) -> str:
    """The result for a person."""
    n, seconds = result["visitors"], result["seconds"]
    most, broken = result["most_lost_by_one"], result["most_broken_by_one"]
    return "\n".join(
        (
            f"{n} visitors, {result['replicas']} replicas, {seconds:.0f} s, one replica killed",
            f"sentences {result['sentences']}, lost {result['lost']} ({result['too_late']} of them too late), "
            f"of one visitor at most {most} (bar 1), by a broken connection {broken}",
            f"wrong {len(result['wrong'])}, connections refused {result['refused']}, median wait {result['median']} s",
            f"came back {result['returned']}, of them to their own sentence {result['returned_to_their_sentence']}",
            f"cookies {result['cookies']}; load {result['load']:.1f}",
        )
    )


CONFIGURATION = ROOT / "deploy" / "nginx.conf"
COOKIE = "headlight_visitor"
NO_NGINX = "no nginx found: get one with 'apt-get install nginx-light'"


def find_nginx() -> str | None:
    """Path of an nginx; None without one."""
    return shutil.which("nginx") or next((path for path in ("/usr/sbin/nginx",) if Path(path).is_file()), None)


def free_port() -> int:
    """A port that nobody listens on."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


def configured(ports: Sequence[int], port: int, folder: Path) -> str:
    """The shipped configuration with these servers instead of the container's, its port and its folder.

    Raises:
        ValueError: the configuration has no such line any more.
    """
    text = CONFIGURATION.read_text(encoding="utf-8")
    line = re.search(r"^( *)server app:8501(.*);$", text, re.MULTILINE)
    if line is None or "listen 8080;" not in text:
        raise ValueError(f"{CONFIGURATION.name} has no line for the app, or does not listen on 8080")
    servers = "\n".join(f"{line[1]}server 127.0.0.1:{each}{line[2]};" for each in ports)
    text = text.replace(line[0], servers).replace("listen 8080;", f"listen 127.0.0.1:{port};")
    return text.replace(" /tmp/", f" {folder}/").replace("worker_processes auto;", "worker_processes 1;\ndaemon off;")


@contextmanager
def nginx_before(ports: Sequence[int], folder: Path, health: str = "/health") -> Iterator[str]:
    """The address of an nginx before servers of this machine, while it runs.

    Raises:
        FileNotFoundError: there is no nginx.
        RuntimeError: it ended, or did not answer within a minute.
    """
    program = find_nginx()
    if program is None:
        raise FileNotFoundError(NO_NGINX)
    port, path = free_port(), folder / "nginx.conf"
    path.write_text(configured(ports, port, folder), encoding="utf-8")
    server = subprocess.Popen([program, "-c", str(path), "-e", str(folder / "error.log")], stdin=subprocess.DEVNULL)  # noqa: S603
    try:
        wait_until_healthy(server, f"http://127.0.0.1:{port}{health}")
        yield f"http://127.0.0.1:{port}"
    finally:
        server.terminate()
        server.wait(10)
