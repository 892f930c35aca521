"""Focus Companion: a camera over a Focus (Domination) board that follows, referees and records the game."""

__version__ = "0.1.0"
