"""The files that pages refer to: each is served under a name with its digest in it, so that it may
be kept for ever."""

from __future__ import annotations

import hashlib
import re
from importlib.resources import files
from typing import NamedTuple

from arena.errors import NotFound
from arena.web.api.documents import document_of
from arena.web.api.endpoints import Endpoint, Reply
from arena.web.api.problems import Code
from arena.web.api.services import Call
from arena.web.pages.verifier import shared_functions

FOR_EVER = {"Cache-Control": "public, max-age=31536000, immutable"}
SCRIPT = "text/javascript; charset=utf-8"


class Asset(NamedTuple):
    """A file as it is sent. path: with the digest of its bytes."""

    path: str
    body: bytes
    media: str
    etag: str


def _asset(name: str, media: str, *more: str) -> Asset:
    """A file of `static`, or several as one, which costs a browser one request."""
    folder = files("arena.web.pages") / "static"
    body = b"\n".join((folder / part).read_bytes() for part in (name, *more))
    return _of_bytes(name, media, _compact(body) if name.endswith(".css") else body)


def _of_bytes(name: str, media: str, body: bytes) -> Asset:
    stem, _, suffix = name.rpartition(".")
    path = f"/static/{stem}.{hashlib.sha256(body).hexdigest()[:16]}.{suffix}"
    return Asset(path, *document_of(body, media))


def _compact(sheet: bytes) -> bytes:
    """A stylesheet without the spaces and last semicolons that are there for people who read the
    file; ours has no comments, and no text in which such a space would be of matter."""
    dense = re.sub(rb"\s*([{};,]|(?<=[a-z]): )\s*", lambda found: found[1].strip(), sheet)
    return dense.replace(b";}", b"}")


STYLESHEET = _asset("arena.css", "text/css; charset=utf-8")
ICON = _asset("icon.svg", "image/svg+xml")
VIEWER = _asset("viewer.js", SCRIPT, "viewer-replay.js", "viewer-controls.js")
VERIFY = _asset("verify.js", SCRIPT)
PROOFS = _of_bytes("proofs.js", SCRIPT, shared_functions())
SEAT = _asset("seat.js", SCRIPT)
INVITATION = _asset("invitation.js", SCRIPT)
CEREMONY = _asset("ceremony.js", SCRIPT)
LIVE = _asset("live.js", SCRIPT, "stream.js")
PARTS = _asset("parts.js", SCRIPT, "stream.js")
STAFF = _asset("staff.js", SCRIPT)
RULES = _asset("rules.js", SCRIPT)
ALL = (
    *(STYLESHEET, ICON, VIEWER, VERIFY, PROOFS, SEAT, INVITATION, CEREMONY, LIVE, PARTS, STAFF),
    RULES,
)
ASSETS = {asset.path.rpartition("/")[2]: asset for asset in ALL}


def show_asset(call: Call) -> Reply:
    """Get a file that pages refer to. Its name changes with its bytes, so it may be kept."""
    asset = ASSETS.get(call.path["file"])
    if asset is None:
        raise NotFound(call.path["file"], "no such file; pages name those that there are")
    return Reply(asset.body, media=asset.media, headers=FOR_EVER, etag=asset.etag)


def endpoints() -> tuple[Endpoint, ...]:
    """The route of these files."""
    medias = tuple(sorted({asset.media.partition(";")[0] for asset in ASSETS.values()}))
    route, codes = "/static/{file}", (Code.NOT_FOUND,)
    return (Endpoint("GET", route, show_asset, codes=codes, medias=medias, further=(304,)),)
