"""A fake referee: the same methods, no game, every answer known in advance."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, ClassVar, NamedTuple

from arena.documents import Document
from arena.errors import (
    ArenaError,
    BadInput,
    Conflict,
    DamagedHand,
    Forbidden,
    Gone,
    NotFound,
    Reason,
    Refused,
    TooMany,
    Unavailable,
)
from arena.identity.enrolment import Registration
from arena.organising.casual import CasualTable, SeatedPerson
from arena.organising.invitations import Invited, Seat
from arena.proofs.signatures import Signer
from arena.queries.digests import brief
from arena.queries.hand_events import FollowedHand
from arena.queries.seats import SeatAtTable
from arena.queries.standings_snapshot import StandingsSnapshot
from arena.referee.bell import Bell
from arena.referee.computing import LongWork
from arena.referee.live import Hand
from arena.session.names import check_name
from arena.tournament.moves import MoveLog
from arena.tournament.standings import Entrant, compile_standings

ALICE = "dfa_" + "a" * 43
BOB = "dfa_" + "b" * 43
ADMIN = "dfaadm_" + "c" * 43
NOW = "2026-01-31T09:00:00.250Z"
STATUSES = {BadInput: 400, Forbidden: 403, NotFound: 404, Conflict: 409, Gone: 410, Refused: 422}

TURN: Document = {
    "turn": "cup-r01-t01-h001.14.2",
    "kind": "play",
    "session": "cup",
    "table": "cup-r01-t01",
    "hand": "cup-r01-t01-h001",
    "hand_number": 1,
    "hands": 10,
    "seat": 2,
    "fingerprint": "f00d",
    "commitment": "c0ffee",
    "server_time": NOW,
    "deadline": NOW,
    "remaining_ms": 4870,
    "bank_ms": 58210,
    "previous": None,
    "held": ["S3", "D7", "JK"],
    "pile": {"cards": ["H7"], "shape": "set", "size": 1, "rank": "7", "seat": 1},
    "order": "normal",
    "pending_revolution": False,
    "lock": None,
    "direction": "cw",
    "must": None,
    "players": [],
    "events_from": 0,
    "events": [],
    "legal": [{"pass": True}, {"cards": ["JK"]}],
    "legal_more": False,
}


LEDGER: Document = {
    "turn": "cup-r01-t01-h001.14.2",
    "session": "cup",
    "table": "cup-r01-t01",
    "hand": "cup-r01-t01-h001",
    "hand_number": 1,
    "seat": 2,
    "event": 33,
    "offered": NOW,
    "answered": NOW,
    "first_seen_ms": 2,
    "answered_ms": 191,
    "charged_ms": 41,
    "bank_ms": 58210,
    "late": False,
    "cause": None,
    "refused": 0,
    "thought_ms": None,
    "note": None,
}

BRIEF = (
    *("opens", "starts", "freezes", "ends", "publishes"),
    "session",
    "name",
    "status",
    "created",
    "hidden",
    "seats",
    "hands_per_table",
    "ruleset",
    "roster",
)
VIEW: Document = {
    "session": "cup",
    "status": "open",
    "created": NOW,
    "name": "Cup",
    "slug": "cup",
    "ruleset": {"preset": "pagat", "patches": [], "options": {}},
    "seats": 4,
    "hands_per_table": 10,
    "schedule": {"kind": "round_robin", "rounds": None, "rounds_at_once": 1, "house_bots": False},
    "reseat_every": 1,
    "deals": "fresh",
    "deals_may_repeat": False,
    "clock": {},
    "roster": {"open": True, "max_bots": 64, "bots_per_owner": 3},
    "people": {"longest_clock": "x2", "rated": False},
    "legal": True,
    "visibility": "after_hand",
    "publish_reasons": False,
    "notes": False,
    "rated": True,
    "reason": None,
    "anchor": None,
    "benchmarks": [],
    "divisions": [],
    "board": "named",
    "hidden": False,
    **dict.fromkeys(("opens", "starts", "freezes", "ends", "publishes")),
    "times": [],
    "ending": False,
    "options": {},
    "fingerprint": "f00d",
    "secret_commitment": "c0ffee",
    "secret": None,
    "publication": {"results": "live", "since": None, "until": None},
    "void": [],
    "digest": None,
    "entries": [],
    "mixed": None,
    "public_chance": None,
    "public_value": None,
    "design": None,
    "progress": {
        "hands": 0,
        "hands_finished": 0,
        "hands_forfeited": 0,
        "hands_playing": 0,
        "rounds": 0,
    },
}


TABLE: Document = {
    "table": "cup-r01-t01",
    "session": "cup",
    "round": 1,
    "number": 1,
    "status": "finished",
    "players": [],
    "void": None,
    "titles": [],
    "hands": [],
    "overall_winner": None,
}


class Identity(NamedTuple):
    """As the referee's."""

    id: str
    name: str
    owner: str
    kind: str
    scopes: tuple[str, ...]


