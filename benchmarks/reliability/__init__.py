"""Tests whether anything is lost or memory grows when parts fail or the program runs for long."""
