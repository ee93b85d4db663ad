"""A page that holds the translator itself: any sentence typed in it is translated in the browser, with every map."""

from __future__ import annotations

import argparse
import base64
import gzip
import hashlib
import json
import struct
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from model.attribution.methods import METHOD_NAMES, MethodName, attribution_maps
from model.commands.shared.options import opened
from model.errors import HeadlightError
from model.files import write_bytes
from model.onnx.export import FACTS, GRAPHS, export
from model.onnx.packed import WeightStore, without_weights
from model.own.translator import Translator
from model.trace import HeadRef
from viz.core.selection import Selection
from viz.core.text import LANGUAGES, text
from viz.web.bundles import ENGINE, LIVE, LIVE_STYLE, RUNTIME, own_style
from viz.web.page import document, packed
from viz.web.payload import pack

ENGINE_METHODS: tuple[MethodName, ...] = ("weights", "votes", "rollout")  # what the engine makes of every sentence
ASKED_METHODS: tuple[MethodName, ...] = ("leave_one_out",)  # and of one where somebody chooses it
OPENS_ON = "My sister bought a red bicycle yesterday."
PAGE_WORDS = (
    *("title", "sentence", "translate", "opening", "ready", "working", "done", "cut", "failed", "simd"),
    *("empty", "long", "script", "tokens", "mute", "muted", "unmute", "before", "other", "sentences"),
    *("delete", "deleted", "restore", "steps", "gain", "candidates", "forced", "forked", "unfork", "app"),
    *("class_asks", "class_back", "class_scene", "class_seat", "retry", "weak"),
)
APP_WORDS = {  # that the app says, too
    "written": "fork.written",
    "beam": "beam.width",
    "finished": "beam.finished_title",
    "previous": "steps.previous",
    "next": "steps.next",
    "closed": "class.phone.closed",
    "lacks": "talk.live_weights",
}
# Nothing is asked of anybody: the worker's script lies in the page, and WebAssembly comes with it.
FILE_POLICY = (
    "default-src 'none'; script-src {script} 'wasm-unsafe-eval'; worker-src blob:; "
    "style-src {style}; img-src data: blob:; base-uri 'none'; form-action 'none'"
)
SITE_POLICY = FILE_POLICY + "; connect-src 'self'"  # of a site: the translator lies beside the page
SITE_PAGE = "index.html"
OWNER = {"votes": "decoder"}  # whose weights a graph looks up, where they are not its own


def add_live(parser: argparse.ArgumentParser) -> None:
    """Declare the options of ``export --live``."""
    parser.add_argument(
        "--live", action="store_true", help="a page that translates by itself; opens on TEXT, if there is one"
    )
    parser.add_argument("--folder", type=Path, metavar="DIR", help="with --live: a static site in place of one file")
    parser.add_argument("--graphs", type=Path, metavar="DIR", help="with --live: of export-onnx, not made anew")


def export_live(args: argparse.Namespace) -> str:
    """Write the page, or the site; returns what is printed.

    Raises:
        HeadlightError: no place is named, the model is none of our own, or as ``live_page``.
    """
    if (args.output is None) == (args.folder is None):
        raise HeadlightError("export --live needs --output FILE.html, or --folder DIR.")
    if args.output is not None and args.output.suffix.lower() not in (".html", ".htm"):
        raise HeadlightError(f"{args.output} must end in html")
    translator = opened(args)
    if not isinstance(translator, Translator):
        raise HeadlightError("Only a checkpoint of our own can run in a page so far.")
    given = (args.text or OPENS_ON, args.lang, args.graphs)
    if args.folder is not None:
        written = live_site(translator, args.folder, *given)
    else:
        write_bytes(args.output, live_page(translator, *given).encode())
        written = [args.output]
    return "\n".join(f"{path}: {path.stat().st_size:,} bytes" for path in written)


def live_page(translator: Translator, source: str = OPENS_ON, language: str = "en", graphs: Path | None = None) -> str:
    """One file that holds viewer, engine and weights, and asks for nothing.

    Args:
        translator: a checkpoint of our own that reads English.
        source: the sentence that it opens on.
        language: of its words at first; the page has a button for the other one.
        graphs: a folder that ``export-onnx`` wrote of this checkpoint; made anew, and let go, where it is None.

    Raises:
        HeadlightError: the packages that make graphs are not installed, or the graphs are another checkpoint's.
    """
    parts = engine_parts(translator, graphs)
    return _page(translator, source, language, dict.fromkeys(parts, ""), engine_data(parts), FILE_POLICY)


def live_site(
    translator: Translator, into: Path, source: str = OPENS_ON, language: str = "en", graphs: Path | None = None
) -> list[Path]:
    """The same as a static site: a small page, and the engine's files beside it, which a browser keeps.

    Their names hold their sums, so that they may be kept for good. Arguments and errors as ``live_page``.
    """
    parts = engine_parts(translator, graphs)
    into.mkdir(parents=True, exist_ok=True)
    files, written = dict[str, str](), [into / SITE_PAGE]
    for name, zipped in parts.items():
        files[name] = f"{name}.{hashlib.sha256(zipped).hexdigest()[:16]}.bin"
        written.append(into / files[name])
        write_bytes(written[-1], zipped)
    write_bytes(written[0], _page(translator, source, language, files, engine_data({}), SITE_POLICY).encode())
    return written


