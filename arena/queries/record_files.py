"""Records: ended hands as JSON lines, to be verified, rated and replayed without a server.

The first line of a file is the session's header, every other line one hand with its whole log, or
its head alone if it was called off or its reader may not see it. The same session gives the same
bytes. Reading is in `arena.records`; nothing here changes anything.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import orjson

from arena import __version__, wire
from arena.documents import Document
from arena.errors import Forbidden
from arena.identity.registry import RENAMED
from arena.proofs.chain import LogHasher, unplayed_head
from arena.proofs.signatures import PUBLIC_KEY, SIGNATURE, Signer
from arena.queries.documents import Reader, entry_list, paced, reader_of
from arena.queries.visibility import rounds_begun, shows_notes, tables_document, until_text
from arena.referee.context import Sources
from arena.referee.live import Session
from arena.referee.reveals import is_public
from arena.rules.cards import CODES
from arena.rules.commands import Deal
from arena.session import deals
from arena.session.display_names import (
    pseudonymous_document,
    pseudonymous_hand,
    pseudonymous_schedule,
)
from arena.session.divisions import note_key
from arena.session.record_format import CASUAL, HAND, HEAD, SESSION, hashed, with_remarks
from arena.statuses import HAND_ENDED, OVER, HandStatus, HandVisibility, ResultsMode
from arena.store.port import PAGE, HandRow, SessionRow, StepRow, TableRow
from arena.store.reading import (
    all_entries,
    all_session_hands,
    hand_row,
    session_row,
    table_row,
)
from arena.wire.remarks import REMARKS


@paced
def record(sources: Sources, hand_id: str, *, staff: bool = False) -> Document:
    """The record of an ended hand. Raises NotFound, Forbidden while it is not public."""
    row = hand_row(sources.store, hand_id)
    table = table_row(sources.store, row.table)
    session = sources.in_play.session(table.session)
    here = reader_of(sources, session, staff=staff)
    public = staff or (
        _is_public(sources, session, row, table=table) and here.visibility.shows(table.id)
    )
    if row.status in (HandStatus.VOID, HandStatus.PLAYING) or not public:
        raise Forbidden(hand_id, "this hand is not face up yet, or never will be")
    return hand_record(sources, session, table, row=row, here=here)


def lines(
    sources: Sources,
    digest: Callable[[str], Document],
    session_id: str,
    *,
    full: bool = False,
) -> Iterator[str]:
    """The record file of a session, line by line, each with its line end.

    digest: of a session; it covers no hand that has no line. full: also hands that are not public,
    and all names; for the organiser. Raises Forbidden while
    results are embargoed. Which hands there are is decided before the first line; the work is paced
    (see `pacing`), and what the reader does between two lines is not part of it.
    """
    row, session, here = _open(sources, session_id, full=full)
    covered = digest(session_id)
    work = sources.long_work.exports.work()
    tables: dict[str, TableRow] = {}
    kinds: dict[str, str] = {}
    for hand in all_session_hands(sources.store, session_id, limit=PAGE):
        table = tables[hand.table] = tables.get(hand.table) or table_row(sources.store, hand.table)
        kind = _kind(sources, session, hand, table=table, here=here, full=full)
        if kind is not None:
            kinds[hand.id] = kind
        work.pause()
    document = header(sources, row, hands=len(kinds), here=here)
    first = signed_line({**document, "digest": covered}, sources.signer)
    work.stop()
    yield first
    work.go_on()
    for hand in all_session_hands(sources.store, session_id, limit=PAGE):
        if hand.id in kinds:
            whole = kinds[hand.id] == HAND
            document_of = partial(hand_record, read=orjson.Fragment) if whole else _head_line
            line = _line(document_of(sources, session, tables[hand.table], row=hand, here=here))
            work.pause()
            work.stop()
            yield line
            work.go_on()


def _kind(
    sources: Sources,
    session: Session,
    hand: HandRow,
    *,
    table: TableRow,
    here: Reader,
    full: bool,
) -> str | None:
    """What line a hand has: whole, its head alone, or none since it is played still."""
    if hand.status == HandStatus.PLAYING:
        return None
    if not full and not is_public(sources, session, table, number=hand.number):
        return None  # for others it is played still
    if hand.status not in HAND_ENDED:
        return HEAD
    visible = full or here.visibility.shows(hand.table)
    return HAND if visible and (full or _is_public(sources, session, hand, table=table)) else HEAD


def _open(sources: Sources, session_id: str, *, full: bool) -> tuple[SessionRow, Session, Reader]:
    """A session whose records somebody wants. Raises NotFound, Forbidden."""
    row = session_row(sources.store, session_id)
    session = sources.in_play.session(session_id)
    here = reader_of(sources, session, staff=full)
    if here.visibility.mode == ResultsMode.EMBARGOED:
        message = f"the records are embargoed until {until_text(here.visibility.publication)}"
        raise Forbidden(session_id, message)
    return row, session, here


def mark(sources: Sources, session_id: str, *, full: bool = False) -> str | None:
    """What tells the versions of a session's record file apart: the same mark, the same bytes.

    None as long as play may still change it, or somebody else's process has not told us yet of the
    end. What organisers decide after the end gives another mark. full: as in `lines`; raises as
    that does.
    """
    row, session, here = _open(sources, session_id, full=full)
    over = row.status in OVER and session.status == row.status
    if (
        not over
        or here.visibility.mode == ResultsMode.FROZEN
        or sources.store.open_tables(session_id)
    ):
        return None
    revealed = here.visibility.publication.tells_secret(row.status, sources.clock.wall_ms())
    entries = [
        (entry.bot, entry.number, entry.status, entry.reason)
        for entry in all_entries(sources.store, session_id)
    ]
    rests_on = (
        sources.store.counter(RENAMED),
        *(__version__, SESSION, HAND, HEAD, session_id, full, row.status, row.created_ms),
        None if sources.signer is None else sources.signer.public_key,
        *(
            deals.secret_commitment(row.secret),
            here.visibility.mode,
            here.visibility.publication.text,
            revealed,
            entries,
            sources.store.note(note_key(session_id)),
        ),
        *(row.document, row.schedule, sources.store.table_counts(session_id)),
    )
    return hashlib.sha256(orjson.dumps(rests_on)).hexdigest()[:40]


def _is_public(sources: Sources, session: Session, row: HandRow, *, table: TableRow) -> bool:
    """May everybody see this hand's cards?"""
    if row.status == HandStatus.PLAYING or session.config.visibility == HandVisibility.NEVER:
        return False
    if session.config.visibility != HandVisibility.AFTER_HAND and session.status not in OVER:
        return False
    return is_public(sources, session, table, number=row.number)


