"""Live cameras, one kind a file; ``vision.sources.open_source`` opens them."""
