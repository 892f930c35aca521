"""Load tests with many tables and many viewers."""
