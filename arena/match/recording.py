"""Recording: the tables of a match as lines of a record file, for `arena verify` and `arena rate`.

The same format as a session's, without its header: a match has no secret that its deals follow
from and no clock, so all times are 0 and the same seed gives the same bytes; for the same reason
the nonce of a note, which all may read here, is no random one but follows from its turn.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator

import orjson

from arena.documents import Document
from arena.match.tables import PlayedHand, PlayedStep, TableSetup
from arena.proofs.chain import LogHasher, unplayed_head
from arena.rules.cards import CODES
from arena.rules.commands import Deal, Expire
from arena.session import deals
from arena.session.config import read_config
from arena.session.deal_groups import DealGroup
from arena.session.hand_log import HandLog, Step, TableLog, prepare_step
from arena.session.names import hand_id, table_id, turn_id
from arena.session.record_format import CASUAL, HAND, hashed, with_remarks
from arena.session.results import forfeited_result, hand_result
from arena.statuses import HandStatus
from arena.tournament.results import forfeiting
from arena.wire import NONCE, NONCE_BYTES, write_command
from arena.wire.remarks import NOTE

SESSION = "match"
SALT = bytes(deals.SALT_BYTES)
"""Nobody waits for a reveal, so nothing has to be hidden in the commitment."""


def record_lines(
    setting: TableSetup,
    played: Iterable[PlayedHand],
    *,
    number: int,
    session: str = SESSION,
    rated: bool = True,
) -> Iterator[str]:
    """The hands of a table, each as a line with its end. number: of the block, from 1; session:
    what it is called in ids; rated: False for casual play."""
    plan = read_config({"name": session, "ruleset": {"options": dict(setting.rules.document)}})
    group = DealGroup(setting.block, setting.shuffles, turned=setting.turned, shared=True)
    name = table_id(session, number, setting.turned + 1)
    table = TableLog(name, plan, players=setting.bots, group=group)
    for count, hand in enumerate(played, start=1):
        document = {
            "format": HAND,
            "session": session,
            "table": table.id,
            "hand": hand_id(table.id, count),
            "number": count,
            "round": number,
            "block": group.block,
            "shuffles": group.shuffles,
            "status": HandStatus.FINISHED if hand.steps else HandStatus.FORFEITED,
            "ruleset": dict(setting.rules.document),
            "fingerprint": setting.rules.fingerprint,
            "players": list(setting.bots),
            "bots": list(setting.bots),
            **(_dealt(table, hand, count) if hand.steps else _unplayed(table, setting, count)),
            "void": None,
            **({} if rated else CASUAL),
        }
        yield orjson.dumps(document).decode() + "\n"


def _unplayed(table: TableLog, setting: TableSetup, count: int) -> Document:
    """A hand that was not played, since somebody had failed too often before."""
    failed = [[str(player) for player in players] for players in table.faulty]
    out = [int(player) for player in forfeiting(failed)]
    table.faulty.append(())
    seating = range(len(setting.bots))
    return {
        "seating": list(seating),
        "commitment": "",
        **dict.fromkeys(("sitting", "salt", "deck", "lots")),
        "steps": [],
        "head": unplayed_head(hand_id(table.id, count), seating=seating).hex(),
        "result": forfeited_result(table, out),
    }


def _dealt(table: TableLog, hand: PlayedHand, count: int) -> Document:
    """A hand that was played: its deal, its log and its result."""
    deal = hand.steps[0].command
    assert isinstance(deal, Deal)
    shuffle = deals.Shuffle(hand.deck, deal.lots, SALT)
    commitment = deals.commitment(shuffle)
    log = HandLog(hand_id(table.id, count), table, number=count, seating=hand.seating)
    for step in hand.steps:
        log.append(_step(log, step, commitment))
    result = hand_result(log, log.state, log.steps)
    table.end(log)
    places = [hand.seating[seat] for seat in deal.places]
    hasher = LogHasher(log.id, seating=hand.seating, commitment=commitment, salt=SALT)
    steps = list(hashed(map(_written, log.steps), hasher))
    return {
        "seating": list(hand.seating),
        "commitment": commitment,
        "sitting": {"dealer": hand.seating[deal.dealer], "places": places},
        "salt": SALT.hex(),
        "deck": [CODES[card] for card in hand.deck],
        "lots": deals.lots_document(deal.lots),
        "steps": steps,
        "head": steps[-1]["hash"],
        "result": result,
    }


def _step(log: HandLog, step: PlayedStep, commitment: str) -> Step:
    """A step of the log, with the note that a referee would have written beside it."""
    command = step.command
    if isinstance(command, Deal):
        turn, meta = "", {"clock_ms": 0, "commitment": commitment}
    else:
        since = next(since for seat, since in log.waiting if seat == command.seat)
        turn = turn_id(log.id, since, command.seat)
        meta = {
            "clock_ms": 0,
            "seat": command.seat,
            "opened_ms": 0,
            "seen_ms": 0,
            "charged_ms": 0,
            "bank_ms": log.table.config.clock.bank_ms,
            "late": False,
            "refused": log.refused[command.seat] + step.refused,
            "cause": command.cause if isinstance(command, Expire) else None,
            **({NOTE: step.note, NONCE: _nonce(turn)} if step.note else {}),
        }
    return prepare_step(log.seq, 0, turn=turn, command=command, events=step.events, meta=meta)


def _nonce(turn: str) -> str:
    return hashlib.sha256(SALT + turn.encode()).hexdigest()[: 2 * NONCE_BYTES]


def _written(step: Step) -> Document:
    document = {
        "seq": step.seq,
        "at_ms": step.at_ms,
        "turn": step.turn,
        "command": write_command(step.command),
        "events": list(step.written),
        "meta": step.meta,
    }
    return with_remarks(document, shown=True)
