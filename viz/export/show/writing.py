"""A storyboard as YAML that ``read_storyboard`` reads again."""

from __future__ import annotations

from typing import Any

import yaml

from viz.export.show.storyboard import FORMAT, OPTION_LETTERS, Both, Predict, Step, Storyboard, TalkScene


def write_storyboard(board: Storyboard) -> str:
    """The file's text; what is empty is left out."""
    said = {
        "format": FORMAT,
        "title": _both(board.title),
        "minutes": board.minutes,
        "checkpoint": board.checkpoint,
        "scenes": [_scene(scene) for scene in board.scenes],
    }
    return yaml.safe_dump(_full(said) | {"scenes": said["scenes"]}, allow_unicode=True, sort_keys=False, width=110)


def _scene(scene: TalkScene) -> dict[str, Any]:
    return _full(
        {
            "text": scene.text,
            "target": scene.target,
            "checkpoint": scene.checkpoint,
            "link": scene.link,
            "app": scene.app,
            "title": _both(scene.title),
            "note": _both(scene.note),
            "steps": [_step(step) for step in scene.steps],
            "predict": _predict(scene.predict) if scene.predict else None,
            "expect": list(scene.expect),
            "minutes": scene.minutes,
        }
    )


def _step(step: Step) -> dict[str, Any]:
    light = {"light": _full({"row": step.light.row, "column": step.light.column})} if step.light else {}
    return _full({"link": step.link}) | light


def _predict(predict: Predict) -> dict[str, Any]:
    if predict.row:
        return {"ask": _both(predict.ask), "row": predict.row}
    options = [_both(option) for option in predict.options]
    return {"ask": _both(predict.ask), "options": options, "answer": OPTION_LETTERS[predict.answer]}


def _both(both: Both) -> dict[str, str]:
    return _full({"en": both.en, "zh": both.zh})


def _full(given: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in given.items() if value}
