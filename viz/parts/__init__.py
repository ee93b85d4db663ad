"""What pages share: parts of a page."""
