"""The most that one sentence may hold, and a text in the app."""

MAX_CHARACTERS = 1_000
MAX_SRC_TOKENS = 200
MAX_PARTS = 40  # sentences
JUDGED_AT_ONCE = 64  # sentences of a corpus that are translated as one batch