class FakeClock:
    """Seconds that pass only when a test moves them."""

    def __init__(self) -> None:
        self.now = 1_000.0

    def __call__(self) -> float:
        return self.now

    def wall_ms(self) -> int:
        return int(self.now * 1_000)


class FakeOrganisers:
    """Organisers and codes: there is one of each."""

    organiser: ClassVar[Document] = {
        "id": "b-admin",
        "name": "admin",
        "role": "organiser",
        "created": NOW,
        "revoked": False,
    }
    code: ClassVar[Document] = {
        "id": "3f9a52c08d11",
        "label": "class 4b",
        "owner": None,
        "uses": 30,
        "uses_left": 29,
        "created": NOW,
        "expires": None,
        "revoked": False,
        "usable": True,
    }

    def all(self) -> Document:
        return {"organisers": [self.organiser]}

    def create(self, name: str, *, role: str, actor: str) -> tuple[Document, str]:
        check_name(name)
        return {**self.organiser, "name": name, "role": role}, ADMIN

    def revoke(self, organiser: str, *, actor: str) -> Document:
        return {**self.organiser, "revoked": True}

    def codes(self) -> Document:
        return {"codes": [self.code]}

    def revoke_code(self, code: str, *, actor: str) -> Document:
        return {**self.code, "revoked": True, "usable": False}


class FakeCasual:
    """Nobody sits anywhere, and there is nobody to play against."""

    def strengths(self) -> tuple[str, ...]:
        return ()

    def sit_down(self, wanted: CasualTable, person: str | None) -> SeatedPerson:
        raise Conflict("house bots", "no house bots are there")

    def at(
        self, person: str, mark: str | None = None, *, wait_ms: int = 0
    ) -> tuple[SeatAtTable | None, list[Document]]:
        return None, []

    def leave(self, person: str, session: str) -> None:
        raise NotFound(session, "no such session")


INVITATION: Document = {
    "id": "3f9a52c08d11",
    "session": "cup",
    "name": None,
    "clock": "x1",
    "created": NOW,
    "expires": NOW,
    "revoked": False,
    "bot": None,
}


class FakeInvitations:
    """There is one invitation, and no code is good."""

    def create(self, session: str, seat: Seat, actor: str) -> Document:
        code = f"{session}.aaaa-aaaa-aaaa-aaaa"
        return {**INVITATION, "code": code, "link": f"/seat/invitation#{code}"}

    def listed(self, session: str) -> Document:
        return {"invitations": [INVITATION]}

    def revoke(self, session: str, invitation: str, actor: str) -> Document:
        return {**INVITATION, "revoked": True}

    def find(self, code: str) -> Invited:
        raise Forbidden("code", "there is no invitation with this code: is it copied whole?")

    def accept(self, code: str, name: str, person: str | None) -> SeatedPerson:
        raise Forbidden("code", "there is no invitation with this code: is it copied whole?")


SIGNER = Signer(bytes(range(32)))
DIGEST: Document = {
    "format": "daifugo-arena/digest/1",
    "session": "cup",
    "secret_commitment": "c0" * 32,
    "tables": 3,
    "hands": 12,
    "rounds": 1,
    "further": ["cup-r02-t01"],
    "root": "ab" * 32,
    "at_ms": 1_800_000_000_000,
}


