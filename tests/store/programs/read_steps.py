"""Prints the seq of every step of a hand: read_steps.py FILE HAND."""

from __future__ import annotations

import sys

from arena.store import open_store

file, hand = sys.argv[1:]
with open_store(f"sqlite:///{file}", readonly=True) as store:
    print(*(step.seq for step in store.steps(hand)))
