"""Diagnoses a user's machine, and packs the findings for whoever helps."""
