"""Measurements that anyone can repeat; see README.md."""
