"""The watch: which hands have a deadline, the earliest first. No timer for each turn.

One entry for a hand is enough: when it comes up, whoever asks looks at the hand and puts it back if
its turn is due later. Entries that are out of date are dropped when they come up. Times are arena
time in milliseconds; this module reads no clock.
"""

from __future__ import annotations

import heapq
import threading

REST_S = 0.2


class DeadlineQueue:
    """A heap of (due, hand) with a condition that is notified when the earliest changes."""

    def __init__(self) -> None:
        self._heap: list[tuple[int, str]] = []
        self._due: dict[str, int] = {}
        self._changed = threading.Condition()
        self._stopped = False

    def put(self, hand: str, due_ms: int) -> None:
        """See to it that the hand comes up at `due_ms` at the latest.

        The caller holds the hand's lock, as does who looks at a hand that has come up.
        """
        if self._due.get(hand, due_ms + 1) <= due_ms:  # as most often: no need for the lock
            return
        with self._changed:
            self._due[hand] = due_ms
            heapq.heappush(self._heap, (due_ms, hand))
            if self._heap[0] == (due_ms, hand):
                self._changed.notify_all()

    def drop(self, hand: str) -> None:
        """The hand has no deadline any more."""
        with self._changed:
            self._due.pop(hand, None)

    def come_up(self, now_ms: int) -> list[str]:
        """The hands that are due, taken off the list."""
        hands = []
        with self._changed:
            while self._heap and self._heap[0][0] <= now_ms:
                due_ms, hand = heapq.heappop(self._heap)
                if self._due.get(hand) == due_ms:
                    del self._due[hand]
                    hands.append(hand)
        return hands

    def sleep(self, now_ms: int, *, longest_ms: int) -> None:
        """Wait until the earliest is due, at most `longest_ms`, less if an earlier one is put."""
        with self._changed:
            if self._stopped:
                return
            first_ms = self._heap[0][0] if self._heap else now_ms + longest_ms
            wait_ms = min(longest_ms, max(0, first_ms + 1 - now_ms))
            self._changed.wait(wait_ms / 1000)

    def rest(self) -> None:
        """After a failure: let a moment pass before the next sweep."""
        with self._changed:
            if not self._stopped:
                self._changed.wait(REST_S)

    def stop(self) -> None:
        """End the sleep, now and in future."""
        with self._changed:
            self._stopped = True
            self._changed.notify_all()

    def __len__(self) -> int:
        with self._changed:
            return len(self._due)
