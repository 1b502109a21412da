"""What an organiser asks for: sessions, their rosters, enrolment codes, records, the audit log.

The table says who may call what; the referee records who did it. Views only.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from functools import partial

from arena.errors import BadInput
from arena.settings import Settings
from arena.web.api.endpoints import Endpoint, Reply, Scope
from arena.web.api.limits import EVERYBODY, rate_cost_of_list
from arena.web.api.problems import Code
from arena.web.api.queries import Param
from arena.web.api.services import Call

JSON_LINES = "application/jsonl"
ACTIONS = ("open", "close", "end")
SESSION_VALUES = 2_560
"""Values that a session's document may hold: two lists of a thousand names, and all options."""
DIVISION_VALUES = 3_200
"""The same for a thousand bots with their divisions."""
MS_PER_S = 1_000
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def create_session(call: Call) -> Reply:
    """Create a session from its document.

    Everything but the name has a default. Unknown members, options and values are refused.
    """
    session = call.referee.create_session(call.body, call.caller)
    where = f"/api/v1/sessions/{session['session']}"
    return Reply(session, status=201, headers={"Location": where})


def change_session(call: Call) -> Reply:
    """Open, close or end a session.

    open: bots may enter. close: no more entries, and a ladder that is played ends. end: no more
    hands; when those that run have ended it is finished, and the tables that were cut short count
    as far as they got.
    """
    path = call.path
    return Reply(call.referee.set_session(path["session"], path["action"], call.caller))


def start_session(call: Call) -> Reply:
    """Start a session: draw up the schedule and begin to play.

    One whose document announces a source of public chance (`public_chance`) needs the value of it
    in the body; the value is mixed into all deals. Any other takes none.
    """
    session, value = call.path["session"], call.body.get("public_chance")
    return Reply(call.referee.set_session(session, "start", call.caller, public_chance=value))


def replace_session(call: Call) -> Reply:
    """Give a session another document before its start, as if it had been created with it.

    What the document leaves out gets its default, but for `slug`, `seed` and `hidden`, which stay.
    The slug and the seed cannot be changed. A document by which a bot that has entered could not
    have is refused, and nothing is changed.
    """
    return Reply(call.referee.replace_session(call.path["session"], call.body, call.caller))


def edit_session(call: Call) -> Reply:
    """Rename a session, hide it or show it again, whatever its status is."""
    return Reply(call.referee.change_session(call.path["session"], call.body, call.caller))


def delete_session(call: Call) -> Reply:
    """Delete a session of which nothing was played, with its entries.

    One that has been started can be cancelled, one that was played can be hidden. The answer is the
    session as it was.
    """
    return Reply(call.referee.delete_session(call.path["session"], call.caller))


def cancel_session(call: Call) -> Reply:
    """Cancel a session: end it for good, running hands are void."""
    session, reason = call.path["session"], call.body.get("reason", "")
    return Reply(call.referee.set_session(session, "cancel", call.caller, reason=reason))


def pause_session(call: Call) -> Reply:
    """Pause a session: all its clocks stand still until it is resumed."""
    return Reply(call.referee.set_session(call.path["session"], "pause", call.caller))


def resume_session(call: Call) -> Reply:
    """Resume a session that was paused: its clocks go on from where they stood."""
    return Reply(call.referee.set_session(call.path["session"], "resume", call.caller))


def freeze_results(call: Call) -> Reply:
    """Freeze the results: the public sees them as they are now, while play goes on.

    Standings, records, results and logs of hands of later blocks are for organisers only, until
    the results are published. Doing it again shows what has been counted by then.
    """
    return Reply(call.referee.freeze(call.path["session"], call.caller))


def embargo_results(call: Call) -> Reply:
    """Embargo the results: the public sees none, until an instant or until they are published.

    Standings, records, results and logs of hands are for organisers only; a bot still gets its own
    turns and the logs of its own hands. The session's secret is not shown either.
    """
    until_ms = _instant_ms("until", call.body.get("until"))
    return Reply(call.referee.embargo(call.path["session"], call.caller, until_ms=until_ms))


def _instant_ms(name: str, text: str | None) -> int | None:
    """An instant in ISO 8601 with its offset, in ms since 1970. Raises BadInput."""
    if text is None:
        return None
    try:
        return (datetime.fromisoformat(text) - EPOCH) // timedelta(milliseconds=1)
    except (TypeError, ValueError, OverflowError) as error:  # TypeError: it has no offset
        expected = "an instant with its offset, such as 2026-01-31T09:00:00Z"
        raise BadInput(name, text, expected) from error


