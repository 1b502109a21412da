"""Measurements of referees that share a database: what sharing costs, and what is lost when one of
them, or the database, dies.

Each module measures one thing of the design's table of goals; `command` in `arena.cli` prints it.
Nothing here is imported by the arena itself.
"""
