"""Tests of the lights, the light board, Home Assistant and Arm machines."""
