"""The rows of the store: what is kept of bots, sessions, tables, hands, their logs and the rest.

Values only; how they are written and read is in `port`. The store knows nothing of games: JSON
values are text made by the caller, statuses are words (those of `arena/statuses.py`). This module
may import nothing but the standard library.
"""

from __future__ import annotations

from typing import NamedTuple


class BotRow(NamedTuple):
    """A player or somebody of the staff with a token.

    Id, name, token hash and name key are unique in the arena. owner_key: the form by which owners
    are compared, empty until `SetOwnerKey` writes it (rows of older programs). founder: this bot
    has brought its owner in; an owner_key has at most one. proven: the owner was shown by a code,
    an organiser or a token of a proven bot. origin: how it was registered, a word of the referee;
    code: the id of the code that it was registered with. name_key: what names that can be taken for
    this one share; None where an older program wrote the row (see `SetNameKey`).
    """

    id: str
    name: str
    owner: str
    token_hash: str  # SHA-256 of the token, hex
    created_ms: int
    revoked: bool
    kind: str  # bot | house | admin | assistant | viewer
    owner_key: str = ""
    founder: bool = False
    proven: bool = False
    origin: str = ""
    code: str = ""
    name_key: str | None = None


class SessionRow(NamedTuple):
    """An event. `secret` is the root of all its deals; it is not shown by `repr`."""

    id: str
    status: str
    document: str  # JSON
    secret: bytes
    created_ms: int
    schedule: str | None  # JSON, once there is one
    reason: str = ""  # why it has its status, if somebody said so

    def __repr__(self) -> str:
        """All but the secret and the long texts, so that a log line gives nothing away."""
        return f"SessionRow(id={self.id!r}, status={self.status!r}, created_ms={self.created_ms})"


class EntryRow(NamedTuple):
    """A bot in a session. (session, bot) and (session, number) are unique.

    chance: 32 bytes that the bot gave to the deals, None for none.
    """

    session: str
    bot: str
    number: int
    status: str  # entered | withdrawn | disqualified
    entered_ms: int
    reason: str = ""  # why it has its status, if somebody said so
    chance: bytes | None = None


class TableRow(NamedTuple):
    """One sitting. (session, round, number) is unique."""

    id: str
    session: str
    round: int
    number: int
    players: str  # JSON list of bot ids
    status: str  # waiting | playing | finished | aborted


class HandRow(NamedTuple):
    """One deal at a table. (table, number) is unique, numbers count from 1."""

    id: str
    table: str
    number: int
    seating: str  # JSON list
    status: str  # playing | finished | forfeited | void
    commitment: str
    result: str | None  # JSON, once it has ended
    started_ms: int
    ended_ms: int | None


class StepRow(NamedTuple):
    """One entry of a hand's log: a command and the events that it caused.

    `seq` is the number of events in the log before this step, so a second writer who has seen the
    same log collides with the first: (hand, seq) is the primary key. `event_count` is the number of
    events in `events`, at least 1; the next step has seq + event_count. hash: of the log up to and
    with this step (32 bytes), None where an older program wrote the row.
    """

    hand: str
    seq: int
    at_ms: int
    turn: str
    command: str  # JSON
    events: str  # JSON list
    event_count: int
    meta: str  # JSON
    hash: bytes | None = None


class HashRow(NamedTuple):
    """A hand of a session and the hash of its last step: None if it has none, or an older program
    wrote it. number: the hand's; ended_ms: None while it is playing."""

    hand: str
    table: str
    number: int
    status: str
    ended_ms: int | None
    hash: bytes | None


class AuditRow(NamedTuple):
    """What an organiser did. `number` is given by the store, ascending; leave it 0 when writing."""

    at_ms: int
    actor: str
    action: str
    detail: str  # JSON
    number: int = 0


class CodeRow(NamedTuple):
    """An enrolment code, by its hash."""

    code_hash: str
    label: str
    uses_left: int
    expires_ms: int
    owner: str = ""  # whose bots it registers; empty: each has an owner of its own
    created_ms: int = 0
    made_by: str = ""  # the organiser's id
    uses: int = 0  # how many it had at first
    revoked: bool = False


class CounterRow(NamedTuple):
    """A named count, or instant in ms, for example ("alive", now). Writing one replaces the one
    before."""

    key: str
    value: int


class NoteRow(NamedTuple):
    """A text under a key of its own, for what has few rows and no columns: see `SetNote`."""

    key: str
    text: str
