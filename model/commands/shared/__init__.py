"""Options and messages that several commands share."""
