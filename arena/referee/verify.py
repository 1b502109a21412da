"""Verification: a record file checked line by line, offline, with nothing but the file itself.

Per hand: the commitment fits deck, lots and salt; once the session's secret is known, deck, lots,
salt and seating are what the documented function gives; the deal follows from the hand before;
every command, decided again, gives the recorded events; the result follows from the log. What is
wrong is returned as findings with the number of the line. A file may come from anybody: nothing in
it may raise anything but `arena.errors`, and nothing in it is believed.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

import orjson

from arena import sitting, wire
from arena.errors import ArenaError, BadInput
from arena.referee import deals
from arena.referee.clock import ArenaClock, SessionClock, SystemClock
from arena.referee.live import Hand, Session, Step, Table, absorb, note_ended, seated
from arena.referee.names import hand_id
from arena.referee.outcomes import forfeited_result, hand_result
from arena.referee.plans import Plan, read_plan
from arena.referee.reading import MALFORMED, read_line
from arena.referee.records import HAND, SESSION
from arena.rules import EMPTY, decide
from arena.rules.cards import CODES
from arena.rules.commands import Deal
from arena.tournament.results import forfeiting

Document = dict[str, Any]


class Finding(NamedTuple):
    """Something that is wrong. line: from 1, 0 for the file as a whole."""

    line: int
    what: str


class Report(NamedTuple):
    """What was looked at. secret: was the secret known, so that deals could be recomputed?"""

    hands: int
    findings: tuple[Finding, ...]
    secret: bool

    @property
    def ok(self) -> bool:
        """Is everything as it should be?"""
        return not self.findings


def verify(lines: Iterable[str | bytes]) -> Report:
    """Check a record file, given as its lines."""
    check = _File()
    findings: list[Finding] = []
    number = 0
    for number, line in enumerate(lines, start=1):
        try:
            found = check.line(line)
        except MALFORMED as error:
            check.forget(line)
            found = [f"cannot be read: {_said(error)}"]
        findings.extend(Finding(number, what) for what in found)
    findings.extend(Finding(number, what) for what in check.end())
    return Report(check.hands, tuple(findings), check.secret is not None)


def _said(error: Exception) -> str:
    said = str(error) if isinstance(error, ArenaError) else f"{type(error).__name__}: {error}"
    return said[:300]


class _File:
    """What has been read so far of a file: the header, and the tables up to their last hand."""

    def __init__(self) -> None:
        self.hands = 0
        self.secret: bytes | None = None
        self._session: str | None = None
        self._plan: Plan | None = None
        self._expected: int | None = None
        self._since_header = 0
        self._tables: dict[str, Table] = {}
        self._broken: set[str] = set()

    def line(self, line: str | bytes) -> list[str]:
        """Check one more line."""
        document = read_line(line)
        if document.get("format") == SESSION:
            return [*self.end(), *self._header(document)]
        if document.get("format") == HAND:
            self.hands += 1
            self._since_header += 1
            return list(self._hand(document))
        return [f"format is {document.get('format')!r}; expected {HAND} or {SESSION}"]

    def end(self) -> list[str]:
        """The session ends here: is anything missing?"""
        expected, self._expected = self._expected, None
        if expected is None or expected == self._since_header:
            return []
        return [f"the header says {expected} hands, there are {self._since_header}: cut off?"]

    def forget(self, line: str | bytes) -> None:
        """A line could not be read: no later hand of its table can be tied to it."""
        try:
            document = read_line(line)
        except BadInput:
            self._broken.update(self._tables)
            return
        self._broken.add(str(document.get("table")))

    def _header(self, document: Document) -> list[str]:
        self._tables.clear()
        self._broken.clear()
        self._since_header = 0
        self.secret = None
        self._plan = None
        self._session = str(document["session"])
        expected = document["hands"]
        self._expected = expected if isinstance(expected, int) else -1
        self._plan = read_plan(document["document"])
        if document["secret"] is None:
            return []
        self.secret = bytes.fromhex(document["secret"])
        if hashlib.sha256(self.secret).hexdigest() != document["secret_commitment"]:
            return ["the secret does not fit its commitment"]
        return []

    def _hand(self, document: Document) -> Iterator[str]:
        table = self._table(document)
        if self._session is not None and document["session"] != self._session:
            yield f"session is {document['session']!r}, the header says {self._session!r}"
        if document["fingerprint"] != table.session.plan.rules.fingerprint:
            yield "the fingerprint is not that of the ruleset"
        chained = table.id not in self._broken and document["number"] == len(table.faulty) + 1
        if table.id not in self._broken and not chained:
            self._broken.add(table.id)
            yield f"hand {len(table.faulty) + 1} of table {table.id} is missing"
        found = list(_check_hand(table, document, secret=self.secret, chained=chained))
        if found:
            self._broken.add(table.id)
        yield from found

    def _table(self, document: Document) -> Table:
        name = document["table"]
        known = self._tables.get(name)
        players = document["bots"]
        if known is not None:
            if list(known.players) != players:
                raise BadInput("bots", players, f"the line-up of the table, {list(known.players)}")
            return known
        plan = _plan_of(document) if self._plan is None else self._plan
        if len(players) != plan.seats or not all(isinstance(bot, str) for bot in players):
            raise BadInput("bots", players, f"{plan.seats} ids")
        clock = SessionClock(ArenaClock(SystemClock()))
        session = Session(
            str(document["session"]), plan, secret=b"", clock=clock, status="finished"
        )
        table = Table(name, session, round_=0, players=players)
        self._tables[name] = table
        return table


def _plan_of(document: Mapping[str, Any]) -> Plan:
    """The plan of a hand that comes without a header: its ruleset is all that matters."""
    return read_plan({"name": "record", "ruleset": {"options": document["ruleset"]}})


def _check_hand(
    table: Table, document: Document, *, secret: bytes | None, chained: bool
) -> Iterator[str]:
    if dict(table.session.plan.rules.document) != document["ruleset"]:
        yield "the ruleset is not that of the session"
    if document["hand"] != hand_id(table.id, document["number"]):
        yield f"hand is {document['hand']!r}, not hand {document['number']} of its table"
    if secret is not None:
        yield from _check_seating(table, document, secret, chained=chained)
    if document["status"] == "forfeited":
        yield from _check_forfeit(table, document, chained=chained)
    else:
        yield from _check_played(table, document, secret=secret, chained=chained)


def _check_seating(
    table: Table, document: Document, secret: bytes, *, chained: bool
) -> Iterator[str]:
    if table.session.plan.rules.table.seats != "fixed" and not chained:
        return
    seed = deals.stream_key(secret, table.id, number=0, label="seating")
    expected = seated(table, document["number"], seed=seed)
    if list(expected) != document["seating"]:
        yield f"the seating is {document['seating']}, from the secret follows {list(expected)}"


def _check_forfeit(table: Table, document: Document, *, chained: bool) -> Iterator[str]:
    if document["steps"]:
        yield "a forfeited hand has moves"
    if not chained:
        return
    failed = [[str(player) for player in players] for players in table.faulty]
    out = [int(player) for player in forfeiting(failed)]
    if not out:
        yield "the hand was forfeited, but nobody has failed often enough"
    elif document["result"] != forfeited_result(table, out):
        yield "the result does not follow from the faults at the table"
    table.faulty.append(())


def _check_played(
    table: Table, document: Document, *, secret: bytes | None, chained: bool
) -> Iterator[str]:
    order = document["seating"]
    if sorted(order) != list(range(len(table.players))):
        raise BadInput("seating", order, "every player once")
    hand = Hand(document["hand"], table, number=document["number"], seating=order)
    steps = [_read_step(step) for step in document["steps"]]
    if not steps or not isinstance(steps[0].command, Deal):
        raise BadInput("steps", len(steps), "a log that begins with the deal")
    shuffle = _shuffle(steps[0].command, document)
    yield from _check_chance(document, shuffle, hand=hand, secret=secret)
    if chained and _expected_deal(hand, shuffle) != steps[0].command:
        yield "the deal does not follow from the hand before (dealer or places)"
    yield from _check_steps(hand, steps)
    if not hand.state.over:
        yield "the log ends before the hand is over: cut off?"
        return
    if document["result"] != _through_json(hand_result(hand, hand.state, hand.steps)):
        yield "the result does not follow from the log"
    note_ended(hand)


def _expected_deal(hand: Hand, shuffle: deals.Shuffle) -> Deal:
    """The deal that follows from the table so far."""
    table = hand.table
    return sitting.next_deal(
        table.session.plan.rules,
        table.sitting,
        hand.seating,
        deck=shuffle.deck,
        lots=shuffle.lots,
    )


def _through_json(document: Document) -> Any:
    return orjson.loads(orjson.dumps(document))


def _read_step(document: Mapping[str, Any]) -> Step:
    return Step(
        document["seq"],
        document["at_ms"],
        document["turn"],
        wire.read_command(document["command"]),
        tuple(wire.read_event(event) for event in document["events"]),
        document["meta"],
        tuple(document["events"]),
    )


def _shuffle(command: Deal, document: Document) -> deals.Shuffle:
    return deals.Shuffle(command.deck, command.lots, bytes.fromhex(document["salt"]))


def _check_chance(
    document: Document, shuffle: deals.Shuffle, *, hand: Hand, secret: bytes | None
) -> Iterator[str]:
    if [CODES[card] for card in shuffle.deck] != document["deck"]:
        yield "the deck is not the one that was dealt"
    if deals.lots_document(shuffle.lots) != document["lots"]:
        yield "the lots are not the ones that were used"
    published = deals.commitment(shuffle)
    if published != document["commitment"]:
        yield "deck, lots and salt do not fit the commitment"
    if document["steps"][0]["meta"].get("commitment") != document["commitment"]:
        yield "the commitment is not the one in the log"
    if secret is None:
        return
    rules = hand.table.session.plan.rules
    drawn = deals.deal(
        secret, hand.table.id, hand.number, deck=rules.deck, players=len(hand.seating)
    )
    if drawn != shuffle:
        yield "deck, lots or salt are not what follows from the secret"


def _check_steps(hand: Hand, steps: Iterable[Step]) -> Iterator[str]:
    """Decide every command again, up to the first step that is wrong: all others hang on it."""
    rules = hand.table.session.plan.rules
    for number, step in enumerate(steps):
        where = f"step {number}"
        if step.seq != hand.seq:
            yield f"{where}: seq is {step.seq}, there are {hand.seq} events before it"
            return
        wrong = _wrong_turn(hand, step) if number else None
        if wrong is not None:
            yield f"{where}: {wrong}"
            return
        before = hand.state if number else EMPTY
        try:
            events = tuple(decide(rules, before, step.command))
        except ArenaError as error:
            yield f"{where}: the command is refused: {error}"
            return
        if events != step.events:
            yield f"{where}: the events do not follow from the command"
            return
        absorb(hand, step, step.meta["clock_ms"])


def _wrong_turn(hand: Hand, step: Step) -> str | None:
    """Does a step answer a turn that is open, for the seat that owns it?"""
    turn = next((each for each in hand.turns.values() if each.id == step.turn), None)
    if turn is None:
        return f"no turn {step.turn!r} is open"
    if isinstance(step.command, Deal) or step.command.seat != turn.seat:
        return "the command is not that of the turn's seat"
    if step.meta["seat"] != turn.seat:
        return "the note of the seat is not that of the turn"
    return None
