"""Shared by several commands: options, sources, the console and serving a page."""
