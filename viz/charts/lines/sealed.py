"""A document for a frame that runs the scripts it was made with, and nothing else."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Mapping, Sequence
from html import escape
from typing import Any


def sealed_document(
    body: str, style: str, data: Mapping[str, Any], scripts: Sequence[str], title: str = "", lang: str = "en"
) -> str:
    """HTML that asks for nothing from anywhere; identical for identical arguments.

    Its content security policy (https://www.w3.org/TR/CSP3/) names the style and the scripts by their
    hashes: markup that slipped in with the data could neither run nor fetch anything.

    Args:
        body: HTML that stands before the scripts; must not hold text that a visitor typed.
        style: CSS.
        data: whatever the scripts need, visitors' text too; they find it as JSON in ``#given``.
        scripts: run in this order, after the body and the data.
        title, lang: of the document, for those who have it read to them.

    Raises:
        ValueError: the style or a script would end its own element.
    """
    for name, sources in (("style", [style]), ("script", scripts)):
        if any(f"</{name}" in source.lower() or "<!--" in source for source in sources):
            raise ValueError(f"a {name} holds </{name} or <!--")
    looks, allowed = source_hash(style), " ".join(source_hash(script) for script in scripts)
    policy = f"default-src 'none'; script-src {allowed}; style-src {looks}; form-action 'none'; base-uri 'none'"
    given = f'<script type="application/json" id="given">{inert_json(data)}</script>'
    running, heading = "".join(f"<script>{script}</script>" for script in scripts), escape(title)
    return (
        f'<!doctype html><html lang="{escape(lang)}"><head><meta charset="utf-8"><title>{heading}</title>'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}"><style>{style}</style></head>'
        f"<body><main><h1>{heading}</h1>{body}</main>{given}{running}</body></html>"
    )


def inert_json(value: Mapping[str, Any]) -> str:
    """JSON in ASCII in which no markup can begin or end; U+2028, U+2029 and lone surrogates are escaped too."""
    text = json.dumps(value, ensure_ascii=True, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def source_hash(source: str) -> str:
    """How a content security policy names a script or a style by what it says."""
    digest = hashlib.sha256(source.encode()).digest()
    return f"'sha256-{base64.b64encode(digest).decode('ascii')}'"
