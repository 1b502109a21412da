"""The outbox: messages of a session are sent at least once, by one process, for a day at most."""

from __future__ import annotations

import socket
import time
from typing import Any

import orjson
import pytest

from arena.application import Referee
from arena.documents import Document
from arena.errors import BadInput, Forbidden, NotFound
from arena.notices.outbox import DAY_MS, LEASE_MS, WAITS_S, Outbox
from arena.notices.posting import Letter, signature
from arena.organising.notifying import MESSAGES
from arena.organising.sessions import ALLOWED
from arena.session.notify_config import PostAddress
from arena.settings import Settings
from arena.store import Store
from arena.store.memory import open_memory
from arena.store.port import NoteRow
from tests.cluster.memory import Several
from tests.notices.receiver import receiver
from tests.referee.table import SEED, Arena, FakeClock, lowest

HOST = "hooks.example.org"
URL = f"https://{HOST}/arena"
SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
NOTIFY = {"url": URL, "secret": SECRET}


def resolve(host: str, port: int, **_: Any) -> list[tuple[Any, ...]]:
    return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", ("93.184.215.14", port))]


class Post:
    """What is posted goes into a list, and is answered with `status`, or fails."""

    def __init__(self) -> None:
        self.status: int | None = 200
        self.letters: list[Letter] = []
        self.at_s: list[int] = []

    def __call__(self, target: PostAddress, address: str, letter: Letter, *, at_s: int) -> int:
        assert (target.host, address) == (HOST, "93.184.215.14")
        self.letters.append(letter)
        self.at_s.append(at_s)
        if self.status is None:
            raise TimeoutError("timed out")
        return self.status

    def bodies(self) -> list[Document]:
        return [orjson.loads(letter.body) for letter in self.letters]

    def types(self) -> list[str]:
        return [body["type"] for body in self.bodies()]


class Notifying(Arena):
    """An arena whose operator allows one host, and what is posted there."""

    def __init__(self, store: Store | None = None) -> None:
        super().__init__(store)
        settings = Settings(registration="closed", notify_allow=HOST)
        self.referee = Referee(self.store, clock=self.clock, settings=settings)
        self.referee.start(threads=False)
        self.post = Post()
        self.outbox = self.sender(self.store)

    def sender(self, store: Store) -> Outbox:
        rules = self.referee.outbox.rules
        return Outbox(store, self.clock.now_ms, rules, send=self.post, resolve=resolve)

    def outcomes(self, session: str = "cup") -> list[tuple[str, str, int, str]]:
        rows = self.referee.queries.notify(session, limit=100)["deliveries"]
        return [(row["type"], row["status"], row["tries"], row["outcome"]) for row in rows]


@pytest.fixture
def arena() -> Notifying:
    return Notifying()


def test_a_session_reports_itself_from_opening_to_end(arena: Notifying) -> None:
    arena.session(notify=NOTIFY, schedule={"rounds": 2})
    arena.play()
    arena.outbox.send_due()
    assert sorted(arena.post.types()) == [
        "session.ended",
        "session.opened",
        "session.round_ended",
        "session.round_ended",
        "session.started",
    ]
    rounds = [body["data"] for body in arena.post.bodies() if body["type"] == "session.round_ended"]
    assert sorted(data["round"] for data in rounds) == [1, 2]
    assert len({letter.id for letter in arena.post.letters}) == 5
    assert {status for _, status, _, _ in arena.outcomes()} == {"delivered"}
    assert arena.outbox.send_due() == 0


def test_whatever_is_done_with_a_session_is_reported() -> None:
    assert set(MESSAGES) == set(ALLOWED)


