"""Where pictures come from: files, folders, streams and cameras, and what is wrong with a picture."""
