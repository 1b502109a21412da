"""The arena over HTTP: thin Flask views over `arena.referee.Referee`.

This package may not know a rule of the game, keep a state of its own, or answer an error in any
form but `application/problem+json` (for a browser, a page of the same document). Importing it
imports nothing: the entry point of the server (`arena.web.__main__`) must be able to patch the
standard library before anything else comes in.
"""
