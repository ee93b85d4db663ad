"""Headlight's server: ``streamlit run app.py`` serves what ``router.py`` draws, and tells browsers what it may do."""

from __future__ import annotations

from streamlit.starlette import App

from viz.app.server.guard import guards
from viz.charts.layout import plotly_script
from viz.charts.lines.bertviz_code import frame_scripts
from viz.web.bundles import STAGE, VIEWER, served

bundles = [bundle.read_text(encoding="utf-8") for bundle in (VIEWER, STAGE)]  # of saved pages and talks
app = App("router.py", middleware=guards((*frame_scripts(), *bundles, plotly_script()), served()))
