"""How rightly games and single pictures are read."""
