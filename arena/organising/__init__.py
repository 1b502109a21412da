"""What organisers do: the life of sessions, entries, voiding, retention, checks."""
