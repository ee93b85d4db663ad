"""Headlight: see what every attention head of a translator looks at."""

from __future__ import annotations

import streamlit as st

from viz.app import frame, header, pickers
from viz.app.header import form, titles, visibility
from viz.core.changes import follow_files
from viz.core.choice import say, speak, tidy_link
from viz.core.going import page_of
from viz.core.views import VIEWS
from viz.widgets import verdict
from viz.widgets.errors import told

st.set_page_config(page_title="Headlight", page_icon="🔦", layout="wide", initial_sidebar_state="collapsed")
speak()
follow_files()
reads = form()
pages = {name: page_of(spec, say(titles(name, reads)), visibility(spec, reads)) for name, spec in VIEWS.items()}
page = st.navigation(list(pages.values()), position="hidden")
tidy_link()  # not before the page is known, or it would be forgotten
spec = next(spec for name, spec in VIEWS.items() if pages[name] == page)
asked = header.asked()
came_back = header.arrive(spec)
if not frame.opened():
    st.stop()
frame.draw(spec)
with told():
    frame.check(spec)
    if spec.fragment:
        frame.by_itself(spec)
    else:
        with st.container(), st.container():  # where a fragment has its pickers: they stay the same widgets
            pickers.draw(spec)
        page.run()
header.follow(asked)
if came_back:
    st.rerun()
frame.status_line()
verdict.finish()
frame.freeze_what_stays()
