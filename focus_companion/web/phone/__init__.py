"""The page with which a phone becomes the camera, served over HTTPS beside the page of the game."""
