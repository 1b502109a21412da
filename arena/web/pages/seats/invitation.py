"""An invitation in the browser: the code, what it leads to, and accepting it.

The code is in the fragment of the link, which no browser sends: no log and no other site ever has
it in an address. A script puts it into the form; without one it is typed or pasted there. It is
only looked at until it is accepted.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import orjson

from arena.errors import BadInput, Conflict, Forbidden
from arena.organising.invitations import Invited
from arena.session.times import countdown, left_ms
from arena.web.api.browser_forms import (
    check_form,
    first_text,
    form_token,
    new_cookie,
    seat_cookie,
)
from arena.web.api.endpoints import Endpoint, RateCost, Reply, Scope, View
from arena.web.api.problems import Code, from_arena
from arena.web.api.services import Call
from arena.web.pages.seats.table import MEDIAS, Notice, page_of_forms, to_seat
from arena.web.pages.seats.wording import clock_words

COOKIE_S = 90 * 86_400
"""How long a browser keeps its seat: sessions may begin in weeks."""
BAD = (BadInput, Conflict, Forbidden)


def invitation_page(call: Call) -> Reply:
    """Enter the code of an invitation to play in a session."""
    return _code_page(call)


def open_invitation(call: Call) -> Reply:
    """See what an invitation leads to, and choose a name. Nothing is accepted yet."""
    check_form(call.environ, call.body, needs_cookie=False)
    code = first_text(call.body, "code")
    try:
        return _accept_page(call, _find(call, code), code)
    except BAD as error:
        return _refused(call, error, code)


def accept_invitation(call: Call) -> Reply:
    """Accept an invitation: the browser has the seat from now on."""
    check_form(call.environ, call.body, needs_cookie=False)
    code, name = first_text(call.body, "code"), first_text(call.body, "name").strip()
    person = None if call.who is None else call.who.id
    try:
        invited = _find(call, code)
    except BAD as error:
        return _refused(call, error, code)
    try:
        _check_seat(call, person)
        seated = call.referee.invitations.accept(code, name, person)
    except BAD as error:
        notice = Notice("You are not in yet", str(error))
        return _accept_page(call, invited, code, name, notice, status=from_arena(error).status)
    token = seated.token or seat_cookie(call.environ)
    return to_seat({"Set-Cookie": new_cookie(call.environ, token, max_age_s=COOKIE_S)})


def _find(call: Call, code: str) -> Invited:
    """What a code leads to. Wrong ones are counted as wrong enrolment codes are."""
    invitations, registrations = call.referee.invitations, call.services.registrations
    try:
        found = invitations.find(code)
    except BAD:
        registrations.begin(code, uses=0, address=call.address).refused()
        raise
    registrations.begin(code, uses=1, address=call.address)
    return found


def _check_seat(call: Call, person: str | None) -> None:
    """This browser has one seat: another one would be lost with its cookie. Raises Conflict."""
    seat = None if person is None else call.referee.casual.at(person)[0]
    if seat is not None and not seat.over and not seat.left:
        message = "this browser has a seat already: leave it first, or use another browser"
        raise Conflict("seat", message)


def _refused(call: Call, error: BadInput | Conflict | Forbidden, code: str) -> Reply:
    notice = Notice("This invitation cannot be accepted", str(error))
    return _code_page(call, code, notice, status=from_arena(error).status)


def _code_page(
    call: Call, code: str = "", notice: Notice | None = None, *, status: int = 200
) -> Reply:
    return _page(call, {"code": code, "notice": notice, "invited": None}, status)


def _accept_page(
    call: Call,
    invited: Invited,
    code: str,
    name: str = "",
    notice: Notice | None = None,
    *,
    status: int = 200,
) -> Reply:
    document = orjson.loads(invited.session.document)
    starts = document["starts"]
    now_ms = call.queries.clock.wall_ms()
    values = {
        "code": code,
        "notice": notice,
        "invited": invited.invitation,
        "name": name or (call.who.name if call.who else ""),
        "session": document,
        "session_id": invited.session.id,
        "starts": starts,
        "starts_in": "" if starts is None else countdown(left_ms(starts, now_ms)),
        "clock": clock_words(invited.time_control),
    }
    return _page(call, values, status)


def _page(call: Call, values: Mapping[str, Any], status: int) -> Reply:
    csrf = form_token(seat_cookie(call.environ))
    return page_of_forms("invitation.html", {"csrf": csrf, **values}, status)


def endpoints() -> tuple[Endpoint, ...]:
    """The routes for people who are invited."""
    return (
        Endpoint("GET", "/seat/invitation", invitation_page, scope=Scope.SEAT, medias=MEDIAS),
        _form("/seat/invitation", open_invitation, 200),
        _form("/seat/accept", accept_invitation, 303),
    )


def _form(path: str, view: View, status: int) -> Endpoint:
    return Endpoint(
        "POST",
        path,
        view,
        scope=Scope.SEAT,
        form=True,
        status=status,
        rate_cost=RateCost.REGISTRATION,
        codes=(Code.BAD_VALUE, Code.CONFLICT),
        medias=MEDIAS,
    )
