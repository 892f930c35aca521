"""What several commands share: options, sources, the console and serving a page."""
