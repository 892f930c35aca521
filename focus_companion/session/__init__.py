"""The one loop that owns a game: frames and requests in, events out."""
