"""Enrolment: who may register a bot, and whose it is.

An owner is what has been proven: what a code says, what an organiser says, or the owner of the bot
whose token came along. Where registration is open a bot may come with nothing, and with the code of
a class, which names no owner; then it brings an owner in that nobody else has, which proves nothing
about persons. How often somebody may try is for
the web; how many bots there may be is decided here.
"""

from __future__ import annotations

import itertools
import math
import threading
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import orjson

from arena.clock import Clock
from arena.errors import BadInput, Conflict, Forbidden, TooMany
from arena.identity.codes import check_owners, check_unclaimed, code_id, create_codes, new_code
from arena.identity.registry import SCOPES, Identity, Registry
from arena.pacing import Pieces
from arena.session.names import check_name, check_owner
from arena.session.owners import owner_key, same_owner
from arena.settings import Settings
from arena.statuses import BotKind, RegistrationMode
from arena.store.port import AuditRow, BotRow, Change, CodeRow, Store, UseCode

OPEN, CODE, TOKEN, ORGANISER = "open", "code", "token", "organiser"
"""How a bot was registered. Words of the store's rows."""
HOUR_MS = 3_600_000
TRIES = 3
OPERATOR = Identity("", "operator", "", BotKind.ADMIN, SCOPES[BotKind.ADMIN])
"""Who runs this process: registers as an organiser does."""


class Registration(NamedTuple):
    """What is asked for. owner: None if the caller names none."""

    name: str
    owner: str | None = None
    code: str | None = None


class OwnerProof(NamedTuple):
    """What shows whose a bot is. owner: None if the registration brings in an owner of its own."""

    origin: str
    proven: bool
    owner: str | None = None
    code: CodeRow | None = None


class Claim(NamedTuple):
    """Whose a bot becomes. founder: it brings the owner in; owned: bots the owner has already."""

    owner: str
    founder: bool
    owned: int = 0


