"""Redis's own Tcl suite, run against a server that is not Redis."""
