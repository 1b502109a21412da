"""Steps of a hand's log as rows of the store, and back: each with the hash of the log so far.

The JSON of a row is canonical, so that what is hashed is put together from the texts that are
stored. A row is read back only if its hash fits; rows of older programs, which have none, are read
as they are, and count in the hashes of those that follow.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from orjson import OPT_SORT_KEYS, JSONDecodeError, dumps, loads

from arena import wire
from arena.errors import BadInput, DamagedHand
from arena.proofs.chain import LogHasher, joined_step, remarks_text_hash
from arena.rules.commands import Command
from arena.rules.events import Event
from arena.session.deals import salt_of
from arena.session.hand_log import HandLog, Meta, Step
from arena.store.port import HandRow, StepRow


def log_hasher(key: bytes, shuffles: str, hand: HandRow) -> LogHasher:
    """What hashes the log of a hand. key, shuffles: from which its deal follows.

    Raises DamagedHand for a row that cannot be read.
    """
    salt = salt_of(key, shuffles, number=hand.number)
    try:
        seating = loads(hand.seating)
        return LogHasher(hand.id, seating=seating, commitment=hand.commitment, salt=salt)
    except (ValueError, TypeError) as error:
        raise DamagedHand(hand.id, 0, f"the row of the hand cannot be read: {error}") from error


def write_step(
    log: HandLog,
    at_ms: int,
    *,
    turn: str,
    command: Command,
    events: Sequence[Event],
    meta: Meta,
    remarks: Meta = wire.NO_REMARKS,
) -> tuple[Step, StepRow]:
    """The next step of a log with its hash, and its row. remarks: what its bot sent beside the
    answer, and its nonce, which are kept with `meta`."""
    hasher, seq = log.hasher, log.seq
    assert hasher is not None, "a hand that is played has a hasher"
    written = tuple(map(wire.shared_event, events))
    command_text = dumps(wire.write_command(command), option=OPT_SORT_KEYS)
    events_text = dumps(written, option=OPT_SORT_KEYS)
    meta_text = stored = dumps(meta, option=OPT_SORT_KEYS)
    beside = None
    if remarks:
        meta = {**meta, **remarks}
        text = dumps(remarks, option=OPT_SORT_KEYS)
        stored = b"%b,%b" % (meta_text[:-1], text[1:])
        beside = remarks_text_hash(text)
    text = joined_step(
        seq,
        at_ms,
        turn=turn,
        command=command_text,
        events=events_text,
        meta=meta_text,
        remarks=beside,
    )
    digest = hasher.after(log.head, text)
    step = Step(seq, at_ms, turn, command, tuple(events), meta, written, digest)
    texts = command_text.decode(), events_text.decode(), len(events), stored.decode()
    return step, StepRow(log.id, seq, at_ms, turn, *texts, digest)


def _split(meta: Mapping[str, Any]) -> tuple[bytes, bytes]:
    """The `meta` of a step without what its bot sent beside the answer, and that; both as JSON."""
    rest = dict(meta)
    beside = {name: rest.pop(name) for name in wire.KEPT if name in rest}
    return dumps(rest, option=OPT_SORT_KEYS), dumps(beside, option=OPT_SORT_KEYS)


def read_step(log: HandLog, row: StepRow, *, old: bool) -> Step:
    """The next step of a log from its row. old: may it be one without a hash?

    Raises DamagedHand if it is not what was written.
    """
    hasher = log.hasher
    assert hasher is not None, "a hand that is read back has a hasher"
    digest = next_hash(row, hasher, seq=log.seq, before=log.head, old=old)
    try:
        written = tuple(loads(row.events))
        step = Step(
            row.seq,
            row.at_ms,
            row.turn,
            wire.read_command(loads(row.command)),
            tuple(wire.read_event(event) for event in written),
            loads(row.meta),
            written,
            digest,
        )
    except JSONDecodeError as error:
        raise DamagedHand(row.hand, row.seq, f"it cannot be read: {error}") from error
    except BadInput as error:  # its value may have cards, and everybody is shown the problem
        problem = f"it cannot be read: {error.thing} is not {error.expected}"
        raise DamagedHand(row.hand, row.seq, problem) from error
    if len(written) != row.event_count:
        problem = f"it has {len(written)} events instead of {row.event_count}"
        raise DamagedHand(row.hand, row.seq, problem)
    return step


def next_hash(row: StepRow, hasher: LogHasher, *, seq: int, before: bytes, old: bool) -> bytes:
    """The hash of a log with one row more.

    seq: how many events there are before it; before: the hash of these; old: may the row be without
    a hash? Raises DamagedHand if it is not what was written.
    """
    if row.seq != seq:
        raise DamagedHand(row.hand, seq, f"it is missing, the log goes on at step {row.seq}")
    if row.hash is None and not old:
        raise DamagedHand(row.hand, row.seq, "it has no hash, but the step before has one")
    try:
        digest = hasher.after(before, _text(row))
    except (JSONDecodeError, AttributeError) as error:
        raise DamagedHand(row.hand, row.seq, f"it cannot be read: {error}") from error
    if row.hash is not None and row.hash != digest:
        raise DamagedHand(row.hand, row.seq, "its hash does not fit what is stored")
    return digest


def _text(row: StepRow) -> bytes:
    """What is hashed of a row."""
    command, events, meta = row.command.encode(), row.events.encode(), row.meta.encode()
    if row.hash is None:  # older programs stored members as they came
        command, events, meta = map(_sorted, (command, events, meta))
    remarks = None
    if any(f'"{name}"' in row.meta for name in wire.REMARKS):
        members = loads(meta)
        if not members.keys().isdisjoint(wire.REMARKS):
            meta, beside = _split(members)
            remarks = remarks_text_hash(beside)
    return joined_step(
        row.seq,
        row.at_ms,
        turn=row.turn,
        command=command,
        events=events,
        meta=meta,
        remarks=remarks,
    )


def _sorted(text: bytes) -> bytes:
    return dumps(loads(text), option=OPT_SORT_KEYS)
