"""Tests by behaviour; see the folder names. `servers` and `resp` are what the folders share."""
