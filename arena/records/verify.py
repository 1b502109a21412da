"""Verification: a record file checked line by line, offline, with nothing but the file itself.

Per hand: the commitment fits deck, lots and salt; once the session's secret is known, deck, lots,
salt and seating are what the documented function gives; the deal follows from the hand before;
every command, decided again, gives the recorded events; the result follows from the log. The
schedule is drawn again (`redrawing`), and every table has its line-up and its shuffles. What is
wrong is returned as findings with the number of the line. A file may come from anybody: nothing in
it may raise anything but `arena.errors`, and nothing in it is believed.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

import orjson

from arena import sitting, wire
from arena.documents import Document
from arena.errors import ArenaError, BadInput
from arena.proofs.chance import RoundKeys
from arena.records.exactness import (
    Header,
    check_sitting,
    check_step,
    check_unplayed,
    misstated,
    read_header,
    same,
    same_events,
)
from arena.records.reading import read_line
from arena.records.redrawing import RecordedSchedule, check_drawn, check_draws, read_drawn
from arena.records.round_keys import keys_of
from arena.records.shapes import check_hand, check_header
from arena.rules import EMPTY, decide
from arena.rules.commands import Deal
from arena.rules.fingerprints import is_fingerprint
from arena.session import deals
from arena.session.config import SessionConfig, read_config
from arena.session.deal_groups import DealGroup, PlannedTable, alone
from arena.session.hand_log import HandLog, Step, TableLog, next_deal, next_seating
from arena.session.names import hand_id, table_id, turn_id
from arena.session.record_format import HAND, SESSION
from arena.session.results import forfeited_result, hand_result, pool_of, rated_result
from arena.statuses import BoardNames, HandStatus
from arena.tournament.results import HandResult, forfeiting
from arena.wire.values import read_deck

TABLE_ID = re.compile(r"-r(\d{2,6})-t(\d{2,6})$", re.ASCII)


class Finding(NamedTuple):
    """Something that is wrong. line: from 1, 0 for the file as a whole."""

    line: int
    what: str


class Verification(NamedTuple):
    """What was checked. secret: was the secret known, so that deals could be recomputed?

    notes: what could not be checked, since it is withheld from the readers of this record; what an
    older program has done otherwise.
    """

    hands: int
    findings: tuple[Finding, ...]
    secret: bool
    notes: tuple[str, ...] = ()

    @property
    def ok(self) -> bool:
        """Is everything as it should be?"""
        return not self.findings


def verify(lines: Iterable[str | bytes]) -> Verification:
    """Check a record file, given as its lines."""
    check = _File()
    findings: list[Finding] = []
    number = 0
    for number, line in enumerate(lines, start=1):
        try:
            wrong = check.line(line)
        except ArenaError as error:
            check.forget(line)
            wrong = [f"cannot be read: {_said(error)}"]
        findings.extend(Finding(number, what) for what in wrong)
    findings.extend(Finding(number, what) for what in check.end())
    if not number:
        findings.append(Finding(0, "the file is empty"))
    return Verification(check.hands, tuple(findings), check.keys is not None, tuple(check.notes))


def _said(error: ArenaError) -> str:
    return str(error)[:300]


class _File:
    """What has been read so far of a file: the header, and the tables up to their last hand."""

    def __init__(self) -> None:
        self.hands = 0
        self.keys: RoundKeys | None = None
        self._round_keys: dict[int, bytes] = {}
        self.notes: list[str] = []
        self._session: str | None = None
        self._plan: SessionConfig | None = None
        self._expected: int | None = None
        self._since_header = 0
        self._tables: dict[str, TableLog] = {}
        self._broken: set[str] = set()
        self._seen: set[bytes] = set()
        self._said: Header | None = None
        self._recorded: RecordedSchedule | None = None
        self._results: dict[str, list[HandResult]] = {}
        self._whole = True

    def line(self, line: str | bytes) -> list[str]:
        """Check one more line."""
        document = read_line(line)
        if document.get("format") == SESSION:
            return [*self.end(), *self._header(document)]
        if document.get("format") == HAND:
            self.hands += 1
            self._since_header += 1
            return [*self._twice(document), *self._hand(document)]
        return [f"format is {document.get('format')!r}; expected {HAND} or {SESSION}"]

    def _twice(self, document: Document) -> Iterator[str]:
        """Is this very hand in the file already, under whatever header?"""
        mark = hashlib.sha256(orjson.dumps(document, option=orjson.OPT_SORT_KEYS)).digest()
        if mark in self._seen:
            yield "the hand is there twice"
        self._seen.add(mark)

    def end(self) -> list[str]:
        """The session ends here: is anything missing?"""
        expected, self._expected = self._expected, None
        if expected is not None and expected != self._since_header:
            return [f"the header says {expected} hands, there are {self._since_header}: cut off?"]
        schedule, self._recorded = self._recorded, None
        if schedule is None or not self._whole or schedule.plan.board != BoardNames.NAMED:
            return []
        try:
            return list(check_draws(schedule, self._results))
        except ArenaError as error:
            return [f"the rounds cannot be drawn again: {_said(error)}"]

    def forget(self, line: str | bytes) -> None:
        """A line could not be read: no later hand of its table can be tied to it."""
        self._whole = False
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
        self.keys = None
        self._round_keys = {}
        self._plan = None
        self._said = None
        self._recorded = None
        self._results.clear()
        self._whole = True
        self._session = None
        check_header(document)
        self._session = document["session"]
        self._expected = document["hands"]
        self._plan = read_config(document["document"])
        self._said = read_header(document)
        schedule = read_drawn(document, self._plan)
        self._recorded = schedule
        if document["secret"] is None:
            return []
        self.keys = keys_of(document)
        assert self.keys is not None  # the header has the secret
        if hashlib.sha256(self.keys.secret).hexdigest() != document["secret_commitment"]:
            return ["the secret does not fit its commitment"]
        if schedule is None:
            return []
        findings, notes = check_drawn(schedule, self.keys)
        self.notes += [f"{schedule.session}: {note}" for note in notes]
        return findings

    def _hand(self, document: Document) -> Iterator[str]:
        check_hand(document)
        table = self._table(document)
        yield from misstated(document, self._said)
        yield from self._misplaced(table, document)
        if self._session is not None and document["session"] != self._session:
            yield f"session is {document['session']!r}, the header says {self._session!r}"
        if not is_fingerprint(document["fingerprint"], table.rules.options):
            yield "the fingerprint is not that of the ruleset"
        chained = table.id not in self._broken and document["number"] == len(table.faulty) + 1
        if table.id not in self._broken and not chained:
            self._broken.add(table.id)
            yield _unchained(document["number"], after=len(table.faulty), table=table.id)
        key = self._key_of(document["round"])
        wrong = list(_check_hand(table, document, secret=key, chained=chained))
        if wrong:
            self._broken.add(table.id)
            self._whole = False
        yield from wrong
        self._note_result(table, document)

    def _key_of(self, round_: int) -> bytes | None:
        """The key of a round: of a thousand bots, as much work as a part of a hand."""
        if self.keys is not None and round_ not in self._round_keys:
            self._round_keys = {round_: self.keys.of_round(round_)}
        return None if self.keys is None else self._round_keys[round_]

    def _note_result(self, table: TableLog, document: Document) -> None:
        if document.get("void") is not None or document["result"] is None:
            self._whole = False
            return
        pool = pool_of(table.rules.fingerprint, len(table.players))
        result = rated_result(
            document["result"], players=table.players, block=document["block"], pool=pool
        )
        self._results.setdefault(table.id, []).append(result)

    def _misplaced(self, table: TableLog, document: Document) -> Iterator[str]:
        """Is the table where the schedule has it?"""
        spot, schedule = table.group, self._recorded
        if (document["block"], document.get("shuffles", table.id)) != (spot.block, spot.shuffles):
            yield f"block and shuffles are not {spot.block!r} and {spot.shuffles!r}"
        place = None if schedule is None else _place(schedule, table.id)
        if schedule is None or place is None:
            return
        if document["round"] != _numbers(table.id)[0]:
            yield f"round is {document['round']!r}, which is not that of table {table.id}"
        if not schedule.fits(place, table.players, document["players"]):
            yield "the line-up is not the one in the schedule"

    def _table(self, document: Document) -> TableLog:
        name = document["table"]
        known = self._tables.get(name)
        players = document["bots"]
        if known is not None:
            if list(known.players) != players:
                raise BadInput("bots", players, f"the line-up of the table, {list(known.players)}")
            return known
        plan = _plan_of(document) if self._plan is None else self._plan
        spot = self._spot(document, name)
        clocks = zip(players, document.get("clocks", ()), strict=False)
        people = {bot: clock for bot, clock in clocks if clock is not None}
        table = TableLog(name, plan, players=players, group=spot, people=people)
        self._tables[name] = table
        return table

    def _spot(self, document: Document, table: str) -> DealGroup:
        """What a table shares: as the schedule has it; without one, as the record has it."""
        place = None if self._recorded is None else _place(self._recorded, table)
        if place is not None:
            return place.group
        if self._recorded is not None:
            return alone(table)
        shuffles = document.get("shuffles", table)
        return DealGroup(document["block"], shuffles, shared=shuffles != table)


def _unchained(number: int, *, after: int, table: str) -> str:
    """What is wrong with a hand that does not come after those before it."""
    if number <= after:
        return f"hand {number} of table {table} is there twice, or too late"
    return f"hand {after + 1} of table {table} is missing"


def _place(schedule: RecordedSchedule, table: str) -> PlannedTable | None:
    """The place of a table in the schedule; None for one that was played in another's stead."""
    round_, number = _numbers(table)
    return (
        schedule.place(round_, number)
        if table_id(schedule.session, round_, number) == table
        else None
    )


