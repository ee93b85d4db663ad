"""Our own Transformer: its sums, how it is watched and changed, how it writes, and how it is stored."""
