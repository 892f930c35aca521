"""The page, the interface for other programs, and the event stream."""