def test_a_message_is_signed_and_says_what_when_and_where(arena: Notifying) -> None:
    arena.session(start=False, notify=NOTIFY)
    began_ms = arena.clock.ms
    arena.clock.pass_ms(90_000)
    arena.outbox.send_due()
    (letter,), (at_s,) = arena.post.letters, arena.post.at_s
    assert letter.secret == SECRET
    assert at_s == (began_ms + 90_000) // 1000
    assert orjson.loads(letter.body) == {
        "id": letter.id,
        "type": "session.opened",
        "timestamp": "2027-01-15T08:00:00.000Z",
        "data": {"session": "cup", "name": "Spring cup"},
    }
    assert signature(letter, at_s).startswith("v1,")


def test_a_try_that_fails_is_repeated_later_each_time_with_the_same_id(arena: Notifying) -> None:
    arena.session(start=False, notify=NOTIFY)
    arena.post.status = 500
    for wait_s in WAITS_S[:4]:
        assert arena.outbox.send_due() == 1
        arena.clock.pass_ms(wait_s * 1000 - 1)
        assert arena.outbox.send_due() == 0
        arena.clock.pass_ms(1)
    arena.post.status = 200
    assert arena.outbox.send_due() == 1
    assert len({letter.id for letter in arena.post.letters}) == 1
    assert arena.outcomes() == [("session.opened", "delivered", 5, "answered with 200")]


def test_after_a_day_it_is_given_up_and_that_stands_in_the_audit_log(arena: Notifying) -> None:
    arena.session(start=False, notify=NOTIFY)
    arena.post.status, began_ms = None, arena.clock.ms
    while arena.outcomes()[0][1] == "waiting":
        arena.outbox.send_due()
        arena.clock.pass_ms(60_000)
    late_ms = arena.clock.ms - began_ms
    assert DAY_MS <= late_ms < DAY_MS + WAITS_S[-1] * 1000 + 120_000
    kind, status, tries, outcome = arena.outcomes()[0]
    assert (kind, status, outcome) == ("session.opened", "failed", "timed out")
    assert 10 < tries < 20
    entry = arena.referee.queries.audit()["entries"][0]
    assert (entry["action"], entry["actor"]) == ("notify.give-up", "referee")
    assert entry["detail"]["outcome"] == "timed out"


def test_an_address_that_is_gone_gets_a_message_only_once(arena: Notifying) -> None:
    arena.session(start=False, notify=NOTIFY)
    arena.post.status = 410
    arena.outbox.send_due()
    assert arena.outcomes() == [("session.opened", "failed", 1, "answered with 410")]


def test_one_that_does_not_answer_is_tried_with_one_message_at_a_time(arena: Notifying) -> None:
    arena.session(notify=NOTIFY)
    arena.post.status = None
    assert len(arena.outcomes()) == 2
    assert arena.outbox.send_due() == 1
    assert arena.outbox.send_due() == 0
    arena.clock.pass_ms(WAITS_S[0] * 1000)
    arena.post.status = 200
    assert arena.outbox.send_due() == 2


def test_a_process_that_dies_while_it_sends_leaves_the_message_to_the_next(
    arena: Notifying,
) -> None:
    arena.session(start=False, notify=NOTIFY)

    class Killed(BaseException):
        pass

    def die(*_: Any, **__: Any) -> int:
        raise Killed

    rules = arena.referee.outbox.rules
    dying = Outbox(arena.store, arena.clock.now_ms, rules, send=die, resolve=resolve)
    with pytest.raises(Killed):
        dying.send_due()
    assert arena.outbox.send_due() == 0
    arena.clock.pass_ms(LEASE_MS)
    assert arena.outbox.send_due() == 1
    assert arena.outcomes()[0][1:3] == ("delivered", 2)


def test_of_several_referees_one_sends_a_message(arena: Notifying) -> None:
    arena.session(start=False, notify=NOTIFY)
    second = arena.sender(arena.store)
    due = arena.store.due_deliveries(arena.clock.ms)
    assert arena.outbox.send_due() == 1
    assert second._send_some(due) == 0
    assert len(arena.post.letters) == 1


