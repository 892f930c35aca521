"""Somebody to play with: the search, its evaluation and its levels. No clock: the caller says when to stop."""
