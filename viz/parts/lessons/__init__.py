"""The lessons: one idea, one formula, one picture that moves, and two questions that trying answers."""
