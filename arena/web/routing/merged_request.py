"""One request of a bot, answered from several homes as if there were one.

A poll first takes what is ready at any home, then waits at all of them at once, and is answered
with what is there first. Answers go to the homes of their turns at the same time, their results
come in order, and then the bot is polled for. Each part is checked where it is answered; a body
that is none goes to one home as it is, which refuses it. This module may not know a rule.
"""

from __future__ import annotations

import errno
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Any, NamedTuple

import orjson

from arena.documents import Document
from arena.errors import NotHome, Unavailable
from arena.settings import Settings
from arena.web.api.bodies import read_object
from arena.web.api.bots import VALUES_OF_ANSWER, accepted_in_words
from arena.web.api.documents import JSON, TEXT_MEDIA
from arena.web.api.endpoints import MOST_VALUES
from arena.web.api.fast_flask import STATUS_LINES
from arena.web.api.problems import Problem, from_arena
from arena.web.api.request_pipeline import JSON_DEPTH
from arena.web.api.validation import Schemas
from arena.web.routing.arrived import Arrived
from arena.web.routing.asking import HomeInquiry, HomeQuestion, HomeReply, is_elsewhere
from arena.web.routing.cursors import Cursors
from arena.web.routing.homes import Homes
from arena.web.routing.merged_documents import (
    Polled,
    from_next,
    in_words,
    merge_polls,
    next_members,
    poll_document,
)
from arena.web.routing.paths import session_of_turn
from arena.web.routing.sending_back import send

TURNS_PATH = "/api/v1/turns"
MOVE_S = 3.0
"""How long it is tried to find the home of a turn, or any home of a bot, that does not answer;"""
LOOK_S = 0.05
"""and how often."""
STOPPING_S = 2
NO_HOME = "No referee that plays this bot's sessions answers just now."


class WantedTurns(NamedTuple):
    """What a poll asks for; see `poll_params`."""

    wait_s: float
    most: int
    after: int | None
    hints: bool
    text: bool

    def query(self, wait_s: float, after: int | None) -> str:
        """The query of a part of it."""
        cursor = "" if after is None else f"&after={after}"
        return f"wait={wait_s:.3f}&max={self.most}{cursor}{'' if self.hints else '&legal=0'}"


class Tools(NamedTuple):
    """What requests are answered with. give: a number for the cursors of a bot. choose: one of so
    many homes, by its place, to come first: where not all turns have room, each home has its
    chance, whatever the order in which clients ask."""

    cluster: Homes
    asking: HomeInquiry
    settings: Settings
    schemas: Schemas
    give: Callable[[str, Cursors], int | None]
    choose: Callable[[int], int]
    monotonic: Callable[[], float]
    sleep: Callable[[float], None]


