"""Tapes: everything a session was given and emitted, recorded so that it can be run again."""