def publish_results(call: Call) -> Reply:
    """Publish the results: everybody sees all of them from now on."""
    return Reply(call.referee.publish(call.path["session"], call.caller))


def void_table(call: Call) -> Reply:
    """Make a table void: its hands leave the standings, and their records say why.

    A hand that is running there is called off. While the session is played, or after its end as
    long as the results are frozen or embargoed.
    """
    return Reply(call.referee.void(call.path["table"], call.body["reason"], call.caller))


def replay_table(call: Call) -> Reply:
    """Replay a void table: the same line-up at a new table, with new deals.

    Its id is that of the void one with a letter, such as `cup-r01-t03b`. As long as nobody knows
    the session's secret, from which the new deals follow.
    """
    table = call.referee.replay(call.path["table"], call.caller)
    return Reply(table, status=201, headers={"Location": f"/api/v1/tables/{table['table']}"})


def add_entry(call: Call) -> Reply:
    """Enter a bot, by id or by name, whether or not the session is open for entries."""
    return Reply(call.referee.add_bot(call.path["session"], call.path["bot"], call.caller))


def divide(call: Call) -> Reply:
    """Put bots into divisions of the session, or take them out of their own.

    Of a bot that is listed twice the last line holds. Other bots stay where they are. At any time,
    since it changes no play and no rating.
    """
    members = {each["bot"]: each["division"] for each in call.body["members"]}
    return Reply(call.referee.divide(call.path["session"], members, call.caller))


def remove_entry(call: Call) -> Reply:
    """Take a bot out of a session: the same as `withdraw`."""
    return withdraw_entry(call)


def withdraw_entry(call: Call) -> Reply:
    """Withdraw a bot; from now on the referee answers for it."""
    session, bot = call.path["session"], call.path["bot"]
    reason = call.body.get("reason", "")
    return Reply(call.referee.withdraw(session, bot, call.caller, reason=reason))


def disqualify_entry(call: Call) -> Reply:
    """Disqualify a bot: as a withdrawal, and none of its results count any more.

    The standings are refitted as if it had not been at its tables; to take others' results there
    out too, make those tables void.
    """
    session, bot = call.path["session"], call.path["bot"]
    reason = call.body.get("reason", "")
    return Reply(call.referee.disqualify(session, bot, call.caller, reason=reason))


def create_code(call: Call) -> Reply:
    """Make an enrolment code, for a class or an event, or one for each of many owners.

    Codes are shown only in this answer. With `owner` all bots that a code registers are that
    owner's, at most `uses` of them. With `owners` there is such a code for each. With neither, a
    code of one use has its label for owner, and each bot that registers with a code of many uses
    has an owner of its own.
    """
    body = call.body
    hours = body.get("valid_hours")
    owners = body.get("owners")
    if "owner" in body:
        if owners is not None:
            raise BadInput("owners", f"{len(owners)} of them", "none beside `owner`")
        owners = [body["owner"]]
    codes = call.referee.enrolment.create_codes(
        body["label"],
        owners,
        uses=body.get("uses", 1),
        actor=call.caller,
        valid_ms=None if hours is None else round(hours * 3_600 * MS_PER_S),
    )
    return Reply({"codes": codes} if "owners" in body else codes[0], status=201)


def export_records(call: Call) -> Reply:
    """Export the session's records as JSON Lines: a header, then every ended hand.

    Everybody gets the hands that are public by now, organisers all of them. `arena rate` gets the
    standings from it that the same reader is shown here, to the byte. A caller has one export at a
    time, and pays for it by size; it comes at a pace that leaves the bots their time. Of a session
    that is over it has an `ETag`; `If-None-Match`, `Range` and `If-Range` are understood, and gzip
    is where the client takes it.
    """
    services = call.services
    export = services.exports.open(
        call.path["session"],
        caller=call.who.id if call.who else None,
        staff=call.staff,
        environ=call.environ,
        address=services.addresses.of(call.environ),
        charge=_charge(call),
    )
    return Reply(export.pieces, status=export.status, media=JSON_LINES, headers=export.headers)


def _charge(call: Call) -> Callable[[float], float]:
    """What takes units from the bucket of the caller."""
    services = call.services
    if call.who is None:
        return partial(services.anonymous.charge, EVERYBODY)
    return partial(services.buckets.charge, call.who.id)


