"""Whether anything is lost, or memory grows, when things fail or run for long."""
