"""Pooling: the lines of record files, of any number of sessions, as pools that can be rated.

Neither the order of the files nor that of their lines changes anything that follows. A hand counts
once: one that is there twice is refused, as are two names for one bot. Sessions of the same id but
of different secrets are different sessions. This module rates nothing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import NamedTuple

from arena import __version__
from arena.documents import Document
from arena.errors import BadInput
from arena.records.imports import EndedHand, Heading, read_hand, read_heading
from arena.records.moves import read_luck, read_moves
from arena.records.reading import read_line
from arena.records.rounds import rounds_complete
from arena.records.seasons import renamed, same_bots
from arena.session.config import COMMON
from arena.session.counting import (
    Participant,
    TableState,
    barred_bots,
    contenders,
    counted_results,
    counted_tables,
)
from arena.session.record_format import HANDS, HEAD, KNOWN, SESSIONS
from arena.session.schedule_config import FINAL, LADDER, SWISS
from arena.session.scoring import (
    ScoredHand,
    entrants,
    facts,
    hands_due,
    ruleset_name,
    seated,
    usual_seats,
)
from arena.statuses import BotKind, EntryStatus, TableStatus
from arena.tournament.alerts import Seated
from arena.tournament.history import RoundResults, by_round
from arena.tournament.luck import DealtHand, dealt_hand
from arena.tournament.moves import HandMoves
from arena.tournament.results import HandResult
from arena.tournament.standings import Entrant, Facts

SHORT = 8
"""Digits of a commitment that distinguish two sessions of one id."""
MOST_NAMED = 3
FOLLOWING = (SWISS, LADDER, FINAL)
"""Kinds of schedules in which who meets whom follows from results."""


class SessionRounds(NamedTuple):
    """The rounds of one session that are complete, as far as hands in them count; and how many
    there are."""

    results: tuple[RoundResults, ...]
    complete: int


class Pool(NamedTuple):
    """The hands of one ruleset and table size, ready to be rated.

    name: empty if there are no hands at all. seated: the hands that were played. facts: of the
    session, or what is common to several. anchor: the bot that the sessions put at 1500, if any.
    moves, dealt: of the hands that were played, if they were asked for. dependent: why other blocks
    say something of a block's results, empty if they do not.
    contenders: the bots that may play in a final of it. benchmarks: names of bots that the sessions
    measure others by, where all name the same. rounds: of one session with its header, None of
    several.
    """

    name: str
    results: tuple[HandResult, ...]
    entrants: tuple[Entrant, ...]
    seated: tuple[Seated, ...]
    facts: Facts
    anchor: str | None
    contenders: frozenset[str] = frozenset()
    benchmarks: tuple[str, ...] = ()
    moves: tuple[HandMoves, ...] = ()
    dealt: tuple[DealtHand, ...] = ()
    dependent: str = ""
    rounds: SessionRounds | None = None


class Origin(NamedTuple):
    """A session. commitment: to its secret, empty without a header."""

    session: str
    commitment: str


class _Found(NamedTuple):
    """A line that was read, and where it stands."""

    place: str
    origin: Origin
    said: Heading | EndedHand


class Records:
    """What has been read so far, file by file.

    season: bots of one name and owner are one, whatever their ids (see `seasons`). moves: read
    those of every hand as well, for alerts. luck: that of every deal.
    """

    def __init__(self, *, season: bool = False, moves: bool = False, luck: bool = False) -> None:
        self._season = season
        self._with_moves = moves
        self._with_luck = luck
        self._found: list[_Found] = []
        self._names: dict[str, tuple[str, str]] = {}
        self._owners: dict[str, tuple[str, str]] = {}

    def read(self, lines: Iterable[str | bytes], source: str = "") -> None:
        """Take the lines of a file in. Raises BadInput that names the line."""
        found: list[_Found] = []
        number = 0
        for number, line in enumerate(lines, start=1):
            place = f"{source}, line {number}".removeprefix(", ")
            try:
                document = read_line(line)
                if document.get("format") == HEAD:  # no hand that counts, or none that is shown
                    continue
                said = _read(document)
                self._know(said, place)
                if self._with_moves and isinstance(said, EndedHand):
                    said = said._replace(moves=read_moves(document, said.played))
                if self._with_luck and isinstance(said, EndedHand):
                    said = said._replace(luck=read_luck(document, said.played))
            except BadInput as error:
                raise BadInput(f"{place}: {error.thing}", error.value, error.expected) from error
            commitment = said.commitment if isinstance(said, Heading) else ""
            found.append(_Found(place, Origin(said.session, commitment), said))
        if not number:
            raise BadInput(source or "file", "empty", "records, one a line")
        self._found += _attributed(found)

    def _know(self, said: Heading | EndedHand, place: str) -> None:
        """Every bot has one name and one owner, whatever line names it."""
        if isinstance(said, Heading):
            for bot in said.people:
                _one("name", bot.bot, bot.name, known=self._names, place=place)
                _one("owner", bot.bot, bot.owner, known=self._owners, place=place)
        else:
            for bot_id, name in said.names.items():
                _one("name", bot_id, name, known=self._names, place=place)

    def pools(self) -> tuple[Pool, ...]:
        """The pools by name; a single one without a name if there are no hands at all.

        Casual play is left out. Raises BadInput for a hand that is there twice, and in a season for
        a session in which two bots would be one.
        """
        several = _several(self._found)
        _check_once(self._settled())
        settled = self._rated()
        if self._season:
            ids = self.strangers()
            settled = [found._replace(said=renamed(found.said, ids)) for found in settled]
        sessions = {f.origin: f.said for f in settled if isinstance(f.said, Heading)}
        counted = _counted_tables(settled, sessions)
        hands: dict[str, dict[Origin, list[ScoredHand]]] = {}
        moves: dict[str, list[HandMoves]] = {}
        dealt: dict[str, list[DealtHand]] = {}
        for found in sorted(settled, key=_order):
            if isinstance(found.said, EndedHand) and _table(found.said) in counted[found.origin]:
                hand = _of_one_session(found.said.played, found.origin, several)
                pool = hands.setdefault(hand.result.pool, {})
                pool.setdefault(found.origin, []).append(hand)
                if found.said.moves is not None:
                    moves.setdefault(hand.result.pool, []).append(found.said.moves)
                if found.said.luck is not None:
                    counts = _counted([hand], sessions.get(found.origin))
                    dealt.setdefault(hand.result.pool, []).extend(
                        dealt_hand(result, hand.seats, found.said.luck) for result in counts
                    )
        names = {bot: name for bot, (name, _) in self._names.items()}
        return tuple(
            _with_rounds(
                _pool(name, hands.get(name, {}), sessions, names)._replace(
                    moves=tuple(moves.get(name, ())),
                    dealt=tuple(dealt.get(name, ())),
                ),
                settled,
                sessions,
            )
            for name in sorted(hands) or [""]
        )

    def strangers(self) -> dict[str, str]:
        """The ids of bots that have several, by name and owner; see `seasons.same_bots`."""
        said = [each.said for each in self._rated()]
        hands = [each for each in said if isinstance(each, EndedHand)]
        names = {bot: name for hand in hands for bot, name in hand.names.items()}
        return same_bots([each for each in said if isinstance(each, Heading)], names)

    def casual(self) -> int:
        """How many hands are left out, since they are of casual play."""
        return _hands(self._found) - _hands(self._rated())

    def _settled(self) -> list[_Found]:
        """All lines, each with the session that it is of."""
        several = _several(self._found)
        return [each._replace(origin=_settled(each.origin, several)) for each in self._found]

    def _rated(self) -> list[_Found]:
        """The lines without those of casual play. Of a hand its header says so, or itself where
        there is none."""
        settled = self._settled()
        rated = {
            each.origin: bool(each.said.document["rated"])
            for each in settled
            if isinstance(each.said, Heading)
        }
        return [
            each
            for each in settled
            if rated.get(each.origin, not isinstance(each.said, EndedHand) or each.said.rated)
        ]


def _hands(found: Iterable[_Found]) -> int:
    return sum(isinstance(each.said, EndedHand) for each in found)


def _counted_tables(
    found: Iterable[_Found], sessions: Mapping[Origin, Heading]
) -> dict[Origin, frozenset[str]]:
    """The tables of each session whose hands count."""
    states: dict[Origin, list[TableState]] = {}
    for each in found:
        if isinstance(each.said, EndedHand):
            state = _state(each.said, sessions.get(each.origin))
            states.setdefault(each.origin, []).append(state)
    return {origin: counted_tables(tables) for origin, tables in states.items()}


def _state(hand: EndedHand, session: Heading | None) -> TableState:
    playing = session is not None and hand.table in session.playing
    going_on = TableStatus.PLAYING if playing else TableStatus.FINISHED
    status = TableStatus.VOID if hand.void else going_on
    return TableState(_table(hand), hand.played.result.block, status)


def _table(hand: EndedHand) -> str:
    """The table of a hand; where that is unknown, each hand stands for itself."""
    return hand.table or hand.hand


def _counted(hands: Iterable[ScoredHand], session: Heading | None) -> tuple[HandResult, ...]:
    """The results of a session that ratings take."""
    barred = frozenset[str]() if session is None else barred_bots(session.people)
    return counted_results((hand.result for hand in hands), barred)


def _order(found: _Found) -> tuple[Origin, str]:
    """Sums of fractions depend on the order of what is summed."""
    return found.origin, found.said.hand if isinstance(found.said, EndedHand) else ""


def _read(document: Document) -> Heading | EndedHand:
    if document.get("format") in SESSIONS:
        return read_heading(document)
    if document.get("format") in HANDS:
        return read_hand(document)
    raise BadInput("format", str(document.get("format"))[:40], KNOWN)


def _one(what: str, bot: str, value: str, *, known: dict[str, tuple[str, str]], place: str) -> None:
    before, where = known.setdefault(bot, (value, place))
    if before != value:
        raise BadInput(f"{what} of {bot[:40]}", value, f"{before!r}, as in {where}")


def _attributed(found: Sequence[_Found]) -> Iterator[_Found]:
    """The lines of a file, each with the session it is of: that of the header before it, else of
    the first one after it, of those with its session's id."""
    latest: dict[str, Origin] = {}
    for each in reversed(found):
        if isinstance(each.said, Heading):
            latest[each.said.session] = each.origin
    for each in found:
        if isinstance(each.said, Heading):
            latest[each.said.session] = each.origin
        yield each._replace(origin=latest.get(each.said.session, each.origin))


