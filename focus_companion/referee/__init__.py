"""The referee: derives verdicts from the last legal position and the evidence of a picture."""
