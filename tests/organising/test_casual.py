"""Casual tables: at once, never rated, bounded in number, and gone after a day."""

from __future__ import annotations

import json
from typing import Any

import pytest

from arena.documents import Document
from arena.errors import ArenaError, BadInput, Conflict, Forbidden, NotFound
from arena.identity.casual import new_person
from arena.organising.casual import MIXED, CasualTable, SeatedPerson
from arena.records.pooling import Records
from arena.records.verify import verify
from arena.settings import Settings
from arena.statuses import SessionStatus
from tests.casual import House
from tests.real import Real

HOUR_MS = 3_600_000
PAGAT: Document = {"preset": "pagat"}


@pytest.fixture
def real() -> Real:
    return Real(settings=Settings(requests_per_s=0, casual_tables=2, casual_keep_h=1))


@pytest.fixture
def house(real: Real) -> House:
    return House(real)


def sit(real: Real, name: str = "Ann", person: str | None = None, **wanted: Any) -> SeatedPerson:
    asked = {"ruleset": PAGAT, "hands": 1, **wanted}
    return real.referee.casual.sit_down(CasualTable(name, **asked), person)


def play_on(real: Real, house: House, seated: SeatedPerson) -> None:
    """Play a table to its end; the person makes the last play that is listed."""
    house.play()
    while turns := real.referee.turns(seated.bot)["turns"]:
        for turn in turns:
            choice = {"choice": len(turn["legal"]) - 1}
            real.referee.answer(seated.bot, turn["turn"], choice)
        house.play()


def test_a_table_is_dealt_at_once_and_played_to_its_end(real: Real, house: House) -> None:
    seated = sit(real, hands=2)
    session = real.referee.queries.session(seated.session)
    assert (session["status"], session["rated"], session["hidden"]) == ("running", False, True)
    names = [entry["name"] for entry in session["entries"]]
    assert names[0] == "Ann"
    assert all(name.startswith("house-") for name in names[1:])
    play_on(real, house, seated)
    session = real.referee.queries.session(seated.session)
    assert (session["status"], session["progress"]["hands_finished"]) == ("finished", 2)


@pytest.mark.slow
@pytest.mark.parametrize("players", range(2, 9))
@pytest.mark.parametrize("strength", [MIXED, "random", "lowest", "heuristic"])
def test_the_house_fills_every_table(real: Real, house: House, players: int, strength: str) -> None:
    options = {"players_range": [2, 8]}
    seated = sit(real, players=players, strength=strength, ruleset={**PAGAT, "options": options})
    entries = real.referee.queries.session(seated.session)["entries"]
    assert len(entries) == players
    if strength != MIXED:
        assert all(entry["name"].startswith(f"house-{strength}-") for entry in entries[1:])


def test_it_has_no_standings_anywhere(real: Real, house: House) -> None:
    seated = sit(real)
    play_on(real, house, seated)
    with pytest.raises(NotFound, match="not rated"):
        real.referee.queries.fit(seated.session)
    for path in ("standings", "crosstable", "superiority", "history", "standings.svg"):
        answer = real.anybody.get(f"/api/v1/sessions/{seated.session}/{path}")
        assert answer.status_code == 404
        assert "not rated" in answer.text
    page = real.anybody.get(f"/sessions/{seated.session}").text
    assert "never rated" in page
    listed = real.anybody.get("/api/v1/sessions").json
    assert listed is not None
    assert listed["sessions"] == []


def test_its_record_is_good_but_no_rating_takes_it(real: Real, house: House) -> None:
    seated = sit(real)
    play_on(real, house, seated)
    lines = list(real.referee.queries.records(seated.session))
    assert '"rated":false' in lines[0].replace(" ", "")
    assert verify(lines).findings == ()
    for given in (lines, lines[1:]):
        records = Records()
        records.read(given, "casual.jsonl")
        [pool] = records.pools()
        assert pool.results == ()
        assert records.casual() == len(lines) - 1 > 0


def test_people_and_house_bots_enter_no_rated_session(real: Real, house: House) -> None:
    session = real.referee.create_session({"name": "Cup", "seats": 4}, "organiser")["session"]
    person, _ = new_person(real.referee.registry, real.store, "Ann")
    for bot in (person.id, "house-lowest-1"):
        with pytest.raises(Forbidden, match="not rated"):
            real.referee.add_bot(session, bot, "organiser")
    casual = {"name": "Fun", "seats": 4, "rated": False}
    session = real.referee.create_session(casual, "organiser")["session"]
    assert real.referee.add_bot(session, person.id, "organiser")["status"] == "entered"


def test_a_name_that_is_taken_gets_a_number(real: Real, house: House) -> None:
    real.referee.register("Ann")
    seated = sit(real)
    assert real.referee.queries.bot(seated.bot)["name"] == "Ann-2"
    long = "x" * 40
    names = [new_person(real.referee.registry, real.store, long)[0].name for _ in range(2)]
    assert names == [long, f"{'x' * 38}-2"]


def test_who_sits_down_again_under_the_same_name_is_the_same(real: Real, house: House) -> None:
    first = sit(real)
    play_on(real, house, first)
    again = sit(real, person=first.bot)
    assert (again.bot, again.token) == (first.bot, None)
    other = sit(real, "Bea", person=first.bot)
    assert other.bot != first.bot
    assert other.token


