"""Many clients at once, judged by a checker that knows nothing of how the server works."""
