"""Coverage-guided and random fuzzing of everything that reads what others wrote."""
