"""What the targets share: peers, load, measuring in rounds, reports."""
