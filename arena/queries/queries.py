"""What may be asked of an arena, as one object: plain data that is ready for JSON.

Each question may be asked from any thread and raises nothing but `arena.errors`. Names of members
are those of the protocol. staff: as an organiser may see it, with all names, whatever is withheld
from others.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, fields

from arena.documents import Document
from arena.identity.signing import keys_document
from arena.queries import clock_ledger, clocks, documents, forecasts, programme, record_files
from arena.queries.digests import Digests
from arena.queries.move_reader import MoveReader
from arena.queries.notices import notices, notify
from arena.queries.standings import Scores
from arena.queries.standings_snapshot import StandingsSnapshot
from arena.referee.context import Sources
from arena.store.reading import session_row
from arena.tournament.moves import MoveLog


@dataclass(frozen=True, slots=True)
class Queries(Sources):
    """The questions. Each is a function of the sources, which is described where it stands."""

    scores: Scores = field(default_factory=Scores)
    moves: MoveReader = field(default_factory=MoveReader)
    digests: Digests = field(default_factory=Digests)

    sessions = documents.sessions
    tables = documents.tables
    table = documents.table
    hand = documents.hand
    bot = documents.bot
    called = documents.called
    audit = documents.audit
    ledger = clock_ledger.ledger
    forecast = forecasts.session_forecast
    programme = programme.programme
    clocks = clocks.clocks
    record = record_files.record
    records_mark = record_files.mark
    notify = notify

    def fit(
        self,
        session: str,
        *,
        staff: bool = False,
        seats: int | None = None,
        division: str | None = None,
    ) -> StandingsSnapshot:
        """The standings by now, and all further tables; see `Scores.fit`.

        division: only among its members. Raises BadInput if there is none of this id.
        """
        fit = self.scores.fit(self, session, staff=staff, seats=seats)
        return fit if division is None else fit.of_division(division)

    def frozen_fit(self, session: str, *, seats: int | None = None) -> StandingsSnapshot | None:
        """The standings as they were when results were frozen; see `Scores.frozen_fit`."""
        return self.scores.frozen_fit(self, session, seats=seats)

    def notices(self, bot: str, *, after: int = 0, limit: int = 100) -> Document:
        """A page of what a bot was told; see `notices.notices`."""
        return notices(self, self.fit, bot, after=after, limit=limit)

    def moves_of(self, session: str, fit: StandingsSnapshot) -> MoveLog:
        """The moves of the hands behind a fit, as far as they are read; see `MoveReader.log`."""
        key = session, fit.standings.facts.commitment
        return self.moves.log(self, key, fit.tables)

    def session(self, session: str, *, staff: bool = False) -> Document:
        """Everything about a session that its reader may know; see `documents.session`."""
        document = documents.session(self, session, staff=staff)
        return {**document, "digest": self.digest_brief(session)}

    def digest(self, session: str) -> Document:
        """The signed digest of a session; see `Digests.digest`."""
        return self.digests.digest(self, session)

    def digest_brief(self, session: str) -> Document | None:
        """What is said of it beside other things; see `Digests.brief`. Raises NotFound."""
        return self.digests.brief(self, session_row(self.store, session))

    def records(self, session: str, *, full: bool = False) -> Iterator[str]:
        """The record file of a session, line by line; see `record_files.lines`."""
        return record_files.lines(self, self.digest, session, full=full)

    def proof(self, hand: str) -> Document:
        """That a hand is in the digest of its session; see `Digests.proof`."""
        return self.digests.proof(self, hand)

    def keys(self) -> Document:
        """The public keys of the arena; see `signing.keys_document`."""
        return keys_document(self.store, self.signer)

    def standings(self, session: str, *, staff: bool = False) -> Document:
        """The standings document."""
        return self.fit(session, staff=staff).document("standings")


def queries_of(sources: Sources) -> Queries:
    """The questions that can be asked of these sources."""
    return Queries(**{each.name: getattr(sources, each.name) for each in fields(Sources)})
