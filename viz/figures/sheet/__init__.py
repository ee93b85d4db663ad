"""Maps on a white sheet: one drawing, written as SVG, PDF or PNG."""
