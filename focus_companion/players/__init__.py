"""Somebody to play with: search, evaluation, levels. No clock: the caller says when to stop."""