def _numbers(table: str) -> tuple[int, int]:
    """Round and number of a table, by its id; zeros if it is no id of a table."""
    match = TABLE_ID.search(table)
    return (int(match[1]), int(match[2])) if match else (0, 0)


def _plan_of(document: Document) -> SessionConfig:
    """The plan of a hand that comes without a header: its ruleset is all that matters."""
    return read_config({"name": "record", "ruleset": {"options": document["ruleset"]}})


def _check_hand(
    table: TableLog, document: Document, *, secret: bytes | None, chained: bool
) -> Iterator[str]:
    if not same(dict(table.rules.document), document["ruleset"]):
        yield "the ruleset is not that of the session"
    if document["hand"] != hand_id(table.id, document["number"]):
        yield f"hand is {document['hand']!r}, not hand {document['number']} of its table"
    if secret is not None:
        yield from _check_seating(table, document, secret, chained=chained)
    if document["status"] == HandStatus.FORFEITED:
        yield from _check_forfeit(table, document, chained=chained)
    else:
        yield from _check_played(table, document, secret=secret, chained=chained)


def _check_seating(
    table: TableLog, document: Document, secret: bytes, *, chained: bool
) -> Iterator[str]:
    if table.rules.table.seats != "fixed" and not chained:
        return
    expected = next_seating(table, document["number"], secret=secret)
    if not same(list(expected), document["seating"]):
        yield f"the seating is {document['seating']}, from the secret follows {list(expected)}"


