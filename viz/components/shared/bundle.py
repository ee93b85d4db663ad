"""A script and all that it imports as one: each module in a scope of its own, so that it sees what it imports."""

from __future__ import annotations

import re
from pathlib import Path

_IMPORT = re.compile(r'^import \{([^}]*)\} from "(\.[^"]+)";\n', re.MULTILINE)
_EXPORT = re.compile(r"^export (?:(default) |(?:function|class|const) (\w+))", re.MULTILINE)


def scripts_of(script: Path) -> list[Path]:
    """The script and all that it imports, directly or not; each after those that it imports.

    Raises:
        FileNotFoundError: one is missing.
        ValueError: scripts import each other in a ring, or two have one name.
    """
    found: list[Path] = []

    def take(path: Path, above: tuple[Path, ...]) -> None:
        if path in above:
            raise ValueError(f"{path.name} imports itself by way of {above[-1].name}")
        for _, other in _IMPORT.findall(path.read_text(encoding="utf-8")):
            if (place := (path.parent / other).resolve()) not in found:
                take(place, (*above, path))
        found.append(path)

    take(script.resolve(), ())
    if len({path.stem for path in found}) < len(found):
        raise ValueError(f"two scripts of {script.name} have one name: {', '.join(path.name for path in found)}")
    return found


def bundle(script: Path) -> str:
    """One ES module that does what the script does.

    Raises:
        FileNotFoundError, ValueError: as ``scripts_of``, or an imported name is not exported.
    """
    exported: dict[Path, list[str]] = {}
    parts = []
    for path in scripts_of(script):
        source = path.read_text(encoding="utf-8")
        for names, other in _IMPORT.findall(source):
            missing = set(_names(names)) - set(exported[(path.parent / other).resolve()])
            if missing:
                raise ValueError(f"{path.name} imports {', '.join(sorted(missing))}, which {other} does not export")
        exported[path] = [name or "$default" for _, name in _EXPORT.findall(source)]
        parts.append(_module(path.stem, source, exported[path]))
    return "\n".join(["const $modules = {};", *parts, f"export default $modules.{script.stem}.$default;"])


def _module(name: str, source: str, exported: list[str]) -> str:
    """A module as a function that runs once and gives what it exports."""
    code = _IMPORT.sub(lambda found: f"const {{{found[1]}}} = $modules.{Path(found[2]).stem};\n", source)
    code = _EXPORT.sub(lambda found: "const $default = " if found[1] else found[0].removeprefix("export "), code)
    return f"$modules.{name} = (() => {{\n{code}\nreturn {{ {', '.join(exported)} }};\n}})();"


def _names(listed: str) -> list[str]:
    return [name.strip() for name in listed.split(",") if name.strip()]
