"""Comparing pictures of one scene: the camera motion and the light between them, measured and undone."""
