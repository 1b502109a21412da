"""Record files of any number of sessions, in any order, as pools that can be rated."""

from __future__ import annotations

import json
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.errors import BadInput
from arena.records.pooling import Pool, Records
from arena.tournament.reporting.layouts import render
from arena.tournament.standings import compile_standings

BOTS = ("b-one", "b-two", "b-three", "b-four", "b-five")
NAMES = ("貧民の星", "carol", "dave", "エリカ", "frank")
Line = dict[str, Any]


def header(session: str = "cup", *, secret: str = "5e", out: str = "", **more: Any) -> Line:
    """The header of a session of the five; `out` has been withdrawn."""
    listed = [
        {
            "bot": bot,
            "name": name,
            "owner": f"owner of {bot}",
            "number": number,
            "status": "withdrawn" if bot == out else "entered",
        }
        for number, (bot, name) in enumerate(zip(BOTS, NAMES, strict=True), start=1)
    ]
    return {
        "format": "daifugo-arena/session/1",
        "session": session,
        "document": {"name": f"The {session}", "hands_per_table": 2, **more},
        "secret_commitment": secret * 32,
        "status": "finished",
        "schedule": None,
        "bots": listed,
    }


def hand(table: int, number: int, session: str = "cup", *, fingerprint: str = "f00d") -> Line:
    """A hand of four of the five, the later ones a little better."""
    line_up = [(table + at) % 5 for at in range(4)]
    chance = Random(f"{session}/{table}/{number}")
    order = sorted(range(4), key=lambda player: line_up[player] - 4 * chance.random())
    return {
        "format": "daifugo-arena/hand/1",
        "session": session,
        "table": f"{session}-{table}",
        "hand": f"{session}-{table}-{number}",
        "block": f"{session}-{table}",
        "fingerprint": fingerprint,
        "bots": [BOTS[at] for at in line_up],
        "players": [NAMES[at] for at in line_up],
        "seating": [3, 1, 0, 2],
        "result": {
            "places": order,
            "finish": [1, 2, 3, 4],
            "faults": [],
            "forfeits": [],
            "points": [0.1 * player for player in order],
            "moves": [7, 8, 9, 3],
            "charged_ms": [70, 1, 2, 3],
        },
    }


def hands(session: str = "cup", **more: Any) -> list[Line]:
    """All hands of a session of seven tables."""
    return [hand(table, number, session, **more) for table in range(7) for number in (1, 2)]


def pools(*files: list[Line]) -> tuple[Pool, ...]:
    records = Records()
    for number, lines in enumerate(files, start=1):
        records.read([json.dumps(line) + "\n" for line in lines], f"file {number}")
    return records.pools()


def shown(*files: list[Line]) -> str:
    """Everything that the ratings and standings of the files say."""
    return "".join(
        render(
            compile_standings(pool.results, pool.entrants, facts=pool.facts, anchor=pool.anchor),
            layout="wide",
        )
        for pool in pools(*files)
    )


CUP = [header(out="b-two", anchor="エリカ"), *hands()]
LEAGUE = [header("league", secret="1e"), *hands("league")]


@pytest.mark.slow
@settings(max_examples=min(20, settings().max_examples), deadline=None)
@given(st.randoms(use_true_random=False), st.integers(1, 20))
def test_neither_the_order_of_lines_nor_how_files_are_cut_changes_a_byte(
    random: Random, cut: int
) -> None:
    lines = [*CUP, *LEAGUE]
    random.shuffle(lines)
    assert shown(lines[:cut], lines[cut:]) == shown(LEAGUE, CUP)


def test_one_session_says_what_it_was_and_several_say_which() -> None:
    text = shown(CUP)
    assert text.startswith("The cup\nruleset pagat")
    assert "エリカ cannot carry the scale" in text
    assert "5e5e5e" in text
    assert "owner of b-one" in text
    assert shown(CUP, LEAGUE).startswith("2 sessions: cup, league\nruleset pagat")


def test_who_left_is_withdrawn_and_what_it_earned_is_summed_exactly() -> None:
    (pool,) = pools(CUP)
    found = {entrant.bot: entrant for entrant in pool.entrants}
    assert [entrant.bot for entrant in pool.entrants] == list(BOTS)
    assert found["b-two"].withdrawn
    assert not found["b-one"].withdrawn
    assert found["b-one"].move_ms is not None


def casual(number: int) -> Line:
    """A hand of casual play, as `arena play` writes it: without a header."""
    return {**hand(0, number, "play"), "rated": False}


def test_casual_play_is_left_out_and_counted() -> None:
    assert shown(CUP, [casual(1), casual(2)]) == shown(CUP)
    records = Records()
    records.read([json.dumps(each) for each in (*CUP, casual(1), casual(2))])
    assert records.casual() == 2


def test_a_header_decides_whether_its_hands_are_rated() -> None:
    league = [header("league", secret="1e", rated=False), *hands("league")]
    assert shown(CUP, league) == shown(CUP)
    contradicting = [{**each, "rated": False} for each in hands()]
    assert shown([CUP[0], *contradicting]) == shown(CUP)


