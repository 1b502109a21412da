"""A greenlet waits aside for a lock of the system, which another greenlet gives back: if waiting
stopped them all, this would never end."""

from __future__ import annotations

from gevent import monkey

monkey.patch_all()

import gevent  # noqa: E402

from arena.store.os_thread import blocking_calls  # noqa: E402

threads = monkey.get_original("_thread", "_count")
before = threads()
blocking = blocking_calls()
for _ in range(3):
    lock = monkey.get_original("_thread", "allocate_lock")()
    lock.acquire()
    waiting = gevent.spawn(blocking.do, lock.acquire)
    gevent.sleep(0.01)
    lock.release()
    waiting.get(timeout=10)

try:
    blocking.do(lambda: 1 // 0)
except ZeroDivisionError:
    blocking.do(lambda: None)  # an error before is forgotten
else:
    raise AssertionError("an error was swallowed")

blocking.close()
blocking.close()
while threads() > before:
    gevent.sleep(0.001)
