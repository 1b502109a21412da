"""Tables: the lines of one table, checked one after the other, each against those before it.

All that a hand needs of the hands before it at its table is kept here, and nothing of other tables,
so tables can be checked in different processes. Pure; a file may come from anybody: whatever is
wrong is a finding or BadInput.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

from arena import sitting
from arena.documents import Document
from arena.errors import BadInput
from arena.records.chain_checks import check_hashes, is_chained
from arena.records.checks import hex_text, short, text, whole
from arena.records.clock_checks import ClockCheck
from arena.records.deal_checks import check_deal, check_seating
from arena.records.exactness import check_unplayed, misstated, same
from arena.records.headings import KnownSession, table_number
from arena.records.log_checks import check_steps, read_step
from arena.records.shapes import check_hand
from arena.rules.commands import Deal
from arena.rules.fingerprints import is_fingerprint
from arena.session.config import SessionConfig, read_config
from arena.session.deal_groups import DealGroup, alone
from arena.session.hand_log import HandLog, TableLog
from arena.session.names import hand_id
from arena.session.record_format import HEAD
from arena.session.results import forfeited_result, hand_result
from arena.statuses import HAND_ENDED, HandStatus, HandVisibility, SessionStatus
from arena.tournament.results import forfeiting

HEAD_MEMBERS = {"format", "session", "table", "hand", "number", "round", "status", "head"}
UNTIL_THEN = ("points", "minutes")
"""Kinds of `session_end` of which only the hands themselves tell whether they are over."""


class TableProgress(NamedTuple):
    """How far a table has come. complete: has it all its hands? None: that cannot be known."""

    table: str
    hands: int
    complete: bool | None


class TableCheck:
    """One table. known: what its session's header says, None if there is none.

    done: what was checked, counted. last: the hand that was read last, if its log could be followed
    to the end.
    """

    def __init__(self, table: str, known: KnownSession | None) -> None:
        self.id = table
        self.done: Counter[str] = Counter()
        self.last: HandLog | None = None
        self._known = known
        self._place = None if known is None else known.place(table)
        self._log: TableLog | None = None
        self._clock: ClockCheck | None = None
        self._hands = self._finished = 0
        self._forfeits = self._ended = self._broken = self._hidden = False

    def forget(self) -> None:
        """A line could not be read: no later hand can be tied to those before."""
        self._broken = True

    @property
    def state(self) -> TableProgress:
        """How far it has come by now."""
        return TableProgress(self.id, self._hands, self._complete)

    @property
    def _complete(self) -> bool | None:
        if self._known is None:
            return None
        plan = self._known.plan
        if self._ended:
            return False
        if self._hands >= plan.hands_per_table:
            return True
        if self._forfeits:
            return False
        kind, _, number = plan.rules.table.session_end.partition(":")
        if kind == "hands":
            return self._finished >= int(number)
        if kind not in UNTIL_THEN:
            return False
        if kind == "minutes" or self._broken or self._log is None:
            return None
        return sitting.is_over(self._log.rules, self._log.sitting, hands=plan.hands_per_table)

    def line(self, document: Document) -> Iterator[str]:
        """What is wrong with the next line. Raises BadInput."""
        self.last = None
        yield from self._head(document) if document["format"] == HEAD else self._hand(document)

    def _counted(self, document: Document) -> Iterator[str]:
        """Does a hand come after those before it?"""
        number, after = document["number"], self._hands
        if self._known is not None and number > self._known.plan.hands_per_table:
            yield f"hand {number} of a table with {self._known.plan.hands_per_table}"
        if self._ended:
            yield "a hand after one that was called off"
        self._hands = max(number, after)
        self._ended = document["status"] == HandStatus.VOID
        self._finished += document["status"] == HandStatus.FINISHED
        if number == after + 1:
            return
        self._broken = True
        if number <= after:
            yield f"hand {number} of table {self.id} is there twice, or too late"
        else:
            yield f"hand {after + 1} of table {self.id} is missing"

    def _head(self, document: Document) -> Iterator[str]:
        """The line of a hand that is not shown."""
        _check_head(document)
        yield from self._counted(document)
        yield from self._named(document)
        self._hidden = True
        self._broken = True  # what followed from this hand is not known
        self.done["withheld"] += document["status"] != HandStatus.VOID
        self.done["called off"] += document["status"] == HandStatus.VOID
        known = self._known
        if known is None:
            return
        if document["status"] == HandStatus.VOID:
            if known.status != SessionStatus.CANCELLED and self.id not in known.voids:
                yield "a hand was called off, but neither its table is void nor the session"
        elif known.is_over and known.plan.visibility != HandVisibility.NEVER:
            yield "the hand is left out, though everybody may see it now"

    def _named(self, document: Document) -> Iterator[str]:
        known = self._known
        if document["hand"] != hand_id(self.id, document["number"]):
            yield f"hand is {document['hand']!r}, not hand {document['number']} of its table"
        if known is None:
            return
        if document["session"] != known.session:
            yield from _other_session(document, known)
        elif known.version > 1 and not self.id.startswith(f"{known.session}-r"):
            yield f"table {short(self.id)} is none of this session"
        if known.schedule is not None and document["round"] != table_number(self.id)[0]:
            yield f"round is {document['round']!r}, which is not that of table {self.id}"

    def _hand(self, document: Document) -> Iterator[str]:
        check_hand(document)
        known = self._known
        if known is not None and document["session"] != known.session:
            self.forget()
            yield from _other_session(document, known)
            return
        log = self._table(document)
        if known is not None and (known.version > 1) != is_chained(document):
            yield f"the format is {document['format']}, the header is of version {known.version}"
        yield from misstated(document, None if known is None else known.said)
        yield from self._named(document)
        yield from self._misplaced(log, document)
        given = document["fingerprint"]
        if given != log.rules.fingerprint and not is_fingerprint(given, log.rules.options):
            yield "the fingerprint is not that of the ruleset"
        if known is not None and 0 < self._hands < known.plan.hands_per_table and self._complete:
            yield "the table was over before this hand"
        yield from self._counted(document)
        chained = not self._broken
        wrong = list(self._followed(log, document, chained=chained))
        self._broken = self._broken or bool(wrong)
        yield from wrong
        self.done["followed"] += not wrong
        if is_chained(document):
            hashes = list(check_hashes(document))
            self.done["chained"] += not hashes
            yield from hashes
        self.done["hands"] += 1

    def _followed(self, log: TableLog, document: Document, *, chained: bool) -> Iterator[str]:
        key = None if self._known is None else self._known.key(document["round"])
        if not same(dict(log.rules.document), document["ruleset"]):
            yield "the ruleset is not that of the session"
        if key is not None:
            yield from check_seating(log, document, key, chained=chained)
        if document["status"] == HandStatus.FORFEITED:
            self._forfeits = True
            yield from _check_forfeit(log, document, chained=chained)
        else:
            if self._forfeits:
                yield "a hand was played after one that was forfeited"
            yield from self._played(log, document, key=key, chained=chained)

    def _played(
        self, log: TableLog, document: Document, *, key: bytes | None, chained: bool
    ) -> Iterator[str]:
        order = document["seating"]
        hand = HandLog(document["hand"], log, number=document["number"], seating=order)
        steps = [read_step(step) for step in document["steps"]]
        if not steps or not isinstance(steps[0].command, Deal):
            raise BadInput("steps", len(steps), "a log that begins with the deal")
        if steps[0].turn:
            yield "the deal answers a turn"
            return
        deal = list(check_deal(hand, document, steps[0].command, key=key, chained=chained))
        self.done["deals"] += key is not None and not deal
        yield from deal
        if chained and forfeiting([[str(each) for each in failed] for failed in log.faulty]):
            yield "the hand was played, though somebody had failed too often before"
        yield from check_steps(hand, steps, self._clock if chained else None)
        if not hand.state.over:
            yield "the log ends before the hand is over: cut off?"
            return
        if not same(document["result"], hand_result(hand, hand.state, hand.steps)):
            yield "the result does not follow from the log"
        log.end(hand)
        self.last = hand
        self.done["moves"] += len(steps) - 1
        self.done["clocked"] += chained and self._clock is not None

    def _misplaced(self, log: TableLog, document: Document) -> Iterator[str]:
        """Is the table where the schedule has it?"""
        group, known = log.group, self._known
        if (document["block"], document.get("shuffles", log.id)) != (group.block, group.shuffles):
            yield f"block and shuffles are not {group.block!r} and {group.shuffles!r}"
        place = self._place
        if known is None or known.schedule is None:
            return
        if place is not None:
            if not known.schedule.fits(place, log.players, document["players"]):
                yield "the line-up is not the one in the schedule"
        elif known.version > 1 and log.id not in known.voids.values():
            yield f"the schedule has no table {short(log.id)}, and it is played in no other's stead"

    def _table(self, document: Document) -> TableLog:
        players = document["bots"]
        if self._log is not None:
            if list(self._log.players) != players:
                raise BadInput(
                    "bots", players, f"the line-up of the table, {list(self._log.players)}"
                )
            return self._log
        known = self._known
        plan = _plan_of(document) if known is None else known.plan
        clocks = zip(players, document.get("clocks", ()), strict=False)
        people = {bot: clock for bot, clock in clocks if clock is not None}
        group = self._group(document)
        self._log = log = TableLog(self.id, plan, players=players, group=group, people=people)
        left = None if known is None else known.left
        if is_chained(document):
            self._clock = ClockCheck(
                log,
                settings=known is not None,
                names=tuple(document["players"]),
                left=None if left is None else tuple(map(left.get, players)),
            )
        return log

    def _group(self, document: Document) -> DealGroup:
        """What a table shares: as the schedule has it; without one, as the record has it."""
        known = self._known
        if self._place is not None:
            return self._place.group
        if known is not None and known.schedule is not None:
            return alone(self.id)
        shuffles = document.get("shuffles", self.id)
        return DealGroup(document["block"], shuffles, shared=shuffles != self.id)


def _other_session(document: Document, known: KnownSession) -> Iterator[str]:
    said = f"session is {short(document['session'])!r}, the header says {known.session!r}"
    yield f"{said}: were two files merged?"


def _check_head(document: Document) -> None:
    for name in ("session", "hand"):
        text(document, name)
    whole("number", document.get("number"), least=1)
    whole("round", document.get("round"), least=1)
    hex_text(document, "head", size=32)
    if document.get("status") not in (*HAND_ENDED, HandStatus.VOID):
        raise BadInput("status", short(document.get("status")), "finished, forfeited or void")
    more = document.keys() - HEAD_MEMBERS
    if more:
        raise BadInput("member", short(min(more)), "none beside those of a head")


def _plan_of(document: Document) -> SessionConfig:
    """The plan of a hand that comes without a header: its ruleset is all that matters."""
    return read_config({"name": "record", "ruleset": {"options": document["ruleset"]}})


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
