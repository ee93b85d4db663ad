"""Special tokens: fixed ids, the same in every vocabulary."""

from __future__ import annotations

PAD_ID, BOS_ID, EOS_ID, UNK_ID = range(4)
SPECIAL_TOKENS = ("<pad>", "<bos>", "<eos>", "<unk>")
