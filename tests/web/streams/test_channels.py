"""A channel: one thread looks for all readers, and ends with the last of them."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor

import pytest

from arena.errors import Forbidden, NotFound, Unavailable
from arena.pacing import Pacer
from arena.referee.bell import Bell
from arena.settings import Settings
from arena.web.api.problems import Code, Problem
from arena.web.streams import channels
from arena.web.streams.bodies import HEARTBEAT, StreamBody, Wanted
from arena.web.streams.channels import SEND_S, Channel, Follower
from arena.web.streams.hub import Source, Streams
from arena.web.streams.journal import Journal

SOON_S = 120.0


class Counted:
    """A feed: what it has to say, and how often it was asked. may_look: asking waits for it;
    broken: what it raises, after so many looks that went well."""

    def __init__(self, topic: str = "hand:h") -> None:
        self.topic = topic
        self.said: list[bytes] = []
        self.looks = 0
        self.may_look = threading.Event()
        self.may_look.set()
        self.over = False
        self.broken: Exception | None = None
        self.until_broken = 0

    def look(self, journal: Journal, pause: Callable[[], None]) -> None:
        self.looks += 1
        assert self.may_look.wait(SOON_S)
        if self.broken is not None and self.looks > self.until_broken:
            raise self.broken
        for number in range(journal.end, len(self.said)):
            journal.add(number + 1, self.said[number])
            pause()
        if self.over:
            journal.close()

    def place(self, known: int) -> int:
        return known


class Arena:
    """Streams of one feed, and who reads them."""

    def __init__(self, pacer: Pacer | None = None, **settings: int) -> None:
        self.bell = Bell()
        self.feed = Counted()
        self.feeds = 0
        self.source = Source("h", self._feed)
        self.streams = Streams(self.bell, Settings(**settings), pacer=pacer or Pacer())  # type: ignore[arg-type]

    def _feed(self) -> Counted:
        self.feeds += 1
        return self.feed

    def body(self, after: int = 0, seconds: float = SOON_S, address: str = "a") -> StreamBody:
        """A stream that was just opened."""
        wanted = Wanted(self.source, after, seconds)
        channel = self.streams.open(self.source)
        if seconds:
            self.streams.enter(address)
        return StreamBody(self.streams, wanted, channel, address=address, name="x")

    def say(self, text: bytes) -> None:
        """Something happens, and rings."""
        self.feed.said.append(text)
        self.bell.ring(self.feed.topic)


def soon(holds: Callable[[], bool]) -> None:
    """Wait until something holds."""
    until_s = time.monotonic() + SOON_S
    while not holds():
        assert time.monotonic() < until_s
        time.sleep(0.005)


def first(body: StreamBody) -> bytes:
    """The first piece, without the line that says when to come back."""
    head, _, rest = next(body).partition(b"\n\n")
    assert head.startswith(b"retry: ")
    return rest


def test_a_stream_begins_with_what_there_is_and_goes_on_with_what_comes() -> None:
    arena = Arena()
    arena.feed.said = [b"one", b"two"]
    body = arena.body()
    assert first(body) == b"onetwo"
    arena.say(b"three")
    assert next(body) == b"three"
    body.close()


def test_all_followers_together_make_one_waiter_one_feed_and_the_same_bytes() -> None:
    arena = Arena()
    readers = [arena.body(address=str(number)) for number in range(20)]
    for body in readers:
        assert first(body) == b""
    pieces: list[bytes] = []
    threads = [threading.Thread(target=lambda b=b: pieces.append(next(b))) for b in readers]
    for thread in threads:
        thread.start()
    soon(lambda: len(next(iter(arena.streams._channels.values()))._followers) == 20)
    assert arena.bell.waiting() == 1
    arena.say(b"one")
    for thread in threads:
        thread.join(SOON_S)
    assert pieces == [b"one"] * 20
    assert len({id(piece) for piece in pieces}) == 1
    for body in readers:
        body.close()
    soon(lambda: arena.bell.waiting() == 0 and not arena.streams._channels)


def test_many_rings_at_once_make_few_looks() -> None:
    arena = Arena()
    body = arena.body()
    first(body)
    soon(lambda: arena.feed.looks >= 2)  # when it was opened, and as its thread began
    arena.feed.may_look.clear()
    for number in range(100):
        arena.say(b"%d" % number)
    arena.feed.may_look.set()
    got = b""
    while len(got) < len(b"".join(b"%d" % number for number in range(100))):
        got += next(body)
    assert got == b"".join(b"%d" % number for number in range(100))
    assert arena.feed.looks < 10
    body.close()


class Asked:
    """A lock that counts who has asked for it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self.asked = 0

    def __enter__(self) -> None:
        self.asked += 1
        self._lock.acquire()

    def __exit__(self, *_: object) -> None:
        self._lock.release()

    def locked(self) -> bool:
        return self._lock.locked()


def opened_together(arena: Arena, count: int) -> list[Future[Channel]]:
    """So many open the same stream, all of them before the first look of theirs has ended."""
    channel = arena.streams.open(arena.source)
    lock = channel._looking = Asked()  # type: ignore[assignment]
    arena.feed.may_look.clear()
    with ThreadPoolExecutor(count) as pool:
        opened = [pool.submit(arena.streams.open, arena.source) for _ in range(count)]
        soon(lambda: lock.asked == count)
        arena.feed.may_look.set()
    return opened


def test_many_who_open_a_stream_at_once_make_one_feed_and_two_looks() -> None:
    """Of streams that nobody follows yet, too: whoever opens and drops many keeps few waiting."""
    arena = Arena()
    assert len({future.result() for future in opened_together(arena, 8)}) == 1
    assert arena.feeds == 1
    assert arena.feed.looks == 1 + 2, "the first one, and two for all eight"


