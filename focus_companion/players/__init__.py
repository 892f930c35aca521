"""The computer player: search, evaluation, levels. It has no clock: the caller says when to stop."""
