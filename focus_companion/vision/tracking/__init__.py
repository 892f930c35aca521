"""Following a board that was found: stillness, change, pushes, and looks to be judged."""
