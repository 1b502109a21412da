"""Documents: sessions, tables and hands as plain data for whoever may see them.

Reads only. What of the results is shown is decided in `visibility`, by what names in
`display_names`, and when a hand of a table with shared shuffles may be seen in `reveals`. Times of
moves and cards are not in these documents; a running hand shows no more than what lies open on the
table (`hand_events`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from itertools import chain
from typing import Concatenate, NamedTuple, ParamSpec, TypeVar

import orjson

from arena.clock import instant
from arena.documents import Document
from arena.errors import BadInput
from arena.identity.registry import bot_document
from arena.identity.visits import Visit
from arena.pacing import in_turn
from arena.queries.standings import people
from arena.queries.visibility import (
    Visibility,
    publication_document,
    visibility_of,
    void_document,
    voids_document,
)
from arena.referee.computing import LongWork
from arena.referee.context import Sources
from arena.referee.in_play import InPlay
from arena.referee.live import Session
from arena.referee.reveals import as_public, hidden_hands
from arena.session.deal_groups import planned_tables
from arena.session.deals import secret_commitment
from arena.session.display_names import DisplayNames, pseudonymous_document
from arena.session.names import is_bot_id, table_id
from arena.session.results import overall_winners
from arena.session.times import TIMES, TimeOutcome, possible
from arena.statuses import ENTERABLE, OVER, HandStatus, SessionStatus, TableStatus
from arena.store.port import AuditRow, BotRow, EntryRow, HandRow, SessionRow, Store, TableRow
from arena.store.reading import all_entries, all_hands, hand_row, session_row, table_row
from arena.store.time_rows import WAITING, TimeRow
from arena.tournament.reporting.markup import printable

LONGEST_PAGE = 500
MANY_HANDS = 2_000
COUNTED_MS = 2_000
"""How old the counts of a session with MANY_HANDS may be."""
KEPT_DESIGNS = 64
P = ParamSpec("P")
R = TypeVar("R")
T = TypeVar("T")


def paced(look: Callable[Concatenate[Sources, P], T]) -> Callable[Concatenate[Sources, P], T]:
    """A look that rests before it tells, if it took long (see `pacing`)."""
    return in_turn(look, lambda sources: sources.long_work.queries)


class Reader(NamedTuple):
    """With what eyes a session is looked at: what of its results is seen, and what names."""

    visibility: Visibility
    board: DisplayNames


def reader_of(sources: Sources, session: Session, *, staff: bool) -> Reader:
    """The eyes of staff, or of everybody else, by now."""
    return Reader(
        visibility_of(sources, session.id, staff=staff),
        sources.in_play.display_names(session, staff=staff),
    )


def sessions(
    sources: Sources,
    state: str | None = None,
    *,
    after: str | None = None,
    limit: int = 100,
    staff: bool = False,
) -> Document:
    """A page of sessions, ``{"sessions": [...], "next": id | None}``, newest first.

    state: a `SessionStatus`, None for all. staff: with those that are hidden; else a page may have
    fewer than there are.
    """
    if state is not None and state not in tuple(SessionStatus):
        raise BadInput("state", state, f"one of {', '.join(SessionStatus)}")
    limit = _limit(limit)
    rows = sources.store.sessions(state, after=after or "", limit=limit)
    listed = _in_pieces(sources.long_work, rows, _brief)
    return {
        "sessions": [each for each in listed if staff or not each["hidden"]],
        "next": rows[-1].id if len(rows) == limit else None,
    }


def _in_pieces(
    long_work: LongWork, rows: Iterable[R], document: Callable[[R], Document]
) -> list[Document]:
    """The documents of many rows, with a rest now and then."""
    work, documents = long_work.queries.work(), []
    for row in rows:
        documents.append(document(row))
        work.pause()
    return documents


def _brief(row: SessionRow) -> Document:
    config = orjson.loads(row.document)
    return {
        "session": row.id,
        "name": config["name"],
        "status": row.status,
        "created": instant(row.created_ms),
        "seats": config["seats"],
        "hands_per_table": config["hands_per_table"],
        "ruleset": config["ruleset"],
        "roster": config["roster"],
        "hidden": config.get("hidden", False),
        **{what: config.get(what) for what in TIMES},
    }


@paced
def session(sources: Sources, session_id: str, *, staff: bool = False) -> Document:
    """Everything about a session that its reader may know: its document with id, status, options,
    fingerprint, publication, entries, design, progress."""
    row = session_row(sources.store, session_id)
    live = sources.in_play.session_of(row)
    config = live.config
    here = reader_of(sources, live, staff=staff)
    now_ms = sources.clock.wall_ms()
    revealed = here.visibility.publication.tells_secret(row.status, now_ms)
    return {
        **pseudonymous_document(dict(config.document), here.board),
        "notes": config.notes,
        "public_chance": config.public_chance,
        "session": row.id,
        "status": row.status,
        "reason": (row.reason or None) if staff or config.publish_reasons else None,
        "created": instant(row.created_ms),
        "options": dict(config.rules.document),
        "fingerprint": config.rules.fingerprint,
        "secret_commitment": secret_commitment(row.secret),
        "secret": row.secret.hex() if revealed else None,
        "publication": publication_document(here.visibility, now_ms),
        "void": voids_document(here.visibility),
        "entries": _roster(sources, row, live, here),
        **_mixed(row.schedule),
        "design": design(row),
        "progress": _progress(sources, live, row, here),
        "ending": live.ending and row.status not in OVER,
        "times": _times(sources.store, row, live),
        **({"damaged": _damaged(live)} if staff else {}),
    }


def _damaged(live: Session) -> list[Document]:
    """The tables that are not played on, with the hand whose log is not what was written."""
    found = [(each.id, each.damage) for each in tuple(live.tables.values())]
    return [
        {"table": table, "hand": damage.hand, "step": damage.seq, "problem": damage.problem}
        for table, damage in sorted(found)
        if damage is not None
    ]


def _times(store: Store, row: SessionRow, live: Session) -> list[Document]:
    """What a session does at which time by itself, in order, and what became of it."""
    if not live.config.times.given:
        return []
    known = {time.what: time for time in store.times(row.id)}
    return [_time(known[what], row.status) for what in live.config.times.given if what in known]


def _time(time: TimeRow, status: str) -> Document:
    void = time.outcome == WAITING and not possible(time.what, status)
    return {
        "what": time.what,
        "at": instant(time.at_ms),
        "outcome": TimeOutcome.VOID if void else time.outcome or None,
        "settled": None if time.settled_ms is None else instant(time.settled_ms),
        "reason": f"the session is {status}" if void else time.reason,
    }


def entry_list(sources: Sources, row: SessionRow, live: Session, here: Reader) -> list[Document]:
    """The roster, by the names that are shown; once it is drawn with what each gave to chance."""
    listed = people(sources, row, live, seen=here.visibility, board=here.board)
    given = sources.in_play.chances(live, row.schedule)
    chances = {here.board.bot(bot): chance for bot, chance in given.items()}
    return [
        {
            "bot": person.bot,
            "name": person.name,
            "owner": person.owner,
            "number": person.number,
            "status": person.status,
            "division": person.division or None,
            "chance": _hex(chances.get(person.bot)),
            **({"person": {"clock": person.clock}} if person.clock else {}),
            **_reason(person.reason),
        }
        for person in listed
    ]


def _hex(given: bytes | None) -> str | None:
    return None if given is None else given.hex()


def _roster(sources: Sources, row: SessionRow, live: Session, here: Reader) -> list[Document]:
    """The roster, with the index of each bot in that of the schedule, once it is drawn; for staff
    with what each bot is called on the board that others see.

    Who is there is told to staff, and before the start to everybody, where names are shown: later
    it would tell how long others think.
    """
    drawn = [here.board.bot(bot) for bot in sources.in_play.chances(live, row.schedule)]
    indices = {bot: index for index, bot in enumerate(drawn)}
    listed = [
        {**each, "index": indices.get(each["bot"])} for each in entry_list(sources, row, live, here)
    ]
    if here.visibility.staff or (row.status in ENTERABLE and not here.board.hidden):
        visits = sources.visits.of([each["bot"] for each in listed])
        now_ms = sources.clock.wall_ms()
        listed = [{**each, **_visit(visits.get(each["bot"]), now_ms)} for each in listed]
    if here.visibility.staff:
        reasons = {each.bot: each.reason for each in all_entries(sources.store, row.id)}
        listed = [{**each, **_reason(reasons.get(each["bot"], ""))} for each in listed]
    others = sources.in_play.display_names(live, staff=False)
    if not (here.visibility.staff and others.hidden):
        return listed
    return [{**each, "called": others.name(each["bot"], each["name"])} for each in listed]


def _reason(reason: str) -> Document:
    """Why a bot was taken out, if somebody said so."""
    return {"reason": reason} if reason else {}


def _visit(visit: Visit | None, now_ms: int) -> Document:
    """When a bot asked for its turns last, whether it is there now, and with which client."""
    if visit is None:
        return {"last_seen": None, "connected": False, "client": None}
    return {
        "last_seen": instant(visit.seen_ms),
        "connected": visit.connected(now_ms),
        "client": printable(visit.client) or None,
    }


def design(row: SessionRow) -> Document | None:
    """How even the schedule is by now; None before there is one."""
    return None if row.schedule is None else {**_design(row.schedule)}


@lru_cache(maxsize=KEPT_DESIGNS)
def _design(schedule: str) -> Document:
    """Of a schedule as it is stored: of a big session that is a long text."""
    stored = orjson.loads(schedule)
    line_ups = chain.from_iterable(stored["rounds"])
    return {**stored["design"], "sizes": sorted({len(each) for each in line_ups}, reverse=True)}


@lru_cache(maxsize=KEPT_DESIGNS)
def _mixed(schedule: str | None) -> Document:
    """What is mixed into the keys of rounds; nothing where an older program drew them."""
    stored = orjson.loads(schedule or "{}")
    return {"mixed": stored.get("mixed"), "public_value": stored.get("public_chance")}


def _progress(sources: Sources, live: Session, row: SessionRow, here: Reader) -> Document:
    """How far it is; void tables are not counted, those played in their stead are."""
    planned = design(row) or {"tables": 0, "rounds": 0}
    voids = here.visibility.publication.voids.values()
    lost = sum(void.replay is None for void in voids)
    counts = _counts(sources, row)
    hidden = 0 if here.visibility.staff else hidden_hands(sources, live)
    finished = counts.get(HandStatus.FINISHED, 0) - sum(void.finished for void in voids)
    return {
        "hands": (planned["tables"] - lost) * live.config.hands_per_table,
        "hands_finished": finished - hidden,
        "hands_forfeited": counts.get(HandStatus.FORFEITED, 0)
        - sum(void.forfeited for void in voids),
        "hands_playing": counts.get(HandStatus.PLAYING, 0) + hidden,
        "rounds": planned["rounds"],
    }


def _counts(sources: Sources, row: SessionRow) -> Mapping[str, int]:
    """How many hands have each status; where there are MANY_HANDS, as it was a moment ago, and so
    where the session is over, for then it stays.

    The database counts them one by one, and nobody else has a turn meanwhile.
    """
    now_ms = sources.clock.wall_ms()
    session = row.id
    known = sources.in_play.counted.get(session)
    if known is not None and known[0] <= now_ms < known[0] + COUNTED_MS:
        return known[1]
    counts = sources.store.hand_counts(session)
    if row.status in OVER or sum(counts.values()) >= MANY_HANDS:
        sources.in_play.counted.put(session, (now_ms, counts))
    return counts


def tables(
    sources: Sources,
    session_id: str,
    *,
    after: str | None = None,
    limit: int = 100,
    staff: bool = False,
    round_: int | None = None,
) -> Document:
    """A page of a session's tables, ``{"tables": [...], "next": id | None}``, in playing order.

    round_: only those of this round. Raises BadInput if the schedule has none before it.
    """
    live = sources.in_play.session(session_id)
    here = reader_of(sources, live, staff=staff)
    limit = _limit(limit)
    first = "" if round_ is None else _last_before(live, round_)
    found = sources.store.tables(session_id, after=after or first, limit=limit)
    rows = [row for row in found if round_ in (None, row.round)]
    more = len(found) == limit and round_ in (None, found[-1].round)
    return {
        "tables": _in_pieces(
            sources.long_work, rows, lambda row: _table_brief(sources.in_play, live, row, here)
        ),
        "next": found[-1].id if more else None,
    }


def _last_before(live: Session, round_: int) -> str:
    """The last table that the schedule has before a round, where the tables of that begin."""
    if round_ <= 1:
        return ""
    if round_ - 1 > len(live.rounds):
        raise BadInput("round", round_, f"1 to {len(live.rounds)}")
    line_ups = live.rounds[round_ - 2]
    planned = planned_tables(live.config.deals, live.id, round_ - 1, line_ups=line_ups)
    return table_id(live.id, round_ - 1, planned[-1].number)


def _table_brief(in_play: InPlay, live: Session, row: TableRow, here: Reader) -> Document:
    bots = orjson.loads(row.players)
    void = here.visibility.void(row.id)
    return {
        "table": row.id,
        "session": row.session,
        "round": row.round,
        "number": row.number,
        "status": row.status
        if void is not None or row.status != TableStatus.VOID
        else TableStatus.FINISHED,
        "players": [
            here.board.shown(bot, in_play.name(live, bot)) | ({"clock": clock} if clock else {})
            for bot, clock in zip(bots, in_play.clocks(live, bots), strict=True)
        ],
        "void": None if void is None else void_document(void),
    }


def table(sources: Sources, table_id: str, *, staff: bool = False) -> Document:
    """One table: players, status, its hands with their results, and who has won them together."""
    row = table_row(sources.store, table_id)
    live = sources.in_play.session(row.session)
    here = reader_of(sources, live, staff=staff)
    rows = all_hands(sources.store, table_id)
    hands = _in_pieces(
        sources.long_work, rows, lambda hand: _hand_brief(sources, live, row, hand, here)
    )
    brief = _table_brief(sources.in_play, live, row, here)
    titles = live.config.rules_at(len(brief["players"])).table.titles
    winner = _overall_winner(live, brief, hands)
    return {**brief, "titles": list(titles), "hands": hands, "overall_winner": winner}


def _overall_winner(live: Session, table: Document, hands: Iterable[Document]) -> list[int] | None:
    """Who has won a table by the ruleset's `overall_winner`, None where nobody is to be named."""
    played = [hand["result"] for hand in hands if hand["status"] == HandStatus.FINISHED]
    if table["status"] != TableStatus.FINISHED or None in played:
        return None
    rules = live.config.rules_at(len(table["players"]))
    return overall_winners(rules.table.overall_winner, played) or None


