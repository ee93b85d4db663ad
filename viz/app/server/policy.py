"""The policy of the app's pages (https://www.w3.org/TR/CSP3/): no other host, no script but its own."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import Path

from streamlit import file_util

from viz.charts.lines.sealed import source_hash

_INLINE = re.compile(r"<script>(.*?)</script>", re.DOTALL)


def policy(inline: Iterable[str]) -> str:
    """The policy of a page whose own inline scripts are these.

    Streamlit makes a module of each component's script by way of ``blob:``, an address that no markup can make;
    its protocol buffers try WebAssembly; its styles, and Plotly's, are written into the page.
    """
    scripts = " ".join(["'self'", "blob:", "'wasm-unsafe-eval'", *sorted({source_hash(each) for each in inline})])
    rules = {
        "default-src": "'self'",
        "script-src": scripts,
        "style-src": "'self' 'unsafe-inline'",
        "img-src": "'self' data: blob:",
        "font-src": "'self' data:",
        "connect-src": "'self'",
        "worker-src": "'self' blob:",
        "object-src": "'none'",
        "base-uri": "'none'",
        "form-action": "'none'",
        "frame-ancestors": "'self'",
    }
    return "; ".join(f"{name} {allowed}" for name, allowed in rules.items())


def streamlits_scripts() -> list[str]:
    """The inline scripts of Streamlit's page, as it is installed."""
    page = Path(file_util.get_static_dir()) / "index.html"
    return _INLINE.findall(page.read_text(encoding="utf-8"))


def headers(frames: Iterable[str]) -> Mapping[str, str]:
    """What every answer of the server says to the browser; ``frames`` are the scripts of frames in its pages."""
    return {
        "Content-Security-Policy": policy([*streamlits_scripts(), *frames]),
        "X-Content-Type-Options": "nosniff",
        "Referrer-Policy": "same-origin",  # an address holds what a visitor typed
    }
