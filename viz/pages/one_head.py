"""One head's map."""

from __future__ import annotations

import streamlit as st

from viz import session

now = session.view()
translation = session.translation()
st.write(now)