def show_audit(call: Call) -> Reply:
    """Show what organisers did, newest first."""
    return Reply(call.queries.audit(limit=call.query["limit"], before=call.query["before"]))


def show_clocks(call: Call) -> Reply:
    """Show who is being waited for at the tables of a session, and what is left of each bank.

    With the faults of each bot at its table. From what is in play, so it is empty while nothing is.
    """
    document = call.queries.clocks(call.path["session"])
    return Reply(document, credit=-rate_cost_of_list(len(document["tables"])))


def endpoints(settings: Settings) -> tuple[Endpoint, ...]:
    """The routes for organisers."""
    admin, entry = Scope.ADMIN, "/sessions/{session}/entries/{bot}"
    viewer, assistant = Scope.VIEWER, Scope.ASSISTANT
    moved = (Code.NOT_FOUND, Code.CONFLICT)
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
            most_values=SESSION_VALUES,
        ),
        Endpoint(
            "PUT",
            "/sessions/{session}",
            replace_session,
            "session_view",
            admin,
            "session",
            codes=wrong,
            most_values=SESSION_VALUES,
        ),
        Endpoint(
            "PATCH",
            "/sessions/{session}",
            edit_session,
            "session_view",
            admin,
            "session_change",
            codes=wrong,
        ),
        Endpoint(
            "DELETE", "/sessions/{session}", delete_session, "session_view", admin, codes=moved
        ),
        Endpoint(
            "POST",
            "/sessions/{session}/{action}",
            change_session,
            "session_view",
            admin,
            codes=wrong,
        ),
        Endpoint(
            "POST",
            "/sessions/{session}/start",
            start_session,
            "session_view",
            admin,
            "start",
            optional_body=True,
            codes=wrong,
        ),
        Endpoint(
            "POST",
            "/sessions/{session}/cancel",
            cancel_session,
            "session_view",
            admin,
            "reason",
            optional_body=True,
            codes=moved,
        ),
        Endpoint(
            "POST",
            "/sessions/{session}/pause",
            pause_session,
            "session_view",
            assistant,
            codes=moved,
        ),
        Endpoint(
            "POST",
            "/sessions/{session}/resume",
            resume_session,
            "session_view",
            assistant,
            codes=moved,
        ),
        Endpoint(
            "POST",
            "/sessions/{session}/freeze",
            freeze_results,
            "session_view",
            admin,
            codes=moved,
        ),
        Endpoint(
            "POST",
            "/sessions/{session}/embargo",
            embargo_results,
            "session_view",
            admin,
            "embargo",
            codes=wrong,
        ),
        Endpoint(
            "POST",
            "/sessions/{session}/publish",
            publish_results,
            "session_view",
            admin,
            codes=moved,
        ),
        Endpoint(
            "POST", "/tables/{table}/void", void_table, "table", assistant, "void", codes=wrong
        ),
        Endpoint(
            "POST",
            "/tables/{table}/replay",
            replay_table,
            "table",
            assistant,
            status=201,
            codes=moved,
        ),
        Endpoint(
            "PUT",
            "/sessions/{session}/divisions",
            divide,
            "session_view",
            admin,
            "divisions",
            codes=wrong,
            most_values=DIVISION_VALUES,
        ),
        Endpoint("PUT", entry, add_entry, "entry", admin, codes=wrong),
        Endpoint("DELETE", entry, remove_entry, "entry", admin, codes=moved),
        Endpoint(
            "POST",
            f"{entry}/withdraw",
            withdraw_entry,
            "entry",
            admin,
            "reason",
            optional_body=True,
            codes=moved,
        ),
        Endpoint(
            "POST",
            f"{entry}/disqualify",
            disqualify_entry,
            "entry",
            admin,
            "reason",
            optional_body=True,
            codes=moved,
        ),
        Endpoint(
            "POST",
            "/codes",
            create_code,
            "made_codes",
            admin,
            "code_request",
            status=201,
            codes=values,
        ),
        Endpoint(
            "GET",
            "/sessions/{session}/records",
            export_records,
            medias=(JSON_LINES,),
            codes=(Code.NOT_FOUND, Code.FORBIDDEN, Code.BAD_RANGE),
            further=(206, 304),
        ),
        Endpoint("GET", "/audit", show_audit, "audit", viewer, query=page),
        Endpoint(
            "GET",
            "/sessions/{session}/clocks",
            show_clocks,
            "clocks",
            viewer,
            codes=(Code.NOT_FOUND,),
        ),
    )