def test_a_look_that_went_wrong_stands_for_nobody_elses() -> None:
    arena = Arena()
    arena.feed.until_broken = 1
    arena.feed.broken = Forbidden("h", "withheld")
    opened = opened_together(arena, 8)
    assert {type(future.exception()) for future in opened} == {Forbidden}


def test_followers_are_woken_at_a_pace() -> None:
    rests: list[float] = []
    arena = Arena(Pacer(0.1, rest=rests.append))
    channel = arena.streams.open(arena.source)
    channel._followers = {Follower() for _ in range(500)}
    arena.feed.said = [b"one"]
    channel._look_for_followers()
    channel._wake_followers()
    paid_s = 500 * SEND_S
    assert len(rests) >= 5
    assert sum(rests) >= paid_s * 5


def test_who_opens_a_long_stream_rests_while_it_is_written() -> None:
    rests: list[float] = []
    ticks = iter(range(1_000_000))
    pacer = Pacer(0.1, monotonic=lambda: next(ticks) / 2_000, rest=rests.append)
    arena = Arena(pacer)
    arena.feed.said = [b"%d" % number for number in range(1_000)]
    arena.streams.open(arena.source)
    assert len(rests) > 100


def test_a_silent_stream_has_heartbeats(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(channels, "HEARTBEAT_S", 0.01)
    monkeypatch.setattr(channels, "LOOK_S", 0.01)
    arena = Arena()
    body = arena.body()
    assert first(body) == b""
    assert [next(body), next(body)] == [HEARTBEAT, HEARTBEAT]
    body.close()


def test_a_stream_lasts_no_longer_than_was_asked_for() -> None:
    arena = Arena()
    arena.feed.said = [b"one"]
    body = arena.body(seconds=0)
    assert first(body) == b"one"
    assert list(body) == []
    assert arena.streams.count == 0
    assert arena.bell.waiting() == 0


def test_a_stream_ends_with_what_it_follows() -> None:
    arena = Arena()
    body = arena.body()
    first(body)
    arena.feed.over = True
    arena.say(b"last")
    assert list(body) == [b"last"]
    assert arena.streams.count == 0
    soon(lambda: not arena.streams._channels)


def test_what_is_withheld_by_now_is_taken_from_those_who_have_not_read_it() -> None:
    arena = Arena()
    slow = arena.body()
    body = arena.body()
    first(body)
    arena.say(b"one")
    assert next(body) == b"one"
    arena.feed.broken = Forbidden("h", "withheld for now")
    arena.say(b"two")
    withheld = b'event: withheld\ndata: {"detail":"withheld for now"}\n\n'
    assert list(body) == [withheld]
    assert first(slow) == withheld
    slow.close()


@pytest.mark.parametrize(
    "error", [NotFound("h", "it is gone"), Unavailable("no disk"), ZeroDivisionError()]
)
def test_what_goes_wrong_ends_the_streams_and_the_next_one_begins_anew(
    error: Exception, caplog: pytest.LogCaptureFixture
) -> None:
    arena = Arena()
    body = arena.body()
    first(body)
    arena.say(b"one")
    assert next(body) == b"one"
    arena.feed.broken = error
    arena.bell.ring(arena.feed.topic)
    assert list(body) == []
    assert any("stream" in record.message for record in caplog.records) or "INFO" not in caplog.text
    arena.feed.broken = None
    arena.feed.said.append(b"two")
    again = arena.body(after=1)
    assert first(again) == b"two"
    again.close()


def test_an_arena_that_stops_ends_all_streams_and_opens_none() -> None:
    arena = Arena()
    body = arena.body()
    first(body)
    arena.bell.stop()
    assert list(body) == []
    with pytest.raises(Unavailable):
        arena.body()
    assert arena.streams.count == 0


def test_who_joins_a_channel_that_has_ended_gets_another_one() -> None:
    arena = Arena()
    early, follower = arena.body(), Follower()
    first(early)
    channel: Channel = arena.streams.open(arena.source)
    channel.ended = True
    late = arena.streams.join(arena.source, follower, channel)
    assert late is not channel
    assert not late.ended
    late.leave(follower)
    early.close()


def test_a_stream_whose_channel_loses_its_last_follower_before_it_begins_goes_on() -> None:
    """Somebody looks; all others leave; then that somebody follows."""
    arena = Arena()
    early = arena.body()
    first(early)
    channel = arena.streams.open(arena.source)
    early.close()
    soon(lambda: not arena.streams._channels)
    arena.streams.enter("a")
    wanted = Wanted(arena.source, 0, SOON_S)
    late = StreamBody(arena.streams, wanted, channel, address="a", name="x")
    assert first(late) == b""
    arena.say(b"one")
    assert next(late) == b"one"
    late.close()


def test_there_are_only_so_many_streams() -> None:
    arena = Arena(streams=3, streams_per_address=2)
    bodies_ = [arena.body(address=address) for address in ("a", "a", "b")]
    with pytest.raises(Problem) as full:
        arena.body(address="b")
    assert (full.value.code, full.value.headers["Retry-After"]) == (Code.UNAVAILABLE, "30")
    bodies_.pop().close()
    with pytest.raises(Problem) as own:
        arena.body(address="a")
    assert own.value.code == Code.TOO_MANY_REQUESTS
    assert "2 streams" in own.value.detail
    bodies_.pop().close()
    arena.body(address="a").close()
    bodies_.pop().close()
    assert arena.streams.count == 0


def test_a_stream_that_nobody_began_to_read_gives_its_place_back() -> None:
    arena = Arena()
    body = arena.body()
    assert arena.streams.count == 1
    del body
    assert arena.streams.count == 0
