"""Whoever is asked, a request is answered by the home of what it is about, and as by the home."""

from __future__ import annotations

import logging
from io import BytesIO
from typing import Any
from urllib.parse import parse_qs

import pytest
from hypothesis import given
from hypothesis import strategies as st
from werkzeug.test import EnvironBuilder, run_wsgi_app

from arena.errors import NotHome
from arena.web.api.middleware import FORM_MEDIA
from arena.web.routing.arrived import plain_query
from tests.web.pages.seat_reader import SeatPage
from tests.web.routing.pair import Pair

pytestmark = pytest.mark.slow
TURNS = "/api/v1/turns"


def test_a_poll_at_the_wrong_referee_gets_the_turns_of_the_home(two: Pair) -> None:
    two.start("cup", two.elm)
    number, turn = two.turn_at(two.elm)
    reply = two.ash.client(two.tokens[number]).get(TURNS)
    assert reply.status_code == 200
    assert reply.json is not None
    assert [each["turn"] for each in reply.json["turns"]] == [turn]
    assert [each["PATH_INFO"] for each in two.elm.came] == [TURNS]


def test_who_is_told_the_way_once_keeps_it_in_a_cookie(two: Pair) -> None:
    two.start("cup", two.elm)
    client = two.ash.client(two.tokens[0])
    reply = client.get(TURNS)
    assert reply.headers["Arena-Route"] == "elm"
    assert reply.headers["Set-Cookie"] == "arena_route=elm; Path=/; HttpOnly; SameSite=Lax"
    again = client.get(TURNS, headers={"Cookie": "seen=1; arena_route=elm"})
    assert "Set-Cookie" not in again.headers
    assert "Arena-Route" not in again.headers
    at_home = two.elm.client(two.tokens[0]).get(TURNS)
    assert at_home.headers["Arena-Route"] == "elm"


def test_a_forged_route_leads_nobody_anywhere(two: Pair) -> None:
    two.start("cup", two.ash)
    number, turn = two.turn_at(two.ash)
    for forged in ("arena_route=elm", "arena_route=ashes", "xarena_route=ash", "arena_route=evil"):
        reply = two.ash.client(two.tokens[number]).get(TURNS, headers={"Cookie": forged})
        assert reply.json is not None
        assert [each["turn"] for each in reply.json["turns"]] == [turn]
        assert reply.headers["Arena-Route"] == "ash"
    assert two.elm.came == []


def test_answers_reach_the_home_of_their_turn(two: Pair) -> None:
    two.start("cup", two.elm)
    number, turn = two.turn_at(two.elm)
    client = two.ash.client(two.tokens[number])
    path = f"{TURNS}/{turn}"
    accepted = client.post(path, json={"choice": 0})
    assert accepted.json == {**(accepted.json or {}), "accepted": True, "replayed": False}
    again = client.post(path, json={"choice": 0}, headers={"Cookie": "arena_route=ash"})
    assert again.json is not None
    assert again.json["replayed"] is True
    batch = client.post(TURNS, json={"answers": [{"turn": turn, "choice": 0}]})
    assert batch.json is not None
    assert [each["status"] for each in batch.json["results"]] == [200]


def test_problems_come_back_as_they_are(two: Pair) -> None:
    two.start("cup", two.elm)
    number, turn = two.turn_at(two.elm)
    path = f"{TURNS}/{turn}"
    asked = {"X-Request-Id": "mine-1"}
    for token, body in (
        (two.tokens[number], {"cards": ["S3", "S3"]}),
        (two.tokens[(number + 1) % 4], {"choice": 0}),
        (two.tokens[number], {"nonsense": 1}),
        ("dfa_nobody", {"choice": 0}),
    ):
        here = two.ash.client(token).post(path, json=body, headers=asked)
        there = two.elm.client(token).post(path, json=body, headers=asked)
        assert here.status_code == there.status_code >= 400
        assert here.content_type == "application/problem+json"
        assert here.json == there.json
        assert here.headers["X-Request-Id"] == "mine-1"


def test_what_a_browser_or_a_cache_asks_is_passed_on_and_back(two: Pair) -> None:
    two.start("cup", two.elm)
    anybody = two.ash.client()
    page = anybody.get("/sessions/cup", headers={"Accept-Encoding": "gzip"})
    assert page.headers["Content-Encoding"] == "gzip"
    assert page.data[:2] == b"\x1f\x8b"
    known = {"If-None-Match": page.headers["ETag"], "Accept-Encoding": "gzip"}
    kept = anybody.get("/sessions/cup", headers=known)
    assert (kept.status_code, kept.data) == (304, b"")
    head = anybody.head("/api/v1/tables/cup-r01-t01")
    whole = anybody.get("/api/v1/tables/cup-r01-t01")
    assert (head.status_code, head.data) == (200, b"")
    assert head.headers["Content-Length"] == str(len(whole.data))
    assert len(two.elm.came) == 4
    assert "Date" not in page.headers, "the server of the first referee says when"


