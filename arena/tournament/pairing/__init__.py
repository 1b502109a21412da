"""Who meets whom, and where they sit: schedules, draws, seatings, and how even they are."""
