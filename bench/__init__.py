"""Dwell beside its peers: one target a file, every ratio beside what it should be."""
