"""Other people's programs under limits, and in a sandbox where there is one.

Limits (`limits`) are the system's own: memory, CPU time, processes, open files, size of a file. The
sandbox (`sandbox`) is bubblewrap's: no network, no home folders, nothing of the event but what is
the bot's own. The referee is then reached through a socket in a folder, and `relay` passes bytes
between that and an address of the sandbox's own loopback, so bots in any language need not know.

This package may not know what a bot is, nor start anything by itself.
"""
