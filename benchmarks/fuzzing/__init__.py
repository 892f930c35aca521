"""Coverage-guided and random fuzzing of everything that reads foreign input."""
