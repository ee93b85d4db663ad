"""What the site holds besides its documents: the READMEs as first pages, the logo, pictures that are live pages."""

from __future__ import annotations

import inspect
import json
import re
import shutil
import tempfile
from importlib import import_module
from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig

from model.examples import load_example, sentences
from model.folders import CHECKPOINTS, META
from viz.export import pages

ROOT = Path(__file__).resolve().parent
API = re.compile(r"^@api ([\w.]+)$", re.MULTILINE)
LOGO = "assets/logo.svg"
INTO_TREE = re.compile(r"\[([^\]]+)\]\(\.\./[^)]+\)")  # links to what lies outside the documents
OTHER_LANGUAGE = re.compile(r"\[(?:中文|English|中文说明)\]\([^)]+\)[.。]?")  # the site has a menu for it


def on_config(config: MkDocsConfig, **_: Any) -> MkDocsConfig:
    """The documents with the READMEs as first pages and the logo of the app, in a folder of their own."""
    documents = Path(tempfile.mkdtemp(prefix="headlight-site-")) / "docs"
    shutil.copytree(ROOT / "docs", documents)
    for source, name in (("README.md", "index.md"), ("README.zh.md", "index.zh.md")):
        text = (ROOT / source).read_text(encoding="utf-8")
        text = re.sub(r"\]\((?!docs/|https?:)", "](../", text).replace("(docs/", "(")
        (documents / name).write_text(text, encoding="utf-8")
    (documents / LOGO).parent.mkdir()
    shutil.copyfile(ROOT / "viz" / "app" / "logo.svg", documents / LOGO)
    config.docs_dir = str(documents)
    return config


def on_page_markdown(markdown: str, **_: Any) -> str:
    """Lines ``@api module.name`` become that object's signature and docstring; links out of the site their text."""
    markdown = OTHER_LANGUAGE.sub("", markdown)
    return API.sub(lambda match: documented(match[1]), INTO_TREE.sub(r"\1", markdown))


def documented(name: str) -> str:
    """Signature and docstring of an object, and of the public members of a class, as Markdown.

    Raises:
        AttributeError: there is no such object.
    """
    module, _, last = name.rpartition(".")
    thing = getattr(import_module(module), last)
    found = [f"### {last}\n\n`{name}`\n\n{_described(thing, last)}"]
    own = vars(thing).items() if inspect.isclass(thing) else ()
    members = [
        (each, getattr(thing, each)) for each, value in own if not each.startswith("_") and inspect.isroutine(value)
    ]
    found += [f"**{each}**\n\n{_described(value, each)}" for each, value in members]
    return "\n\n".join(found)


def _described(thing: Any, name: str) -> str:
    try:
        signature = f"{name}{inspect.signature(thing)}"
    except (TypeError, ValueError):
        signature = name
    return f"```python\n{signature}\n```\n\n```text\n{inspect.getdoc(thing) or ''}\n```"


def live_pages(into: Path, checkpoint: str = "en-zh") -> list[Path]:
    """Write the viewer of every stored example, in both languages; returns the files.

    The translations and maps are stored with the checkpoint, so that no model is needed.
    """
    folder = CHECKPOINTS / checkpoint
    sha256 = json.loads((folder / META).read_text(encoding="utf-8"))["sha256"]
    found = []
    for language in ("en", "zh"):
        for number, text in enumerate(sentences("english")):
            example = load_example(folder, text, sha256)
            if example is not None:
                into.mkdir(parents=True, exist_ok=True)
                page = pages.traced_page(example, checkpoint, language)
                found.append(page.save(into / f"{number}.{language}.html"))
    return found


def on_post_build(config: MkDocsConfig, **_: Any) -> None:
    """Write the pictures of the gallery."""
    into = Path(config.site_dir) / "gallery"
    shutil.rmtree(into, ignore_errors=True)
    live_pages(into)
    shutil.rmtree(Path(config.docs_dir).parent, ignore_errors=True)