def _several(found: Iterable[_Found]) -> dict[str, set[str]]:
    """By id of session, the commitments of those that have it."""
    several: dict[str, set[str]] = {}
    for each in found:
        several.setdefault(each.origin.session, set()).add(each.origin.commitment)
    return several


def _settled(origin: Origin, several: Mapping[str, set[str]]) -> Origin:
    """A session without a header is the only one of its id, if there is only one."""
    known = several[origin.session] - {""}
    if origin.commitment or len(known) != 1:
        return origin
    return Origin(origin.session, next(iter(known)))


def _check_once(found: Iterable[_Found]) -> None:
    seen: dict[tuple[Origin, str], str] = {}
    for each in found:
        if isinstance(each.said, EndedHand):
            before = seen.setdefault((each.origin, each.said.hand), each.place)
            if before is not each.place:
                expected = f"every hand once: it is in {before} too"
                raise BadInput(f"{each.place}: hand", each.said.hand, expected)


def _of_one_session(
    hand: ScoredHand, origin: Origin, several: Mapping[str, set[str]]
) -> ScoredHand:
    """The hand; its block has a longer name where another session has the same id."""
    if len(several[origin.session] - {""}) < 2:
        return hand
    block = f"{hand.result.block}@{origin.commitment[:SHORT]}"
    return hand._replace(result=hand.result._replace(block=block))


