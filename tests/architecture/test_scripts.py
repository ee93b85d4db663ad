"""What a script of ours may do: use what it imports and the browser's own names, and leave nothing behind."""

from __future__ import annotations

import re

from tests.architecture.javascript import free_names, tokens
from tests.architecture.tree import ROOT

KEYWORDS = set(
    re.findall(
        r"\w+",
        """async await break case catch class const continue default delete do else export extends false finally for
        from function get if import in instanceof let new null of return set static super switch this throw true try
        typeof undefined void while yield""",
    )
)
BROWSER = set(
    re.findall(
        r"\w+",
        """Array Blob Boolean CSS DataView DecompressionStream Element Error Float32Array HTMLInputElement Image
        Infinity JSON Map Math NaN Node Number Object Promise ResizeObserver Response Set String TextDecoder URL
        URLSearchParams Uint8Array Uint16Array Uint32Array Uint8ClampedArray WeakMap atob clearInterval clearTimeout
        document encodeURIComponent decodeURIComponent getComputedStyle Intl history localStorage location
        matchMedia parseInt performance requestAnimationFrame setInterval setTimeout window""",
    )
)
# Whatever outlives a component's element stands in one file, which ends it with the element.
BASE = "viz/components/shared/component.js"
OUTLIVES = re.compile(
    r"new \w*Observer\b|\b(?:document|window|globalThis)\.addEventListener|\bset(?:Timeout|Interval)\b"
)
IMPORT = re.compile(r'^import \{([^}]*)\} from "[^"]+";$', re.MULTILINE)


def scripts(*folders: str) -> dict[str, str]:
    """Every script in these folders, by its path from the root."""
    files = sorted(file for folder in folders for file in (ROOT / folder).rglob("*.js"))
    return {str(file.relative_to(ROOT)): file.read_text(encoding="utf-8") for file in files}


def unasked(source: str) -> set[str]:
    """Names that a script uses, and neither makes nor imports, and that no browser knows."""
    return free_names(source) - KEYWORDS - BROWSER


def unused(source: str) -> set[str]:
    """Names that a script imports and does not use."""
    names = {name.strip() for listed in IMPORT.findall(source) for name in listed.split(",") if name.strip()}
    rest = [token.text for token in tokens(IMPORT.sub("", source)) if token.sort == "name"]
    return names - set(rest)


def left_behind(path: str, source: str) -> list[str]:
    """Observers, listeners and timers that outlive an element, where they are not the base's, which ends them."""
    return [] if path == BASE else OUTLIVES.findall(source)


def test_every_script_uses_only_what_it_asked_for() -> None:
    every = scripts("viz/components", "viz/viewer/src")
    assert len(every) >= 45
    assert {path: names for path, source in every.items() if (names := unasked(source))} == {}
    assert {path: names for path, source in every.items() if (names := unused(source))} == {}


def test_no_script_leaves_anything_behind() -> None:
    every = scripts("viz/components")
    assert {path: found for path, source in every.items() if (found := left_behind(path, source))} == {}


def test_a_name_that_was_not_asked_for_is_seen() -> None:
    script = (
        'import { fill, make } from "./shared.js";\nconst own = ({ a, b: [c] }) => fill(a, c, own.percent, SHARED);'
    )
    assert unasked(script) == {"SHARED"}
    assert unused(script) == {"make"}
    assert unasked("const f = (x) => `${x} ${y}`; for (const z of f(1)) z;") == {"y"}
    assert unasked("class A { b(c) { return { c, d: 1, e }; } }") == {"e"}


def test_what_nobody_ends_is_seen() -> None:
    for script in ("new ResizeObserver", "window.addEventListener", "setTimeout", "setInterval"):
        assert left_behind("a.js", f"{script}(f);") == [script]
        assert left_behind(BASE, f"{script}(f);") == []
