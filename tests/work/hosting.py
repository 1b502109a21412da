"""A host in the process of the tests, with a clock that stands still."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

from arena.match.local import Match, MatchTerms, play_block
from arena.match.matches import play_match
from arena.work.host import WorkHost
from arena.work.worker import HostAddress

LOWEST = "tests.match.players:Lowest"
CHEAT = "tests.match.players:Cheat"
TOKEN = "sesame-sesame"
TERMS = MatchTerms(ruleset={"preset": "pagat"}, hands_per_table=1, deals="fresh", seed=5)
MATCH = Match(LOWEST, CHEAT, (LOWEST,), TERMS, record=True)
PATIENCE_S = 60


class Clock:
    """Says what it is told to say."""

    def __init__(self):
        self.now_s = 0.0

    def __call__(self):
        return self.now_s


class Hosted:
    """A host, what it has said, and its clock."""

    def __init__(self, match=MATCH, *, port=0, linger_s=5.0):
        self.clock, self.news = Clock(), []
        self.host = WorkHost(
            match,
            token=TOKEN,
            host="127.0.0.1",
            port=port,
            news=self.news.append,
            lease_s=30,
            linger_s=linger_s,
            now=self.clock,
        )
        self.address = HostAddress(self.host.url, TOKEN, PATIENCE_S)

    def pass_time(self, seconds):
        self.clock.now_s += seconds
        self.host.wake_all()

    def leased(self):
        """How many blocks are somebody's."""
        return len(self.host._leases._open)


@contextmanager
def hosted() -> Iterator[Hosted]:
    """A host that has no real workers: nobody has to hear of the end."""
    one = Hosted(linger_s=0)
    with one.host:
        yield one


class Counting(threading.Thread):
    """A match that is counted in a thread of its own."""

    def __init__(self, executor, *, match=MATCH, hands=6, window=4):
        super().__init__(daemon=True)
        self.blocks = []
        self._call = (match, executor)
        self._how = {"hands": hands, "window": window}
        self.start()

    def run(self):
        def watch(test, block):
            self.blocks.append(block)

        with self._call[1]:
            play_match(*self._call, watch=watch, **self._how)

    def finished(self):
        self.join(PATIENCE_S)
        assert not self.is_alive()
        return self.blocks


def until(condition):
    """Wait for something that has to happen."""
    limit_s = time.monotonic() + PATIENCE_S
    while not condition():
        assert time.monotonic() < limit_s
        time.sleep(0.01)


def played(count, match=MATCH):
    """The first blocks of a match, played here."""
    return [play_block(match, number) for number in range(1, count + 1)]
