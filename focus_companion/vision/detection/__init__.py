"""Finding the board in a picture: pose candidates, their refinement, and the board's orientation."""
