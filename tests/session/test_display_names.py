"""Pseudonymous boards: stable words, the same in everything that others see, and no way back."""

from __future__ import annotations

import hmac
from collections.abc import Iterator
from typing import Any

import orjson
import pytest

from arena.errors import BadInput
from arena.identity.pseudonyms import KEY_NOTE
from arena.records.verify import verify
from tests.cluster.memory import Several
from tests.queries.test_standings import check_rated, tables
from tests.referee.table import Arena, lowest

MEMBERS: dict[str, Any] = {
    "board": "pseudonymous",
    "schedule": {"rounds": 3},
    "hands_per_table": 2,
}


@pytest.fixture
def school(arena: Arena) -> Arena:
    """A class of five, a third of its session played."""
    arena.session(5, **MEMBERS)
    arena.play(at_most=150)
    return arena


def seen(arena: Arena, session: str = "cup") -> Iterator[str]:
    """Everything that is told to others than staff, of every kind that there is."""
    referee = arena.referee
    yield as_text(referee.queries.session(session))
    yield as_text(referee.queries.tables(session))
    for view in ("standings", "cross", "superiority", "separation"):
        yield as_text(referee.queries.fit(session).document(view))  # type: ignore[arg-type]
        yield referee.queries.fit(session).text(view)  # type: ignore[arg-type]
    yield referee.queries.fit(session).text("picture")
    yield from referee.queries.records(session)
    for table in tables(arena, session):
        yield as_text(referee.queries.table(table))
        for hand in referee.queries.table(table)["hands"]:
            yield as_text(referee.queries.hand(hand["hand"]))
            yield as_text(referee.hand_events(hand["hand"]))
            if hand["result"]:
                yield as_text(referee.queries.record(hand["hand"]))
    for _, turn in arena.waiting():
        yield as_text(turn)


def as_text(document: Any) -> str:
    return orjson.dumps(document).decode()


def secrets_of(arena: Arena) -> set[str]:
    """What may stand nowhere: ids, names, owners."""
    return {f'"{text}"' for name, bot in arena.bots.items() for text in (bot, name)}


def test_nothing_that_others_are_told_names_a_bot(school: Arena) -> None:
    for text in seen(school):
        assert not {secret for secret in secrets_of(school) if secret in text}, text[:300]
    school.play()
    for text in seen(school):
        assert not {secret for secret in secrets_of(school) if secret in text}, text[:300]
        assert "bot-" not in text


def test_bots_know_each_other_by_pseudonym_while_they_play(school: Arena) -> None:
    names = {entry["name"] for entry in school.referee.queries.session("cup")["entries"]}
    _, turn = school.one()
    assert {player["name"] for player in turn["players"]} <= names
    assert all(player["bot"] == player["name"] for player in turn["players"])


def test_each_bot_is_told_which_one_it_is_and_no_other(school: Arena) -> None:
    called = {bot: school.referee.queries.called("cup", bot) for bot in school.bots.values()}
    entries = school.referee.queries.session("cup")["entries"]
    assert set(called.values()) == {entry["name"] for entry in entries}
    assert (
        school.referee.enter("cup", school.bots["bot-1"])["called"] == called[school.bots["bot-1"]]
    )


def test_staff_sees_names_everywhere(school: Arena) -> None:
    school.play()
    assert "bot-3" in school.referee.queries.fit("cup", staff=True).text("standings")
    assert {e["name"] for e in school.referee.queries.session("cup", staff=True)["entries"]} == set(
        school.bots
    )
    assert "bot-3" in as_text(
        school.referee.queries.table(tables(school)[1], staff=True)
    ) + as_text(school.referee.queries.table(tables(school)[0], staff=True))
    told = {
        e["bot"]: e["called"] for e in school.referee.queries.session("cup", staff=True)["entries"]
    }
    assert told == {bot: school.referee.queries.called("cup", bot) for bot in school.bots.values()}
    named = "".join(school.referee.queries.records("cup", full=True))
    assert '"bot-3"' in named
    assert not any(words in named for words in told.values())


def test_both_boards_have_the_same_numbers_and_follow_from_their_records(school: Arena) -> None:
    school.play()

    def numbers(staff: bool) -> list[Any]:
        (group,) = school.referee.queries.standings("cup", staff=staff)["groups"]
        return [(row["elo"], row["elo_error"], row["hands"]) for row in group["rows"]]

    assert numbers(staff=False) == numbers(staff=True)
    check_rated(school)
    assert verify(school.referee.queries.records("cup")).findings == ()


def test_before_the_start_nobody_is_told_who_comes(arena: Arena) -> None:
    arena.referee.create_session({"name": "Cup", "slug": "cup", "board": "pseudonymous"}, "admin")
    arena.referee.set_session("cup", "open", "admin")
    for bot in arena.enrol(4):
        arena.referee.enter("cup", bot)
    assert arena.referee.queries.session("cup")["entries"] == []
    assert arena.referee.queries.standings("cup")["groups"] == []
    assert len(arena.referee.queries.session("cup", staff=True)["entries"]) == 4


def test_neither_numbers_nor_the_schedule_tell_the_order_of_entry(school: Arena) -> None:
    entries = school.referee.queries.session("cup")["entries"]
    assert [entry["number"] for entry in entries] == [1, 2, 3, 4, 5]
    header = orjson.loads(next(school.referee.queries.records("cup")))
    names = [entry["name"] for entry in entries]
    assert names == sorted(names) == header["schedule"]["roster"]
    assert [each["name"] for each in header["bots"]] == names


