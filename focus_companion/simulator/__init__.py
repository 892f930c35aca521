"""A synthetic board, hand, light and camera."""
