"""Real data, loaded whole."""
