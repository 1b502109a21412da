"""Holds the lock of a referee's name until killed: hold_name.py URL NAME. Prints whether."""

from __future__ import annotations

import sys
import threading

from arena.store import open_store

url, name = sys.argv[1:]
locks = open_store(url).name_locks()
sys.stdout.write(f"{locks.take(name)}\n")
threading.Event().wait()
