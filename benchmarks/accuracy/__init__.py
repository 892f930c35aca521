"""How accurately games and single pictures are read."""