def _hand_brief(
    sources: Sources, live: Session, table: TableRow, hand: HandRow, here: Reader
) -> Document:
    row = hand if here.visibility.staff else as_public(sources, live, table, hand=hand)
    visible = here.visibility.shows(row.table)
    return {
        "hand": row.id,
        "table": row.table,
        "number": row.number,
        "status": row.status,
        "seating": orjson.loads(row.seating),
        "commitment": row.commitment,
        "started": instant(row.started_ms),
        "ended": None if row.ended_ms is None else instant(row.ended_ms),
        "result": orjson.loads(row.result) if visible and row.result is not None else None,
    }


@paced
def hand(sources: Sources, hand_id: str, *, staff: bool = False) -> Document:
    """One hand: seating, status, commitment, and its result when it is over and may be seen; no
    cards while it runs."""
    row = hand_row(sources.store, hand_id)
    home = table_row(sources.store, row.table)
    live = sources.in_play.session(home.session)
    here = reader_of(sources, live, staff=staff)
    players = _table_brief(sources.in_play, live, home, here)["players"]
    seats = [players[player] for player in orjson.loads(row.seating)]
    brief = _hand_brief(sources, live, home, row, here)
    return {**brief, "session": home.session, "seats": seats}


def own_entry(sources: Sources, entry: EntryRow) -> Document:
    """An entry as the organiser and its bot see it: they may know its pseudonym."""
    return entry_document(
        entry, sources.in_play.display_names(sources.in_play.session(entry.session), staff=False)
    )


