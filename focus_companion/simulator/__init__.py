"""Simulates a table with a board, hands, light and a camera."""
