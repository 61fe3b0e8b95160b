"""A whole server on real files and sockets: what it leaves behind and whom it lets in."""
