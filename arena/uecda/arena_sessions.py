"""What a gateway asks of an arena about sessions, tables and hands, and the session that it creates
for a table: the contest form.

Plain requests, one after the other, by a client that is given. May not know sockets or seats.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple
from urllib.parse import quote

from arena.client import Client
from arena.client.endpoints import session_path
from arena.client.problems import ArenaProblem, KitError
from arena.documents import Document
from arena.errors import BadInput
from arena.rules import Ruleset, compile_ruleset
from arena.session.names import hand_id
from arena.statuses import (
    IN_PLAY,
    OVER,
    TABLE_OPEN,
    BoardNames,
    EntryStatus,
    HandStatus,
    SessionStatus,
)
from arena.uecda.contest import PRESET, RESEAT_EVERY

MOST_NAMES: Final = 1000
FIRST_LOOK_S, MOST_LOOK_S = 0.02, 0.5


class ContestForm(NamedTuple):
    """The session that is created for each table. name: of the first one and, numbered, of the
    others; token: an organiser's."""

    name: str
    token: str
    hands: int = 100
    move_ms: int = 5_000
    bank_ms: int = 60_000

    def document(self, slug: str) -> Document:
        """The session's document."""
        return {
            "name": slug,
            "slug": slug,
            "ruleset": {"preset": PRESET},
            "hands_per_table": self.hands,
            "reseat_every": RESEAT_EVERY,
            "schedule": {"kind": "round_robin", "rounds": 1},
            "clock": {"move_ms": self.move_ms, "bank_ms": self.bank_ms},
            "roster": {"open": True},
        }


def uecda_rules() -> Ruleset:
    """The rules of the contest."""
    return compile_ruleset({"preset": PRESET})


def check_session(view: Mapping[str, Any]) -> None:
    """Raises BadInput if clients of the contest cannot play in a session."""
    name = view["session"]
    if view["fingerprint"] != uecda_rules().fingerprint:
        raise BadInput(f"ruleset of {name}", view["ruleset"], f"the preset {PRESET}, unchanged")
    at_once = view["schedule"].get("rounds_at_once", 1)
    if at_once != 1:
        expected = "1: a client plays one table at a time"
        raise BadInput(f"rounds_at_once of {name}", at_once, expected)
    if view["board"] != BoardNames.NAMED:
        expected = "named: a gateway has to know its clients' bots at a table"
        raise BadInput(f"board of {name}", view["board"], expected)
    if view["status"] in OVER:
        raise BadInput(f"session {name}", view["status"], "one that is not over")


def view_of(client: Client, session: str) -> Document:
    """A session's document; one that was deleted is as good as cancelled."""
    try:
        return client.session(session)
    except ArenaProblem as problem:
        if problem.status != 404:
            raise
        return {"session": session, "status": SessionStatus.CANCELLED}


def enter(client: Client, session: str, bot: str) -> None:
    """Enter a session, or go on in one that runs and that the bot is in. Raises KitError."""
    try:
        client.enter(session)
    except ArenaProblem as problem:
        if problem.status not in (403, 409):
            raise
        view = client.session(session)
        entries = [entry for entry in view["entries"] if entry["bot"] == bot]
        if view["status"] not in IN_PLAY or not entries:
            raise
        if entries[0]["status"] != EntryStatus.ENTERED:
            raise KitError(f"it is {entries[0]['status']} in session {session}") from problem


def create_contest(client: Client, form: ContestForm) -> str:
    """Create the session of one more table and open it; its id. Raises KitError."""
    for number in range(1, MOST_NAMES):
        slug = form.name if number == 1 else f"{form.name}-{number}"
        try:
            made = client.request("POST", "/sessions", body=form.document(slug), idempotent=False)
        except ArenaProblem as problem:
            if problem.status != 409:
                raise
            continue
        session = str(made["session"])
        client.request("POST", session_path(session, "open"))
        return session
    raise KitError(f"sessions like {form.name} are there already")


def start(client: Client, session: str) -> None:
    """Begin to play."""
    client.request("POST", session_path(session, "start"))


def hand_document(client: Client, hand: str) -> Document:
    """Who sits where in a hand."""
    return client.request("GET", f"/hands/{quote(hand, safe='')}")


def what_follows(
    client: Client, table: str, played: int, *, of: int, pause: Callable[[float], None]
) -> Document | int:
    """The hand that follows one at a table, as soon as it is dealt; or, if none does, the round of
    the table. played: the number of the hand before; of: how many there are; pause: waits."""
    look_s = FIRST_LOOK_S
    while True:
        following = _dealt(client, hand_id(table, played + 1)) if played < of else None
        if following is not None:
            return following
        view = client.request("GET", f"/tables/{quote(table, safe='')}")
        if played >= of or view["status"] not in TABLE_OPEN:
            return int(view["round"])
        pause(look_s)
        look_s = min(2 * look_s, MOST_LOOK_S)


def _dealt(client: Client, hand: str) -> Document | None:
    try:
        view = hand_document(client, hand)
    except ArenaProblem as problem:
        if problem.status != 404:
            raise
        return None
    return view if view["status"] in (HandStatus.PLAYING, HandStatus.FINISHED) else None


def current_hand(client: Client, session: str, bot: str) -> Document | None:
    """The hand that a bot is at, if it sits at a table that is being played."""
    after = None
    while True:
        query = {"after": after, "limit": 500}
        page = client.request("GET", session_path(session, "tables"), query=query)
        for table in page["tables"]:
            seated = any(player["bot"] == bot for player in table["players"])
            if seated and table["status"] in TABLE_OPEN:
                return _newest_hand(client, table["table"])
        after = page["next"]
        if after is None:
            return None


def _newest_hand(client: Client, table: str) -> Document | None:
    hands = client.request("GET", f"/tables/{quote(table, safe='')}")["hands"]
    return hand_document(client, hands[-1]["hand"]) if hands else None


def is_over(view: Mapping[str, Any]) -> bool:
    """Is the session over?"""
    return view["status"] in OVER


def is_last_round(view: Mapping[str, Any], number: int) -> bool:
    """Is no table of the session played after those of a round?"""
    design = view.get("design")
    if design is None:
        return False
    return bool(design["rounds_to_come"] == 0 and number >= design["rounds"])
