"""Referees that share a PostgreSQL database: each session in play has one home among them.

A layer above `referee` and `organising`, which know nothing of it: the home of a session plays it
as a process does that has its database for itself. Absent where a database is not shared.
"""
