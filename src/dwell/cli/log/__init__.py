"""`dwell log`: look into the log of an instance, served at the moment or not."""
