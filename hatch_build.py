"""How the tree becomes one package: the wheel holds ``headlight`` alone, so a ``model.py`` of yours is never hidden.

The tree keeps ``model``, ``viz``, ``app.py`` and ``router.py`` at its top. In the wheel they lie under ``headlight``,
and their imports say so: each import statement is found by Python's own parser and renamed where it stands, so that
every line keeps its number. Texts that name a command or an import name those that the package has.
"""

from __future__ import annotations

import ast
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from hatchling.metadata.plugin.interface import MetadataHookInterface

PACKAGE = "headlight"
ROOMS = ("model", "viz")  # top-level packages of the tree that move under ours
SERVED = (
    "app.py",
    "router.py",
    ".streamlit/config.toml",
)  # go to a folder of their own, which Streamlit puts on its path
FOLDERS = (*ROOMS, PACKAGE, "checkpoints")
SCRIPTS = "viz/web/src/"  # of which dist holds all but markup and looks
LEFT_OUT = ("viz/web/tests/", "viz/web/node_modules/", "viz/web/package", "viz/web/eslint", "viz/web/ts", "viz/web/.")
LEFT_OUT += ("viz/web/build.js",)
_MODULE = rf"(?:{'|'.join(ROOMS)})(?=[.\s,]|$)"
_COMMAND = re.compile(rf"python -m (?:{'|'.join(ROOMS)})\b")
_MAKE = re.compile(r"make app MODELS=DIR")
_QUOTED = re.compile(rf"\b(from|import) (?=(?:{'|'.join(ROOMS)})\.[a-z_])")


class RenameError(Exception):
    """An import that cannot be renamed where it stands."""


def renamed(source: str, path: str = "<source>") -> str:
    """Python code whose imports of the tree's packages are imports of those under ``headlight``.

    Args:
        source: the code of one file.
        path: its name, for complaints.

    Raises:
        RenameError: ``import model.x`` without ``as`` binds the name ``model``: there is no such name in the package.

    >>> renamed("from model.trace import HeadRef")
    'from headlight.model.trace import HeadRef'
    """
    lines = source.splitlines(keepends=True)
    for node in _house_imports(ast.parse(source, path)):
        if isinstance(node, ast.ImportFrom):
            pattern, new = rf"from\s+(?={_MODULE})", f"from {PACKAGE}."
        elif all(alias.asname or (alias.name not in (*ROOMS,) and "." not in alias.name) for alias in node.names):
            pattern, new = rf"(?<=[\s,])(?={_MODULE})", f"{PACKAGE}."
        elif len(node.names) == 1 and node.names[0].name in ROOMS:
            pattern, new = r"import\s+(?=[a-z])", f"from {PACKAGE} import "
        else:
            raise RenameError(f"{path}:{node.lineno}: write it with 'from', or give it a name with 'as'")
        _replace(lines, node, pattern, new, path)
    return _QUOTED.sub(rf"\1 {PACKAGE}.", told("".join(lines)))


def told(text: str) -> str:
    """A text that names the package's command where it named one of the tree's."""
    return _MAKE.sub(f"{PACKAGE} serve --models DIR", _COMMAND.sub(PACKAGE, text))


def left_over(source: str) -> list[str]:
    """Imports of the tree's own packages that are still in some code."""
    return [ast.unparse(node) for node in _house_imports(ast.parse(source))]


def _house_imports(tree: ast.AST) -> Iterator[ast.Import | ast.ImportFrom]:
    for node in ast.walk(tree):
        match node:
            case ast.ImportFrom(module=str(name), level=0) if _is_ours(name):
                yield node
            case ast.Import(names=names) if any(_is_ours(alias.name) for alias in names):
                yield node


def _is_ours(name: str) -> bool:
    return name.split(".", maxsplit=1)[0] in ROOMS


def _replace(lines: list[str], node: ast.stmt, pattern: str, new: str, path: str) -> None:
    """Rename within one statement's first line; positions of the parser count bytes of UTF-8."""
    line = lines[node.lineno - 1].encode()
    before, after = line[: node.col_offset].decode(), line[node.col_offset :].decode()
    after, count = re.subn(pattern, new, after)
    if not count:
        raise RenameError(f"{path}:{node.lineno}: the import's name must stand on its first line")
    lines[node.lineno - 1] = before + after


def place_of(path: str) -> str | None:
    """Where a file of the tree lies in the package; None where it is left out.

    >>> place_of("app.py"), place_of("model/trace.py"), place_of("headlight/__main__.py"), place_of("tests/pages.py")
    ('headlight/served/app.py', 'headlight/model/trace.py', 'headlight/__main__.py', None)
    """
    if path in SERVED:
        return f"{PACKAGE}/served/{path}"
    if not path.startswith(tuple(f"{folder}/" for folder in FOLDERS)) or path.startswith(LEFT_OUT):
        return None
    if path.startswith(SCRIPTS) and not path.endswith((".html", ".css")):
        return None
    return path if path.startswith(f"{PACKAGE}/") else f"{PACKAGE}/{path}"


def files_of(root: Path) -> list[str]:
    """Paths of the tree's files: those that git knows, or, in an unpacked source archive, all."""
    if (root / ".git").exists():
        command = ["git", "ls-files", "-z", "--cached"]
        names = subprocess.run(command, cwd=root, stdout=subprocess.PIPE, check=True).stdout.decode().split("\0")  # noqa: S603
        return [name for name in names if name and (root / name).is_file()]
    found = (path for path in root.rglob("*") if path.is_file() and "__pycache__" not in path.parts)
    return sorted(str(path.relative_to(root).as_posix()) for path in found)


def stage(root: Path, into: Path) -> Path:
    """Write the package as it is to be installed; returns its folder.

    Raises:
        RenameError: an import could not be renamed.
    """
    for path in files_of(root):
        place = place_of(path)
        if place is None:
            continue
        target = into / place
        target.parent.mkdir(parents=True, exist_ok=True)
        if path.endswith(".py"):
            code = renamed((root / path).read_text(encoding="utf-8"), path)
            if rest := left_over(code):
                raise RenameError(f"{path}: {rest[0]}")
            target.write_text(code, encoding="utf-8")
        elif path.startswith("viz/core/text/"):
            target.write_text(told((root / path).read_text(encoding="utf-8")), encoding="utf-8")
        else:
            shutil.copyfile(root / path, target)
    return into / PACKAGE


def requirements(root: Path, name: str = "requirements.txt") -> list[str]:
    """What a file of requirements asks for, without comments and without the files that it includes."""
    lines = (line.partition("#")[0].strip() for line in (root / name).read_text(encoding="utf-8").splitlines())
    return [line for line in lines if line and not line.startswith("-")]


class Requirements(MetadataHookInterface):
    """The package depends on what requirements.txt says."""

    PLUGIN_NAME = "custom"

    def update(self, metadata: dict[str, Any]) -> None:
        """Fill in the dependencies."""
        metadata["dependencies"] = requirements(Path(self.root))


class OnePackage(BuildHookInterface):
    """The wheel is the staged package."""

    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Stage it; an editable install is the tree itself."""
        if self.target_name != "wheel" or version == "editable":
            return
        self._folder = Path(tempfile.mkdtemp(prefix="headlight-wheel-"))
        build_data["force_include"][str(stage(Path(self.root), self._folder))] = PACKAGE

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Take the staged files away."""
        if folder := getattr(self, "_folder", None):
            shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":  # python hatch_build.py FOLDER: what the wheel would hold, to be looked at
    print(stage(Path(__file__).resolve().parent, Path(sys.argv[1])))
