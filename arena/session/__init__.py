"""The model of a session, pure: its document, names, time control, chance, schedule, results."""
