"""Headlight's server: ``streamlit run app.py`` serves what ``router.py`` draws, and tells browsers what it may do."""

from __future__ import annotations

from streamlit.starlette import App

from viz.app.server.guard import guards
from viz.charts.plotly_script import plotly_script
from viz.web.bundles import STAGE, VIEWER, served

bundles = [bundle.read_text(encoding="utf-8") for bundle in (VIEWER, STAGE)]  # of saved pages and talks
app = App("router.py", middleware=guards((*bundles, plotly_script()), served()))
