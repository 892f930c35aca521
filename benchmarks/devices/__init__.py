"""Lights, the light board and Home Assistant."""
