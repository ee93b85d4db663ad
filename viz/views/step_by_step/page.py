"""How the translation came about: token by token, with what was looked at and what else could have been written."""

from __future__ import annotations

from model.attribution.labelled_map import LabelledMap, merge_columns
from viz.core.answers import translations, what_if
from viz.core.language import say, within
from viz.core.session import choose_token, chosen_token, current_session
from viz.views.step_by_step.playback import Played, playback
from viz.widgets import chart, combined

_CANDIDATES = 5
now = current_session()
translation = translations.translation(now.subject)
trace = translation.trace
chosen = combined.combination(now)
steps = what_if.steps(now.subject, _CANDIDATES)
if not translation.finished:
    steps = steps[: max(1, len(translation.tgt))]
    chart.lead("steps.unfinished")

rows = len(steps)
cross = LabelledMap(chosen.of(trace.cross, "cross"), trace.tgt_outputs, trace.src)
if now.words:
    cross = merge_columns(cross)
sizes = now.model.facts
played = Played(
    steps=steps,
    src=cross.columns,
    reads=trace.tgt_inputs[:rows],
    writes=trace.tgt_outputs[:rows],
    cross=cross.weights[:rows],
    own=chosen.of(trace.decoder_self, "decoder_self")[:rows, :rows],
    positions=len(trace.src),
    d_model=sizes.d_model,
    d_head=sizes.d_head,
)
labels = within("steps", **{name: say(f"steps.{name}", heads=chosen.name) for name in ("cross", "own")})
playback(
    played,
    start=(chosen_token(rows) or 0) + 1,
    theme=now.theme,
    labels=labels,
    key="playback",
    on_step=lambda step: choose_token(step - 1),
)
chart.lead("steps.lead")
