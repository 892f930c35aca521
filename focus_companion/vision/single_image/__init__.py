"""Reading the position from one still picture, nothing being known of it."""
