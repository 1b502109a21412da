"""The outbox: messages that wait in the store are sent, by exactly one process at a time.

Who sends one first moves the instant at which it is due, which only one can do; if that process
dies, the message is due again a moment later and is sent again: at least once, and its id says that
it is the same. After a try that failed all messages of the session wait, longer each time, for a
day at most. Each session has a thread of its own while it is sent to, so that an address that does
not answer holds up nobody else. Nothing here is done while a request is answered.
"""

from __future__ import annotations

import logging
import socket
import threading
from collections.abc import Callable, Iterable, Sequence
from itertools import groupby
from operator import attrgetter
from typing import Protocol

import orjson

from arena.errors import ArenaError, Conflict
from arena.notices.addresses import AllowedHost, Resolve, reachable
from arena.notices.posting import Letter, post
from arena.notices.subscriptions import Subscription, subscription
from arena.session.notify_config import PostAddress, read_target
from arena.statuses import Actor
from arena.store.notice_rows import DeliveryRow, PostponeDeliveries, SetDelivery
from arena.store.port import AuditRow, Change, Store

LOOK_S = 1.0
LEASE_MS = 60_000
"""For so long nobody else sends what this process has begun to send."""
DAY_MS = 86_400_000
WAITS_S = (5, 30, 120, 600, 1_800, 3_600, 7_200, 14_400)
"""How long a session's messages wait after so many tries; the last for all further ones."""
AT_ONCE = 8
"""Sessions that are sent to at the same time."""
DELIVERED, FAILED = "delivered", "failed"
GONE = 410
LOG = logging.getLogger("arena.notices")


class Post(Protocol):
    """How a letter is sent: see `posting.post`."""

    def __call__(self, target: PostAddress, address: str, letter: Letter, *, at_s: int) -> int: ...


class Outbox:
    """What sends the messages of a store. rules: to which hosts; without any no thread is begun."""

    def __init__(
        self,
        store: Store,
        wall_ms: Callable[[], int],
        rules: Sequence[AllowedHost],
        *,
        send: Post = post,
        resolve: Resolve = socket.getaddrinfo,
    ) -> None:
        self._store = store
        self._wall_ms = wall_ms
        self.rules = rules
        self._send = send
        self._resolve = resolve
        self._end = threading.Event()
        self._thread: threading.Thread | None = None
        self._busy: set[str] = set()

    def start(self) -> None:
        """Send in threads from now on."""
        if self.rules:
            self._thread = threading.Thread(target=self._run, name="referee-outbox", daemon=True)
            self._thread.start()

    def stop(self) -> None:
        """Begin nothing more. What is being sent may be sent again by the next process."""
        self._end.set()
        if self._thread is not None:
            self._thread.join()

    def send_due(self) -> int:
        """Send what is due now, in this thread; the number of tries."""
        due = self._due()
        return sum(self._send_some(rows) for rows in _by_session(due))

    def _due(self) -> tuple[DeliveryRow, ...]:
        return self._store.due_deliveries(self._wall_ms())

    def _run(self) -> None:
        while not self._end.wait(LOOK_S):
            self._safely(self._begin)

    def _begin(self) -> None:
        """Begin a thread for each session that has something due, and none yet."""
        for rows in _by_session(self._due()):
            session = rows[0].session
            if session not in self._busy and len(self._busy) < AT_ONCE:
                self._busy.add(session)
                threading.Thread(
                    target=self._send_in_thread, args=(session, rows), daemon=True
                ).start()

    def _send_in_thread(self, session: str, rows: Sequence[DeliveryRow]) -> None:
        try:
            self._safely(lambda: self._send_some(rows))
        finally:
            self._busy.discard(session)

    def _safely(self, work: Callable[[], object]) -> None:
        """Some work, at a thread's top: whatever goes wrong is logged, and the thread goes on."""
        try:
            work()
        except ArenaError as error:
            LOG.warning("messages: %s; it will be tried again", error)
        except Exception:
            LOG.exception("messages could not be sent")

    def _send_some(self, rows: Iterable[DeliveryRow]) -> int:
        """Send the messages of one session, as long as that goes well; the number of tries."""
        tries = 0
        for row in rows:
            if self._end.is_set():
                break
            claimed = self._claim(row)
            if claimed is None:
                continue
            tries += 1
            if not self._try(claimed):
                break
        return tries

    def _claim(self, row: DeliveryRow) -> DeliveryRow | None:
        """The message as it is while this process sends it; None if another one does."""
        ours = row._replace(due_ms=self._wall_ms() + LEASE_MS, tries=row.tries + 1)
        try:
            self._store.write(_moved(ours, was=row.due_ms))
        except Conflict:
            return None
        return ours

    def _try(self, row: DeliveryRow) -> bool:
        """Send a message that is claimed; may the next one of its session be sent as well?"""
        known = subscription(self._store, row.session)
        if known is None:
            self._settle(row, FAILED, "the session has no address any more")
            return True
        status, outcome = self._outcome(known, row)
        if status in range(200, 300):
            self._settle(row, DELIVERED, outcome)
            return True
        LOG.info("message %s of session %s: %s", row.id, row.session, outcome)
        late = self._wall_ms() - row.at_ms >= DAY_MS
        if status == GONE or late:
            self._give_up(row, outcome)
        else:
            self._put_off(row, outcome)
        return False

    def _outcome(self, known: Subscription, row: DeliveryRow) -> tuple[int, str]:
        """The status of the reply, 0 if there was none, and what came of it in words."""
        try:
            target = read_target(known.url)
            address = reachable(self.rules, target, resolve=self._resolve)
            letter = Letter(row.id, row.body.encode(), known.secret)
            status = self._send(target, address, letter, at_s=self._wall_ms() // 1_000)
        except (ArenaError, OSError, UnicodeError) as error:
            return 0, f"{error}"[:200] or type(error).__name__
        return status, f"answered with {status}"

    def _settle(self, row: DeliveryRow, status: str, outcome: str) -> None:
        after = row._replace(status=status, outcome=outcome)
        self._store.write(_moved(after, was=row.due_ms))

    def _give_up(self, row: DeliveryRow, outcome: str) -> None:
        detail = {
            "session": row.session,
            "message": row.id,
            "type": row.kind,
            "tries": row.tries,
            "outcome": outcome,
        }
        text = orjson.dumps(detail).decode()
        after = row._replace(status=FAILED, outcome=outcome)
        audit = AuditRow(self._wall_ms(), Actor.REFEREE, "notify.give-up", text)
        self._store.write(_moved(after, was=row.due_ms), audit)

    def _put_off(self, row: DeliveryRow, outcome: str) -> None:
        """This message and all others of its session that are due wait."""
        now_ms = self._wall_ms()
        wait_s = WAITS_S[min(row.tries, len(WAITS_S)) - 1]
        then_ms = now_ms + wait_s * 1_000
        after = row._replace(due_ms=then_ms, outcome=outcome)
        others = PostponeDeliveries(row.session, then_ms, now_ms)
        self._store.write(_moved(after, was=row.due_ms), others)


def _moved(after: DeliveryRow, *, was: int) -> Change:
    return SetDelivery(after.id, after.status, after.due_ms, after.tries, after.outcome, was=was)


def _by_session(rows: Iterable[DeliveryRow]) -> list[list[DeliveryRow]]:
    """The rows of each session, in the order of their instants."""
    ordered = sorted(rows, key=attrgetter("session", "at_ms", "id"))
    return [list(some) for _, some in groupby(ordered, key=attrgetter("session"))]