def header(sources: Sources, row: SessionRow, *, hands: int, here: Reader) -> Document:
    """The first line of a record file. hands: how many lines follow."""
    session = sources.in_play.session_of(row)
    revealed = here.visibility.publication.tells_secret(row.status, sources.clock.wall_ms())
    return {
        "format": SESSION,
        "session": row.id,
        "status": row.status,
        "document": pseudonymous_document(orjson.loads(row.document), here.board),
        "secret_commitment": deals.secret_commitment(row.secret),
        "secret": row.secret.hex() if revealed else None,
        "schedule": _schedule(row, here),
        "bots": entry_list(sources, row, session, here),
        "tables": tables_document(sources, session, here.visibility),
        "rounds_begun": rounds_begun(sources, session),
        "hands": hands,
        "version": __version__,
    }


def _schedule(row: SessionRow, here: Reader) -> Document | None:
    """The schedule; while results are frozen without the ratings that rounds were drawn from."""
    stored: Document | None = orjson.loads(row.schedule or "null")
    schedule = pseudonymous_schedule(stored, here.board)
    if schedule is not None and here.visibility.mode == ResultsMode.FROZEN:
        return {**schedule, "draws": {}}
    return schedule


def hand_record(
    sources: Sources,
    session: Session,
    table: TableRow,
    *,
    row: HandRow,
    here: Reader,
    read: Callable[[str], Any] = orjson.loads,
) -> Document:
    """One ended hand, complete. void: why it does not count, if its table is void.

    read: what is made of the JSON in the log; who only writes it down again need not parse it.
    """
    bots = orjson.loads(table.players)
    seating = orjson.loads(row.seating)
    group = sources.in_play.deal_group(session, table)
    rules = session.config.rules_at(len(bots))
    rows = sources.store.steps(row.id)
    shuffle = _shuffle(sources, session, row, table=table)
    void = here.visibility.void(table.id)
    clocks = sources.in_play.clocks(session, bots)
    notes = shows_notes(session) and not here.board.hidden
    steps = _steps(row, rows, salt=shuffle.salt, read=read, notes=notes)
    document = {
        "format": HAND,
        "session": session.id,
        "table": table.id,
        "hand": row.id,
        "number": row.number,
        "round": table.round,
        "block": group.block,
        "shuffles": group.shuffles,
        "status": row.status,
        "ruleset": dict(rules.document),
        "fingerprint": rules.fingerprint,
        "players": [sources.in_play.name(session, bot) for bot in bots],
        "bots": bots,
        **({"clocks": clocks} if any(clocks) else {}),
        "seating": seating,
        "commitment": row.commitment,
        **_dealt(row, rows, shuffle),
        "steps": steps,
        "head": _head(row, steps),
        "result": None if row.result is None else read(row.result),
        "void": None if void is None else void.reason,
        **({} if session.config.rated else CASUAL),
    }
    return pseudonymous_hand(document, here.board)