def test_what_concerns_no_session_in_play_is_answered_where_it_arrives(two: Pair) -> None:
    two.start("cup", two.elm)
    organiser = two.ash.client(two.admin)
    for path in ("/", "/api/v1", "/api/v1/sessions", "/api/v1/whoami", "/sessions/other", "/rules"):
        assert organiser.get(path).status_code in (200, 404)
    assert organiser.get("/seat").status_code == 200
    assert two.elm.came == []


def test_a_session_is_started_where_it_should_be_played(two: Pair) -> None:
    referee = two.ash.referee
    referee.create_session({"name": "Cup", "slug": "cup", "seats": 4}, "organiser")
    referee.set_session("cup", "open", "organiser")
    for bot in two.ids:
        referee.enter("cup", bot)
    two.ash.homes.start_at = "elm"
    started = two.ash.client(two.admin).post("/api/v1/sessions/cup/start")
    assert started.json is not None
    assert started.json["status"] == "running"
    assert "cup" in two.elm.referee._context.in_play.sessions
    assert "cup" not in two.ash.referee._context.in_play.sessions


def test_a_body_in_chunks_is_passed_on_and_one_too_long_is_refused_before(two: Pair) -> None:
    two.start("cup", two.elm)
    number, turn = two.turn_at(two.elm)
    client = two.ash.client(two.tokens[number])
    long = client.post(
        TURNS, data=b'{"answers":[' + b" " * 70_000 + b"]}", content_type="text/json"
    )
    assert long.status_code == 413
    assert two.elm.came == []
    chunked = client.post(
        f"{TURNS}/{turn}",
        content_type="application/json",
        headers={"Transfer-Encoding": "chunked", "Expect": "100-continue"},
        environ_overrides=_in_chunks(b'{"choice":0}'),
    )
    assert chunked.status_code == 200
    [came] = two.elm.came
    assert came["CONTENT_LENGTH"] == "12"
    assert "HTTP_EXPECT" not in came
    endless = client.post(
        TURNS,
        content_type="application/json",
        headers={"Transfer-Encoding": "chunked"},
        environ_overrides=_in_chunks(b" " * 70_000),
    )
    assert endless.status_code == 413
    assert len(two.elm.came) == 1


def _in_chunks(data: bytes) -> dict[str, Any]:
    """The environment of a request whose body has no length."""
    return {"wsgi.input": BytesIO(data), "wsgi.input_terminated": True, "CONTENT_LENGTH": ""}


def test_a_wait_that_is_written_with_escapes_is_waited_for(two: Pair) -> None:
    """A hop lasts as long as its request asks to wait, however that is written."""
    two.start("cup", two.elm)
    reply = two.ash.client(two.tokens[0]).get(f"{TURNS}?%77ait=0%2E01&max=%31")
    assert reply.status_code == 200
    assert two.elm.came[0]["QUERY_STRING"] == "wait=0.01&max=1"


QUERIES = st.text(st.sampled_from("%0123456789abdefABDEF&=+wt.-_~ \u00e9"), max_size=16)


@given(QUERIES)
def test_needless_escapes_are_all_that_a_query_loses(query: str) -> None:
    assert parse_qs(plain_query(query), keep_blank_values=True) == parse_qs(
        query, keep_blank_values=True
    )


def test_who_asks_by_an_old_protocol_need_not_name_a_host(two: Pair) -> None:
    two.start("cup", two.elm)
    asked = EnvironBuilder("/api/v1/sessions/cup").get_environ()
    asked |= {"SERVER_PROTOCOL": "HTTP/1.0"}
    del asked["HTTP_HOST"]
    _, status, _ = run_wsgi_app(two.ash.router.app, asked)
    assert status == "200 OK"
    assert two.elm.came[0]["HTTP_HOST"] == "peer", "the server of the home needs one"


def test_a_person_at_tables_of_two_homes_sees_the_one_that_was_entered_last(two: Pair) -> None:
    for slug, home in (("cup", two.ash), ("mug", two.ash), ("tea", two.elm)):
        two.start(slug, home)
    number, _ = two.turn_at(two.elm)
    two.ash.homes.seats[two.ids[number]] = "tea"
    sitting = {"Cookie": f"arena_seat={two.tokens[number]}"}
    page = two.ash.client().get("/seat", headers=sitting)
    assert [each["PATH_INFO"] for each in two.elm.came] == ["/seat"]
    assert SeatPage(page.text).heading == "Your turn"
    assert page.headers["Arena-Route"] == "elm"
    form = {"data": b"turn=" + b"%41" * 20_000, "content_type": FORM_MEDIA}
    refused = two.ash.client().post("/seat/answer", headers=sitting, **form)
    assert refused.status_code == 413, "it goes on unread"
    assert len(two.elm.came) == 2


