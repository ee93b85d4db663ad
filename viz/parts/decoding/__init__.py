"""What the views of decoding share: versions of a translation, votes at a fork, heads muted one by one."""
