"""What owners and organisers are told: notices of a bot, messages of a session. Views only."""

from __future__ import annotations

from arena.errors import Forbidden
from arena.web.api.endpoints import Endpoint, Reply, Scope
from arena.web.api.limits import rate_cost_of_list
from arena.web.api.problems import Code
from arena.web.api.queries import Param
from arena.web.api.services import Call

ME = "me"


def bot_notices(call: Call) -> Reply:
    """Show what happened to a bot: faults, tables, withdrawals, the end of sessions.

    With the bot's own token, by id, by name or as `me`; the staff may read those of every bot.
    Numbers count up for each bot without gaps, from 1; the newest 1000 are kept, as long as their
    session is. A page may be shorter than `limit`; `next` says whether there are more.
    """
    bot = _whose(call)
    query = call.query
    document = call.queries.notices(bot, after=query["after"], limit=query["limit"])
    return Reply(document, credit=-rate_cost_of_list(len(document["notices"])))


def _whose(call: Call) -> str:
    """The bot that is meant. Raises Forbidden for another one than the caller."""
    assert call.who is not None  # the scope of the endpoint needs a token
    bot = call.path["bot"]
    if call.staff:
        return bot
    if bot not in (ME, call.who.id, call.who.name):
        raise Forbidden(bot, "a bot reads its own notices only: call this with `me`")
    return call.who.id


def show_notify(call: Call) -> Reply:
    """Show where the messages of a session go, and what became of the newest."""
    return Reply(call.queries.notify(call.path["session"], limit=call.query["limit"]))


def set_notify(call: Call) -> Reply:
    """Send the messages of a session to an address from now on.

    Only to hosts that the operator of the arena allows. The secret by which messages are signed is
    shown only in this answer; without one in the request the arena makes one.
    """
    return Reply(call.referee.set_notify(call.path["session"], call.body, call.caller))


def remove_notify(call: Call) -> Reply:
    """Send no messages of a session any more."""
    session = call.path["session"]
    call.referee.remove_notify(session, call.caller)
    return Reply(call.queries.notify(session, limit=1))


def send_test(call: Call) -> Reply:
    """Send a message of the type `test` to the address of a session."""
    session = call.path["session"]
    return Reply({"message": call.referee.send_test(session, call.caller)}, status=202)


def endpoints() -> tuple[Endpoint, ...]:
    """The routes."""
    notify = "/sessions/{session}/notify"
    after = Param("after", "integer", "The number of the last notice that one has.", 0)
    limit = Param("limit", "integer", "The most entries to get.", 100, least=1, most=500)
    return (
        Endpoint(
            "GET",
            "/bots/{bot}/notices",
            bot_notices,
            "notices",
            Scope.ANY_TOKEN,
            query=(after, limit),
            codes=(Code.NOT_FOUND, Code.FORBIDDEN),
        ),
        Endpoint(
            "GET",
            notify,
            show_notify,
            "notify",
            Scope.ADMIN,
            query=(limit,),
            codes=(Code.NOT_FOUND,),
        ),
        Endpoint(
            "PUT",
            notify,
            set_notify,
            "notify_set",
            Scope.ADMIN,
            "notify_request",
            codes=(Code.NOT_FOUND, Code.BAD_VALUE, Code.CONFLICT),
        ),
        Endpoint(
            "DELETE",
            notify,
            remove_notify,
            "notify",
            Scope.ADMIN,
            codes=(Code.NOT_FOUND, Code.CONFLICT),
        ),
        Endpoint(
            "POST",
            f"{notify}/test",
            send_test,
            "notify_sent",
            Scope.ADMIN,
            status=202,
            codes=(Code.NOT_FOUND,),
        ),
    )
