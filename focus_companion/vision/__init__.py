"""From camera pictures to evidence: knows the 52 squares and the four colours, and no rules."""
