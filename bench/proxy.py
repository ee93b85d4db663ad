"""nginx before several servers, with the configuration that ships; for the bench and for the tests."""

from __future__ import annotations

import re
import shutil
import socket
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from bench.browser import ROOT, wait_until_healthy

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
