"""The sentence, its translation, and which English words each Chinese token attends to."""

from __future__ import annotations

import streamlit as st

from viz import session

now = session.view()
translation = session.translation()
st.write(translation.text)
