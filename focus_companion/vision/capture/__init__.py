"""Frame sources (files, folders, streams and cameras), and the detection of faulty pictures."""
