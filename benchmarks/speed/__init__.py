"""Measures how long watching, the rules core and the journal take."""
