"""Appends to a hand from several threads until killed; says so of each step that is durable.

append_until_killed.py FILE HAND SEQ: thread n of 4 appends at SEQ + n, SEQ + n + 4, ...
"""

from __future__ import annotations

import sys
import threading
from itertools import count

from arena.store import open_store
from arena.store.port import StepRow

THREADS = 4
file, hand, first = sys.argv[1:]
store = open_store(f"sqlite:///{file}")


def append(start: int) -> None:
    for seq in count(start, THREADS):
        store.write(StepRow(hand, seq, seq, "", "x" * 300, "[]", 1, "{}"))
        sys.stdout.write(f"{seq}\n")


for number in range(THREADS):
    threading.Thread(target=append, args=(int(first) + number,), daemon=True).start()
threading.Event().wait()