def test_faults_and_departures_are_reported_by_the_names_that_everybody_sees(
    arena: Notifying,
) -> None:
    arena.session(notify=NOTIFY, board="pseudonymous", publish_reasons=True)
    arena.clock.pass_ms(70_000)
    arena.referee.sweep()
    bots = list(arena.bots.values())
    arena.referee.disqualify("cup", bots[0], "admin", reason="copied code")
    arena.referee.leave("cup", bots[1])
    arena.outbox.send_due()
    bodies = {body["type"]: body for body in arena.post.bodies()}
    assert bodies["bot.fault"]["data"]["cause"] == "timeout"
    assert bodies["bot.disqualified"]["data"]["reason"] == "copied code"
    assert "reason" not in bodies["bot.withdrawn"]["data"]
    text = b"".join(letter.body for letter in arena.post.letters).decode()
    for name, bot in arena.bots.items():
        assert bot not in text
        assert f'"{name}"' not in text


def test_reasons_are_sent_only_if_everybody_is_told(arena: Notifying) -> None:
    arena.session(notify=NOTIFY)
    arena.referee.disqualify("cup", arena.bots["bot-1"], "admin", reason="copied code")
    arena.referee.set_session("cup", "cancel", "admin", reason="power cut")
    arena.outbox.send_due()
    assert {"bot.disqualified", "session.cancelled"} <= set(arena.post.types())
    text = b"".join(letter.body for letter in arena.post.letters)
    assert b"copied" not in text
    assert b"power" not in text


def test_no_message_holds_a_card(arena: Notifying) -> None:
    arena.session(notify=NOTIFY, clock={"absent_after": 1, "probation_ms": 0})
    for _ in range(60):
        arena.clock.pass_ms(70_000)
        arena.referee.sweep()
    arena.outbox.send_due()
    assert {"bot.fault", "bot.absent"} <= set(arena.post.types())
    for body in arena.post.bodies():
        assert {"held", "cards", "events", "deck"}.isdisjoint(body["data"])


def test_a_session_without_an_address_writes_no_message(arena: Notifying) -> None:
    arena.session()
    arena.play()
    assert arena.outcomes() == []
    with pytest.raises(NotFound, match="sends no messages"):
        arena.referee.send_test("cup", "admin")
    with pytest.raises(NotFound, match="sends no messages"):
        arena.referee.remove_notify("cup", "admin")


def test_an_address_can_be_set_changed_and_removed_later(arena: Notifying) -> None:
    arena.session(schedule={"rounds": 3})
    arena.play(at_most=5)
    told = arena.referee.set_notify("cup", {"url": URL}, "admin")
    assert told["secret"].startswith("whsec_")
    again = arena.referee.set_notify("cup", {"url": f"{URL}/2"}, "admin")
    assert again["secret"] != told["secret"]
    message = arena.referee.send_test("cup", "admin")
    arena.outbox.send_due()
    assert [(letter.id, letter.secret) for letter in arena.post.letters] == [
        (message, again["secret"])
    ]
    arena.referee.send_test("cup", "admin")
    arena.referee.remove_notify("cup", "admin")
    arena.outbox.send_due()
    assert arena.outcomes()[0][1] in ("failed", "delivered")
    assert ("test", "failed", 1, "the session has no address any more") in arena.outcomes()
    actions = [entry["action"] for entry in arena.referee.queries.audit()["entries"]]
    assert actions[:5] == [
        *("notify.remove", "notify.test", "notify.test", "notify.set", "notify.set")
    ]
    audit = orjson.dumps(arena.referee.queries.audit())
    assert b"whsec_" not in audit
    assert b"/arena" not in audit


def test_rounds_that_ended_before_are_not_reported_later(arena: Notifying) -> None:
    arena.session(schedule={"rounds": 3}, hands_per_table=1)
    while arena.one()[1]["table"] != "cup-r02-t01":
        arena.play(at_most=1)
    arena.referee.set_notify("cup", NOTIFY, "admin")
    arena.play()
    arena.outbox.send_due()
    rounds = [
        body["data"]["round"]
        for body in arena.post.bodies()
        if body["type"] == "session.round_ended"
    ]
    assert sorted(rounds) == [2, 3]


