"""Which map deserves trust: the table, and the answer by what it trusts."""