def test_long_and_odd_queries_are_refused_as_at_home(two: Pair) -> None:
    two.start("cup", two.elm)
    for query in ("wait=" + "9" * 7_000, "wiat=25", "wait=%00%zz", 'a="\u00e9"', "after=-1"):
        here = two.ash.client(two.tokens[0]).get(f"{TURNS}?{query}")
        there = two.elm.client(two.tokens[0]).get(f"{TURNS}?{query}")
        assert here.status_code == there.status_code == 400
        assert {**(here.json or {}), "instance": ""} == {**(there.json or {}), "instance": ""}


def test_what_would_be_a_line_of_its_own_is_not_passed_on(two: Pair) -> None:
    two.start("cup", two.elm)
    evil = {"HTTP_X_EVIL": "a\r\nArena-Hop: ash", "HTTP_X_TAB": "a\tb"}
    reply = two.ash.client(two.tokens[0]).get(TURNS, environ_overrides=evil)
    assert reply.status_code == 200
    assert "HTTP_X_EVIL" not in two.elm.came[0]
    assert two.elm.came[0]["HTTP_X_TAB"] == "a\tb"


def test_a_client_cannot_pass_for_a_referee(two: Pair) -> None:
    two.start("cup", two.elm)
    number, turn = two.turn_at(two.elm)
    forged = {"Arena-Hop": "elm", "Arena-Part": "1", "Arena-Cluster-Secret": "guess"}
    forged["X-Forwarded-For"] = "203.0.113.9"
    where = {"REMOTE_ADDR": "198.51.100.7"}
    client = two.ash.client(two.tokens[number])
    reply = client.get(TURNS, headers=forged, environ_overrides=where)
    assert reply.json is not None
    assert [each["turn"] for each in reply.json["turns"]] == [turn]
    [came] = two.elm.came
    assert came["HTTP_ARENA_HOP"] == "ash"
    assert "HTTP_ARENA_PART" not in came
    assert came["HTTP_X_FORWARDED_FOR"] == "198.51.100.7"


def test_the_log_shows_a_request_once_with_its_hop_and_no_secret(
    two: Pair, caplog: pytest.LogCaptureFixture
) -> None:
    two.start("cup", two.elm)
    with caplog.at_level(logging.DEBUG):
        two.ash.client(two.tokens[0]).get(TURNS, headers={"X-Request-Id": "mine-2"})
    lines = [record for record in caplog.records if record.name == "arena.web.access"]
    assert [getattr(line, "fields", {}).get("from") for line in lines] == ["ash"]
    said = " ".join(f"{record.getMessage()} {vars(record)}" for record in caplog.records)
    assert two.tokens[0] not in said
    assert two.ash.homes.secret not in said


def test_hops_are_counted(two: Pair) -> None:
    two.start("cup", two.elm)
    for _ in range(3):
        two.ash.client(two.tokens[0]).get(TURNS)
    text = two.ash.client().get("/metrics").text
    assert 'arena_hops_total{to="elm"} 3.0' in text
    assert "arena_hop_seconds_count 3.0" in text
    assert "arena_hop_failures_total{" not in text


def test_an_uncertain_referee_answers_nothing_of_a_session(two: Pair) -> None:
    two.start("cup", two.ash)
    two.ash.homes.certain = False
    client = two.ash.client(two.tokens[0])
    for path in (TURNS, "/api/v1/sessions/cup"):
        reply = client.get(path)
        assert reply.status_code == 503
        assert reply.headers["Retry-After"] == "1"
        assert reply.json is not None
        assert reply.json["code"] == "unavailable"
    assert client.get("/api/v1/sessions").status_code == 200


def test_a_browser_gets_a_page_where_a_program_gets_a_document(two: Pair) -> None:
    two.start("cup", two.ash)
    two.ash.homes.certain = False
    page = two.ash.client().get("/sessions/cup", headers={"Accept": "text/html"})
    assert (page.status_code, page.mimetype) == (503, "text/html")
    head = two.ash.client().head("/api/v1/sessions/cup")
    assert (head.status_code, head.data) == (503, b"")


def test_where_the_home_is_gone_the_next_one_answers(two: Pair) -> None:
    two.start("cup", two.elm)
    two.elm.vanish()
    two.ash.homes.on_move = lambda: two.homes.update(cup="ash")
    reply = two.ash.client().get("/api/v1/sessions/cup")
    assert reply.status_code == 200
    assert two.ash.homes.lost == ["elm"]
    assert two.ash.homes.refreshed == ["cup"]