def _pool(
    name: str,
    hands: Mapping[Origin, Sequence[ScoredHand]],
    sessions: Mapping[Origin, Heading],
    names: Mapping[str, str],
) -> Pool:
    origins = sorted(hands if name else sessions)
    known = [sessions[origin] for origin in origins if origin in sessions]
    everything = [hand for origin in origins for hand in hands.get(origin, ())]
    fingerprint, seats = _kind(name, known)
    listed = _entrants(known, everything, names, seats=seats)
    return Pool(
        name,
        results=tuple(
            result
            for origin, some in hands.items()
            for result in _counted(some, sessions.get(origin))
        ),
        entrants=listed,
        seated=seated(everything),
        facts=_facts(origins, known, fingerprint=fingerprint, seats=seats),
        anchor=_anchor(known, listed),
        contenders=contenders(session.people for session in known),
        dependent=_dependent(known),
        benchmarks=_benchmarks(known),
    )


def _with_rounds(pool: Pool, found: Sequence[_Found], sessions: Mapping[Origin, Heading]) -> Pool:
    """A pool with the rounds of its session, if it is of one alone."""
    if len({each.origin for each in found}) != 1 or len(sessions) != 1:
        return pool
    ((_, session),) = sessions.items()
    hands = [each.said for each in found if isinstance(each.said, EndedHand)]
    complete = rounds_complete(session, hands)
    rounds = {hand.played.result.block: hand.round for hand in hands}
    results = by_round(pool.results, rounds, complete=complete)
    return pool._replace(rounds=SessionRounds(results, complete))