class Enrolment:
    """Registers bots, one after the other."""

    def __init__(
        self,
        registry: Registry,
        store: Store,
        clock: Clock,
        settings: Settings,
        *,
        pieces: Callable[[], Pieces] = Pieces,
    ) -> None:
        self._registry = registry
        self._codes = registry.codes
        self._store = store
        self._clock = clock
        self._settings = settings
        self._pieces = pieces
        self._lock = threading.Lock()

    def enrol(self, asked: Registration, by: Identity | None) -> tuple[BotRow, str]:
        """A new bot and its token. by: whose token came along, None for nobody's.

        Raises BadInput for a bad name and for an owner other than the one that is proven, Forbidden
        where the arena asks for a code or for an organiser, Conflict for a name or an owner that is
        taken and for the ceilings, TooMany for that of an hour.
        """
        check_name(asked.name)
        if asked.owner is not None:
            check_owner(asked.owner)
        with self._lock:
            for _ in range(TRIES):
                proof = self._proof(asked, by)
                try:
                    return self._registered(asked, proof, by)
                except _Changed:
                    continue
        raise Conflict("name", "others register the same just now; try again")

    def create_codes(
        self,
        label: str,
        owners: Sequence[str] | None,
        *,
        uses: int,
        actor: str,
        valid_ms: int | None = None,
    ) -> list[dict[str, Any]]:
        """New codes, ``{"id", "code", "label", "owner", "uses", "expires"}``, shown only now: one
        for each owner; None for one code that names no owner.

        Used once, that takes its label for owner; with more uses each registration gets an owner of
        its own. Raises BadInput; Conflict if a bot has claimed an owner that it has not proven.
        """
        most, pieces = self._settings.bots_per_owner, self._pieces()
        if owners is not None:
            check_owners(owners, pieces)
            if uses > most:
                expected = f"at most {most} for one owner (the setting bots_per_owner)"
                raise BadInput("uses", uses, expected)
        now_ms = self._clock.now_ms()
        codes = []
        for owner in [None] if owners is None else owners:
            pieces.pause()
            code = new_code(
                label, uses=uses, owner=owner, valid_ms=valid_ms, now_ms=now_ms, made_by=actor
            )
            codes.append(code)
        with self._lock:  # or an owner is claimed after it was found to be nobody's
            if owners is None and uses == 1:
                self._check_label(label)
            return create_codes(
                self._codes, self._store, codes, actor=actor, now_ms=now_ms, pieces=pieces
            )

    def _check_label(self, label: str) -> None:
        """Two codes of one label would silently make one owner of two persons. Raises Conflict."""
        if self._codes.reserves(owner_key(label)):
            message = f"a code for the owner {label!r} is there already"
            raise Conflict("label", f"{message}: choose another label, or name the owner (--owner)")

    def _registered(
        self, asked: Registration, proof: OwnerProof, by: Identity | None
    ) -> tuple[BotRow, str]:
        self._registry.check_free(asked.name)
        claim = self._claim(asked, proof)
        self._check_room(claim, proof)
        row, token = self._registry.new_bot(asked.name, claim.owner, kind=BotKind.BOT)
        code = "" if proof.code is None else code_id(proof.code)
        row = row._replace(
            founder=claim.founder, proven=proof.proven, origin=proof.origin, code=code
        )
        self._write(row, proof, by)
        return row, token

    def _write(self, row: BotRow, proof: OwnerProof, by: Identity | None) -> None:
        changes: list[Change] = [row]
        now_ms = self._clock.now_ms()
        if proof.code is not None:
            changes.insert(0, UseCode(proof.code.code_hash, now_ms))
        if proof.origin == ORGANISER and by is not None and by.id:
            detail = orjson.dumps({"bot": row.id, "owner": row.owner}).decode()
            changes.append(AuditRow(now_ms, by.id, "bot.register", detail))
        try:
            self._store.write(*changes)
        except Conflict as error:  # the code, the name or the owner is another's meanwhile
            raise _Changed from error
        else:
            self._registry.keep(row)
        finally:
            if proof.code is not None:
                self._codes.read_again(proof.code)

    def _proof(self, asked: Registration, by: Identity | None) -> OwnerProof:
        """What shows whose the bot is. Raises Forbidden, BadInput."""
        if by is not None and asked.code is not None:
            raise BadInput("code", "…", "none, for the token says already whose the bot is")
        if by is not None and "admin" in by.scopes:
            return OwnerProof(ORGANISER, proven=True, owner=asked.owner)
        if by is not None and "play" not in by.scopes:
            raise Forbidden("token", f"the token of {by.name} ({by.kind}) registers no bots")
        if self._settings.registration == RegistrationMode.CLOSED:
            raise Forbidden("registration", "only organisers register bots in this arena")
        if by is not None:
            sibling = self._registry.row(by.id)
            if sibling.revoked:
                raise Forbidden("token", f"the token of {by.name} was revoked")
            return OwnerProof(TOKEN, proven=sibling.proven, owner=sibling.owner)
        if asked.code is not None:
            return self._proof_by_code(asked.code)
        if self._settings.registration == "code":
            raise Forbidden("code", "this arena asks for an enrolment code")
        return OwnerProof(OPEN, proven=False)

    def _proof_by_code(self, code: str) -> OwnerProof:
        row = self._codes.find(code)
        if row is None:
            raise Forbidden("code", "this enrolment code is unknown, used up, revoked or expired")
        # The code of a class says who may come, not that each who comes is somebody else.
        return OwnerProof(CODE, proven=bool(row.owner), owner=row.owner or None, code=row)

    def _claim(self, asked: Registration, proof: OwnerProof) -> Claim:
        """Whose the bot becomes. Raises BadInput, Conflict."""
        if proof.owner is not None:
            return self._joined(asked, proof.owner, proven=proof.proven)
        if proof.origin == CODE:
            own = self._own(asked.name)
            _check_named(asked, own)
            return Claim(own, founder=True)
        wanted = asked.owner or asked.name
        if self._is_taken(wanted, among_names=asked.owner is not None):
            raise Conflict("owner", _taken(wanted, proof))
        return Claim(wanted, founder=True)

    def _joined(self, asked: Registration, owner: str, *, proven: bool) -> Claim:
        """One more bot of an owner, by the spelling that the owner has already.

        What is proven does not join an owner that a bot only claims: it would share seats
        and ceilings with a stranger.
        """
        _check_named(asked, owner)
        rows = self._registry.bots_of(owner)
        if not rows:
            return Claim(owner, founder=True)
        if proven:
            check_unclaimed(owner, rows)
        spelling = next((row.owner for row in rows if row.founder), rows[0].owner)
        live = sum(row.kind == BotKind.BOT and not row.revoked for row in rows)
        return Claim(spelling, founder=False, owned=live)

    def _own(self, name: str) -> str:
        """An owner that nobody else has: the bot's name, or that with a number."""
        numbered = (f"{name}-{number}" for number in itertools.count(2))
        if not self._is_taken(name, among_names=False):
            return name
        return next(each for each in numbered if not self._is_taken(each, among_names=True))

    def _is_taken(self, owner: str, *, among_names: bool) -> bool:
        """Is this somebody's already, or due to somebody with a code?"""
        key = owner_key(owner)
        if self._store.bots_of_owner(key, limit=1) or self._codes.reserves(key):
            return True
        return among_names and self._registry.named(owner) is not None

    def _check_room(self, claim: Claim, proof: OwnerProof) -> None:
        """Is there room for one more, of this owner, in this arena, in this hour?"""
        settings = self._settings
        if claim.owned >= settings.bots_per_owner:
            message = f"{claim.owner!r} has {claim.owned} bots; at most {settings.bots_per_owner}"
            raise Conflict("owner", f"the owner {message} in this arena")
        if self._store.bot_count() >= settings.max_bots:
            raise Conflict("arena", f"this arena is full: {settings.max_bots} bots")
        if proof.origin == OPEN and settings.registrations_per_hour:
            self._check_hour(settings.registrations_per_hour)

    def _check_hour(self, most: int) -> None:
        """Bots that come with nothing may not use up what others need. Raises TooMany."""
        earliest_ms = self._store.registered_ms(OPEN, most)
        now_ms = self._clock.now_ms()
        if earliest_ms is not None and now_ms - earliest_ms < HOUR_MS:
            seconds = max(1, math.ceil((earliest_ms + HOUR_MS - now_ms) / 1_000))
            message = f"{most} bots have been registered in an hour, which is all that may be"
            raise TooMany(f"{message} without a code or an owner's token", retry_after=seconds)


class _Changed(Exception):
    """Something that a registration rests on was no longer so when it was written."""


def _check_named(asked: Registration, owner: str) -> None:
    if asked.owner is not None and not same_owner(asked.owner, owner):
        expected = f"{owner!r}, whose bot this is by its code or token, or no owner"
        raise BadInput("owner", asked.owner, expected)


def _taken(owner: str, proof: OwnerProof) -> str:
    message = f"the owner {owner!r} is somebody's already"
    if proof.origin == ORGANISER:
        return f"{message}: name the owner of this bot"
    return f"{message}: send the token of one of its bots to add a bot to it, or name another owner"
