"""The one camera model: lens, pose, board and piece profiles, and what they project to."""
