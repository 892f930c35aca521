"""What the nats of a picture are worth."""

TEMPERATURE = 4.0
"""Nats of lead by which the odds of an act rise by a factor of e: the pixels of a piece are correlated, so
the nats of a picture are worth less than their number. Raising it lowers the reported confidence, and gives
more weight to shadows; an act that the picture favours by less is not told for having lasted.
According to ``benchmarks.accuracy.reliability_diagram``, 2.7 to 5.1 fit (docs/doubt.md)."""