def _dependent(sessions: Iterable[Heading]) -> str:
    """Why results of a block bear on what others say of it."""
    for session in sessions:
        kind = session.document["schedule"]["kind"]
        if kind in FOLLOWING:
            return f"line-ups of a {kind} follow from results"
        if session.document["deals"] == COMMON:
            return "tables of a round share their shuffles"
    return ""


def _kind(pool: str, sessions: Sequence[Heading]) -> tuple[str, int | None]:
    """The fingerprint of a pool and its seats; those of the one session if there are no hands."""
    fingerprint, _, seats = pool.partition("/")
    if pool or len(sessions) != 1:
        return fingerprint, int(seats) if seats else None
    (session,) = sessions
    rounds = () if session.schedule is None else session.schedule["rounds"]
    return session.fingerprint, usual_seats(rounds, session.document["seats"])


def _entrants(
    sessions: Sequence[Heading],
    hands: Sequence[ScoredHand],
    names: Mapping[str, str],
    *,
    seats: int | None,
) -> tuple[Entrant, ...]:
    due = Counter[str]()
    for session in sessions:
        each, deals = session.document["hands_per_table"], session.document["deals"]
        due.update(hands_due(session.schedule, each, deals=deals, seats=seats))
    people = _people(sessions)
    known = {person.bot for person in people}
    seen = dict.fromkeys(chain(due, chain.from_iterable(hand.bots for hand in hands)))
    others = [
        Participant(bot, names.get(bot, bot), "", 0, BotKind.HOUSE)
        for bot in seen
        if bot not in known
    ]
    return tuple(entrants(hands, [*people, *others], due))


def _people(sessions: Sequence[Heading]) -> list[Participant]:
    """Everybody in the order of entry, session by session. Whoever left one of several sessions,
    and not all, counts as withdrawn."""
    found: dict[str, list[Participant]] = {}
    for session in sessions:
        for person in sorted(session.people, key=lambda each: (each.number, each.bot)):
            found.setdefault(person.bot, []).append(person)
    return [
        same[0]._replace(
            number=number,
            status=_status({each.status for each in same}),
            reason=next((each.reason for each in same if each.reason), ""),
        )
        for number, same in enumerate(found.values(), start=1)
    ]


def _status(said: set[str]) -> str:
    return said.pop() if len(said) == 1 else EntryStatus.WITHDRAWN


def _anchor(sessions: Sequence[Heading], listed: Sequence[Entrant]) -> str | None:
    """The bot that all sessions put at 1500."""
    wanted = {session.document["anchor"] for session in sessions}
    if len(wanted) != 1:
        return None
    return next((each.bot for each in listed if each.name in wanted), None)


def _benchmarks(sessions: Sequence[Heading]) -> tuple[str, ...]:
    """The bots that all sessions measure others by."""
    named = {tuple(session.document["benchmarks"]) for session in sessions}
    return named.pop() if len(named) == 1 else ()


def _facts(
    origins: Sequence[Origin],
    sessions: Sequence[Heading],
    *,
    fingerprint: str,
    seats: int | None,
) -> Facts:
    """What is known of the one session, or of all of several."""
    if len(origins) == len(sessions) == 1:
        return facts(
            sessions[0].document,
            fingerprint=fingerprint,
            seats=seats,
            schedule=sessions[0].schedule,
            commitment=sessions[0].commitment,
            aborted=len(sessions[0].aborted),
        )
    rulesets = {ruleset_name(session.document["ruleset"]) for session in sessions}
    named = ", ".join(origin.session for origin in origins[:MOST_NAMED])
    more = ", ..." if len(origins) > MOST_NAMED else ""
    return Facts(
        session=f"{len(origins)} sessions: {named}{more}" if len(origins) > 1 else named,
        ruleset=rulesets.pop() if len(rulesets) == 1 else "",
        fingerprint=fingerprint,
        seats=seats,
        version=__version__,
        divisions=_divisions(sessions),
    )


def _divisions(sessions: Sequence[Heading]) -> tuple[tuple[str, str], ...]:
    """The divisions of all sessions, each by the name that it has first."""
    named: dict[str, str] = {}
    for session in sessions:
        for division in session.document["divisions"]:
            named.setdefault(division["id"], division["name"])
    return tuple(named.items())
