"""`arena bench`: the commands that measure."""