def test_a_hand_counts_once() -> None:
    with pytest.raises(BadInput, match=r"file 2, line 3: hand is 'cup-0-2'.*file 1, line 3"):
        pools(CUP, [header(), hand(6, 2, "league"), hand(0, 2)])


def test_a_bot_has_one_name_and_one_owner() -> None:
    other = hand(9, 1)
    other["players"][1] = "somebody else"
    with pytest.raises(BadInput, match=r"line 1: name of .* is 'somebody else'; expected"):
        pools(CUP, [other])
    league = header("league")
    league["bots"][0]["owner"] = "a thief"
    with pytest.raises(BadInput, match=r"owner of b-one is 'a thief'; expected 'owner of b-one'"):
        pools(CUP, [league])


def test_two_sessions_of_one_id_are_told_apart_by_their_secrets() -> None:
    again = [header(secret="0a"), *hands()]
    (pool,) = pools(CUP, again)
    assert len(pool.results) == 28
    assert len({result.block for result in pool.results}) == 14
    (alone,) = pools(CUP[1:])
    assert {result.block for result in alone.results} == {f"cup-{table}" for table in range(7)}


def test_hands_without_their_header_are_of_the_only_session_of_that_id() -> None:
    assert shown(CUP[:5], CUP[5:]) == shown(CUP)


def test_each_ruleset_and_size_is_a_pool() -> None:
    found = pools(CUP, hands("other", fingerprint="beef"))
    assert [pool.name for pool in found] == ["beef/4", "f00d/4"]
    assert [len(pool.results) for pool in found] == [14, 14]


def test_hands_of_tables_that_are_void_or_go_on_do_not_count() -> None:
    told = {"void": [], "aborted": ["cup-3"], "playing": ["cup-2"]}
    void = {**hand(4, 1), "void": "a power cut"}
    (pool,) = pools([CUP[0] | {"tables": told}, *hands()[:8], void])
    assert {result.block for result in pool.results} == {"cup-0", "cup-1", "cup-3"}
    assert pool.facts.partial_blocks == 1


def test_a_session_without_hands_lists_who_entered() -> None:
    (pool,) = pools(CUP[:1])
    assert pool.results == ()
    assert [entrant.name for entrant in pool.entrants] == [n for n in NAMES if n != "carol"]


def test_a_file_without_a_line_is_refused() -> None:
    with pytest.raises(BadInput, match="file 2 is 'empty'"):
        pools(CUP, [])


def without(line: Line, *path: str) -> Line:
    copy: Line = json.loads(json.dumps(line))
    inner = copy
    for name in path[:-1]:
        inner = inner[name]
    del inner[path[-1]]
    return copy


@pytest.mark.parametrize("path", ["session", "hand", "block", "fingerprint", "bots", "players"])
def test_a_member_that_is_missing_is_named(path: str) -> None:
    with pytest.raises(BadInput, match=f"file 1, line 2: {path} is not given; expected"):
        pools([CUP[0], without(CUP[1], path)])


WRONG: list[tuple[str, object, str]] = [
    ("places", [0, 1, 2], "4 of them"),
    ("places", [0, 1, 2, 2], "only once"),
    ("places", [0, 1, 2, -1], "0 to 3"),
    ("places", [0, 1, 2, True], "whole number"),
    ("places", [0, 1, 2, 3.0], "whole number"),
    ("finish", [1, 2, 2, 3], "like 1 2 2 4"),
    ("finish", [4, 3, 2, 1], "like 1 2 2 4"),
    ("finish", {}, "a list"),
    ("faults", [{"player": 4}], "0 to 3"),
    ("faults", ["0"], "an object"),
    ("forfeits", [0, 0], "only once"),
    ("points", [1, 2, 3], "4 of them"),
    ("points", [1, 2, 3, "4"], "a number"),
    ("points", [1, 2, 3, 1e300], "a number"),
    ("moves", [1, 2, 3, 0.5], "whole number"),
    ("charged_ms", [1, 2, 3, -4], "whole number"),
]


@pytest.mark.parametrize(("member", "value", "said"), WRONG)
def test_a_result_of_the_wrong_kind_is_named(member: str, value: object, said: str) -> None:
    line = hand(0, 1)
    line["result"][member] = value
    with pytest.raises(BadInput, match=f"line 1: .*{said}"):
        pools([line])


def test_what_is_shown_of_a_value_is_short() -> None:
    line = hand(0, 1)
    line["block"] = "x" * 100_000
    with pytest.raises(BadInput, match="block") as caught:
        pools([line])
    assert len(str(caught.value)) < 200


def test_a_schedule_of_the_wrong_kind_is_named() -> None:
    wrong = header()
    wrong["schedule"] = {
        "kind": "near_balanced",
        "n": 5,
        "k": 4,
        "house": 0,
        "roster": list(BOTS),
        "rounds": [[[0, 1, 2, 5]]],
        "byes": [[4]],
    }
    with pytest.raises(BadInput, match="table is 5; expected a whole number, 0 to 4"):
        pools([wrong])
