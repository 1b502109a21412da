"""Every error that this package raises on purpose, and the closed list of refusal reasons.

    ArenaError
    ├── BadInput        a name or a value that somebody gave is not acceptable
    ├── Refused         the rules do not allow this command in this state; nothing has changed
    ├── NotFound        no such session, table, hand, bot or turn
    ├── Forbidden       it exists, but not for this token
    ├── Conflict        true when asked, no longer true now: somebody was quicker, or it is done
    ├── Gone            too late: it was done for the bot at its deadline
    ├── TooMany         done too often of late; nothing was done
    └── Unavailable     the arena cannot do it now (disk full, shutting down); nothing was done
        ├── NotHome     another referee plays this session by now; nothing was done
        └── Damaged     it cannot, and will not: what it needs has been damaged on the disk

This module may import nothing of ours. How an error becomes an HTTP status is decided in
``arena.web.api.problems``, how it becomes a line on a terminal in ``arena.cli``.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from typing import Any


class Reason(StrEnum):
    """Why a command was refused, in the order in which the reasons are looked for."""

    HAND_OVER = "hand_over"
    CHOICE_PENDING = "choice_pending"
    NO_CHOICE = "no_choice"
    NOT_YOUR_TURN = "not_your_turn"
    MUST_LEAD = "must_lead"
    NOT_IN_HAND = "not_in_hand"
    PASSED_OUT = "passed_out"
    BAD_SHAPE = "bad_shape"
    MUST_SHOW = "must_show"
    WRONG_KIND = "wrong_kind"
    TOO_LOW = "too_low"
    SUIT_LOCKED = "suit_locked"
    NUMBER_LOCKED = "number_locked"
    ANSWERS_ONLY = "answers_only"
    FORBIDDEN_FINISH = "forbidden_finish"
    TOO_MANY = "too_many"
    TOO_FEW = "too_few"
    NOT_OWED = "not_owed"
    BAD_NAME = "bad_name"
    UNCLEAR = "unclear"


class ArenaError(Exception):
    """Base of all errors raised on purpose; its text is one sentence for whoever caused it."""

    def __reduce__(self) -> tuple[Any, ...]:
        """So that an error comes whole out of another process, though its text is not what it was
        made from."""
        return _again, (type(self), self.args, self.__dict__)


def _again(kind: type[ArenaError], args: tuple[Any, ...], values: dict[str, Any]) -> ArenaError:
    error = kind.__new__(kind, *args)
    error.__dict__.update(values)
    return error


LONGEST_VALUE = 200
"""So much of a value is repeated to whoever gave it."""


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= LONGEST_VALUE else f"{text[:LONGEST_VALUE]}…"


class BadInput(ArenaError):
    """A name or value given from outside: what it is called, what it was, what was expected."""

    def __init__(self, thing: str, value: object, expected: str) -> None:
        given = "not given" if value is None else _shown(value)
        super().__init__(f"{thing} is {given}; expected {expected}")
        self.thing = thing
        self.value = value
        self.expected = expected


class Refused(ArenaError):
    """The rules refuse a command. `detail` is for people, `rule` names the option."""

    def __init__(
        self, reason: Reason, detail: str, *, rule: str = "", cards: Sequence[str] = ()
    ) -> None:
        super().__init__(detail)
        self.reason = reason
        self.detail = detail
        self.rule = rule
        self.cards = tuple(cards)


class _Named(ArenaError):
    """Base of the errors that concern one named thing."""

    def __init__(self, thing: str, detail: str) -> None:
        super().__init__(detail)
        self.thing = thing
        self.detail = detail


class NotFound(_Named):
    """No such thing."""


class Forbidden(_Named):
    """It exists, but this token may not see or do it."""


class Conflict(_Named):
    """It was true when the caller looked, and is no longer."""


class Gone(_Named):
    """Too late; `detail` says what was done instead."""


class TooMany(ArenaError):
    """This was done too often of late; nothing was done. `retry_after` is in seconds."""

    def __init__(self, detail: str, *, retry_after: int) -> None:
        super().__init__(detail)
        self.detail = detail
        self.retry_after = retry_after


class Unavailable(ArenaError):
    """The arena cannot do this at the moment; nothing was done. `retry_after` is in seconds."""

    def __init__(self, detail: str, *, retry_after: int = 1) -> None:
        super().__init__(detail)
        self.detail = detail
        self.retry_after = retry_after


class NotHome(Unavailable):
    """Another referee is the home of this session by now; nothing was done here."""

    def __init__(self, session: str) -> None:
        super().__init__(f"session {session!r} is played by another referee; send this again")
        self.session = session


class Damaged(Unavailable):
    """What is on the disk cannot be read, or contradicts itself; `detail` names it."""


class DamagedHand(ArenaError):
    """The log of a hand, as it is stored, is not what was written. seq: of the first wrong step."""

    def __init__(self, hand: str, seq: int, problem: str) -> None:
        super().__init__(
            f"hand {hand} is damaged at step {seq}: {problem}. It is not played on; an organiser"
            " can restore the database from a backup, or void the table"
        )
        self.hand = hand
        self.seq = seq
        self.problem = problem
