"""Finding out what is wrong on a user's machine, and packing it for whoever helps."""
