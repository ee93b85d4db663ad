"""The page that translates by itself, served under /live: the folder that ``viz export --live --folder`` wrote."""

from __future__ import annotations

import re
from html import unescape
from pathlib import Path

from starlette.responses import FileResponse, HTMLResponse, PlainTextResponse, RedirectResponse, Response
from starlette.types import Receive, Scope, Send

from viz.core.choice import LIVE_PAGE, live_site

WHERE = re.compile(r"(?P<below>.*)/live(?P<rest>/(?P<file>[A-Za-z0-9][\w.-]{0,80})?)?")
NONE = (
    "No page is served here: write one with 'python -m viz export --live --folder DIR', "
    "and start the app with '-- --live DIR'.\n"
)
_APP = '<meta name="headlight-app" content="../">'  # where the page finds the app, which a file from disk has not
_POLICY = re.compile(r'http-equiv="Content-Security-Policy" content="([^"]*)"')


def is_live(path: str) -> bool:
    """Whether a path of the server is one of the page's."""
    return WHERE.fullmatch(path) is not None


async def serve(scope: Scope, receive: Receive, send: Send) -> None:
    """Answer one request for the page or a file of its engine; an ASGI application."""
    match = WHERE.fullmatch(scope["path"])
    assert match
    answer = _answer(live_site(), match, scope.get("root_path", ""))
    answer.headers.setdefault("Content-Security-Policy", "default-src 'none'; frame-ancestors 'self'")
    answer.headers["X-Content-Type-Options"] = "nosniff"
    answer.headers["Referrer-Policy"] = "same-origin"  # an address holds what a visitor typed
    await answer(scope, receive, send)


def _answer(site: Path | None, match: re.Match[str], root: str) -> Response:
    if site is None or not (site / LIVE_PAGE).is_file():
        return PlainTextResponse(NONE, status_code=404)
    if not match["rest"]:  # its files lie beside it
        return RedirectResponse(f"{root}{match['below'].removeprefix(root)}/live/")
    file = site / (match["file"] or LIVE_PAGE)
    if not file.is_file() or file.suffix not in (".html", ".bin"):
        return PlainTextResponse(NONE, status_code=404)
    if file.name == LIVE_PAGE:
        page = file.read_text(encoding="utf-8")
        allowed = _POLICY.search(page)
        policy = (unescape(allowed[1]) if allowed else "default-src 'none'") + "; frame-ancestors 'self'"
        headers = {"Content-Security-Policy": policy, "Cache-Control": "no-cache"}
        return HTMLResponse(page.replace("<head>", f"<head>{_APP}", 1), headers=headers)
    for_good = {"Cache-Control": "public, max-age=31536000, immutable"}  # another content has another name
    return FileResponse(file, media_type="application/octet-stream", headers=for_good)
