"""Receipts: does a record hold what a bot was sent and what it did?

A bot's kit keeps for each hand and seat how long the log was that it was last sent, the hash of
that log, a hash of all events that it was shown, and which answers were accepted. They prove that
the record is that log, cards of others included, without the bot ever having known these.

Receipts may be forged as records may: a contradiction says that one of the two is not what it was,
and names the hand, the step and who says what.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from arena.documents import Document
from arena.errors import BadInput
from arena.proofs.canonical import canonical
from arena.records.answers import compare_answers
from arena.records.chain_checks import is_chained
from arena.records.checks import as_object, hex_text, short, text, whole
from arena.records.reading import read_line
from arena.session.hand_log import HandLog
from arena.session.names import read_turn_id

RECEIPT = "daifugo-arena/receipt/1"
MOST_SEATS = 8


class Receipt(NamedTuple):
    """What a bot was last sent of a hand. line: of the file of receipts; arena: its address. seq,
    hash: of the log; seen: hash of all events that the seat was shown up to there, None where the
    kit had not all of them; answers: hashes of those that were accepted, by turn."""

    line: int
    arena: str
    session: str
    hand: str
    seat: int
    seq: int
    hash: str
    seen: str | None
    answers: Mapping[str, str]

    @property
    def table(self) -> str:
        """The table of its hand."""
        return self.hand.rpartition("-h")[0]


class ReceiptFile:
    """The receipts of a file, by table and hand."""

    def __init__(self, receipts: Iterable[Receipt] = ()) -> None:
        self.by_hand: dict[str, list[Receipt]] = {}
        self._tables: dict[str, list[Receipt]] = {}
        for receipt in receipts:
            self.by_hand.setdefault(receipt.hand, []).append(receipt)
            self._tables.setdefault(receipt.table, []).append(receipt)

    def of_table(self, table: str) -> ReceiptFile:
        """Those of one table."""
        return ReceiptFile(self._tables[table]) if table in self._tables else NONE

    def __iter__(self) -> Iterator[Receipt]:
        return (receipt for listed in self.by_hand.values() for receipt in listed)


NONE = ReceiptFile()


class ReceiptResult(NamedTuple):
    """What the receipts of one hand have given. used: lines of those that are of this hand."""

    findings: tuple[str, ...] = ()
    done: Mapping[str, int] = {}
    used: tuple[int, ...] = ()


def read_receipts(lines: Iterable[bytes]) -> ReceiptFile:
    """The receipts of a file. Raises BadInput that names the line."""
    receipts = []
    for number, line in enumerate(lines, start=1):
        try:
            receipts.append(_receipt(number, read_line(line)))
        except BadInput as error:
            place = f"receipts, line {number}: {error.thing}"
            raise BadInput(place, error.value, error.expected) from error
    if not receipts:
        raise BadInput("receipts", "empty", "receipts, one a line, as the kit writes them")
    return ReceiptFile(receipts)


def _receipt(number: int, document: Document) -> Receipt:
    if document.get("format") != RECEIPT:
        raise BadInput("format", short(document.get("format")), RECEIPT)
    log = as_object("log", document.get("log"))
    answers = as_object("answers", document.get("answers"))
    for turn in answers:
        if read_turn_id(turn) is None:
            raise BadInput("answers", short(turn), "ids of turns")
        hex_text(answers, turn, size=32)
    return Receipt(
        number,
        text(document, "arena"),
        text(document, "session"),
        text(document, "hand"),
        whole("seat", document.get("seat"), most=MOST_SEATS - 1),
        whole("log.seq", log.get("seq")),
        hex_text(log, "hash", size=32),
        None if document.get("seen") is None else hex_text(document, "seen", size=32),
        answers,
    )


def check_receipts(document: Document, log: HandLog | None, receipts: ReceiptFile) -> ReceiptResult:
    """What the receipts of a hand contradict in its line.

    log: the hand, if its log could be followed to the end.
    """
    listed = receipts.by_hand.get(document["hand"], [])
    if not listed:
        return ReceiptResult()
    findings, done = [], Counter[str]()
    for receipt in listed:
        wrong = list(_contradicted(document, log, receipt))
        if receipt.session == document["session"] and document.get("steps"):
            answers = compare_answers(document, log, receipt.answers, seat=receipt.seat)
            wrong += answers.findings
            done["answers"] += answers.compared
            done["answers elsewise"] += answers.otherwise
        findings += [f"{_who(receipt, document)}: {what}" for what in wrong]
        shows = log is not None and (is_chained(document) or receipt.seen is not None)
        done["receipts"] += not wrong and shows
        done["receipts not checked"] += not wrong and not shows
        done["receipts without events"] += not wrong and shows and receipt.seen is None
    return ReceiptResult(tuple(findings), done, tuple(receipt.line for receipt in listed))


def _who(receipt: Receipt, document: Document) -> str:
    """Whose receipt it is."""
    bot = ""
    if "seating" in document and receipt.seat < len(document["seating"]):
        bot = f" ({document['players'][document['seating'][receipt.seat]]})"
    place = f"receipt of line {receipt.line}, hand {receipt.hand}, seat {receipt.seat}{bot}"
    return f"{place}, from {receipt.arena}"


def _contradicted(document: Document, log: HandLog | None, receipt: Receipt) -> Iterator[str]:
    if receipt.session != document["session"]:
        yield f"it is of session {receipt.session!r}, the record of {document['session']!r}"
        return
    if "steps" not in document or not document["steps"]:
        if "steps" in document:
            yield "the bot was sent a log, the record has a hand that was not played"
        return
    if receipt.seat >= len(document["seating"]):
        yield f"the hand has {len(document['seating'])} seats"
        return
    step = _step_at(document, receipt.seq)
    if step is None:
        events = sum(len(step["events"]) for step in document["steps"])
        yield (
            f"the bot was sent a log of {receipt.seq} events; no step of the record ends there, "
            f"which has {events}"
        )
    elif document["steps"][step].get("hash", receipt.hash) != receipt.hash:
        yield (
            f"step {step}: the arena gave the bot hash {receipt.hash[:16]}..., the record has "
            f"{str(document['steps'][step]['hash'])[:16]}...: the record tells another game, or "
            "the receipt is forged or of another arena"
        )
    elif log is not None and receipt.seen not in (None, _shown(log, receipt.seat, receipt.seq)):
        yield (
            f"step {step}: the events that the bot was shown up to here are not those of the "
            "record, though the hash is: the arena showed the bot another game than it recorded"
        )


def _step_at(document: Document, seq: int) -> int | None:
    """The step with which a log has this number of events; None if there is none."""
    for number, step in enumerate(document["steps"]):
        if step["seq"] + len(step["events"]) == seq:
            return number
    return None


def _shown(log: HandLog, seat: int, seq: int) -> str:
    """The hash of the events that a seat was shown, of the first `seq`."""
    hasher = hashlib.sha256()
    for event in log.events_from(0, seat)[:seq]:
        hasher.update(canonical(event) + b"\n")
    return hasher.hexdigest()
