"""A greenlet waits aside for a lock of the system, which another greenlet gives back: if waiting
stopped them all, this would never end."""

from gevent import monkey

monkey.patch_all()

import gevent  # noqa: E402

from arena.store.aside import aside  # noqa: E402

lock = monkey.get_original("_thread", "allocate_lock")()
lock.acquire()
waiting = gevent.spawn(aside, lock.acquire)
gevent.sleep(0.01)
lock.release()
waiting.get(timeout=10)
