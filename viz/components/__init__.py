"""Interactive parts of a page: Python on one side, JavaScript in the page itself on the other."""