def test_pseudonyms_stay_through_restarts_and_are_the_same_in_every_process(
    school: Arena,
) -> None:
    before = school.referee.queries.session("cup")["entries"]
    school.restart()
    assert school.referee.queries.session("cup")["entries"] == before
    several = Several()
    here, there = several.members
    here.session(4, board="pseudonymous")
    several.step()
    assert (
        here.referee.queries.session("cup")["entries"]
        == there.referee.queries.session("cup")["entries"]
    )


def test_they_follow_from_the_arenas_own_secret_and_not_from_the_sessions(school: Arena) -> None:
    mine = {e["name"] for e in school.referee.queries.session("cup")["entries"]}
    other = Arena()
    other.session(5, **MEMBERS)  # the same seed, the same names, another arena
    assert not mine & {e["name"] for e in other.referee.queries.session("cup")["entries"]}
    key = school.store.note(KEY_NOTE)
    assert key is not None
    school.play()
    for text in seen(school):
        assert key not in text
        assert hmac.digest(bytes.fromhex(key), b"cup", "sha256").hex() not in text


def test_in_another_session_a_bot_is_called_otherwise(school: Arena) -> None:
    document = {"name": "Cup 2", "slug": "cup-2", "board": "pseudonymous"}
    school.referee.create_session(document, "admin")
    for bot in school.bots.values():
        school.referee.add_bot("cup-2", bot, "admin")
    called = [
        {school.referee.queries.called(session, bot) for bot in school.bots.values()}
        for session in ("cup", "cup-2")
    ]
    assert not called[0] & called[1]


@pytest.mark.slow
def test_bots_that_the_document_names_keep_their_names(arena: Arena) -> None:
    arena.session(5, **MEMBERS, anchor="bot-2")
    arena.play()
    names = {entry["name"] for entry in arena.referee.queries.session("cup")["entries"]}
    assert "bot-2" in names
    assert len(names & set(arena.bots)) == 1
    check_rated(arena)


def test_benchmarks_keep_their_names_and_nobody_else_does(arena: Arena) -> None:
    arena.session(5, **MEMBERS, benchmarks=["bot-2", "bot-4"])
    names = {entry["name"] for entry in arena.referee.queries.session("cup")["entries"]}
    assert names & set(arena.bots) == {"bot-2", "bot-4"}
    assert arena.referee.queries.session("cup")["benchmarks"] == ["bot-2", "bot-4"]
    arena.play(at_most=150)
    hidden = {name for name in arena.bots if name not in ("bot-2", "bot-4")}
    for text in seen(arena):
        assert not [name for name in hidden if f'"{name}"' in text]


def test_benchmarks_that_are_named_after_bots_have_entered_keep_their_names_too(
    arena: Arena,
) -> None:
    arena.session(5, start=False, **MEMBERS)
    document = {"name": "Cup", **MEMBERS, "seats": 4, "benchmarks": ["bot-2"]}
    arena.referee.replace_session("cup", document, "admin")
    arena.referee.set_session("cup", "start", "admin")
    names = {entry["name"] for entry in arena.referee.queries.session("cup")["entries"]}
    assert names & set(arena.bots) == {"bot-2"}


def test_a_session_does_not_start_without_its_benchmarks(arena: Arena) -> None:
    with pytest.raises(BadInput, match=r"benchmarks\[1\] is 'botty'; expected bots that have"):
        arena.session(5, **MEMBERS, benchmarks=["bot-2", "botty", "house-1"])
    assert arena.status("cup") == "open"


@pytest.mark.parametrize(
    ("benchmarks", "expected"),
    [
        ("bot-1", "a list"),
        ([3], "a name"),
        (["a", "a"], "once"),
        (list("abcdefghijklmnopqrstu"), "20"),
    ],
)
def test_benchmarks_are_a_list_of_names(arena: Arena, benchmarks: Any, expected: str) -> None:
    with pytest.raises(BadInput, match=rf"benchmarks.*{expected}"):
        arena.referee.create_session({"name": "Cup", "benchmarks": benchmarks}, "admin")


@pytest.mark.slow
def test_house_bots_keep_their_names_and_withdrawn_ones_their_pseudonyms(arena: Arena) -> None:
    arena.session(6, board="pseudonymous", schedule={"rounds": 2, "house_bots": True})
    arena.referee.withdraw("cup", "bot-1", "admin")
    arena.play()
    text = arena.referee.queries.fit("cup").text("standings")
    assert "house-1" in text
    assert "bot-1" not in text
    check_rated(arena)


def test_late_comers_of_a_ladder_change_nobodys_pseudonym(arena: Arena) -> None:
    arena.session(4, board="pseudonymous", schedule={"kind": "ladder"}, hands_per_table=1)
    before = {bot: arena.referee.queries.called("cup", bot) for bot in arena.bots.values()}
    (fresh,) = arena.enrol(1)
    assert arena.referee.add_bot("cup", fresh, "admin")["called"]
    assert (
        before.items()
        <= {bot: arena.referee.queries.called("cup", bot) for bot in arena.bots.values()}.items()
    )
    arena.play(lowest, at_most=400)
    assert "bot-" not in "".join(seen(arena))


def test_another_kind_of_board_is_refused(arena: Arena) -> None:
    with pytest.raises(BadInput, match="board is 'secret'; expected one of named, pseudonymous"):
        arena.referee.create_session({"name": "Cup", "board": "secret"}, "admin")
