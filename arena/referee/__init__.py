"""Live play: answers, long polls, open turns, deadlines, clocks, the start of hands and rounds."""
