"""Measures how accurately games and single pictures are read."""
