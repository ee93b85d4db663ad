"""The most that one sentence may hold."""

MAX_CHARACTERS = 1_000
MAX_SRC_TOKENS = 200
