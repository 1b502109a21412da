"""The cluster as the router sees it. `arena.cluster` fits this protocol; tests have one by hand."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol


class Homes(Protocol):
    """Who is home of what.

    on_death: called with the name of a referee that has died. name: of this referee; secret: what
    referees show each other; mark: what the cursors that this one gives leave when they are divided
    by 4096.
    """

    on_death: Callable[[str], None]

    @property
    def name(self) -> str: ...

    @property
    def secret(self) -> str: ...

    @property
    def mark(self) -> int: ...

    def home_of_session(self, session: str) -> str | None:
        """The home of a session in play; "" if it is not known now, None if it is not in play."""
        ...

    def homes_of_bot(self, bot: str) -> tuple[str, ...]:
        """The homes of a bot's sessions in play, sorted. Raises Unavailable."""
        ...

    def main_home(self, bot: str) -> str | None:
        """The home of most of a bot's sessions in play; None if it has none."""
        ...

    def seat_of(self, person: str) -> str | None:
        """The session that a person sees who plays in a browser; None if there is none. Raises
        Unavailable."""
        ...

    def address(self, name: str) -> str | None:
        """Where a referee listens for the others; None: it is not there."""
        ...

    def issuer(self, cursor: int) -> str | None:
        """The referee that gave a cursor, if it is there still."""
        ...

    def for_start(self) -> str:
        """The referee that should be home of a session that is started."""
        ...

    def is_certain(self) -> bool:
        """False while this referee may have been declared dead by the others."""
        ...

    def await_certainty(self) -> None:
        """Wait a moment until it is certain. Raises Unavailable."""
        ...

    def await_move(self, session: str, was: str, timeout_s: float) -> str | None:
        """The home of a session once it is another than `was`; None: in vain, or not in play."""
        ...

    def refresh(self, session: str) -> None:
        """Read the lease of a session anew."""
        ...

    def claim(self, session: str) -> None:
        """Somebody takes this referee for the home of a session: play it, if it is."""
        ...

    def unreachable(self, name: str) -> None:
        """A referee could not be reached."""
        ...
