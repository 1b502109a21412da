"""A clock that only sleeping moves."""

from __future__ import annotations


class Clockwork:
    def __init__(self) -> None:
        self.now_s = 0.0
        self.pauses_s: list[float] = []

    def sleep(self, seconds: float) -> None:
        self.pauses_s.append(seconds)
        self.now_s += seconds

    def clock(self) -> float:
        return self.now_s