def test_where_nobody_takes_the_session_over_clients_are_asked_to_come_back(two: Pair) -> None:
    two.start("cup", two.elm)
    two.elm.vanish()
    reply = two.ash.client().get("/api/v1/sessions/cup")
    assert reply.status_code == 503
    assert reply.headers["Retry-After"] == "1"
    text = two.ash.client().get("/metrics").text
    assert 'arena_hop_failures_total{to="elm"} 1.0' in text


def test_a_home_that_is_none_any_more_sends_nobody_away(
    two: Pair, monkeypatch: pytest.MonkeyPatch
) -> None:
    two.start("cup", two.ash)
    number, turn = two.turn_at(two.ash)
    two.homes["cup"] = "elm"
    two.ash.homes.on_move = lambda: two.homes.update(cup="ash")

    def elsewhere(*_: object) -> None:
        raise NotHome("cup")

    monkeypatch.setattr(two.elm.referee, "answer", elsewhere)
    reply = two.ash.client(two.tokens[number]).post(f"{TURNS}/{turn}", json={"choice": 0})
    assert reply.json is not None
    assert reply.json["accepted"] is True
    assert len(two.elm.came) == 1


def test_who_finds_out_that_it_is_not_home_passes_the_same_body_on(
    two: Pair, monkeypatch: pytest.MonkeyPatch
) -> None:
    two.start("cup", two.elm)
    number, turn = two.turn_at(two.elm)
    two.homes["cup"] = "ash"
    two.ash.homes.on_move = lambda: two.homes.update(cup="elm")

    def elsewhere(*_: object) -> None:
        raise NotHome("cup")

    monkeypatch.setattr(two.ash.referee, "answer", elsewhere)
    reply = two.ash.client(two.tokens[number]).post(f"{TURNS}/{turn}", json={"choice": 0})
    assert reply.json is not None
    assert reply.json["accepted"] is True


def test_a_session_in_play_that_nobody_has_the_lease_of_keeps_nobody_for_ever(
    two: Pair, monkeypatch: pytest.MonkeyPatch
) -> None:
    two.start("cup", two.ash)
    number, turn = two.turn_at(two.ash)
    del two.homes["cup"]
    now_s, pauses = [0.0], []

    def elsewhere(*_: object) -> None:
        raise NotHome("cup")

    def sleep(pause_s: float) -> None:
        pauses.append(pause_s)
        now_s[0] += pause_s

    monkeypatch.setattr(two.ash.referee, "answer", elsewhere)
    monkeypatch.setattr(two.ash.router.app, "_monotonic", lambda: now_s[0])
    monkeypatch.setattr(two.ash.router.app, "_sleep", sleep)
    reply = two.ash.client(two.tokens[number]).post(f"{TURNS}/{turn}", json={"choice": 0})
    assert (reply.status_code, reply.headers["Retry-After"]) == (503, "1")
    assert 0 < len(pauses) < 100


def test_a_session_that_is_not_in_play_costs_no_look_into_the_database(two: Pair) -> None:
    claimed: list[str] = []
    two.ash.homes.claim = claimed.append  # type: ignore[method-assign,assignment]
    for name in ("none", "cup-1"):
        assert two.ash.client().get(f"/api/v1/sessions/{name}").status_code == 404
    assert claimed == []
    two.start("cup", two.ash)
    assert two.ash.client().get("/api/v1/sessions/cup").status_code == 200
    assert claimed == ["cup"]


def test_what_was_passed_on_is_not_passed_on_again(two: Pair) -> None:
    two.start("cup", two.ash)
    two.elm.homes.homes = {"cup": "ash"}
    two.ash.homes.homes = {"cup": "elm"}
    reply = two.ash.client().get("/api/v1/sessions/cup")
    assert reply.status_code == 200, "elm answers it from the database"
    assert len(two.elm.came) == 1
    assert two.ash.came == []


def test_a_referee_is_asked_by_its_name(two: Pair) -> None:
    organiser = two.ash.client(two.admin)
    organiser.post("/api/v1/cluster/referees/elm/drain")
    assert [each["PATH_INFO"] for each in two.elm.came] == ["/api/v1/cluster/referees/elm/drain"]
    organiser.post("/api/v1/cluster/referees/oak/drain")
    assert len(two.elm.came) == 1
    two.elm.vanish()
    assert organiser.post("/api/v1/cluster/referees/elm/drain").status_code == 503


def test_a_stream_comes_from_the_home_piece_by_piece(two: Pair) -> None:
    two.start("cup", two.elm)
    reply = two.ash.client().get("/api/v1/stream?table=cup-r01-t01&seconds=0", buffered=False)
    assert reply.mimetype == "text/event-stream"
    body = b"".join(reply.response)
    reply.close()
    assert body.startswith(b"retry: ")
    assert b"id: cup-r01-t01-h001." in body
    assert "Content-Length" not in reply.headers
