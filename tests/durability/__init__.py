"""What survives a kill, a full disk and a failed fsync."""
