"""Finding the board in a picture: candidates, their camera, and which way round the board lies."""
