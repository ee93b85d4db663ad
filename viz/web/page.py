"""One HTML file that holds the viewer and every map: no server, no network, no other file."""

from __future__ import annotations

import base64
import gzip
import hashlib
import html
from pathlib import Path

from viz.core.text import text
from viz.web.bundles import VIEWER, VIEWER_STYLE

# Nothing may be fetched, framed or sent; pictures are made in the page, which lets them be data.
POLICY = (
    "default-src 'none'; script-src {script}; style-src {style}; img-src data: blob:; "
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
{body}
{before}<script type="module">{script}</script>
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
    body = (
        f'<div id="viewer" class="viewer"><noscript>{text(language, "viewer.script")}</noscript></div>\n'
        f'<script type="application/octet-stream" id="message">{packed(message)}</script>'
    )
    return document(body, title, language)


def packed(message: bytes) -> str:
    """A message as it lies in a page: base64 of gzip."""
    return base64.b64encode(gzip.compress(message, 9, mtime=0)).decode("ascii")


def document(
    body: str,
    title: str,
    language: str,
    more_style: str = "",
    *,
    bundle: Path = VIEWER,
    policy: str = POLICY,
    before: str = "",
    own: bool = True,
) -> str:
    """A whole page around a script of ours, which is all that may run in it.

    Args:
        body: markup; whatever a visitor typed is already data in it.
        title: of the browser's window; it is escaped here.
        language: "en" or "zh".
        more_style: beside the viewer's own.
        bundle: the script, as it was built.
        policy: what the page may do, with ``{script}`` and ``{style}`` where their sums belong.
        before: a library's script, which runs first.
        own: every style is ours; else elements may bring theirs, as those of a view do. Nothing can be fetched by them.
    """
    script, style = bundle.read_text(encoding="utf-8"), VIEWER_STYLE.read_text(encoding="utf-8") + more_style
    allowed = policy.format(
        script=" ".join(source_hash(each) for each in filter(None, [before, script])),
        style=source_hash(style) if own else "'unsafe-inline'",
    )
    return _PAGE.format(
        language={"zh": "zh-CN"}.get(language, language),
        policy=html.escape(allowed),
        title=html.escape(title),
        style=style,
        body=body,
        before=f"<script>{before}</script>\n" if before else "",
        script=script,
    )


def source_hash(code: str) -> str:
    """What a Content-Security-Policy calls an inline script or style."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(code.encode()).digest()).decode('ascii')}'"
