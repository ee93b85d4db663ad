"""The most that one sentence may hold, and a text in the app."""

MAX_CHARACTERS = 1_000
MAX_SRC_TOKENS = 200
MAX_PARTS = 40  # sentences