class MergedRequest:
    """A request while it is answered. cursors: of each home, what the client knows."""

    def __init__(
        self, tools: Tools, request: Arrived, bot: str, *, wanted: WantedTurns, cursors: Cursors
    ) -> None:
        self._tools = tools
        self._request = request
        self._bot = bot
        self._wanted = wanted
        self._cursors = cursors

    def poll(self) -> Iterable[bytes]:
        """Answer a poll."""
        polled = self._polled(self._wanted.wait_s)
        if isinstance(polled, HomeReply):
            return self._relay(polled)
        cursor = self._number(polled)
        if self._wanted.text:
            return send(self._request, in_words(polled, cursor), media=TEXT_MEDIA)
        return send(self._request, orjson.dumps(poll_document(polled, cursor)))

    def answer_one(self, body: bytes) -> Iterable[bytes]:
        """Answer a turn, and the poll that comes with it."""
        reply = self._ask_home_of_turn(body)
        if not reply.accepted:
            return self._relay(reply)
        polled = self._next()
        cursor = self._number(polled)
        if self._wanted.text:
            text = in_words(polled, cursor, accepted_in_words(reply.document))
            return send(self._request, text, media=TEXT_MEDIA)
        return send(self._request, orjson.dumps({**reply.document, **next_members(polled, cursor)}))

    def answer_many(self, body: bytes) -> Iterable[bytes]:
        """Answer many turns, and the poll that comes with them."""
        answers = self._read(body)
        if isinstance(answers, HomeReply):
            return self._relay(answers)
        batch = SplitBatch(answers)
        refused = self._send_batch(batch)
        if refused is not None:
            return self._relay(refused)
        polls = {home: batch.polls[home] for home in self._any_first(tuple(batch.polls))}
        polled = merge_polls(polls, self._cursors, self._wanted.most)
        self._cursors = polled.cursors
        if batch.all_accepted and not polled.turns and self._wanted.wait_s:
            polled = self._next(asked=True)
        document = {"results": batch.in_order(), **next_members(polled, self._number(polled))}
        return send(self._request, orjson.dumps(document))

    def _number(self, polled: Polled) -> int | None:
        """The cursor that the client gets: of one home that home's own, which it knows itself."""
        homes: tuple[str, ...] = ()
        with suppress(Unavailable):  # what was taken is said to be, wherever the bot plays now
            homes = self._homes()
        if len(homes) == 1:
            return polled.cursors.get(homes[0])
        return self._tools.give(self._bot, polled.cursors)

    def _next(self, *, asked: bool = False) -> Polled:
        """A poll after answers were taken: if it fails or is refused, it brings nothing."""
        try:
            polled = self._polled(self._wanted.wait_s, asked=asked)
        except Unavailable:
            return Polled([], 0, self._cursors)
        return Polled([], 0, self._cursors) if isinstance(polled, HomeReply) else polled

    def _relay(self, reply: HomeReply) -> Iterable[bytes]:
        """What one home answered, as the answer."""
        if not reply.status:
            raise Unavailable(NO_HOME)
        self._request.start(STATUS_LINES[reply.status], list(reply.fields))
        return (reply.body,)

    def _homes(self) -> tuple[str, ...]:
        """The homes of the bot, any of them first; this referee if it has none."""
        homes = self._tools.cluster.homes_of_bot(self._bot) or (self._tools.cluster.name,)
        return self._any_first(homes)

    def _any_first(self, homes: tuple[str, ...]) -> tuple[str, ...]:
        first = self._tools.choose(len(homes)) if homes else 0
        return homes[first:] + homes[:first]

    def _polled(self, wait_s: float, *, asked: bool = False) -> Polled | HomeReply:
        """What is ready at the homes, or comes within so long; or the refusal of one of them.

        asked: all have just said that nothing is ready. If not, they are asked that first: to end
        a wait at another referee costs a connection.
        """
        until_s = self._tools.monotonic() + wait_s
        patience_s = self._tools.monotonic() + MOVE_S
        round_s = wait_s if asked else 0.0
        while True:
            homes = self._homes()
            replies, ended = self._poll_all(homes, round_s)
            refused = next((reply for reply in replies.values() if reply.refused), None)
            good = {home: replies[home] for home in homes if home in replies}
            polls = {home: reply.document for home, reply in good.items() if reply.accepted}
            polled = merge_polls(polls, self._cursors, self._wanted.most)
            if refused is not None and not polled.turns:
                return refused
            now_s = self._tools.monotonic()
            if polled.turns or (polls and (now_s >= until_s or (round_s and not ended))):
                return polled
            if not polls and not ended:
                if len(replies) < len(homes) and now_s >= until_s:
                    return polled
                if len(replies) == len(homes):
                    self._rest(now_s, patience_s)
            round_s = max(0.0, until_s - now_s)

    def _rest(self, now_s: float, patience_s: float) -> None:
        """No home answers: wait a moment. Raises Unavailable if that has gone on for too long."""
        if now_s >= patience_s:
            raise Unavailable(NO_HOME)
        self._tools.sleep(LOOK_S)

    def _poll_all(
        self, homes: Sequence[str], wait_s: float
    ) -> tuple[Mapping[str, HomeReply], bool]:
        """The replies of homes to a poll, and whether their wait was ended, since the bot may be
        elsewhere by now."""
        wanted, known = self._wanted, self._cursors
        questions = [
            HomeQuestion(home, "GET", TURNS_PATH, wanted.query(wait_s, known.get(home)))
            for home in homes
        ]

        def decides(reply: HomeReply) -> bool:
            return bool(wait_s) and (reply.accepted or reply.refused)

        return self._ask(questions, decides)

    def _ask(
        self,
        questions: Sequence[HomeQuestion],
        decides: Callable[[HomeReply], bool] = lambda reply: False,
    ) -> tuple[Mapping[str, HomeReply], bool]:
        """Raises BrokenPipeError if the client has gone, Unavailable if this referee stops."""
        replies, watched = self._tools.asking.ask(self._request, questions, decides)
        if watched.gone:
            raise BrokenPipeError(errno.EPIPE, "the client has gone")
        if watched.stopped:
            raise Unavailable("the referee is stopping", retry_after=STOPPING_S)
        return replies, watched.ended

    def _home_of_turn(self, turn: str) -> str:
        """Where an answer to a turn goes: of a session that is not in play, here."""
        home = self._tools.cluster.home_of_session(session_of_turn(turn))
        return home or self._tools.cluster.name

    def _await_move(self, turn: str, was: str, until_s: float) -> bool:
        """Wait until the session of a turn has another home; False if there is no time for that."""
        session, cluster = session_of_turn(turn), self._tools.cluster
        left_s = until_s - self._tools.monotonic()
        if left_s <= 0:
            return False
        cluster.refresh(session)
        if cluster.await_move(session, was, left_s) is None:  # nobody has its lease yet
            self._tools.sleep(LOOK_S)
        return True

    def _ask_home_of_turn(self, body: bytes) -> HomeReply:
        """What the home of a turn answers to an answer, without a poll."""
        request, turn = self._request, self._request.concern.turn
        path = str(request.environ["PATH_INFO"])
        media = str(request.environ.get("CONTENT_TYPE") or "")
        until_s = self._tools.monotonic() + MOVE_S
        while True:
            home = self._home_of_turn(turn)
            question = HomeQuestion(home, "POST", path, "", body, media)
            reply = self._ask([question])[0].get(home, HomeReply(home, 0))
            if not is_elsewhere(reply) or not self._await_move(turn, home, until_s):
                return reply

    def _read(self, body: bytes) -> list[Document] | HomeReply:
        """The answers in a body; of one that is none, what a home says to that."""
        settings, schemas = self._tools.settings, self._tools.schemas
        most = MOST_VALUES + VALUES_OF_ANSWER * settings.max_turns
        document: Document = {}
        try:
            document = read_object(body, depth=JSON_DEPTH, most_values=most)
        except Problem:
            return self._as_it_is(body, document)
        media = str(self._request.environ.get("CONTENT_TYPE") or "").partition(";")[0].strip()
        answers = document.get("answers")
        fits = media.lower() == JSON and schemas.is_valid("answers", document)
        if not fits or not isinstance(answers, list) or len(answers) > settings.max_turns:
            return self._as_it_is(body, document)
        return answers

    def _as_it_is(self, body: bytes, document: Document) -> HomeReply:
        """What one home says to a body that is no proper one: that of the first turn in it."""
        answers = document.get("answers")
        entries = answers if isinstance(answers, list) else []
        turns = (each.get("turn") for each in entries if isinstance(each, dict))
        first = next((turn for turn in turns if isinstance(turn, str)), None)
        home = self._homes()[0] if first is None else self._home_of_turn(first)
        media = str(self._request.environ.get("CONTENT_TYPE") or "")
        question = HomeQuestion(home, "POST", TURNS_PATH, self._request.query, body, media)
        return self._ask([question])[0].get(home, HomeReply(home, 0))

    def _send_batch(self, batch: SplitBatch) -> HomeReply | None:
        """Get the results of a batch, and what is ready for the bot; or the refusal of a home."""
        until_s = self._tools.monotonic() + MOVE_S
        others: Sequence[str] = self._homes()
        while True:
            groups = batch.by_home(self._home_of_turn)
            refused = self._send_groups(batch, groups, others)
            if refused is not None or not batch.pending:
                return refused
            others = ()
            turn = batch.pending_turn
            if not self._await_move(turn, self._home_of_turn(turn), until_s):
                batch.give_up()
                return None

    def _send_groups(
        self, batch: SplitBatch, groups: Mapping[str, Sequence[int]], others: Sequence[str]
    ) -> HomeReply | None:
        """Send answers to their homes, and ask the other homes of the bot what is ready there.

        What one of them refuses as a whole is the result of its answers where another one has taken
        some: who is told that all was refused might answer otherwise.
        """
        questions = []
        for home in {**groups, **dict.fromkeys(others)}:
            known = batch.cursor(home, self._cursors.get(home))
            query = self._wanted.query(0.0, known)
            if home in groups:
                body = batch.body(groups[home])
                questions.append(HomeQuestion(home, "POST", TURNS_PATH, query, body, JSON))
            else:
                questions.append(HomeQuestion(home, "GET", TURNS_PATH, query))
        replies, _ = self._ask(questions)
        for home, reply in replies.items():
            if reply.accepted:
                batch.take(home, reply.document, groups.get(home, ()))
        refused = [reply for reply in replies.values() if reply.refused]
        if refused and not batch.has_results:
            return refused[0]
        for reply in refused:
            batch.refuse(reply, groups.get(reply.home, ()))
        return None