def entry_document(entry: EntryRow, board: DisplayNames) -> Document:
    """An entry as its bot and the organiser see it. called: its name on the board; chance_given:
    has it given bytes to chance, which nobody is shown before they are mixed in?"""
    return {
        "session": entry.session,
        "bot": entry.bot,
        "number": entry.number,
        "status": entry.status,
        "entered": instant(entry.entered_ms),
        "called": board.pseudonyms.get(entry.bot),
        "chance_given": entry.chance is not None,
        **_reason(entry.reason),
    }


def called(sources: Sources, session_id: str, bot: str) -> str | None:
    """The pseudonym of a bot in a session, None if it has none there."""
    in_play = sources.in_play
    names = in_play.display_names(in_play.session(session_id), staff=False)
    return names.pseudonyms.get(bot)


def bot(sources: Sources, bot_id: str) -> Document:
    """``{"id", "name", "owner", "kind", "created", "revoked", "proven"}``. Raises NotFound."""
    return bot_document(sources.registry.row(bot_id))


@paced
def audit(sources: Sources, *, limit: int = 100, before: int | None = None) -> Document:
    """``{"entries": [{"number", "at", "actor", "actor_name", "actor_kind", "action", "detail",
    "names"}]}``, newest first.

    actor_name: None if an actor is no one's id. actor_kind: of the actor's row, `referee` or
    `command`. names: of the bots and organisers whose ids stand in the detail.
    """
    rows = sources.store.audit(before=before, limit=_limit(limit))
    details = [orjson.loads(row.detail) for row in rows]
    ids = {row.actor for row in rows}.union(*map(_ids_in, details))
    known = {each: row for each in ids if (row := sources.store.bot(each)) is not None}
    entries = [_audit_document(row, each, known) for row, each in zip(rows, details, strict=True)]
    return {"entries": entries}


def _ids_in(detail: object) -> set[str]:
    """What may be ids in the detail of an entry, of which a member may be about several bots."""
    members = detail.values() if isinstance(detail, dict) else (detail,)
    values = [key for value in members for key in (value if isinstance(value, dict) else (value,))]
    return {value for value in values if isinstance(value, str) and is_bot_id(value)}


def _audit_document(row: AuditRow, detail: object, known: Mapping[str, BotRow]) -> Document:
    actor = known.get(row.actor)
    return {
        "number": row.number,
        "at": instant(row.at_ms),
        "actor": row.actor,
        "actor_name": None if actor is None else actor.name,
        "actor_kind": row.actor if actor is None else actor.kind,
        "action": row.action,
        "detail": detail,
        "names": {each: known[each].name for each in sorted(_ids_in(detail)) if each in known},
    }


def _limit(limit: int) -> int:
    return max(1, min(limit, LONGEST_PAGE))
