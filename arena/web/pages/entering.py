"""How to enter a session: what to type, with the address of this very server."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping
from typing import Any, NamedTuple
from urllib.parse import quote

from arena.statuses import RegistrationMode, SessionStatus
from arena.web.api.services import Call

HOST = re.compile(r"[A-Za-z0-9._-]+(:[0-9]{1,5})?|\[[0-9A-Fa-f:.]+\](:[0-9]{1,5})?", re.ASCII)
CLOSED_ROSTER = "The organiser enters the bots of this session."
CLOSED_ARENA = "Bots are registered by the organiser of this arena: ask for a token, then enter."


class Entering(NamedTuple):
    """What stands on the page. closed: why nobody can enter by themselves, else empty. kit, plain:
    what to type. code: does it need an enrolment code?"""

    closed: str
    kit: str
    plain: str
    code: bool


def entering(call: Call, session: Mapping[str, Any]) -> Entering | None:
    """How to enter a session; None if it is not open."""
    if session["status"] != SessionStatus.OPEN:
        return None
    registration = call.services.settings.registration
    if not session["roster"]["open"]:
        return Entering(CLOSED_ROSTER, "", "", code=False)
    if registration == RegistrationMode.CLOSED:
        return Entering(CLOSED_ARENA, "", "", code=False)
    code = registration == RegistrationMode.CODE
    origin, name = address(call), session["session"]
    return Entering("", _kit(origin, name, code), _plain(origin, name, code), code)


def address(call: Call) -> str:
    """The address of this server, as the reader knows it."""
    environ, settings = call.environ, call.services.settings
    host = environ.get("HTTP_HOST", "")
    scheme = environ.get("HTTP_X_FORWARDED_PROTO") or environ.get("wsgi.url_scheme", "http")
    if not HOST.fullmatch(host):
        host = f"{settings.host}:{settings.port}"
    return f"{'https' if scheme == 'https' else 'http'}://{host}"


def _kit(origin: str, session: str, code: bool) -> str:
    more = " --code CODE" if code else ""
    return f"python first_bot.py --url {origin} --session {shlex.quote(session)}{more}"


def _plain(origin: str, session: str, code: bool) -> str:
    api = f"{origin}/api/v1"
    body = '{"name": "my-bot"' + (', "code": "CODE"' if code else "") + "}"
    token = '-H "Authorization: Bearer $ARENA_TOKEN"'
    return "\n".join(
        [
            f"curl --json '{body}' {api}/bots",
            f"curl -X PUT {token} {shlex.quote(f'{api}/sessions/{quote(session)}/entry')}",
            f"curl {token} '{api}/turns?wait=25'",
        ]
    )
