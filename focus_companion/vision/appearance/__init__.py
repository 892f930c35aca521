"""What pieces and bare board look like in the picture at hand, and how likely a pixel is under each."""
