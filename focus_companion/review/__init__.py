"""Reviews a finished game: what every turn won and lost, and where the game swung."""
