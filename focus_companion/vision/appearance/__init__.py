"""The appearance of pieces and bare board in the picture, and the likelihood of a pixel under each."""