def _check_forfeit(table: TableLog, document: Document, *, chained: bool) -> Iterator[str]:
    if document["steps"]:
        yield "a forfeited hand has moves"
    yield from check_unplayed(document)
    if not chained:
        return
    failed = [[str(player) for player in players] for players in table.faulty]
    out = [int(player) for player in forfeiting(failed)]
    if not out:
        yield "the hand was forfeited, but nobody has failed often enough"
    elif not same(document["result"], forfeited_result(table, out)):
        yield "the result does not follow from the faults at the table"
    table.faulty.append(())


def _check_played(
    table: TableLog, document: Document, *, secret: bytes | None, chained: bool
) -> Iterator[str]:
    order = document["seating"]
    if sorted(order) != list(range(len(table.players))):
        raise BadInput("seating", order, "every player once")
    hand = HandLog(document["hand"], table, number=document["number"], seating=order)
    steps = [_read_step(step) for step in document["steps"]]
    if not steps or not isinstance(steps[0].command, Deal):
        raise BadInput("steps", len(steps), "a log that begins with the deal")
    if steps[0].turn:
        yield "the deal answers a turn"
        return
    command = steps[0].command
    shuffle = _shuffle(command, document)
    yield from check_sitting(document, command)
    yield from _check_chance(document, shuffle, hand=hand, secret=secret)
    if _laid(table, command, shuffle) != command.deck:
        yield "the deck is not the one that was dealt"
    if chained and next_deal(table, order, shuffle)._replace(deck=command.deck) != command:
        yield "the deal does not follow from the hand before (dealer or places)"
    yield from _check_steps(hand, steps)
    if not hand.state.over:
        yield "the log ends before the hand is over: cut off?"
        return
    if not same(document["result"], hand_result(hand, hand.state, hand.steps)):
        yield "the result does not follow from the log"
    table.end(hand)