@pytest.mark.parametrize(
    ("wanted", "error"),
    [
        ({"hands": 0}, BadInput),
        ({"hands": 21}, BadInput),
        ({"clock": "x3"}, BadInput),
        ({"players": 9}, BadInput),
        ({"strength": "divine"}, BadInput),
        ({"ruleset": {"preset": "chess"}}, BadInput),
        ({"ruleset": {"preset": "pagat", "patches": ["nothing"]}}, BadInput),
        ({"name": "house-me"}, BadInput),
        ({"name": " "}, BadInput),
    ],
    ids=str,
)
def test_what_cannot_be_played_leaves_nothing_behind(
    real: Real, house: House, wanted: dict[str, Any], error: type[ArenaError]
) -> None:
    before = real.store.bots()
    with pytest.raises(error):
        sit(real, **wanted)
    assert real.store.bots() == before
    assert real.store.sessions() == ()


def test_without_house_bots_nobody_sits_down(real: Real) -> None:
    assert real.referee.casual.strengths() == ()
    with pytest.raises(Conflict, match="not switched them on"):
        sit(real)


def test_house_bots_that_went_away_are_not_offered(real: Real, house: House) -> None:
    assert real.referee.casual.strengths() == ("random", "lowest", "heuristic")
    real.clock.pass_ms(60_000)
    assert real.referee.casual.strengths() == ()
    house.poll()
    assert real.referee.casual.strengths() == ("random", "lowest", "heuristic")


def test_there_are_no_more_tables_than_the_host_allows(real: Real, house: House) -> None:
    seated = [sit(real, name) for name in ("Ann", "Bea")]
    with pytest.raises(Conflict, match="2 are played"):
        sit(real, "Cleo")
    play_on(real, house, seated[0])
    assert sit(real, "Cleo").session


@pytest.mark.parametrize(("clock", "move_ms"), [("x1", 30_000), ("x1.5", 45_000), ("x2", 60_000)])
def test_the_clock_is_the_persons_alone(real: Real, house: House, clock: str, move_ms: int) -> None:
    seated = sit(real, clock=clock)
    [table] = real.referee._context.in_play.tables.values()
    times = {bot: each.move_ms for bot, each in zip(table.players, table.log.clocks, strict=True)}
    assert times == {**dict.fromkeys(table.players, 30_000), seated.bot: move_ms}
    play_on(real, house, seated)
    document = real.referee.queries.session(seated.session)
    assert document["clock"]["move_ms"] == 30_000
    assert [entry.get("person") for entry in document["entries"]] == [{"clock": clock}, *[None] * 3]
    lines = list(real.referee.queries.records(seated.session))
    hand = json.loads(lines[1])
    clocks = dict(zip(hand["bots"], hand["clocks"], strict=True))
    assert clocks == {**dict.fromkeys(table.players), seated.bot: clock}
    assert verify(lines).ok
    hand["clocks"] = ["none"] * 4
    forged = [lines[0], json.dumps(hand)]
    assert "the header says" in verify(forged).findings[0].what


def test_without_a_clock_a_person_may_think_for_an_hour(real: Real, house: House) -> None:
    seated = sit(real, clock="none")
    house.play()
    [turn] = real.referee.turns(seated.bot)["turns"]
    assert turn["remaining_ms"] == HOUR_MS


def test_who_goes_away_holds_nobody_up_for_long(real: Real, house: House) -> None:
    seated = sit(real, hands=3)
    for _ in range(20):
        house.play()
        real.clock.pass_ms(60_000)
        house.poll()
        real.referee.sweep()
    assert real.referee.queries.session(seated.session)["status"] == SessionStatus.FINISHED


def test_it_is_taken_away_with_the_person_when_its_time_has_come(real: Real, house: House) -> None:
    seated = sit(real)
    play_on(real, house, seated)
    hand = real.referee.queries.tables(seated.session)["tables"][0]["table"] + "-h001"
    assert real.anybody.get(f"/hands/{hand}").status_code == 200
    real.clock.pass_ms(HOUR_MS + 1_000)
    real.referee.sweep()
    assert real.store.session(seated.session) is None
    assert real.store.bot(seated.bot) is None
    assert real.anybody.get(f"/hands/{hand}").status_code == 404
    assert real.referee.registry.known(seated.token or "") is None
    assert real.store.bot_by_name("house-lowest-1") is not None


def test_a_table_that_is_being_played_goes_too(real: Real, house: House) -> None:
    seated = sit(real, clock="none")
    real.clock.pass_ms(HOUR_MS + 1_000)
    real.referee.sweep()
    assert real.store.session(seated.session) is None
    assert real.referee.turns(seated.bot)["turns"] == []


def test_a_person_with_another_table_stays(real: Real, house: House) -> None:
    first = sit(real)
    play_on(real, house, first)
    real.clock.pass_ms(HOUR_MS // 2)
    house.poll()
    second = sit(real, person=first.bot)
    real.clock.pass_ms(HOUR_MS // 2 + 1_000)
    real.referee.sweep()
    assert real.store.session(first.session) is None
    assert real.store.session(second.session) is not None
    assert real.store.bot(first.bot) is not None


def test_only_schedules_without_ratings_can_go_unrated(real: Real) -> None:
    document = {"name": "Fun", "seats": 4, "rated": False, "schedule": {"kind": "swiss"}}
    with pytest.raises(BadInput, match="follow from ratings"):
        real.referee.create_session(document, "organiser")


def test_no_final_rests_on_a_casual_session(real: Real, house: House) -> None:
    seated = sit(real)
    play_on(real, house, seated)
    final = {"kind": "final", "of": [seated.session]}
    document = {"name": "Final", "ruleset": PAGAT, "schedule": final}
    with pytest.raises(BadInput, match="that is rated"):
        real.referee.create_session(document, "organiser")
