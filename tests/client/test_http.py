"""The client: endpoints, retries, Retry-After, typed errors."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator

import pytest

from arena.client import ArenaProblem, ArenaUnreachable, Client, KitError
from tests.client.clockwork import Clockwork
from tests.client.fake_arena import FakeArena, Trouble, answering, serving, turn
from tests.ports import free_port


@pytest.fixture
def arena() -> FakeArena:
    return FakeArena([turn(1), answering(2)])


@pytest.fixture
def ticking() -> Clockwork:
    return Clockwork()


@pytest.fixture
def client(arena: FakeArena, ticking: Clockwork) -> Iterator[Client]:
    with (
        serving(arena) as url,
        Client(
            url, patience_s=30, sleep=ticking.sleep, clock=ticking.clock, chance=lambda: 1.0
        ) as client,
    ):
        yield client


@pytest.fixture
def member(client: Client) -> Client:
    client.register("alice")
    client.enter("cup")
    return client


def test_registering_keeps_the_token_and_sends_it_from_then_on(client: Client) -> None:
    assert client.register("alice")["token"] == client.token == "dfa_0"
    assert client.whoami()["name"] == "alice"


def test_all_requests_go_over_one_connection(member: Client, arena: FakeArena) -> None:
    for _ in range(5):
        member.turns()
    assert arena.connections == 1


def test_the_way_to_the_referee_of_a_bot_is_kept_and_sent(member: Client, arena: FakeArena) -> None:
    """Balancers send a client by this cookie to where its sessions are played."""
    arena.cookies.clear()
    for route in ("elm", "elm", "ash", "ash"):
        arena.route = route
        member.turns()
    assert arena.cookies == [None, "arena_route=elm", "arena_route=elm", "arena_route=ash"]


def test_an_entry_gives_random_bytes_to_chance_or_those_of_the_caller(
    client: Client, arena: FakeArena
) -> None:
    client.register("alice")
    sent = []
    for chance in ("random", "random", bytes(32), "1F" * 32, None):
        arena.chances.clear()
        arena.status = "open"
        client.enter("cup", chance=chance)
        sent.append((arena.requests[-1].body or {}).get("chance"))
    assert {len(bytes.fromhex(each)) for each in sent[:2]} == {32}
    assert sent[0] != sent[1]
    assert sent[2:] == ["00" * 32, "1f" * 32, None]
    with pytest.raises(KitError, match="chance is '1f'; expected 32 bytes"):
        client.enter("cup", chance="1f")


def test_random_bytes_give_way_to_those_that_the_arena_has(
    client: Client, arena: FakeArena
) -> None:
    client.register("alice")
    client.enter("cup")
    first, arena.status = arena.chances["alice"], "open"
    assert client.enter("cup")["chance_given"] is True
    assert arena.chances["alice"] == first
    arena.status = "open"
    with pytest.raises(ArenaProblem, match="other bytes for chance"):
        client.enter("cup", chance=bytes(32))


def test_the_same_turn_can_be_polled_answered_and_answered_again(member: Client) -> None:
    (first,) = member.turns(wait=1)["turns"]
    assert member.answer(first["turn"], {"cards": ["S3"]})["replayed"] is False
    assert member.answer(first["turn"], {"cards": ["S3"]})["replayed"] is True


def test_many_answers_and_the_next_turns_are_one_request(member: Client, arena: FakeArena) -> None:
    first = member.turns()["turns"][0]["turn"]
    document = member.answer_many({first: {"cards": ["S3"]}}, wait=1)
    assert [result["status"] for result in document["results"]] == [200]
    assert [turn["pile"]["cards"] for turn in document["next"]] == [["H5"]]
    assert arena.requests[-1].query == {"wait": "1"}


def test_a_poll_says_what_was_asked_and_nothing_else(member: Client, arena: FakeArena) -> None:
    member.turns()
    member.turns(2.5, 7, max=3, legal=False)
    asked = [request.query for request in arena.requests[-2:]]
    assert asked == [{}, {"wait": "2.5", "after": "7", "max": "3", "legal": "0"}]


def test_a_refused_answer_is_a_problem_with_all_that_the_arena_said(member: Client) -> None:
    first = member.turns()["turns"][0]["turn"]
    with pytest.raises(ArenaProblem) as caught:
        member.answer(first, {"cards": ["H2"]})
    problem = caught.value
    assert (problem.status, problem.code, problem.reason) == (422, "illegal", "too_low")
    assert (problem.cards, problem.example) == (["H2"], {"cards": ["S3"]})
    assert problem["turn"] == problem.turn == first
    assert "too low" in str(problem)


def test_what_is_wrong_is_said_once() -> None:
    fault = {"in": "body", "pointer": "/name", "message": "'x' is too long"}
    other = {"in": "body", "pointer": "/code", "message": "1 is not of type 'string'"}
    detail = "body /name: 'x' is too long"
    document = {"code": "invalid", "detail": detail, "errors": [fault, other]}
    said = str(ArenaProblem(400, document))
    assert said == f"400 invalid: {detail} | /code: 1 is not of type 'string'"


def test_errors_that_are_no_problem_documents_are_problems_too(
    member: Client, arena: FakeArena
) -> None:
    arena.troubles.append(Trouble(404, "<html>a proxy speaks</html>"))
    with pytest.raises(ArenaProblem, match="404 http_404: <html>a proxy speaks"):
        member.whoami()


def test_an_answer_that_is_no_json_asks_whether_this_is_an_arena(
    member: Client, arena: FakeArena
) -> None:
    arena.troubles.append(Trouble(200, "<html>hello</html>"))
    with pytest.raises(ArenaProblem, match="is it an arena"):
        member.whoami()


def test_a_redirect_is_told_and_not_followed(member: Client, arena: FakeArena) -> None:
    arena.troubles.append(Trouble(301, "", {"Location": "https://elsewhere.example/"}))
    with pytest.raises(ArenaProblem, match=r"moved to https://elsewhere\.example/"):
        member.whoami()


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_no_token_and_no_code_goes_where_a_redirect_points(
    member: Client, arena: FakeArena, status: int
) -> None:
    other = FakeArena()
    with serving(other) as elsewhere:
        for call in (member.whoami, lambda: member.register("bob", "enrolment-code")):
            arena.troubles.append(Trouble(status, "", {"Location": f"{elsewhere}/api/v1/whoami"}))
            with pytest.raises(ArenaProblem, match="the arena has moved to"):
                call()
    assert other.connections == 0


def test_an_arena_without_tls_is_asked_for_its_scheme(arena: FakeArena, ticking: Clockwork) -> None:
    with (
        serving(arena) as url,
        Client(url.replace("http:", "https:"), sleep=ticking.sleep) as client,
        pytest.raises(ArenaUnreachable, match=r"write http:// in front"),
    ):
        client.whoami()
    assert arena.requests == []


@pytest.mark.parametrize("status", [429, 503])
def test_retry_after_is_never_undercut(
    member: Client, arena: FakeArena, ticking: Clockwork, status: int
) -> None:
    arena.troubles.append(Trouble(status, {"detail": "not now"}, {"Retry-After": "7"}))
    assert member.whoami()["name"] == "alice"
    assert len(ticking.pauses_s) == 1
    assert 7 <= ticking.pauses_s[0] < 8


def test_retry_after_is_also_read_from_the_body(
    member: Client, arena: FakeArena, ticking: Clockwork
) -> None:
    arena.troubles.append(Trouble(429, {"detail": "slowly", "retry_after_s": 3}))
    member.whoami()
    assert 3 <= ticking.pauses_s[0] < 4


def test_waits_double_until_patience_is_at_its_end(
    member: Client, arena: FakeArena, ticking: Clockwork
) -> None:
    arena.troubles.extend([Trouble(502)] * 100)
    with pytest.raises(ArenaProblem, match="502"):
        member.whoami()
    assert ticking.pauses_s[:4] == pytest.approx([0.1, 0.2, 0.4, 0.8])
    assert max(ticking.pauses_s) == 5.0
    assert 25 < ticking.now_s <= 30


def test_an_answer_whose_reply_was_lost_is_sent_again_and_counts_once(
    member: Client, arena: FakeArena
) -> None:
    first = member.turns()["turns"][0]["turn"]
    arena.troubles.append(Trouble(0, after=True))
    assert member.answer(first, {"cards": ["D7"]})["replayed"] is True
    assert arena.answers == {first: {"cards": ["D7"]}}


def test_a_registration_whose_reply_was_lost_is_not_sent_again(
    client: Client, arena: FakeArena
) -> None:
    arena.troubles.append(Trouble(0, after=True))
    with pytest.raises(ArenaUnreachable):
        client.register("alice")
    assert arena.paths("POST") == ["/api/v1/bots"]


def test_a_registration_that_was_turned_away_at_the_door_is_sent_again(
    client: Client, arena: FakeArena
) -> None:
    arena.troubles.append(Trouble(503, {}, {"Retry-After": "1"}))
    assert client.register("alice")["token"]


@pytest.mark.parametrize("status", [400, 401, 403, 404, 409, 410, 422])
def test_what_is_the_bots_own_mistake_is_not_repeated(
    member: Client, arena: FakeArena, status: int
) -> None:
    arena.troubles.append(Trouble(status, {"detail": "no"}))
    with pytest.raises(ArenaProblem):
        member.whoami()
    assert arena.paths("GET") == ["/api/v1/whoami"]


def test_nobody_there_is_said_in_one_line(ticking: Clockwork) -> None:
    url = f"http://127.0.0.1:{free_port()}"
    client = Client(url, patience_s=3, sleep=ticking.sleep, clock=ticking.clock)
    with client, pytest.raises(ArenaUnreachable, match=f"no answer from {url} .*refused"):
        client.whoami()
    assert 1 < ticking.now_s <= 3


def test_a_referee_that_starts_late_is_waited_for(arena: FakeArena) -> None:
    port = free_port()
    done = threading.Event()

    def late() -> None:
        time.sleep(0.3)
        with serving(arena, port):
            done.wait(120)

    thread = threading.Thread(target=late)
    thread.start()
    try:
        with Client(f"127.0.0.1:{port}") as client:
            assert client.register("early")["bot"]["name"] == "early"
    finally:
        done.set()
        thread.join()


def test_netrc_and_environment_do_not_change_the_token(
    arena: FakeArena, monkeypatch: pytest.MonkeyPatch, tmp_path: object
) -> None:
    netrc = f"{tmp_path}/netrc"
    with open(netrc, "w") as file:
        file.write("machine 127.0.0.1 login somebody password else\n")
    monkeypatch.setenv("NETRC", netrc)
    monkeypatch.setenv("HTTP_PROXY", "")
    with serving(arena) as url, Client(url) as client:
        client.register("alice")
        assert client.whoami()["name"] == "alice"


def test_an_address_may_be_given_in_any_usual_form() -> None:
    forms = [
        "HTTP://Host:8000",
        "http://host:8000/",
        "http://host:8000/api/v1",
        " http://host:8000 ",
    ]
    assert {Client(form).url for form in forms} == {"http://host:8000"}


def test_a_ledger_is_read_to_its_last_page(member: Client, arena: FakeArena) -> None:
    assert [entry["turn"] for entry in member.ledger(session="cup")] == ["1", "2", "3"]
    assert [entry["turn"] for entry in member.ledger(bot="b/ob", hand="h")] == ["1", "2", "3"]
    asked = [(each.path, each.query) for each in arena.requests if "ledger" in each.path]
    assert asked == [
        ("/api/v1/turns/ledger", {"session": "cup", "limit": "500"}),
        ("/api/v1/turns/ledger", {"session": "cup", "limit": "500", "after": "2"}),
        ("/api/v1/bots/b%2Fob/ledger", {"hand": "h", "limit": "500"}),
        ("/api/v1/bots/b%2Fob/ledger", {"hand": "h", "limit": "500", "after": "2"}),
    ]
