"""Programs that play a colour: each in a process of its own, asked for a turn whenever one is due."""
