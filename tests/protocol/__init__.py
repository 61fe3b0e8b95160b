"""Golden bytes of the protocols, whole and in pieces."""