class SplitBatch:
    """Answers on their way to their homes. polls: what each home said is ready for the bot."""

    def __init__(self, answers: Sequence[Document]) -> None:
        self._answers = answers
        self._results: dict[int, Document] = {}
        self.polls: dict[str, Document] = {}

    @property
    def pending(self) -> list[int]:
        """The places of the answers that no home has taken or refused."""
        return [place for place in range(len(self._answers)) if place not in self._results]

    @property
    def pending_turn(self) -> str:
        """The turn of the first of them."""
        return str(self._answers[self.pending[0]]["turn"])

    @property
    def has_results(self) -> bool:
        """Has any home said what became of an answer?"""
        return bool(self._results)

    @property
    def all_accepted(self) -> bool:
        """Has every answer been accepted?"""
        return all(result["status"] == 200 for result in self._results.values())

    def by_home(self, home_of: Callable[[str], str]) -> dict[str, list[int]]:
        """The places of the pending answers, by the home of their turns."""
        groups: dict[str, list[int]] = {}
        for place in self.pending:
            groups.setdefault(home_of(self._answers[place]["turn"]), []).append(place)
        return groups

    def body(self, places: Sequence[int]) -> bytes:
        """The body of a request with the answers at these places."""
        return orjson.dumps({"answers": [self._answers[place] for place in places]})

    def cursor(self, home: str, known: int | None) -> int | None:
        """What is known of the turns at a home, from what it has said already."""
        poll = self.polls.get(home)
        return known if poll is None or poll["cursor"] is None else int(poll["cursor"])

    def take(self, home: str, document: Document, places: Sequence[int]) -> None:
        """What a home answered. A result that says 503 is none: the turn is elsewhere."""
        for place, result in zip(places, document.get("results", ()), strict=False):
            if result["status"] != 503:
                self._results[place] = result
        poll = from_next(document) if "next" in document else document
        before = self.polls.get(home)
        if before is not None:
            poll = {**poll, "turns": [*before["turns"], *poll["turns"]]}
        self.polls[home] = poll

    def refuse(self, reply: HomeReply, places: Sequence[int]) -> None:
        """A home has refused the answers at these places together, with a problem."""
        for place in places:
            turn = str(self._answers[place]["turn"])
            problem = {**reply.document, "turn": turn}
            self._results[place] = {"turn": turn, "status": reply.status, "problem": problem}

    def give_up(self) -> None:
        """Of those that are pending the result is that they should be sent again."""
        for place in self.pending:
            turn = str(self._answers[place]["turn"])
            problem = from_arena(NotHome(session_of_turn(turn)))
            document = {**problem.document(""), "turn": turn}
            self._results[place] = {"turn": turn, "status": problem.status, "problem": document}

    def in_order(self) -> list[Any]:
        """The results, in the order of the answers."""
        return [self._results[place] for place in range(len(self._answers))]
