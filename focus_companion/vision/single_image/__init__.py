"""Reads the position in one still picture of which nothing is known."""
