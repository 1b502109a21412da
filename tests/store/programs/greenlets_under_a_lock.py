"""Appends a step while another process holds the lock of the file, and counts what the other
greenlets do meanwhile: greenlets_under_a_lock.py FILE HAND SEQ.

Prints "going on" once others have taken STEPS steps, each with a read, during one single try to
append; then "accepted TRIES", with the number of tries that it took.
"""

from __future__ import annotations

from gevent import monkey

monkey.patch_all()

import sys  # noqa: E402

import gevent  # noqa: E402

from arena.errors import Unavailable  # noqa: E402
from arena.store import open_store  # noqa: E402
from arena.store.port import StepRow  # noqa: E402

STEPS = 50
MOST_TRIES = 100

file, hand, seq = sys.argv[1:]
step = StepRow(hand, int(seq), 0, "", "{}", "[]", 1, "{}")


def append() -> bool:
    """One try; what a bot would do after a 503 is up to the caller."""
    try:
        store.write(step)
    except Unavailable:
        return False
    return True


def steps_during(job: gevent.Greenlet) -> int:
    """How many steps others can take until a try has ended, STEPS at the most."""
    for taken in range(STEPS):
        if job.ready():
            return taken
        assert store.steps(hand)
        gevent.sleep(0.0001)
    return STEPS


with open_store(f"sqlite:///{file}") as store:
    told = False
    for tries in range(1, MOST_TRIES):
        job = gevent.spawn(append)
        if steps_during(job) == STEPS and not told:
            told = True
            print("going on", flush=True)
        if job.get(timeout=20):
            print("accepted", tries, flush=True)
            break
        if tries == 5 and not told:
            sys.exit("everything stood still while the file was locked")
