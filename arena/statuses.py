"""The closed sets of words that rows, documents and records share: statuses, kinds, causes, modes.

A member is the string that is written, so JSON, schemas and databases have the plain word. Rows of
the store and documents that were read keep plain strings, which equal the members: nothing is
converted on the way. Only the name of a JSON member has to be a plain string: `str(status)`. This
module imports the standard library only and decides nothing.
"""

from __future__ import annotations

from enum import StrEnum


class Word(StrEnum):
    """A word of a closed set; messages quote it as they quote any string."""

    def __repr__(self) -> str:
        return repr(self.value)


class SessionStatus(Word):
    """What a session is; OPEN lets bots enter."""

    CREATED = "created"
    OPEN = "open"
    RUNNING = "running"
    PAUSED = "paused"
    FINISHED = "finished"
    CANCELLED = "cancelled"


ENTERABLE = (SessionStatus.CREATED, SessionStatus.OPEN)
"""Statuses of sessions that have not begun: organisers may enter bots."""
IN_PLAY = (SessionStatus.RUNNING, SessionStatus.PAUSED)
"""Statuses of sessions that are played."""
OVER = (SessionStatus.FINISHED, SessionStatus.CANCELLED)
"""Statuses of sessions that are over."""


class TableStatus(Word):
    """What a table is; ABORTED: cut short, its hands count; VOID: they do not."""

    WAITING = "waiting"
    PLAYING = "playing"
    FINISHED = "finished"
    ABORTED = "aborted"
    VOID = "void"


TABLE_OPEN = (TableStatus.WAITING, TableStatus.PLAYING)
"""Statuses of tables that are to be played still."""
TABLE_ENDED = (TableStatus.FINISHED, TableStatus.ABORTED)
"""Statuses of tables whose hands may count; one that is void is of neither."""


class HandStatus(Word):
    """What a hand is; FORFEITED: not played, since a seat has failed too often."""

    PLAYING = "playing"
    FINISHED = "finished"
    FORFEITED = "forfeited"
    VOID = "void"


HAND_ENDED = (HandStatus.FINISHED, HandStatus.FORFEITED)
"""Statuses of hands that have a result."""


class EntryStatus(Word):
    """How a bot takes part in a session."""

    ENTERED = "entered"
    WITHDRAWN = "withdrawn"
    DISQUALIFIED = "disqualified"


class BotKind(Word):
    """Whose a token is. HOUSE: the arena's own bot, which has none; ADMIN: an organiser."""

    BOT = "bot"
    HOUSE = "house"
    ADMIN = "admin"
    ASSISTANT = "assistant"
    VIEWER = "viewer"


PLAYERS = (BotKind.BOT, BotKind.HOUSE)
"""Kinds that play; the others are of the staff."""
STAFF = (BotKind.ADMIN, BotKind.ASSISTANT, BotKind.VIEWER)


class Actor(Word):
    """Who did something for the audit log, where no bot and none of the staff did: the referee
    itself, `arena prune` or another command on its host."""

    REFEREE = "referee"
    RETENTION = "retention"
    COMMAND = "command"


class ResultsMode(Word):
    """What the public sees of results: all as they come, what had been counted, or nothing."""

    LIVE = "live"
    FROZEN = "frozen"
    EMBARGOED = "embargoed"


class HandVisibility(Word):
    """From when on everybody may see the cards and moves of a hand."""

    AFTER_HAND = "after_hand"
    AFTER_SESSION = "after_session"
    NEVER = "never"


class BoardNames(Word):
    """Under which names the public sees bots."""

    NAMED = "named"
    PSEUDONYMOUS = "pseudonymous"


class RegistrationMode(Word):
    """Who may register bots: anybody, who has a code, nobody but organisers."""

    OPEN = "open"
    CODE = "code"
    CLOSED = "closed"


class RefereeStatus(Word):
    """What a referee does among those that share a database. JOINING: it takes no sessions yet;
    ISOLATED: its internal address cannot be reached, so it takes none; DRAINING: it hands its
    sessions over and takes none; STOPPED: it has ended in order."""

    JOINING = "joining"
    SERVING = "serving"
    DRAINING = "draining"
    ISOLATED = "isolated"
    STOPPED = "stopped"
