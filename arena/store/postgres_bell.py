"""The far bell: one NOTIFY for each committed batch, one listening connection in each process.

A notification names what has changed; it is sent after the commit, on the writer's connection, so
that the lock that PostgreSQL takes for it never waits for the disk. It can be lost (a kill between
the two), so who listens looks anew now and then; and when it is told None, since it was cut off.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any

import psycopg

from arena.errors import Unavailable
from arena.store.port import OnTopics
from arena.store.postgres_connections import Connection, Link, unavailable
from arena.store.topics import read_message

CHANNEL = "daifugo_arena"
RING = f"SELECT pg_notify('{CHANNEL}', message) FROM unnest($1::text[]) AS message"
LOOK_S = 0.25
"""How often the listener looks whether it is to end, if nobody wakes it."""
REST_S = 0.1
LOG = logging.getLogger("arena.store")


def ring(connection: Connection, messages: Sequence[str]) -> bool:
    """Send messages to all listeners of the database. False if that failed: nobody waits for it, so
    errors of the driver are not raised."""
    try:
        connection.execute(RING, [list(messages)])
    except psycopg.Error:
        return False
    return True


class Listener:
    """The listening thread. own: the backend whose messages are our own and are passed over."""

    def __init__(self, parameters: dict[str, Any], *, own: Callable[[], int]) -> None:
        self._link = Link(parameters)
        self._own = own
        self._stopped = threading.Event()
        self._thread: threading.Thread | None = None

    def start(self, on_topics: OnTopics) -> None:
        """Listen from now on; `on_topics` is called in the listening thread and must be quick.

        Raises Unavailable if the database cannot be listened to now.
        """
        try:
            self._begin()
        except psycopg.Error as error:
            raise unavailable(error) from error
        self._thread = threading.Thread(
            target=self._run, args=(on_topics,), name="store-listener", daemon=True
        )
        self._thread.start()

    def stop(self) -> None:
        """End the thread; it looks at least every LOOK_S."""
        self._stopped.set()
        if self._thread is not None:
            self._thread.join()
        self._link.close()

    @property
    def listening(self) -> bool:
        """Is there a thread that listens?"""
        return self._thread is not None

    def _begin(self) -> Connection:
        connection = self._link.get(now=True)
        connection.execute(f"LISTEN {CHANNEL}")
        return connection

    def _run(self, on_topics: OnTopics) -> None:
        """At the thread's top: whatever goes wrong, it listens again."""
        while not self._stopped.is_set():
            try:
                self._listen(self._link.get(), on_topics)
            except (psycopg.Error, Unavailable) as error:
                if not self._stopped.is_set():
                    LOG.warning("the far bell is silent: %s", error)
                    self._begin_again(on_topics)
            except Exception:
                LOG.exception("the far bell has failed")
                self._begin_again(on_topics)

    def _listen(self, connection: Connection, on_topics: OnTopics) -> None:
        for notification in connection.notifies(timeout=LOOK_S):
            if self._stopped.is_set():
                return
            if notification.pid != self._own():
                on_topics(read_message(notification.payload))

    def _begin_again(self, on_topics: OnTopics) -> None:
        """Connect anew, as often as it takes; then say that something may have been missed."""
        self._link.close()
        while not self._stopped.wait(REST_S):
            with suppress(psycopg.Error, Unavailable):
                self._link.get().execute(f"LISTEN {CHANNEL}")
                on_topics(None)
                LOG.info("the far bell can be heard again")
                return
