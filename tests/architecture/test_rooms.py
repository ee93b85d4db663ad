"""Who may import whom: every file belongs to a room, and every room says which rooms it may use."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path

import pytest

from tests.architecture.tree import HOUSE, imports, sources, used_files

WINGS = [
    f"model/analysis/{wing}"
    for wing in ("alignment", "atlas", "faithfulness", "heads", "lessons", "residual", "what_if")
]
WINGS += ["model/attribution"]
# What anything may read of the model. Our own Transformer, training and commands are not among it.
SEAM = {"model/*", "model/checkpoints.py", "model/translator.py"}
MODEL = SEAM | {"model/common", "model/saved", *WINGS}
# What needs neither Streamlit nor a model.
GROUND = {"viz/core/text", "viz/core/theme.py", "viz/core/numbers.py", "viz/core/views.py", "viz/core/selection.py"}

# A room is a folder with all below it, the files that stand directly in a folder (/*), or one file. The most exact line
# counts. A room may always use itself.
MAY: dict[str, set[str]] = {
    "app.py": {"viz/app", "viz/charts", "viz/web"},
    "router.py": {"viz/app", "viz/core", "viz/core/views.py", "viz/widgets"},
    "headlight": {"model/*", "model/translator.py", "viz/__main__.py", "viz/app", "viz/export"},
    "viz/__init__.py": set(),
    "viz/__main__.py": {"viz/export", "viz/charts", "viz/core/text", "viz/core/selection.py", "model/*"}
    | {"model/attribution", "model/commands"},
    "viz/app": GROUND | {"viz/widgets", "viz/charts", "viz/core", "viz/web"} | MODEL,
    "viz/views": GROUND | {"model/live", "viz/widgets", "viz/charts", "viz/core", "viz/web", "viz/export"} | MODEL,
    "viz/widgets": GROUND | {"viz/charts", "viz/core", "viz/web", "viz/export"} | MODEL,
    "viz/core": GROUND | {"model/live"} | MODEL,
    "viz/charts": GROUND,
    "viz/web": GROUND | MODEL,
    "viz/export": GROUND | {"viz/web", "viz/charts", "model/own", "model/commands", "model/onnx"} | MODEL,
    "viz/core/text": set(),
    "viz/core/theme.py": set(),
    "viz/core/numbers.py": set(),
    "viz/core/views.py": {"model/*"},
    "viz/core/selection.py": {"model/*", "model/attribution"},
    "model/*": set(),
    "model/common": {"model/*"},
    "model/own": {"model/*", "model/common"},
    "model/folder": {"model/*", "model/common"},
    "model/saved": {"model/*"},
    "model/checkpoints.py": {"model/*", "model/own"},
    "model/translator.py": {"model/*", "model/own", "model/folder", "model/saved"},
    "model/evaluation": {"model/*", "model/common", "model/own", "model/translator.py"},
    "model/attribution": SEAM,
    "model/analysis/residual": SEAM | {"model/attribution"},
    "model/analysis/heads": SEAM | {"model/attribution"},
    "model/analysis/alignment": SEAM | {"model/attribution"},
    "model/analysis/faithfulness": SEAM | {"model/attribution", "model/analysis/heads"},
    "model/analysis/atlas": SEAM | {"model/attribution", "model/analysis/heads", "model/analysis/alignment"},
    "model/analysis/what_if": SEAM | {"model/attribution", "model/analysis/residual"},
    "model/analysis/lessons": SEAM | {"model/own", "model/training", "model/attribution"},
    "model/training": {"model/*", "model/own", "model/evaluation"},
    "model/tiny": {"model/*", "model/common"},
    "model/live": {"model/*", "model/own", "model/training"},
    "model/onnx": {"model/*", "model/own", "model/attribution"},
    "model/release": {"model/evaluation", "model/own"} | MODEL,
    "model/commands": {"model/evaluation", "model/own", "model/folder", "model/training", "model/release", "model/tiny"}
    | {"model/onnx"}
    | MODEL,
    "bench": {
        "headlight",
        "model/own",
        "model/training",
        "viz/core/text",
        "viz/core/views.py",
        "viz/core/selection.py",
        "viz/app",
        "viz/core",
        "viz/export",
    }
    | MODEL,
    "tests": {"app.py", "router.py", "headlight", "bench", "viz/views", "viz/app", "viz/widgets", "viz/core"}
    | {"model/own", "model/folder", "model/training", "model/evaluation", "model/commands", "model/release"}
    | {
        "viz/charts",
        "viz/web",
        "viz/export",
        "viz/__init__.py",
        "viz/__main__.py",
        "model/live",
        "model/tiny",
        "model/onnx",
    }
    | GROUND
    | MODEL,
}
# What is not of the house and not of Python itself: who may import it.
LIBRARIES: dict[str, set[str]] = {
    "streamlit": {"app.py", "router.py", "headlight/__main__.py", "viz/views", "viz/app", "viz/widgets", "viz/core"}
    | {"bench/server.py", "bench/visitors.py", "bench/soak.py", "bench/classroom.py"},
    "starlette": {"viz/app/server", "bench/classroom.py"},
    "uvicorn": {"bench/classroom.py"},
    "segno": {"viz/widgets/class_bars.py"},
    "anywidget": {"viz/export/notebook"},
    "traitlets": {"viz/export/notebook"},
    "websockets": {"bench/visitors.py", "bench/replicas.py"},
    "plotly": {"viz/charts", "viz/views"},
    "bertviz": {"viz/charts/lines/bertviz_code.py"},
    "IPython": {"viz/charts/lines/bertviz_code.py"},
    "markupsafe": {"viz/charts", "viz/views", "viz/widgets"},
    "pypinyin": {"viz/charts/markup.py"},
    "numpy": {"model", "viz", "bench"},
    "torch": {"model", "bench", "viz/charts/lines/bertviz_code.py"},
    "safetensors": {"model/own", "model/training", "model/folder", "model/tiny", "model/commands"},
    "tokenizers": {"model/own", "model/training", "model/tiny"},
    "fpdf": {"viz/charts/sheet"},
    "fontTools": {"viz/charts/sheet"},
    "yaml": {"viz/export/show"},
    "onnx": {"model/onnx"},
    "ctranslate2": {"bench/decode.py"},
    "onnxscript": {"model/onnx"},
    "onnxruntime": {"model/onnx"},
    "nltk": {"model/own"},
    "sacrebleu": {"model/evaluation", "model/commands/release"},
    "tqdm": {"model/training", "model/commands", "model/tiny"},
    "transformers": {"bench", "model/folder", "model/tiny"},
    "PIL": {"model/common", "model/folder", "viz/charts/sheet"},
    "playwright": {"bench"},
    "datatrove": {"model/commands/shared/pipeline.py"},
}
# These say things about folders and traces, and must be quick to import.
LIGHT = (
    "model/trace.py",
    "model/checkpoints.py",
    "model/folders.py",
    "model/examples.py",
    "model/history.py",
    "model/errors.py",
    "model/files.py",
)
# Known breaches, each of which must still be one: whoever mends it takes its line away.
OWED: dict[str, set[str]] = {}
OWED_FOLDERS: set[str] = set()
MOST_FILES = 30
MOST_ARROWS = {"viz": 20, "model/analysis": 9}


def room_of(path: str, rooms: Iterable[str]) -> str | None:
    """The most exact room that a file belongs to."""
    folder = path.rsplit("/", 1)[0]
    fitting = [room for room in rooms if room in (path, f"{folder}/*") or path.startswith(f"{room}/")]
    return max(fitting, key=lambda room: (room == path, len(room)), default=None)


def arrows(files: Mapping[str, str]) -> dict[str, set[tuple[str, str]]]:
    """For each file, the pairs of room and other room that its imports join."""
    found = {}
    for path in files:
        own = room_of(path, MAY)
        used = {room_of(other, MAY) for other in used_files(path, dict(files))}
        found[path] = {(str(own), str(other)) for other in used if other != own}
    return found


def breaches(found_arrows: Mapping[str, set[tuple[str, str]]]) -> dict[str, set[str]]:
    """For each file, the rooms that it uses and may not; a file without a room may use none."""
    found = {}
    for path, joined in found_arrows.items():
        forbidden = {other for own, other in joined if other not in MAY.get(own, set())}
        if room_of(path, MAY) is None:
            forbidden.add("has no room")
        if forbidden:
            found[path] = forbidden
    return found


def foreign(path: str, source: str) -> set[str]:
    """Libraries that a file imports and may not."""
    names = {name.split(".")[0] for name in imports(source)} - set(HOUSE) - set(sys.stdlib_module_names)
    return {
        name
        for name in names
        if not any(path == place or path.startswith(f"{place}/") for place in LIBRARIES.get(name, set()))
    }


def circle(joined: set[tuple[str, str]]) -> list[str]:
    """Rooms that import each other in a ring; none where there is no ring."""
    left = set(joined)
    while ends := {(a, b) for a, b in left if a not in {to for _, to in left} or b not in {of for of, _ in left}}:
        left -= ends
    return sorted({room for pair in left for room in pair})


def inner(joined: set[tuple[str, str]], under: str) -> list[tuple[str, str]]:
    """The arrows between what stands directly under a folder: its folders."""
    depth = under.count("/") + 2
    pairs = [(a, b) for a, b in joined if a.startswith(f"{under}/") and b.startswith(f"{under}/")]
    found = {tuple("/".join(room.split("/")[:depth]) for room in pair) for pair in pairs}
    return sorted((a, b) for a, b in found if a != b and not a.endswith(".py") and not b.endswith(".py"))


@pytest.fixture(scope="module")
def found() -> dict[str, set[tuple[str, str]]]:
    """The arrows of every file of the house."""
    return arrows(sources())


def test_every_file_has_a_room_and_imports_only_what_that_room_may(found: dict[str, set[tuple[str, str]]]) -> None:
    assert breaches(found) == OWED


def test_every_room_is_there() -> None:
    used = {room_of(path, MAY) for path in sources()}
    assert sorted(set(MAY) - used) == []
    assert sorted(set().union(*MAY.values()) - set(MAY)) == []


def test_libraries_are_imported_only_where_they_belong() -> None:
    found = {path: foreign(path, source) for path, source in sources().items() if not path.startswith("tests/")}
    assert {path: names for path, names in found.items() if names} == {}
    assert [path for path in LIGHT if "torch" in {name.split(".")[0] for name in imports(sources()[path])}] == []


def test_no_view_imports_a_view() -> None:
    joined = {
        (path, other) for path in sources() if path.startswith("viz/views/") for other in used_files(path, sources())
    }
    views = [(path, other) for path, other in joined if other.startswith("viz/views/")]
    assert [pair for pair in views if pair[0].split("/")[2] != pair[1].split("/")[2]] == []


def test_no_files_import_each_other_in_a_ring() -> None:
    house = sources()
    assert circle({(path, other) for path in house for other in used_files(path, house) if path != other}) == []


def test_no_rooms_import_each_other_in_a_ring(found: dict[str, set[tuple[str, str]]]) -> None:
    owed = {(str(room_of(path, MAY)), other) for path, others in OWED.items() for other in others}
    assert circle(set().union(*found.values()) - owed) == []


def test_arrows_among_rooms_are_few(found: dict[str, set[tuple[str, str]]]) -> None:
    joined = set().union(*found.values())
    for under, most in MOST_ARROWS.items():
        counted = inner(joined, under)
        print(under, len(counted), *(f"{a} -> {b}" for a, b in counted), sep="\n  ")
        assert len(counted) <= most


def test_no_folder_holds_too_many_files() -> None:
    held = Counter(str(Path(path).parent) for path in sources() if not path.endswith("__init__.py"))
    assert {folder for folder, count in held.items() if count > MOST_FILES} == OWED_FOLDERS


HOUSES = {
    "app.py": "from viz.views import one\n",
    "viz/views/one.py": "def f():\n    import viz.core.session as v\n",
    "viz/core/session.py": "from viz.views.one import f\n",
    "viz/loose.py": "",
}


def test_a_breach_a_ring_and_a_file_without_a_room_are_seen() -> None:
    assert breaches(arrows(HOUSES)) == {
        "app.py": {"viz/views"},
        "viz/core/session.py": {"viz/views"},
        "viz/loose.py": {"has no room"},
    }
    assert circle(set().union(*arrows(HOUSES).values())) == ["viz/core", "viz/views"]
    assert circle({("a", "b"), ("b", "c")}) == []


def test_a_foreign_library_is_seen_wherever_it_stands() -> None:
    hidden = "def f():\n    import torch.nn as n\n    import pandas\n"
    assert foreign("viz/views/x.py", hidden) == {"torch", "pandas"}
    assert foreign("model/own/x.py", hidden) == {"pandas"}


def test_the_most_exact_room_counts() -> None:
    assert room_of("viz/core/text/new.py", MAY) == "viz/core/text"
    assert room_of("model/attribution/norms.py", MAY) == "model/attribution"
    assert room_of("model/translator.py", MAY) == "model/translator.py"
    assert room_of("model/new_room/file.py", MAY) is None
