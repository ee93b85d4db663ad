"""One HTML file that holds the viewer and every map: no server, no network, no other file."""

from __future__ import annotations

import base64
import gzip
import hashlib
import html
from pathlib import Path

from viz.text import text

HERE = Path(__file__).resolve().parent
SCRIPT, STYLE = HERE / "dist" / "viewer.js", HERE / "viewer.css"
# Nothing may be fetched, framed or sent; pictures are made in the page, which lets them be data.
POLICY = (
    "default-src 'none'; script-src 'sha256-{script}'; style-src 'sha256-{style}'; img-src data: blob:; "
    "base-uri 'none'; form-action 'none'"
)
_PAGE = """<!doctype html>
<html lang="{language}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>{style}</style>
</head>
<body>
<div id="viewer"><noscript>{script_needed}</noscript></div>
<script type="application/octet-stream" id="message">{message}</script>
<script type="module">{script}</script>
</body>
</html>
"""


def page(message: bytes, title: str, language: str) -> str:
    """The file that shows a message.

    Args:
        message: as ``payload.pack`` makes it.
        title: of the browser's window; whatever a visitor typed is escaped.
        language: "en" or "zh".
    """
    script, style = SCRIPT.read_text(encoding="utf-8"), STYLE.read_text(encoding="utf-8")
    packed = base64.b64encode(gzip.compress(message, 9, mtime=0)).decode("ascii")
    policy = POLICY.format(script=_hash(script), style=_hash(style))
    return _PAGE.format(
        language={"zh": "zh-CN"}.get(language, language),
        policy=html.escape(policy),
        title=html.escape(title),
        style=style,
        script_needed=text(language, "viewer.script"),
        message=packed,
        script=script,
    )


def _hash(code: str) -> str:
    """What a Content-Security-Policy calls an inline script or style."""
    return base64.b64encode(hashlib.sha256(code.encode()).digest()).decode("ascii")
