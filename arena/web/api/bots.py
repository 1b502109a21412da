"""What a bot asks for: registering, entering sessions, its turns and its answers.

Views only: they call the referee and shape its answers. They may not know a rule.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from arena.errors import ArenaError, BadInput, Refused
from arena.identity.enrolment import Registration
from arena.identity.organisers import ROLES
from arena.proofs.chance import read_chance
from arena.settings import Settings
from arena.text.describing import turns_in_words
from arena.web.api.documents import TEXT, TEXT_MEDIA
from arena.web.api.endpoints import MOST_VALUES, Endpoint, Malformed, RateCost, Reply, Scope
from arena.web.api.problems import Code, Problem, clip, from_arena
from arena.web.api.queries import AS, Param
from arena.web.api.registrations import Attempt
from arena.web.api.services import Call

FAULTY_ENTRY = re.compile(r"/answers/([0-9]+)(?:/|$)")
"""A JSON Pointer into one of many answers."""
VALUES_OF_ANSWER = 64
"""Values that each answer of a batch may hold, on the average: all cards of a deck, and more."""
LONG_POLL_S = 1.0
"""A poll that waited this long without a turn is a long-poll that ended empty: it is free."""


MOST_REGISTRATION_BYTES = 4_096
"""Several times what a registration can need: it is read before anything is known of its sender."""


def register(call: Call) -> Reply:
    """Register a bot and get its token.

    The token is shown only in this answer. Whose the bot is, is proven: an enrolment code says it,
    the token of a bot makes one more of the same owner, an organiser's token any. Without code and
    token, where registration is open, the bot has an owner of its own: the one that is named if
    nobody else has it, or its name.
    """
    body = call.body
    asked = Registration(body["name"], body.get("owner"), body.get("code"))
    attempt = _begin_registration(call)
    try:
        bot, token = call.referee.enrol(asked, call.who)
    except ArenaError:
        attempt.refused()
        raise
    return Reply({"bot": bot, "token": token}, status=201)


def _begin_registration(call: Call) -> Attempt:
    if call.who is not None:  # a unit of this token has been taken already
        return Attempt(call.services.buckets, call.who.id)
    code: str = call.body.get("code", "")
    uses = call.services.registry.codes.uses_left(code) if code else 0
    return call.services.registrations.begin(code, uses=uses, address=call.address)


def whoami(call: Call) -> Reply:
    """Show whose token this is, what it may do and how often."""
    who = call.who
    assert who is not None  # the scope of the endpoint needs a token
    limits = limits_of(call.services.settings)
    caller = {"id": who.id, "name": who.name, "owner": who.owner, "kind": who.kind}
    role = ROLES.get(who.kind, who.kind)
    return Reply({**caller, "role": role, "scopes": list(who.scopes), "limits": limits})


def rotate_token(call: Call) -> Reply:
    """Get a new token; the old one is worth nothing from now on."""
    return Reply({"id": call.caller, "token": call.referee.rotate_token(call.caller)})


def rename_bot(call: Call) -> Reply:
    """Give the bot of this token another name.

    Names are checked as at the registration. The id, the owner and all results stay; record files
    that were written keep the former name, which is free from now on. A bot that the document of
    one of its sessions names (an anchor, a benchmark, a finalist ...) keeps its name.
    """
    return Reply(call.referee.rename(call.caller, call.body["name"]))


def retire_bot(call: Call) -> Reply:
    """Retire the bot of this token: the token is worth nothing from now on.

    It is withdrawn from every session that is not over and enters none any more. Its name stays
    taken, its results stay. Only an organiser can restore it.
    """
    return Reply(call.referee.retire(call.caller))


def enter_session(call: Call) -> Reply:
    """Enter an open session. Doing it twice is harmless.

    With `chance`, 32 random bytes of its own, a bot has a part in the key of all deals. The first
    ones that come before the start stay: sent again, or left out, the answer is the same; other
    ones, and any after the start, are refused. Nobody is shown them before they are mixed in.
    """
    given = call.body.get("chance")
    chance = None if given is None else read_chance(given)
    return Reply(call.referee.enter(call.path["session"], call.caller, chance=chance))


def leave_session(call: Call) -> Reply:
    """Withdraw from a session.

    Before it starts this leaves no trace; later the referee answers for the bot in the hands that
    remain. Results stay.
    """
    return Reply(call.referee.leave(call.path["session"], call.caller))


def poll_turns(call: Call) -> Reply:
    """Get every turn that waits for this bot, over all its tables.

    With `wait` the request is held until there is one (long-poll). A cursor in `after` leaves out
    the turns that were in an earlier answer; without it every open turn is sent again. A newer
    poll of the same token and cursor releases the older one at once, with no turns. A wait of 5 s
    or more may end up to a fifth early, so that bots do not come back all at once: poll again.
    `as=text` gives the same in English, for language models; problems are JSON there too.
    """
    document, credit = _poll(call, call.query["wait"])
    return Reply(document, credit=credit) if call.query["as"] == "json" else _text(document, credit)


def answer_turn(call: Call) -> Reply:
    """Answer one turn.

    The turn is its own idempotency key: the same answer sent again gets the same 200, with
    `replayed` true. With `wait` the next turns come in `next` of the same answer, as from a poll;
    with `as=text` they come in English, below a line that says that the answer was accepted.
    """
    turn = call.path["turn"]
    try:
        document = call.referee.answer(call.caller, turn, call.body)
    except ArenaError as error:
        raise _with_example(call, turn, error) from error
    wait_s = call.query["wait"]
    if wait_s is not None:
        polled = _poll(call, wait_s)[0]
        if call.query["as"] == "text":
            return _text(polled, 2.0, accepted_in_words(document))
        document = {**document, **_next(polled)}
    if call.query["as"] == "text":
        return Reply(accepted_in_words(document).encode(), credit=2.0, media=TEXT_MEDIA)
    return Reply(document, credit=2.0)


def answer_turns(call: Call) -> Reply:
    """Answer many turns and wait for the next ones, in one request.

    Each answer has a result of its own, in order; one that was not accepted carries its status and
    its problem, and then the request does not wait. This is the fast lane.
    """
    answers = call.body["answers"]
    outcomes = call.referee.answer_many(call.caller, answers) if answers else []
    results = [_result(call, outcome) for outcome in outcomes]
    accepted = sum(1 for one in results if one["status"] == 200)
    refused = len(results) - accepted
    wait_s = 0.0 if refused else call.query["wait"]
    polled, credit = _poll(call, wait_s)
    document = {"results": results, **_next(polled)}
    return Reply(document, credit=accepted - refused + (1.0 if results else credit))


def malformed_answer(unread: Malformed) -> Problem:
    """An answer to one turn that could not be read counts as a refused one."""
    return _counted(unread, [unread.path["turn"]])


def malformed_answers(unread: Malformed) -> Problem:
    """Of many answers each that is malformed counts for the turn that it names, once a request.

    Where none of them names a turn nobody knows which was meant: then the turn counts that has
    waited longest of those that the bot has got.
    """
    return _counted(unread, _named_turns(unread) or None)


def _counted(unread: Malformed, turns: list[str] | None) -> Problem:
    problem = unread.problem
    notice = unread.referee.malformed(unread.caller, turns)
    if not notice:
        return problem
    detail = clip(problem.detail, room=len(notice) + 1) + notice
    over = {"turn_over": True} if turns is not None and len(turns) == 1 else {}
    members = {**problem.members, **over}
    return Problem(problem.code, detail, members=members, headers=problem.headers)


def _named_turns(unread: Malformed) -> list[str]:
    """The turns of those entries that have a fault."""
    answers = (unread.body or {}).get("answers")
    if not isinstance(answers, list):
        return []
    matches = (FAULTY_ENTRY.match(each["pointer"]) for each in unread.problem.members["errors"])
    entries = [answers[int(match[1])] for match in matches if match]
    turns = [entry.get("turn") for entry in entries if isinstance(entry, dict)]
    return list(dict.fromkeys(turn for turn in turns if isinstance(turn, str)))


def turns_ledger(call: Call) -> Reply:
    """Show what each turn of this bot has cost it: offered, first seen, answered, charged.

    By session, then in playing order; of all turns, or of one session, table or hand. Turns that
    wait come with what has been counted so far. A bot sees its own turns only.
    """
    return Reply(call.queries.ledger(call.caller, **call.query))


def bot_ledger(call: Call) -> Reply:
    """Show the staff what each turn of a bot, by id or name, has cost it."""
    return Reply(call.queries.ledger(call.path["bot"], **call.query, staff=True))


def _poll(call: Call, wait_s: float) -> tuple[dict[str, Any], float]:
    """The open turns, and the units to give back."""
    started = call.services.monotonic()
    query = call.query
    document = call.referee.turns(
        call.caller,
        query["after"],
        query["max"],
        wait_ms=round(wait_s * 1000),
        hints=query["legal"],
        client=call.environ.get("HTTP_USER_AGENT", ""),
    )
    ended_empty = not document["turns"] and call.services.monotonic() - started >= LONG_POLL_S
    return document, 1.0 if ended_empty else 0.0


def _text(polled: Mapping[str, Any], credit: float, before: str = "") -> Reply:
    """A poll in words; before: what comes above it."""
    says = turns_in_words(polled["turns"], polled["poll_after_ms"], polled["cursor"])
    text = f"{before}\n{says}\n" if before else f"{says}\n"
    return Reply(text.encode(), credit=credit, media=TEXT_MEDIA)


def accepted_in_words(document: Mapping[str, Any]) -> str:
    """What an accepted answer is told in words."""
    return "Accepted before; nothing was done.\n" if document["replayed"] else "Accepted.\n"


def _next(polled: Mapping[str, Any]) -> dict[str, Any]:
    """The members of a poll as they come with an answer."""
    return {
        "next": polled["turns"],
        "poll_after_ms": polled["poll_after_ms"],
        "cursor": polled["cursor"],
    }


def _result(call: Call, outcome: dict[str, Any]) -> dict[str, Any]:
    """One entry of `results`: as the referee answered it, an error as its problem document."""
    error = outcome.get("error")
    if not isinstance(error, ArenaError):
        return outcome
    problem = _with_example(call, outcome["turn"], error)
    document = problem.document(call.request_id)
    return {"turn": outcome["turn"], "status": problem.status, "problem": document}


def _with_example(call: Call, turn: str, error: ArenaError) -> Problem:
    """The problem of a failed answer; where another answer would help, with one that is legal."""
    problem = from_arena(error)
    members = {**problem.members, "turn": turn}
    if isinstance(error, Refused | BadInput):
        example = call.referee.example(call.caller, turn)
        members |= {"example": example} if example else {}
        members |= {} if call.referee.is_open(call.caller, turn) else {"turn_over": True}
    return Problem(problem.code, problem.detail, members=members, headers=problem.headers)


def limits_of(settings: Settings) -> dict[str, Any]:
    """The limits of a token, as they are announced."""
    return {
        "body_bytes": settings.max_body_bytes,
        "wait_s": settings.max_wait_ms / 1000,
        "turns_per_poll": settings.max_turns,
        "answers_per_request": settings.max_turns,
        "requests_per_s": settings.requests_per_s,
        "burst": settings.request_burst,
    }


def poll_params(settings: Settings, *, wait: float | None) -> tuple[Param, ...]:
    """The parameters of a poll; `wait` is the default for how long it may take, in seconds."""
    longest = settings.max_wait_ms // 1000
    most = settings.max_turns
    return (
        Param("wait", "number", "Seconds to wait for a turn; 0 asks once.", wait, most=longest),
        Param("max", "integer", "The most turns to get.", min(32, most), least=1, most=most),
        Param("after", "integer", "The cursor of an earlier answer: only newer turns."),
        Param("legal", "flag", "0 leaves out the list of legal answers.", default=True),
    )


def ledger_params() -> tuple[Param, ...]:
    """The parameters of a clock ledger."""
    return (
        Param("session", "text", "Only turns of this session."),
        Param("table", "text", "Only turns of this table."),
        Param("hand", "text", "Only turns of this hand."),
        Param("after", "text", "The turn that the page before ended with, from its `next`."),
        Param("limit", "integer", "The most turns to get.", 100, least=1, most=500),
    )


def endpoints(settings: Settings) -> tuple[Endpoint, ...]:
    """The routes for bots."""
    poll = poll_params(settings, wait=0.0)
    answer = poll_params(settings, wait=None)
    ledger, ledger_codes = ledger_params(), (Code.NOT_FOUND, Code.BAD_VALUE)
    bot, answer_cost = Scope.BOT, RateCost.ANSWER
    turn_codes = (
        *(Code.BAD_VALUE, Code.NOT_FOUND, Code.CONFLICT, Code.DAMAGED, Code.TOO_LATE),
        Code.ILLEGAL,
    )
    session_codes = (Code.NOT_FOUND, Code.CONFLICT, Code.BAD_VALUE)
    return (
        Endpoint(
            "POST",
            "/bots",
            register,
            "registered",
            body="registration",
            status=201,
            rate_cost=RateCost.REGISTRATION,
            codes=(Code.BAD_VALUE, Code.FORBIDDEN, Code.CONFLICT, Code.UNAVAILABLE),
            most_bytes=MOST_REGISTRATION_BYTES,
        ),
        Endpoint("GET", "/whoami", whoami, "whoami", Scope.ANY_TOKEN),
        Endpoint("POST", "/whoami/token", rotate_token, "token", Scope.ANY_TOKEN),
        Endpoint(
            "PATCH",
            "/whoami",
            rename_bot,
            "bot",
            bot,
            "bot_change",
            codes=(Code.BAD_VALUE, Code.CONFLICT),
        ),
        Endpoint(
            "POST", "/whoami/retire", retire_bot, "bot", bot, codes=(Code.BAD_VALUE, Code.CONFLICT)
        ),
        Endpoint(
            "PUT",
            "/sessions/{session}/entry",
            enter_session,
            "entry",
            bot,
            "entry_request",
            optional_body=True,
            codes=session_codes,
        ),
        Endpoint(
            "DELETE", "/sessions/{session}/entry", leave_session, "entry", bot, codes=session_codes
        ),
        Endpoint("GET", "/turns", poll_turns, "turns", bot, query=(*poll, AS), medias=(TEXT,)),
        Endpoint(
            "GET", "/turns/ledger", turns_ledger, "ledger", bot, query=ledger, codes=ledger_codes
        ),
        Endpoint(
            "GET",
            "/bots/{bot}/ledger",
            bot_ledger,
            "ledger",
            Scope.VIEWER,
            query=ledger,
            codes=ledger_codes,
        ),
        Endpoint(
            "POST",
            "/turns",
            answer_turns,
            "results",
            bot,
            "answers",
            query=poll,
            rate_cost=answer_cost,
            most_values=MOST_VALUES + VALUES_OF_ANSWER * settings.max_turns,
            most_entries=(("answers", settings.max_turns),),
            on_malformed=malformed_answers,
        ),
        Endpoint(
            "POST",
            "/turns/{turn}",
            answer_turn,
            "accepted",
            bot,
            "answer",
            query=(*answer, AS),
            rate_cost=answer_cost,
            codes=turn_codes,
            medias=(TEXT,),
            on_malformed=malformed_answer,
        ),
    )