def _laid(table: TableLog, command: Deal, shuffle: deals.Shuffle) -> tuple[int, ...]:
    """The deck as it is dealt: as it was drawn, unless packets belong to seats."""
    if not table.group.shared:
        return shuffle.deck
    if sorted(shuffle.deck) != sorted(table.rules.deck):
        raise BadInput("deck", len(shuffle.deck), f"each of the {len(table.rules.deck)} cards once")
    drawn = command._replace(deck=shuffle.deck)
    return deals.renumbered(sitting.by_seat(table.rules, drawn))


def _read_step(document: Document) -> Step:
    command = wire.read_command(document["command"])
    check_step(document, command)
    return Step(
        document["seq"],
        document["at_ms"],
        document["turn"],
        command,
        tuple(wire.read_event(event) for event in document["events"]),
        document["meta"],
        tuple(document["events"]),
    )


def _shuffle(command: Deal, document: Document) -> deals.Shuffle:
    """What was drawn: the deck of the record, the lots and the salt."""
    return deals.Shuffle(read_deck(document["deck"]), command.lots, bytes.fromhex(document["salt"]))


def _check_chance(
    document: Document, shuffle: deals.Shuffle, *, hand: HandLog, secret: bytes | None
) -> Iterator[str]:
    if not same(deals.lots_document(shuffle.lots), document["lots"]):
        yield "the lots are not the ones that were used"
    published = deals.commitment(shuffle)
    if published != document["commitment"]:
        yield "deck, lots and salt do not fit the commitment"
    if document["steps"][0]["meta"].get("commitment") != document["commitment"]:
        yield "the commitment is not the one in the log"
    if secret is None:
        return
    table = hand.table
    drawn = deals.deal(
        secret, table.group.shuffles, hand.number, deck=table.rules.deck, players=len(hand.seating)
    )
    if drawn != shuffle:
        yield "deck, lots or salt are not what follows from the secret"


def _check_steps(hand: HandLog, steps: Iterable[Step]) -> Iterator[str]:
    """Decide every command again, up to the first step that is wrong: all others hang on it."""
    rules = hand.table.rules
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
        if not same_events(events, step.written):
            yield f"{where}: the events do not follow from the command"
            return
        hand.append(step)


def _wrong_turn(hand: HandLog, step: Step) -> str | None:
    """Does a step answer a turn that is open, for the seat that owns it?"""
    open_turns = {turn_id(hand.id, since, seat): seat for seat, since in hand.waiting}
    seat = open_turns.get(step.turn)
    if seat is None:
        return f"no turn {step.turn!r} is open"
    if isinstance(step.command, Deal) or step.command.seat != seat:
        return "the command is not that of the turn's seat"
    if step.meta["seat"] != seat:
        return "the note of the seat is not that of the turn"
    return None
