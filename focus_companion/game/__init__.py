"""The game itself, pure: immutable values, no input or output, no clock."""
