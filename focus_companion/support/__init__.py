"""Diagnoses a user's machine, and packs the findings into reports."""
