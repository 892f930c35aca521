"""Live cameras, one kind a file; ``vision.frames.open_source`` opens them."""
