"""The appearance of pieces and of the bare board, and the likelihood of each pixel under either."""
