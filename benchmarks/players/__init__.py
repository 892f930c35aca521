"""Measures how strong the computer player is: opponents, tournaments, and training of the evaluation."""
