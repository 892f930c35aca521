"""Measures what is made of play that is not simply turn after turn."""
