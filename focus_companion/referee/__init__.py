"""From the last legal position and the evidence to a verdict."""