def test_each_round_is_reported_once_also_after_a_restart(arena: Notifying) -> None:
    arena.session(notify=NOTIFY, schedule={"rounds": 3}, hands_per_table=1)
    while arena.waiting():
        arena.play(at_most=7)
        arena.restart()
    arena.outbox.send_due()
    assert arena.post.types().count("session.round_ended") == 3
    assert arena.post.types().count("session.ended") == 1


def test_an_address_that_the_operator_does_not_allow_is_refused_with_what_to_do() -> None:
    arena = Notifying()
    document = {"name": "Cup", "slug": "cup", "notify": {"url": "https://other.example/"}}
    with pytest.raises(Forbidden, match="ARENA_NOTIFY_ALLOW=other"):
        arena.referee.create_session(document, "admin")
    assert arena.store.session("cup") is None
    for wanted in ({"url": "nowhere"}, {}, "https://x", {"url": URL, "secret": "short"}):
        with pytest.raises(BadInput, match="notify"):
            arena.referee.create_session({**document, "notify": wanted}, "admin")
    arena.session(start=False)
    with pytest.raises(Forbidden, match="ARENA_NOTIFY_ALLOW=other"):
        arena.referee.set_notify("cup", {"url": "https://other.example/"}, "admin")


def test_nobody_is_shown_the_address_and_nobody_the_secret() -> None:
    arena = Notifying()
    made = arena.referee.create_session({"name": "Cup", "seed": SEED, "notify": NOTIFY}, "admin")
    assert made["notify"] == NOTIFY
    session = made["session"]
    for staff in (False, True):
        view = orjson.dumps(arena.referee.queries.session(session, staff=staff)).decode()
        assert URL not in view
        assert SECRET not in view
    assert arena.referee.queries.notify(session, limit=10)["url"] == URL
    assert SECRET not in repr(arena.referee.queries.notify(session, limit=10))


def test_a_message_is_not_sent_where_the_operator_has_changed_his_mind() -> None:
    arena = Notifying()
    arena.session(start=False, notify=NOTIFY)
    nowhere = Outbox(arena.store, arena.clock.now_ms, (), send=arena.post, resolve=resolve)
    assert nowhere.send_due() == 1
    assert arena.post.letters == []
    assert "operator has to allow it" in arena.outcomes()[0][3]


def test_several_referees_report_a_round_once() -> None:
    several = Several()
    here, there = several.members
    here.session(schedule={"rounds": 2}, hands_per_table=1)
    key = '{"url":"https://hooks.example.org/","secret":"x","rounds":0}'
    several.store.write(NoteRow("notify/cup", key))
    while waiting := several.home().waiting() if several.store.leases() else []:
        bot, turn = waiting[0]
        several.home().referee.answer(bot, turn["turn"], lowest(turn))
        if several.store.leases():
            several.move(there if several.home() is here else here)
    kinds = [row.kind for row in several.store.deliveries("cup")]
    assert kinds.count("session.round_ended") == 2
    assert kinds.count("session.ended") == 1


@pytest.mark.server
def test_a_real_receiver_gets_a_message_from_a_thread_of_the_referee() -> None:
    with receiver() as other:
        where = f"http://127.0.0.1:{other.port}"
        settings = Settings(registration="closed", notify_allow=where)
        referee = Referee(open_memory(), clock=FakeClock(), settings=settings)
        referee.start()
        try:
            document = {"name": "Cup", "slug": "cup", "notify": {"url": f"{where}/arena"}}
            referee.create_session(document, "admin")
            message = referee.send_test("cup", "admin")
            while True:
                row = referee.queries.notify("cup", limit=1)["deliveries"][0]
                if row["status"] == "delivered":
                    break
                time.sleep(0.05)
        finally:
            referee.stop()
    assert row["message"] == message
    assert f"webhook-id: {message}".encode() in other.requests[0]
