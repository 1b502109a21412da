"""Organisers, assistants, viewers and enrolment codes: made, listed, revoked.

What each of the roles may do is said by the endpoints that it may call. This module knows nothing
of sessions and hands.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

import orjson

from arena.clock import Clock, instant
from arena.documents import Document
from arena.errors import BadInput, NotFound
from arena.identity.codes import FOREVER_MS, ID_LENGTH, code_id
from arena.identity.registry import Registry
from arena.statuses import BotKind
from arena.store.port import AuditRow, BotRow, CodeRow, RevokeCode, Store
from arena.store.reading import all_rows

KINDS: Mapping[str, BotKind] = MappingProxyType(
    {"organiser": BotKind.ADMIN, "assistant": BotKind.ASSISTANT, "viewer": BotKind.VIEWER}
)
"""The kind of row of each role."""
ROLES: Mapping[str, str] = MappingProxyType({kind: role for role, kind in KINDS.items()})


def kind_of(role: str) -> BotKind:
    """The kind of row of a role. Raises BadInput."""
    if role not in KINDS:
        raise BadInput("role", role, f"one of {', '.join(KINDS)}")
    return KINDS[role]


class Organisers:
    """Who has a token that is no bot's, and the enrolment codes. Everything done is audited."""

    def __init__(
        self,
        registry: Registry,
        store: Store,
        clock: Clock,
        *,
        on_revoke: Callable[[str], None],
    ) -> None:
        """on_revoke: is called with the id of somebody whose token is worth nothing any more."""
        self._registry = registry
        self._store = store
        self._clock = clock
        self._on_revoke = on_revoke

    def create(self, name: str, *, role: str, actor: str) -> tuple[Document, str]:
        """Somebody new, and the token, shown only now.

        Raises BadInput for the name or the role, Conflict for a name that is taken.
        """
        row, token = self._registry.create_staff(name, kind=kind_of(role), actor=actor)
        return organiser_document(row), token

    def all(self) -> Document:
        """``{"organisers": [{"id", "name", "role", "created", "revoked"}]}``, by name."""
        return {"organisers": [organiser_document(row) for row in self._registry.staff()]}

    def revoke(self, organiser: str, *, actor: str) -> Document:
        """Take somebody's token away, by id or name.

        Raises NotFound; Conflict for the last organiser, who could not be replaced over HTTP.
        """
        registry = self._registry
        row = registry.row(organiser)
        if row.kind not in ROLES:
            raise NotFound("organiser", f"there is no organiser {organiser!r}")
        if not row.revoked:
            registry.revoke(row.id, actor)
        self._on_revoke(row.id)
        return organiser_document(row._replace(revoked=True))

    def codes(self) -> Document:
        """``{"codes": [...]}``, by label; see `code_document`."""
        rows = all_rows(lambda after: self._store.codes(after=after), "", lambda row: row.code_hash)
        ordered = sorted(rows, key=lambda row: (row.label, row.code_hash))
        now_ms = self._clock.now_ms()
        return {"codes": [code_document(row, now_ms) for row in ordered]}

    def revoke_code(self, code: str, *, actor: str) -> Document:
        """Make an enrolment code worth nothing, by its id in `codes`; the code after it.

        Bots that were registered with it stay. Doing it again is harmless. Raises NotFound.
        """
        row = self._code(code)
        now_ms = self._clock.now_ms()
        if not row.revoked:
            detail = orjson.dumps({"code": code, "label": row.label}).decode()
            noted = AuditRow(now_ms, actor, "code.revoke", detail)
            self._store.write(RevokeCode(row.code_hash), noted)
            self._registry.codes.read_again(row)
        return code_document(row._replace(revoked=True), now_ms)

    def _code(self, code: str) -> CodeRow:
        """The code whose hash begins so."""
        candidates = self._store.codes(after=code, limit=1) if len(code) == ID_LENGTH else ()
        for row in candidates:
            if row.code_hash.startswith(code):
                return row
        raise NotFound("code", f"there is no enrolment code {code!r}")


def organiser_document(row: BotRow) -> Document:
    """``{"id", "name", "role", "created", "revoked"}``."""
    return {
        "id": row.id,
        "name": row.name,
        "role": ROLES[row.kind],
        "created": instant(row.created_ms),
        "revoked": row.revoked,
    }


def code_document(row: CodeRow, now_ms: int) -> Document:
    """A code as it is listed; the code itself is not known.

    ``{"id", "label", "owner", "uses", "uses_left", "created", "expires", "revoked", "usable"}``
    """
    good = row.uses_left > 0 and row.expires_ms > now_ms and not row.revoked
    return {
        "id": code_id(row),
        "label": row.label,
        "owner": row.owner or None,
        "uses": row.uses,
        "uses_left": row.uses_left,
        "created": instant(row.created_ms) if row.created_ms else None,
        "expires": None if row.expires_ms == FOREVER_MS else instant(row.expires_ms),
        "revoked": row.revoked,
        "usable": good,
    }
