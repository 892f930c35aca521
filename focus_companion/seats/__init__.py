"""Seats played by programs, each in a separate process, or at another table."""
