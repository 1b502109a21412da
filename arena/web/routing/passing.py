"""Passing a request on to another referee, and its answer back as it comes.

Short answers are read whole before the client gets anything, so that one that breaks off can be
asked for again. While another referee keeps us waiting, the client is watched: if it goes, or if
the home of its bot changes, the connection to the other side is ended, and with it what waits
there. This module may not know who should be asked.
"""

from __future__ import annotations

import errno
import logging
import time
from collections.abc import Callable, Iterable, Iterator
from http import HTTPStatus
from typing import NamedTuple

from arena.cluster.peers import Cancellation, PeerRequest, PeerResponse, Peers, PeerUnreachable
from arena.referee.bell import Bell, Waiter
from arena.web.api.problems import NOT_HOME
from arena.web.routing.arrived import Arrived, passed_back
from arena.web.routing.hop_metrics import HopMetrics
from arena.web.throttled_log import ThrottledLog

LOG = logging.getLogger("arena.web.routing")
SHORT_BYTES = 262_144
"""Answers up to this length are read whole before any of it is sent."""
HOPS = "hops"
"""The topic of those that wait for another referee, but not for a bot."""


class Missed(NamedTuple):
    """A request was not answered where it was tried. home: where; reason: for the log; done:
    something may have been done there; gone: so has the client; stopped: this referee stops; rung:
    the wait was ended from here, for something may be elsewhere by now."""

    home: str
    reason: str
    done: bool = False
    gone: bool = False
    stopped: bool = False
    rung: bool = False


class HopWaiter(Waiter):
    """Who waits for other referees: being woken ends that wait. by_rings: also where there is only
    something new here. begun: the answer has begun, which nothing new ends any more."""

    __slots__ = ("_by_rings", "_end", "begun")

    def __init__(self, topic: str, end: Callable[[], None], *, by_rings: bool) -> None:
        super().__init__(topic, None)
        self.thread = None
        self._end = end
        self._by_rings = by_rings
        self.begun = False

    def wake(self) -> None:
        """There is something new here, or nothing to wait for any more."""
        if self.stopped or (not self.begun and (self._by_rings or self.released)):
            self._end()


class Watched:
    """A wait for other referees while it lasts: it ends when the client goes, this referee stops,
    or the bell says that its bot may be elsewhere. ended: it did; gone: the client has gone.

    end_wait: ends it. by_rings: see `HopWaiter`.
    """

    def __init__(
        self, bell: Bell, request: Arrived, end_wait: Callable[[], None], *, by_rings: bool
    ) -> None:
        self.gone = False
        self.ended = False
        self._bell = bell
        self._end_wait = end_wait
        topic = HOPS if request.bot is None else f"bot:{request.bot}"
        self._waiter = HopWaiter(topic, self._woken, by_rings=by_rings)
        bell.join(self._waiter)
        if self._waiter.stopped:
            self._woken()
        self._end = request.on_hang_up(self._hung_up)

    def _woken(self) -> None:
        self.ended = True
        self._end_wait()

    def _hung_up(self) -> None:
        self.gone = True
        self._woken()

    def begin_answer(self) -> None:
        """The answer is there: from now on only its client, and this referee's end, end it."""
        self._waiter.begun = True

    @property
    def stopped(self) -> bool:
        """Is this referee stopping?"""
        return self._waiter.stopped

    def end(self) -> None:
        """Watch no longer."""
        self._end()
        self._bell.leave(self._waiter)


class PassedBody:
    """The body of a long answer, piece by piece; closing it hangs up at the other side."""

    def __init__(
        self, response: PeerResponse, watched: Watched, failed: Callable[[PeerUnreachable], None]
    ) -> None:
        self._response = response
        self._pieces = response.pieces()
        self._watched: Watched | None = watched
        self._failed = failed

    def __iter__(self) -> Iterator[bytes]:
        return self

    def __next__(self) -> bytes:
        """The next piece. Hangs up if it breaks off, so that nobody takes it for the whole."""
        try:
            return next(self._pieces)
        except StopIteration:
            self.close()
            raise
        except PeerUnreachable as error:
            if self._watched is not None and not self._watched.ended:
                self._failed(error)
            self.close()
            raise BrokenPipeError(errno.EPIPE, "an answer of another referee breaks off") from error

    def close(self) -> None:
        """Be done with it; twice is harmless."""
        watched, self._watched = self._watched, None
        if watched is not None:
            watched.end()
            self._response.close()


class Passing:
    """What passes requests on. on_failure: called with the name of a referee that could not be
    reached, or broke off. longest_wait_s: that an answer may be asked to wait."""

    def __init__(
        self,
        peers: Peers,
        bell: Bell,
        metrics: HopMetrics,
        *,
        on_failure: Callable[[str], None],
        longest_wait_s: float,
    ) -> None:
        self._peers = peers
        self.bell = bell
        self._metrics = metrics
        self._on_failure = on_failure
        self._longest_wait_s = longest_wait_s
        self._log = ThrottledLog(LOG)

    def pass_on(
        self, to: str, request: Arrived, body: bytes, *, moved: Callable[[], bool]
    ) -> Iterable[bytes] | Missed:
        """Answer a request with what another referee answers to it, unless that is in vain.

        moved: is what the request is about elsewhere by now?
        """
        cancellation = Cancellation()
        watched = Watched(self.bell, request, cancellation.cancel, by_rings=True)
        passed = request.passed(body, longest_wait_s=self._longest_wait_s)
        try:
            response = self.ask(to, passed._replace(cancellation=cancellation))
            if response.status == HTTPStatus.SERVICE_UNAVAILABLE:
                not_home = response.field(NOT_HOME.lower()) is not None
                if not_home or moved():
                    response.read()
                    watched.end()
                    return Missed(to, "it is not the home of this any more", done=not not_home)
            return self._answered(request, response, watched)
        except PeerUnreachable as error:
            watched.end()
            ended, gone, stopped = watched.ended, watched.gone, watched.stopped
            if not ended:
                self.failed(error)
            missed = Missed(to, error.reason, done=error.sent, gone=gone, stopped=stopped)
            return missed._replace(rung=ended and not gone and not stopped)
        except BaseException:
            watched.end()
            raise

    def ask(self, to: str, request: PeerRequest) -> PeerResponse:
        """Ask another referee, and count it. Raises PeerUnreachable."""
        began_s = time.perf_counter()
        response = self._peers.send(to, request)
        self._metrics.hop(to, time.perf_counter() - began_s)
        return response

    def failed(self, error: PeerUnreachable) -> None:
        """Another referee could not be asked, or broke off: count it and say so."""
        self._metrics.failed(error.name)
        self._log.log(logging.WARNING, "unreachable", "%s", error)
        self._on_failure(error.name)

    def _answered(
        self, request: Arrived, response: PeerResponse, watched: Watched
    ) -> Iterable[bytes]:
        status = f"{response.status} {response.reason or _phrase(response.status)}"
        fields = passed_back(response.fields)
        if response.length is None or response.length > SHORT_BYTES:
            watched.begin_answer()
            request.start(status, fields)
            return PassedBody(response, watched, self.failed)
        body = response.read()
        watched.end()
        request.start(status, fields)
        return (body,) if body else iter(())  # to HEAD: an empty tuple would be of length 0


def _phrase(status: int) -> str:
    try:
        return HTTPStatus(status).phrase
    except ValueError:
        return "Unknown"
