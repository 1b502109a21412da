"""Streams: what happens, as server-sent events, written once for all who follow it."""
