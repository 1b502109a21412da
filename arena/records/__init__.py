"""Record files read back: verified line by line, drawn again, rated; offline, with no referee.

The arena writes them (`arena.queries.record_files`). A file may come from anybody: nothing in here
believes it, or raises anything but `arena.errors` for what is in it.
"""
