"""Forms of pages, and the one cookie there is: that of a person who plays in a browser.

The cookie holds a token that is good at `/seat` and as any bot's is; scripts cannot read it and no
other site can have it sent. A form is taken only from our own pages: the browser says where it
comes from, and it brings a text that only who has the cookie could know. This module may not know
what a form means.
"""

from __future__ import annotations

import hmac
import re
from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import Any
from urllib.parse import parse_qs, urlsplit

from werkzeug.http import dump_cookie

from arena.errors import BadInput
from arena.web.api.middleware import FORM_MEDIA
from arena.web.api.problems import Code, Problem

SEAT_COOKIE = "arena_seat"
OWN_COOKIE = re.compile(rf"(?:^|;)[ \t]*{SEAT_COOKIE}=([^;]*)")
SEAT_PATH = "/seat"
FORM_TOKEN = "csrf"
MOST_FORM_BYTES = 8_192
MOST_FIELDS = 256
LONGEST_FIELD = 2_000

Form = Mapping[str, Sequence[str]]


def read_form(media: str, body: bytes) -> dict[str, Any]:
    """The fields of a form, each with all its texts. Raises Problem (`bad_request`)."""
    if media.partition(";")[0].strip().lower() != FORM_MEDIA:
        raise Problem(Code.BAD_REQUEST, f"A form must be sent as {FORM_MEDIA}.")
    try:
        fields = parse_qs(body.decode("ascii"), True, errors="strict", max_num_fields=MOST_FIELDS)
    except ValueError:
        raise Problem(
            Code.BAD_REQUEST, "The form cannot be read, or has too many fields."
        ) from None
    if any(len(text) > LONGEST_FIELD for texts in fields.values() for text in texts):
        raise Problem(Code.BAD_REQUEST, f"A field has more than {LONGEST_FIELD} characters.")
    return dict(fields)


def first_text(form: Form, name: str, default: str = "") -> str:
    """The first text of a field, or the default where the field was not sent."""
    return form.get(name, (default,))[0]


def whole_number(name: str, text: str, expected: str = "a whole number") -> int:
    """The number that a field holds. Raises BadInput."""
    if not (text.isascii() and text.isdigit() and len(text) < 6):
        raise BadInput(name, text[:20], expected)
    return int(text)


def seat_cookie(environ: Mapping[str, Any]) -> str:
    """The token in the cookie of a request; "" if there is none.

    The other cookies are not read: they may be very many, and hold any bytes.
    """
    sent = environ.get("HTTP_COOKIE", "")
    match = OWN_COOKIE.search(sent) if SEAT_COOKIE in sent else None
    return match[1].strip() if match else ""


def new_cookie(environ: Mapping[str, Any], token: str, *, max_age_s: int) -> str:
    """The header that sets the cookie; for TLS only, where the page came by TLS."""
    return dump_cookie(
        SEAT_COOKIE,
        token,
        max_age=max_age_s,
        path=SEAT_PATH,
        secure=_by_tls(environ),
        httponly=True,
        samesite="Strict",
    )


def _by_tls(environ: Mapping[str, Any]) -> bool:
    """Did the page come by TLS? Whoever says so wrongly only loses a cookie of their own."""
    return (
        environ.get("wsgi.url_scheme") == "https"
        or environ.get("HTTP_X_FORWARDED_PROTO") == "https"
        or environ.get("HTTP_ORIGIN", "").startswith("https://")
    )


def form_token(cookie: str) -> str:
    """What each form of a page brings back, by which it is known to be of a page that this cookie
    was sent for; "" where there is no cookie."""
    return sha256(f"form of {cookie}".encode()).hexdigest()[:32] if cookie else ""


def check_form(environ: Mapping[str, Any], form: Form, *, needs_cookie: bool) -> None:
    """Does a form come from one of our own pages? needs_cookie: of somebody who sits at a table.

    Raises Problem (`forbidden`).
    """
    cookie = seat_cookie(environ)
    sent = first_text(form, FORM_TOKEN)
    good = bool(cookie) and hmac.compare_digest(sent.encode(), form_token(cookie).encode())
    if (needs_cookie and not good) or not _from_here(environ, unknown=good):
        detail = "This form does not come from a page of this arena, or from one of another table."
        raise Problem(Code.FORBIDDEN, f"{detail} Open the page again, then send it from there.")


def _from_here(environ: Mapping[str, Any], *, unknown: bool) -> bool:
    """Does the browser say that the form is of this site? unknown: what holds if it does not."""
    site = environ.get("HTTP_SEC_FETCH_SITE")
    if site is not None:
        return bool(site == "same-origin")
    origin = environ.get("HTTP_ORIGIN")
    if origin is None:
        return unknown
    return urlsplit(str(origin)).netloc == environ.get("HTTP_HOST")
