"""What an organiser asks for: sessions, their rosters, enrolment codes, records, the audit log.

All of it needs an admin token, and the referee notes who did it. Views only.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from arena.settings import Settings
from arena.web.endpoints import JSON_LINES, Call, Endpoint, Reply, Scope
from arena.web.problems import Code
from arena.web.queries import Param

ACTIONS: Final = ("open", "close", "start", "pause", "resume", "cancel")
MS_PER_S: Final = 1_000


def create_session(call: Call) -> Reply:
    """Create a session from its document.

    Everything but the name has a default. Unknown members, options and values are refused.
    """
    session = call.referee.create_session(call.body, call.caller)
    where = f"/api/v1/sessions/{session['session']}"
    return Reply(session, status=201, headers={"Location": where})


def change_session(call: Call) -> Reply:
    """Open, close, start, pause, resume or cancel a session.

    open: bots may enter. close: no more entries. start: draw up the schedule and begin to play.
    pause and resume: all clocks stand still in between. cancel: end it for good.
    """
    path = call.path
    return Reply(call.referee.set_session(path["session"], path["action"], call.caller))


def add_entry(call: Call) -> Reply:
    """Enter a bot, by id or by name, whether or not the session is open for entries."""
    return Reply(call.referee.add_bot(call.path["session"], call.path["bot"], call.caller))


def remove_entry(call: Call) -> Reply:
    """Take a bot out of a session: the same as `withdraw`."""
    return withdraw_entry(call)


def withdraw_entry(call: Call) -> Reply:
    """Withdraw a bot; from now on the referee answers for it."""
    return Reply(call.referee.withdraw(call.path["session"], call.path["bot"], call.caller))


def disqualify_entry(call: Call) -> Reply:
    """Disqualify a bot; as a withdrawal, with another cause."""
    return Reply(call.referee.disqualify(call.path["session"], call.path["bot"], call.caller))


def create_code(call: Call) -> Reply:
    """Make an enrolment code, for a class or an event. It is shown only in this answer."""
    body = call.body
    hours = body.get("valid_hours")
    code = call.referee.create_code(
        body["label"],
        uses=body.get("uses", 1),
        actor=call.caller,
        valid_ms=None if hours is None else round(hours * 3_600 * MS_PER_S),
    )
    return Reply(code, status=201)


def revoke_bot(call: Call) -> Reply:
    """Take a bot's token away for good, by its id or name."""
    call.referee.revoke(call.path["bot"], call.caller)
    return Reply(call.referee.bot(call.path["bot"]))


def export_records(call: Call) -> Reply:
    """Export the session's records as JSON Lines: a header, then every ended hand.

    Bots get the hands that are public by now, organisers all of them.
    """
    full = call.who is not None and "admin" in call.who.scopes
    lines = call.referee.records(call.path["session"], full=full)
    first = next(lines, "")
    name = f"{call.path['session']}.jsonl"
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return Reply(_written(first, lines), media=JSON_LINES, headers=headers)


def show_audit(call: Call) -> Reply:
    """Show what organisers did, newest first."""
    return Reply(call.referee.audit(limit=call.query["limit"], before=call.query["before"]))


def _written(first: str, lines: Iterator[str]) -> Iterator[str]:
    """The lines, each ended; the first was read before the status went out."""
    yield first.rstrip("\n") + "\n"
    for line in lines:
        yield line.rstrip("\n") + "\n"


def endpoints(settings: Settings) -> tuple[Endpoint, ...]:
    """The routes for organisers."""
    admin, entry = Scope.ADMIN, "/sessions/{session}/entries/{bot}"
    lost, moved = (Code.NOT_FOUND,), (Code.NOT_FOUND, Code.CONFLICT)
    wrong, values = (*moved, Code.BAD_VALUE), (Code.BAD_VALUE, Code.CONFLICT)
    page = (
        Param("limit", "integer", "The most entries to get.", 100, least=1, most=500),
        Param("before", "integer", "The number that the page before ended with."),
    )
    return (
        Endpoint(
            "POST",
            "/sessions",
            create_session,
            "session_view",
            admin,
            "session",
            status=201,
            codes=values,
        ),
        Endpoint(
            "POST",
            "/sessions/{session}/{action}",
            change_session,
            "session_view",
            admin,
            codes=wrong,
        ),
        Endpoint("PUT", entry, add_entry, "entry", admin, codes=wrong),
        Endpoint("DELETE", entry, remove_entry, "entry", admin, codes=moved),
        Endpoint("POST", f"{entry}/withdraw", withdraw_entry, "entry", admin, codes=moved),
        Endpoint("POST", f"{entry}/disqualify", disqualify_entry, "entry", admin, codes=moved),
        Endpoint("POST", "/codes", create_code, "code", admin, "code_request", status=201),
        Endpoint("POST", "/bots/{bot}/revoke", revoke_bot, "bot", admin, codes=lost),
        Endpoint(
            "GET",
            "/sessions/{session}/records",
            export_records,
            scope=Scope.ANY_TOKEN,
            medias=(JSON_LINES,),
            codes=lost,
        ),
        Endpoint("GET", "/audit", show_audit, "audit", admin, query=page),
    )