_MADE: WeakKeyDictionary[Translator, dict[str, bytes]] = WeakKeyDictionary()  # as long as a translator is opened


def engine_parts(translator: Translator, graphs: Path | None) -> dict[str, bytes]:
    """What the engine is made of, zipped, by name: the runtime, the graphs, and facts and vocabularies as JSON."""
    if graphs is None:
        if translator not in _MADE:
            with tempfile.TemporaryDirectory() as made:
                export(translator, Path(made), "compact")
                _MADE[translator] = engine_parts(translator, Path(made))
        return _MADE[translator]
    try:
        files = {name: (graphs / f"{name}.onnx").read_bytes() for name in GRAPHS}
        facts = json.loads((graphs / FACTS).read_text(encoding="utf-8"))
        vocabularies = {name: json.loads((graphs / f"{name}.json").read_bytes()) for name in ("src", "casing", "tgt")}
    except FileNotFoundError as error:
        raise HeadlightError(f"{graphs} holds no {Path(error.filename).name}: see export-onnx.") from None
    if facts["weights"] != translator.meta.get("sha256", ""):
        raise HeadlightError(f"The graphs in {graphs} are of other weights than {translator.name} has: make them anew.")
    stores = {name: WeightStore() for name in ("encoder", "decoder")}
    looking = {name: without_weights(data, stores[OWNER.get(name, name)]) for name, data in files.items()}
    weights = {}
    for name, store in stores.items():
        weights[f"{name}_high"], weights[f"{name}_low"] = store.packed()
    texts = {
        "facts": facts,
        "weights": {name: store.table for name, store in stores.items()},
        **vocabularies,
        "src": _subwords(vocabularies["src"]),
        "tgt": _subwords(vocabularies["tgt"]),
    }
    written = json.dumps(texts, ensure_ascii=False, separators=(",", ":")).encode()
    zipped = {name: _zipped(data) for name, data in {"texts": written, **looking}.items()}
    return {"wasm": RUNTIME.read_bytes(), **zipped, **weights}


def engine_data(parts: Mapping[str, bytes]) -> str:
    """The worker's script as data of a page, and with it the parts of the engine that lie in the same file."""
    worker = base64.b64encode(_zipped(ENGINE.read_bytes())).decode("ascii")
    texts = {"engine": worker} | {name: dense(zipped) for name, zipped in parts.items()}
    return "\n".join(
        f'<script type="application/octet-stream" id="{name}">{held}</script>' for name, held in texts.items()
    )


def _zipped(data: bytes) -> bytes:
    return gzip.compress(data, 9, mtime=0)


def _subwords(vocabulary: Mapping[str, Any]) -> dict[str, Any]:
    """What the engine reads of a vocabulary file."""
    model = vocabulary["model"]
    kept = {name: model[name] for name in ("vocab", "merges", "byte_fallback")}
    return {"model": kept, "pre_tokenizer": vocabulary["pre_tokenizer"]}


def _page(translator: Translator, source: str, language: str, files: Mapping[str, str], data: str, policy: str) -> str:
    translation = translator.translate(source, capture=True)
    maps = {method: attribution_maps(translator, translation, method) for method in (*ENGINE_METHODS, *ASKED_METHODS)}
    best = Selection((HeadRef("cross", translator.config["n_decoder_layers"] // 2, 0),))
    messages = {each: pack(translation, maps, language=each, model=translator.name, start=best) for each in LANGUAGES}
    keys = {name: f"live.{name}" for name in PAGE_WORDS} | APP_WORDS
    languages = {
        each: {
            "header": header_of(message),
            "words": {name: text(each, key) for name, key in keys.items()},
            "methods": {name: text(each, f"method.{name}") for name in METHOD_NAMES},
        }
        for each, message in messages.items()
    }
    settings = {"language": language, "languages": languages, "files": dict(files)}
    body = (
        f'<div id="live"><noscript>{text(language, "viewer.script")}</noscript></div>\n'
        f'<script type="application/json" id="settings">{_harmless(settings)}</script>\n'
        f'<script type="application/octet-stream" id="message">{packed(messages[language])}</script>\n{data}'
    )
    look = LIVE_STYLE.read_text(encoding="utf-8") + own_style("fork_picker")
    return document(body, text(language, "live.title"), language, look, bundle=LIVE, policy=policy)


def header_of(message: bytes) -> dict[str, Any]:
    """The header of a message, for sentences to come: the tokens are those of the one that it was made of."""
    (length,) = struct.unpack_from("<I", message)
    header: dict[str, Any] = json.loads(message[4 : 4 + length])
    return header


def _harmless(value: object) -> str:
    """JSON as the data of a script, which no text in it can end."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")


ESCAPED = {0x00: "¡", 0x0D: "¢", 0x3C: "£"}


def dense(data: bytes) -> str:
    """The text that stands for bytes; it may lie in a ``<script>`` of data.

    >>> dense(bytes(7)), dense(b"I")
    ('¡¡¡¡¡¡¡¡', '$@')
    """
    bits = np.unpackbits(np.frombuffer(data, np.uint8))
    padded = np.pad(bits, (0, -len(bits) % 7)).reshape(-1, 7)
    codes = np.packbits(np.pad(padded, ((0, 0), (1, 0))), axis=1)[:, 0]
    return codes.tobytes().decode("ascii").translate(ESCAPED)
