"""Uses the store from many greenlets, all patched by gevent: on_greenlets.py FILE HAND,
or a URL instead of a file.

Prints how many appends were accepted, how many collided, how many greenlets ran while others waited
and how many connections the readers hold in the end.
"""

from __future__ import annotations

from gevent import monkey

monkey.patch_all()

import sys  # noqa: E402

import gevent  # noqa: E402

from arena.errors import Conflict  # noqa: E402
from arena.store import open_store  # noqa: E402
from arena.store.port import StepRow  # noqa: E402

file, hand = sys.argv[1:]
ticks = 0


def tick() -> None:
    global ticks
    while True:
        ticks += 1
        gevent.sleep(0.0005)


def append(seq: int) -> bool:
    try:
        store.write(StepRow(hand, seq, 0, "", "{}", "[]", 1, "{}"))
    except Conflict:
        return False
    return len(store.steps(hand)) > 0


url = file if "://" in file else f"sqlite:///{file}"
with open_store(url) as store:
    ticker = gevent.spawn(tick)
    jobs = [gevent.spawn(append, 2 + n // 2) for n in range(200)]
    gevent.joinall(jobs, timeout=90, raise_error=True)
    ticker.kill()
    accepted = sum(job.value for job in jobs)
    print(accepted, len(jobs) - accepted, ticks > 1, len(store._engine._readers._idle))