class FakeReferee:
    """Turns by id end as their name says: `legal`, `illegal`, `late`, `taken`, `foreign` ..."""

    def __init__(self, clock: FakeClock) -> None:
        self.clock = clock
        self.open_turns: list[Document] = []
        self.polls: list[tuple[Any, ...]] = []
        self.ready = True
        self.broken: Callable[[], None] = lambda: None
        self.actions: list[tuple[str, ...]] = []
        self.organisers = FakeOrganisers()
        self.casual = FakeCasual()
        self.invitations = FakeInvitations()
        self.unread: list[tuple[str, Sequence[str] | None]] = []
        self.enrolled: list[tuple[Registration, str | None]] = []
        self.marks: dict[tuple[str, bool], str] = {("over", False): "a" * 40}
        self.long_work = LongWork()
        self.bell = Bell()
        self.cluster = None

    @property
    def parts(self) -> FakeReferee:
        """What it is put together from: here it is all one."""
        return self

    queries = registry = enrolment = codes = parts

    def identify(self, token: str) -> Identity | None:
        return {
            ALICE: Identity("b-alice", "alice", "alice", "bot", ("play",)),
            BOB: Identity("b-bob", "bob", "bob", "bot", ("play",)),
            ADMIN: Identity(
                "b-admin", "admin", "admin", "admin", ("play", "view", "assist", "admin")
            ),
        }.get(token)

    def known(self, token: str) -> Identity | None:
        return self.identify(token)

    def enrol(self, asked: Registration, by: Identity | None) -> tuple[Document, str]:
        self.enrolled.append((asked, None if by is None else by.id))
        check_name(asked.name)
        if asked.name == "taken":
            raise Conflict("name", "the name 'taken' is taken")
        if asked.name == "late":
            raise TooMany("300 bots have been registered in an hour", retry_after=77)
        if asked.code is not None and not self.uses_left(asked.code):
            raise Forbidden("code", "this enrolment code is unknown, used up or expired")
        return self.bot(asked.name), ALICE

    def uses_left(self, code: str) -> int:
        return {"dfacode_one": 1, "dfacode_class": 30}.get(code, 0)

    def rotate_token(self, bot: str) -> str:
        return BOB

    def revoke(self, bot: str, actor: str) -> None:
        self.actions.append(("revoke", bot, actor))

    def restore(self, bot: str, actor: str) -> str:
        self.actions.append(("restore", bot, actor))
        return BOB

    def create_codes(
        self,
        label: str,
        owners: Sequence[str] | None,
        *,
        uses: int,
        actor: str,
        valid_ms: int | None = None,
    ) -> list[Document]:
        self.actions.append(("code", label, str(owners), str(uses), actor, str(valid_ms)))
        code = {"id": "3f9a52c08d11", "code": "dfacode_x", "label": label, "uses": uses}
        code["expires"] = None if valid_ms is None else NOW
        return [{**code, "owner": owner} for owner in owners or [None]]

    def bot(self, bot: str) -> Document:
        if bot == "nobody":
            raise NotFound("bot", "there is no bot 'nobody'")
        result = {"id": "b-alice", "name": bot, "owner": bot, "kind": "bot"}
        return {**result, "created": NOW, "revoked": False, "proven": False}

    def create_session(self, document: Mapping[str, Any], actor: str) -> Document:
        if document.get("anchor") == "nobody":
            raise BadInput("anchor", "nobody", "a bot of this arena")
        return self.session("cup")

    def set_session(
        self,
        session: str,
        action: str,
        actor: str,
        *,
        reason: str = "",
        public_chance: str | None = None,
    ) -> Document:
        if session == "over":
            raise Conflict("session", f"the session is finished: {action} is not possible")
        more = () if public_chance is None else (public_chance,)
        self.actions.append((session, action, actor, *more))
        return self.session(session)

    def replace_session(self, session: str, document: Document, actor: str) -> Document:
        return self.session(session)

    def change_session(self, session: str, members: Document, actor: str) -> Document:
        return self.session(session)

    def delete_session(self, session: str, actor: str) -> Document:
        return self.session(session)

    def rename(self, bot: str, name: str) -> Document:
        return self.bot(name)

    def retire(self, bot: str) -> Document:
        return self.bot(bot)

    def notices(self, bot: str, *, after: int = 0, limit: int = 100) -> Document:
        return {"notices": [], "next": None, "last": after}

    def notify(self, session: str, *, limit: int) -> Document:
        return {"session": self.session(session)["session"], "url": None, "deliveries": []}

    def set_notify(self, session: str, wanted: Mapping[str, Any], actor: str) -> Document:
        self.session(session)
        return {"url": wanted["url"], "secret": "whsec_" + 32 * "A"}

    def remove_notify(self, session: str, actor: str) -> None:
        self.session(session)

    def send_test(self, session: str, actor: str) -> str:
        self.session(session)
        return "msg_1"

    def sessions(
        self,
        state: str | None = None,
        *,
        after: str | None = None,
        limit: int = 100,
        staff: bool = False,
    ) -> Document:
        return {"sessions": [{name: VIEW[name] for name in BRIEF}], "next": None}

    def session(self, session: str, *, staff: bool = False) -> Document:
        if session not in ("cup", "over"):
            raise NotFound("session", f"there is no session {session!r}")
        return {**VIEW, "session": session}

    def programme(self, session: str, *, staff: bool = False) -> Document:
        self.session(session)
        return {
            "session": session,
            "round": None,
            "rounds": 0,
            "played_ms": None,
            "playing": [],
            "next": None,
        }

    def enter(self, session: str, bot: str, *, chance: bytes | None = None) -> Document:
        if session == "over":
            raise Conflict("session", "the session is finished")
        self.session(session)
        entry = {"session": session, "bot": bot, "number": 1, "status": "entered"}
        if chance == bytes(32):
            raise Conflict("session", "other bytes for chance came with this bot's entry")
        return {**entry, "entered": NOW, "called": None, "chance_given": chance is not None}

    def leave(self, session: str, bot: str) -> Document:
        return {**self.enter(session, bot), "status": "withdrawn"}

    def add_bot(self, session: str, bot: str, actor: str) -> Document:
        return self.enter(session, bot)

    def withdraw(self, session: str, bot: str, actor: str, *, reason: str = "") -> Document:
        return self.leave(session, bot)

    def disqualify(self, session: str, bot: str, actor: str, *, reason: str = "") -> Document:
        return {**self.enter(session, bot), "status": "disqualified"}

    def audit(self, *, limit: int = 100, before: int | None = None) -> Document:
        entry = {"number": 1, "at": NOW, "actor": "b-admin", "action": "session.open"}
        more = {"actor_name": None, "actor_kind": "admin", "detail": "cup", "names": {}}
        return {"entries": [{**entry, **more}]}

    def turns(
        self,
        bot: str,
        after: int | None = None,
        limit: int = 32,
        *,
        wait_ms: int = 0,
        hints: bool = True,
        client: str = "",
    ) -> Document:
        self.broken()
        self.polls.append((bot, after, limit, wait_ms, hints))
        if not self.open_turns:
            self.clock.now += wait_ms / 1000
        return {"turns": self.open_turns[:limit], "poll_after_ms": 0, "cursor": 7}

    def answer(self, bot: str, turn: str, body: Mapping[str, Any]) -> Document:
        self.broken()
        if turn == "unavailable":
            raise Unavailable("the disk is full", retry_after=2)
        if turn == "illegal":
            raise Refused(Reason.TOO_LOW, "H7 is higher", rule="kakumei", cards=["S3"])
        if turn == "odd":
            raise BadInput("as", ["S9"], "a reading of these cards")
        _refuse(turn)
        return {"accepted": True, "replayed": turn == "again", "events": []}

    def answer_many(self, bot: str, answers: Sequence[Mapping[str, Any]]) -> list[Document]:
        return [self._one(bot, answer) for answer in answers]

    def _one(self, bot: str, answer: Mapping[str, Any]) -> Document:
        turn = answer["turn"]
        try:
            return {"turn": turn, "status": 200, **self.answer(bot, turn, answer)}
        except ArenaError as error:
            return {"turn": turn, "status": STATUSES.get(type(error), 503), "error": error}

    def malformed(self, bot: str, turns: Sequence[str] | None) -> str:
        self.unread.append((bot, turns))
        return "; the budget is spent" if turns == ["spent"] else ""

    def ledger(
        self, bot: str, *, after: str | None = None, limit: int = 100, **filters: str | None
    ) -> Document:
        if filters["session"] == "none":
            raise NotFound("session", "there is no session 'none'")
        self.polls.append((bot, after, limit, filters["session"], filters["table"]))
        return {"entries": [LEDGER], "next": None}

    def is_open(self, bot: str, turn: str) -> bool:
        return True

    def example(self, bot: str, turn: str) -> Document | None:
        return {"cards": ["JK"]} if turn == "illegal" else None

    def followed_hand(self, hand: str) -> FollowedHand:
        raise NotFound("hand", f"there is no hand {hand!r}")

    def current_hand(self, table: str) -> str:
        raise NotFound("table", f"there is no table {table!r}")

    def next_hand(self, hand: Hand) -> str | None:
        return ""

    def hand_events(
        self,
        hand: str,
        viewer: str | None = None,
        after: int = 0,
        *,
        wait_ms: int = 0,
        staff: bool = False,
    ) -> Document:
        self.polls.append((hand, viewer, after, wait_ms))
        return {"hand": hand, "after": after, "events": [], "next": after, "over": False}

    def tables(
        self,
        session: str,
        *,
        after: str | None = None,
        limit: int = 100,
        staff: bool = False,
        round_: int | None = None,
    ) -> Document:
        return {"tables": [], "next": None}

    def table(self, table: str, *, staff: bool = False) -> Document:
        if table == "cup-r01-t01":
            return TABLE
        raise NotFound("table", f"there is no table {table!r}")

    def void(self, table: str, reason: str, actor: str) -> Document:
        self.actions.append(("void", table, reason, actor))
        void = {"reason": reason, "at": NOW, "replay": None}
        return {**self.table(table), "status": "void", "void": void}

    def replay(self, table: str, actor: str) -> Document:
        self.actions.append(("replay", table, actor))
        return {**self.table(table), "table": f"{table}b"}

    def divide(self, session: str, members: Mapping[str, str | None], actor: str) -> Document:
        self.actions.append((session, f"divide {dict(members)}", actor))
        return self.queries.session(session)

    def freeze(self, session: str, actor: str) -> Document:
        self.actions.append((session, "freeze", actor))
        return self.session(session)

    def embargo(self, session: str, actor: str, *, until_ms: int | None = None) -> Document:
        self.actions.append((session, "embargo", str(until_ms), actor))
        return self.session(session)

    def publish(self, session: str, actor: str) -> Document:
        self.actions.append((session, "publish", actor))
        return self.session(session)

    def called(self, session: str, bot: str) -> str | None:
        return "brave otter" if bot == "b-bob" else None

    def hand(self, hand: str, *, staff: bool = False) -> Document:
        raise NotFound("hand", f"there is no hand {hand!r}")

    def record(self, hand: str, *, staff: bool = False) -> Document:
        raise Forbidden("hand", "the record is not public yet")

    def records(self, session: str, *, full: bool = False) -> Iterator[str]:
        self.session(session)
        self.actions.append(("records", session, str(full)))
        yield '{"format":"daifugo-arena/session/2"}'
        yield '{"format":"daifugo-arena/hand/2"}'

    def records_mark(self, session: str, *, full: bool = False) -> str | None:
        self.session(session)
        return self.marks.get((session, full))

    def fit(
        self,
        session: str,
        *,
        staff: bool = False,
        seats: int | None = None,
        division: str | None = None,
    ) -> StandingsSnapshot:
        self.session(session)
        if seats not in (None, 4):
            raise BadInput("players of a table", seats, "4, as the session says")
        standings = compile_standings((), [Entrant("b-alice", name="alice|<b>")])
        fit = StandingsSnapshot(standings, results=(), hands=())
        return fit if division is None else fit.of_division(division)

    def digest(self, session: str) -> Document:
        self.session(session)
        return SIGNER.signed(DIGEST)

    def digest_brief(self, session: str) -> Document | None:
        self.session(session)
        return brief(DIGEST, SIGNER)

    def proof(self, hand: str) -> Document:
        if hand == "cup-r02-t01-h001":
            raise Conflict(hand, "its table is played still")
        self.hand(hand)
        raise AssertionError

    def keys(self) -> Document:
        return {
            "public_key": SIGNER.public_key,
            "keys": [{"public_key": SIGNER.public_key, "since": NOW, "until": None}],
        }

    def frozen_fit(self, session: str, *, seats: int | None = None) -> StandingsSnapshot | None:
        return None

    def moves_of(self, session: str, fit: StandingsSnapshot) -> MoveLog:
        return MoveLog()

    def metrics(self) -> bytes:
        return b"# HELP arena_turns_opened_total Turns.\n"

    def health(self) -> Document:
        return {"ready": self.ready, "store": self.ready, "sweeper": True, "waiting": 0}


def _refuse(turn: str) -> None:
    if turn == "late":
        raise Gone("turn", "the referee passed for you at the deadline")
    if turn == "taken":
        raise Conflict("turn", "this turn was answered otherwise: pass")
    if turn == "damaged":
        raise DamagedHand("cup-r01-t01-h001", 7, "its hash does not fit what is stored")
    if turn == "foreign":
        raise Forbidden("turn", "this is another bot's turn")
    if turn == "unknown":
        raise NotFound("turn", "there is no turn 'unknown'")
