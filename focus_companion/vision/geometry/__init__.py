"""The camera model: lens, pose, board and piece profiles, and their projections."""
