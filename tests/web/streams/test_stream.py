"""A hand and a table followed by everybody, on the real app and the real referee."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from arena.settings import Settings
from tests.real import Real
from tests.web.api.test_results import play
from tests.web.streams.reading import STREAM, Event, Following, snapshot

TABLE = "cup-r01-t01"
FIRST, SECOND = f"{TABLE}-h001", f"{TABLE}-h002"


@pytest.fixture
def real() -> Real:
    """Four bots with two hands to play at a table."""
    created = Real()
    created.session()
    return created


def log(real: Real, hand: str) -> list[dict[str, Any]]:
    """The events of a hand as a spectator may know them while it runs."""
    from arena.session.hand_log import events_for

    live = real.referee.followed_hand(hand).hand
    return events_for(live.log.events, live.log.written, None)


def events_in(events: list[Event]) -> list[dict[str, Any]]:
    """The events of hands in what a stream says, each once and in order."""
    logged: list[dict[str, Any]] = []
    for event in events:
        if event.event == "events":
            assert event.data["after"] == len(logged)
            logged += event.data["events"]
            assert event.data["next"] == len(logged)
            assert event.id == f"{event.data['hand']}.{len(logged)}"
    return logged


def test_a_running_hand_is_told_as_every_spectator_may_know_it(real: Real) -> None:
    play(real, at_most=12)
    listed = real.anybody.get(f"/api/v1/hands/{FIRST}/events").get_json()["events"]
    assert events_in(snapshot(real.anybody, f"hand={FIRST}")) == listed == log(real, FIRST)
    assert listed[0]["hands"] == [[], [], [], []]


def test_a_bot_and_an_organiser_are_told_no_more_than_others(real: Real) -> None:
    play(real, at_most=5)
    everybody = snapshot(real.anybody, f"hand={FIRST}")
    assert snapshot(real.bots[0], f"hand={FIRST}") == everybody
    assert snapshot(real.organiser, f"hand={FIRST}") == everybody


def test_a_reader_is_woken_by_what_happens_and_told_the_end(real: Real) -> None:
    with Following(real.anybody, f"hand={FIRST}") as following:
        events = [next(following)]
        while events[-1].event == "events":
            if len(events_in(events)) == len(log(real, FIRST)):
                play(real, at_most=1)
            events.append(next(following))
        events += list(following)
    assert events_in(events) == log(real, FIRST)
    over, following_hand = events[-2:]
    assert (over.event, over.data) == ("over", {"hand": FIRST, "status": "finished"})
    expected = {"hand": FIRST, "next": SECOND}
    assert (following_hand.event, following_hand.data) == ("next", expected)


@pytest.mark.parametrize("number", range(3))
def test_a_stream_that_is_cut_anywhere_goes_on_without_a_gap_or_a_double(
    real: Real, number: int
) -> None:
    random = Random(number)
    events: list[Event] = []
    last = ""
    while not events or events[-1].event != "next":
        play(real, at_most=random.randrange(9))
        with Following(real.anybody, f"hand={FIRST}&seconds=0", last) as following:
            for event in following:
                events.append(event)
                last = event.id
                if random.random() < 0.1:
                    break
    assert events_in(events) == log(real, FIRST)
    assert [event.event for event in events].count("over") == 1
    assert len({event.id for event in events}) == len(events)


def test_the_number_of_known_events_may_stand_in_the_address(real: Real) -> None:
    play(real, at_most=10)
    (all_, *_), events = events_in(snapshot(real.anybody, f"hand={FIRST}")), log(real, FIRST)
    assert all_ == events[0]
    first = snapshot(real.anybody, f"hand={FIRST}")[3]
    rest = snapshot(real.anybody, f"hand={FIRST}&after={first.data['next']}")
    assert rest[0].data["after"] == first.data["next"]
    again = snapshot(real.anybody, f"hand={FIRST}&after=0", last=first.id)
    assert again == rest


def test_who_has_read_all_of_a_hand_that_is_over_need_not_come_back(real: Real) -> None:
    play(real)
    last = snapshot(real.anybody, f"hand={FIRST}")[-1].id
    response = real.anybody.get(f"{STREAM}?hand={FIRST}", headers={"Last-Event-ID": last})
    assert (response.status_code, response.data) == (204, b"")
    assert len(snapshot(real.anybody, f"hand={FIRST}", last.replace(last[-3:], "1"))) > 10


def test_a_table_is_followed_from_hand_to_hand_to_its_end(real: Real) -> None:
    with Following(real.anybody, f"table={TABLE}") as following:
        events = [next(following)]
        play(real)
        events += list(following)
    by_hand = {
        hand: [each for each in events if each.data["hand"] == hand] for hand in (FIRST, SECOND)
    }
    assert [events_in(each) for each in by_hand.values()] == [log(real, FIRST), log(real, SECOND)]
    assert events == by_hand[FIRST] + by_hand[SECOND]
    assert events[-1].data == {"hand": SECOND, "next": None}


def test_a_table_resumes_in_the_hand_before_and_goes_on(real: Real) -> None:
    play(real, at_most=6)
    early = snapshot(real.anybody, f"table={TABLE}")[2]
    play(real)
    whole = snapshot(real.anybody, f"hand={FIRST}") + snapshot(real.anybody, f"hand={SECOND}")
    with Following(real.anybody, f"table={TABLE}", early.id) as following:
        assert list(following) == whole[3:]
    assert snapshot(real.anybody, f"table={TABLE}")[0].data["hand"] == SECOND


def test_of_a_table_one_may_be_told_only_which_hands_are_played(real: Real) -> None:
    with Following(real.anybody, f"table={TABLE}&form=hands") as following:
        first = next(following)
        play(real)
        events = [first, *following]
    begun = [event.data for event in events if event.event == "hand"]
    assert begun == [{"hand": FIRST, "number": 1}, {"hand": SECOND, "number": 2}]
    assert [event.event for event in events] == ["hand", "over", "next"] * 2


def test_a_session_that_is_embargoed_meanwhile_is_withheld_at_once(real: Real) -> None:
    play(real, at_most=6)
    with Following(real.anybody, f"hand={FIRST}") as following:
        next(following)
        known = len(log(real, FIRST))
        assert real.organiser.post("/api/v1/sessions/cup/embargo", json={}).status_code == 200
        play(real, at_most=3)
        rest = list(following)
    assert rest[-1].event == "withheld"
    assert all(event.data["next"] <= known for event in rest[:-1])
    refused = real.anybody.get(f"{STREAM}?hand={FIRST}")
    assert (refused.status_code, refused.get_json()["code"]) == (403, "forbidden")
    assert real.organiser.post("/api/v1/sessions/cup/publish").status_code == 200
    assert events_in(snapshot(real.anybody, f"hand={FIRST}")) == log(real, FIRST)


def test_a_hidden_session_is_followed_by_who_has_its_address(real: Real) -> None:
    changed = real.organiser.patch("/api/v1/sessions/cup", json={"hidden": True})
    assert changed.status_code == 200
    assert snapshot(real.anybody, f"hand={FIRST}")


def test_a_void_hand_is_over(real: Real) -> None:
    with Following(real.anybody, f"hand={FIRST}") as following:
        next(following)
        voided = real.organiser.post(f"/api/v1/tables/{TABLE}/void", json={"reason": "power cut"})
        assert voided.status_code == 200
        rest = list(following)
    assert [event.data for event in rest] == [
        {"hand": FIRST, "status": "void"},
        {"hand": FIRST, "next": None},
    ]


def test_a_table_with_shared_deals_is_silent_until_the_others_have_got_there() -> None:
    real = Real(settings=Settings(requests_per_s=0, registration="closed"))
    deals = {"deals": "common", "roster": {"bots_per_owner": 1}}
    real.session(6, seats=3, hands_per_table=1, **deals)
    while turns := [(n, turn) for n, turn in real.waiting() if turn["table"] == TABLE]:
        number, turn = turns[0]
        legal = turn["legal"]
        answer = next((each for each in legal if "pass" not in each), legal[0])
        assert (
            real.bots[number].post(f"/api/v1/turns/{turn['turn']}", json=answer).status_code == 200
        )
    assert snapshot(real.anybody, f"hand={FIRST}") == []
    play(real)
    assert events_in(snapshot(real.anybody, f"hand={FIRST}")) == log(real, FIRST)


@pytest.mark.parametrize(
    ("query", "last", "code"),
    [
        ("", "", "invalid"),
        (f"hand={FIRST}&table={TABLE}", "", "invalid"),
        ("hand=nothing", "", "not_found"),
        ("table=nothing", "", "not_found"),
        (f"hand={FIRST}&after=-1", "", "invalid"),
        (f"hand={FIRST}&seconds=9999999", "", "invalid"),
        (f"hand={FIRST}&form=cards", "", "invalid"),
        (f"hand={FIRST}", "nonsense", "bad_value"),
        (f"hand={FIRST}", f"{SECOND}.3", "bad_value"),
        (f"table={TABLE}", "other-h001.3", "bad_value"),
        (f"table={TABLE}", f"{TABLE}-h777.3", "not_found"),
    ],
)
def test_bad_input_is_named(real: Real, query: str, last: str, code: str) -> None:
    headers = {"Last-Event-ID": last} if last else {}
    response = real.anybody.get(f"{STREAM}?{query}", headers=headers)
    assert response.get_json()["code"] == code
    assert response.status_code == (404 if code == "not_found" else 400)
    assert real.app.test_client().get(f"{STREAM}?hand={FIRST}&seconds=0").status_code == 200


@pytest.fixture
def small() -> Real:
    """An arena with two streams, one for each address."""
    created = Real(settings=Settings(requests_per_s=0, streams=2, streams_per_address=1))
    created.session()
    return created


def test_beyond_the_cap_is_a_problem_that_says_when_to_come_back(small: Real) -> None:
    def ask(address: str) -> Any:
        there = {"REMOTE_ADDR": address}
        return small.anybody.get(f"{STREAM}?hand={FIRST}", environ_base=there)

    open_ = [ask("10.0.0.1"), ask("10.0.0.2")]
    assert [response.status_code for response in open_] == [200, 200]
    own, full = ask("10.0.0.1"), ask("10.0.0.3")
    assert (own.status_code, own.get_json()["code"]) == (429, "too_many_requests")
    assert (full.status_code, full.get_json()["code"]) == (503, "unavailable")
    assert own.headers["Retry-After"] == full.headers["Retry-After"] == "30"
    open_[0].close()
    again = ask("10.0.0.3")
    assert again.status_code == 200
    for response in (open_[1], again):
        response.close()


def test_open_streams_are_counted(real: Real) -> None:
    def counted() -> bool:
        return "arena_streams 1.0" in real.anybody.get("/metrics").text

    assert not counted()
    with Following(real.anybody, f"hand={FIRST}"):
        assert counted()
    assert not counted()


def test_a_request_for_the_head_takes_no_place(small: Real) -> None:
    for _ in range(3):
        assert small.anybody.head(f"{STREAM}?hand={FIRST}").status_code == 200


def test_proxies_and_caches_keep_nothing_back(real: Real) -> None:
    with Following(real.anybody, f"hand={FIRST}") as following:
        headers = following.response.headers
        assert headers["Content-Type"] == "text/event-stream; charset=utf-8"
        assert headers["X-Accel-Buffering"] == "no"
        assert headers["Cache-Control"] == "no-store"
        assert "Content-Length" not in headers