def _head_line(
    sources: Sources, session: Session, table: TableRow, *, row: HandRow, here: Reader
) -> Document:
    """The line of a hand of which only the head is shown."""
    rows = sources.store.steps(row.id)
    salt = _shuffle(sources, session, row, table=table).salt
    steps = _steps(row, rows, salt=salt, read=orjson.Fragment, notes=False)
    return {
        "format": HEAD,
        "session": session.id,
        "table": table.id,
        "hand": row.id,
        "number": row.number,
        "round": table.round,
        "status": row.status,
        "head": _head(row, steps),
    }


def _head(row: HandRow, steps: list[Document]) -> str:
    """The head of a hand's log."""
    if steps:
        return str(steps[-1]["hash"])
    return unplayed_head(row.id, seating=orjson.loads(row.seating)).hex()


def _dealt(row: HandRow, steps: tuple[StepRow, ...], shuffle: deals.Shuffle) -> Document:
    """What chance and the table before brought to a hand; empty for one that was not played.

    The deck as it was drawn: where packets belong to seats, the deal has it in another order.
    """
    if not steps:
        return {"sitting": None, "salt": None, "deck": None, "lots": None}
    command = wire.read_command(orjson.loads(steps[0].command))
    assert isinstance(command, Deal)
    seating = orjson.loads(row.seating)
    places = [seating[seat] for seat in command.places]
    return {
        "sitting": {"dealer": seating[command.dealer], "places": places},
        "salt": shuffle.salt.hex(),
        "deck": [CODES[card] for card in shuffle.deck],
        "lots": deals.lots_document(command.lots),
    }


def _shuffle(sources: Sources, session: Session, row: HandRow, *, table: TableRow) -> deals.Shuffle:
    """What chance brought to a hand."""
    players = len(orjson.loads(row.seating))
    deck = session.config.rules_at(players).deck
    shuffles = sources.in_play.deal_group(session, table).shuffles
    key = sources.in_play.key_of(session, table.round)
    return deals.deal(key, shuffles, row.number, deck=deck, players=players)


def _steps(
    hand: HandRow,
    rows: tuple[StepRow, ...],
    *,
    salt: bytes,
    read: Callable[[str], Any],
    notes: bool,
) -> list[Document]:
    """The log, each step with its hash: as it is stored, computed where an older program wrote it.

    notes: with what bots wrote beside their answers; a name might be in it, so this is nobody's to
    read where bots have pseudonyms.
    """
    if any(row.hash is None for row in rows):
        steps = [_step(row, orjson.loads, notes=notes) for row in rows]
        seating = orjson.loads(hand.seating)
        hasher = LogHasher(hand.id, seating=seating, commitment=hand.commitment, salt=salt)
        return list(hashed(steps, hasher))
    return [{**_step(row, read, notes=notes), "hash": (row.hash or b"").hex()} for row in rows]


def _step(row: StepRow, read: Callable[[str], Any], *, notes: bool) -> Document:
    """A step of the log without its hash."""
    step = {
        "seq": row.seq,
        "at_ms": row.at_ms,
        "turn": row.turn,
        "command": read(row.command),
        "events": read(row.events),
    }
    if any(f'"{name}"' in row.meta for name in REMARKS):  # mostly there is nothing
        return with_remarks({**step, "meta": orjson.loads(row.meta)}, shown=notes)
    return {**step, "meta": read(row.meta)}


def signed_line(document: Document, signer: Signer | None) -> str:
    """The line of a header: with the members `public_key` and, as the last one, `signature`, which
    is of the line without that member. Both are null without a key."""
    if signer is None:
        return _line({**document, PUBLIC_KEY: None, SIGNATURE: None})
    text = orjson.dumps({**document, PUBLIC_KEY: signer.public_key})
    return f'{text[:-1].decode()},"{SIGNATURE}":"{signer.sign(text)}"}}\n'


def _line(document: Document) -> str:
    return orjson.dumps(document).decode() + "\n"
