"""The runner takes all that the format of vector files allows, not only what the public one has."""

from __future__ import annotations

from typing import Any

import pytest

from tests.rules.test_vectors import test_vector as check


def vector(state: dict[str, Any], do: list[Any], then: dict[str, Any], **options: Any) -> Any:
    given = {"players": ["A", "B", "C"], "turn": "A"} | state
    about = {"kind": "play", "preset": "pagat", "options": options}
    return about | {"state": given, "do": do, "then": then}


VECTORS = {
    "an unknown hand is given a card and plays it": vector(
        {"hands": {"A": ["S7", "H9", "C4"]}},
        [
            {"by": "A", "play": ["S7"]},
            {"by": "A", "give": ["H9"]},
            {"by": "B", "play": ["H9"]},
        ],
        {"turn": "C", "hand": {"A": 1, "B": 5}, "choice": None},
        nana_watashi="may",
    ),
    "two unknown hands, and one gives the other what it plays": vector(
        {},
        [
            {"by": "A", "play": ["S7"]},
            {"by": "A", "give": ["H9"]},
            {"by": "B", "play": ["H9"]},
        ],
        {"turn": "C", "hand": {"A": 3, "B": 5}},
        nana_watashi="may",
    ),
    "jokers in two hands, one given away": vector(
        {"hands": {"A": ["S7", "JK", "C4"], "B": ["JK", "D4"]}},
        [{"by": "A", "play": ["S7"]}, {"by": "A", "give": ["JK"]}],
        {"hand": {"B": ["D4", "JK", "JK"], "A": ["C4"]}, "turn": "B"},
        nana_watashi="may",
        jokers=2,
    ),
    "a choice that waits, and a clear after it": vector(
        {
            "hands": {"A": ["C4", "C5"]},
            "table": [{"by": "A", "cards": ["S7", "S8", "S9"]}],
            "choice": {"by": "A", "kind": "give", "min": 0, "max": 1},
        },
        [
            {"by": "A", "play": ["C4"], "illegal": "choice_pending"},
            {"by": "A", "pass": True, "illegal": "choice_pending"},
            {"by": "A", "give": []},
        ],
        {"turn": "A", "cleared": 1, "choice": None},
        nana_watashi="may",
        hachi_giri=True,
    ),
    "choices that come after the one that waits": vector(
        {
            "hands": {"A": ["C4", "C5"]},
            "table": [{"by": "A", "cards": ["S7", "S8", "S9", "ST"]}],
            "choice": {"by": "A", "kind": "give", "min": 0, "max": 1},
        },
        [{"by": "A", "give": ["C4"]}],
        {"turn": "A", "choice": {"by": "A", "kind": "discard", "min": 0, "max": 1}},
        nana_watashi="may",
        ten_discard="on_play",
    ),
    "a choice at the clear": vector(
        {
            "hands": {"A": ["C4", "C5"]},
            "choice": {"by": "A", "kind": "discard", "min": 0, "max": 1},
        },
        [{"by": "A", "discard": ["C4"]}],
        {"turn": "A", "hand": {"A": ["C5"]}, "choice": None},
        ten_discard="on_clear",
    ),
    "a rank named while nobody else is known": vector(
        {
            "hands": {"A": ["C4", "C5"], "B": ["S5", "H6"]},
            "table": [{"by": "A", "cards": ["SQ"]}],
            "choice": {"by": "A", "kind": "name", "min": 1, "max": 1},
        },
        [{"by": "A", "name": ["5"]}],
        {"turn": "B", "hand": {"A": ["C4"], "B": ["H6"], "C": 5}},
        q_bomber="rank",
    ),
    "a lock as a list, as an object and as nothing": vector(
        {
            "hands": {"A": ["S7", "S7", "H7"]},
            "table": [{"by": "C", "cards": ["S6", "S6"]}],
            "lock": ["S", "S"],
        },
        [
            {"by": "A", "play": ["S7", "H7"], "illegal": "suit_locked"},
            {"by": "A", "play": ["S7", "S7"]},
        ],
        {"lock": {"S": 2}},
        shibari="full",
        decks=2,
    ),
    "passes on the empty table bar where a pass bars": vector(
        {"lead_passes": ["B", "C"]},
        [{"by": "A", "pass": True}],
        {"turn": "B", "cleared": 0},
        pass_lockout=True,
        lead_pass="always",
        max_idle_passes=9,
    ),
    "passes count towards the limit": vector(
        {"lead_passes": ["B", "C"], "idle_passes": 8, "hands": {"A": 3, "B": 4}},
        [{"by": "A", "pass": True}],
        {"turn": None, "ended": True, "places": ["A", "B", "C"]},
        lead_pass="always",
        max_idle_passes=9,
    ),
    "who has fallen is gone where he drops": vector(
        {"players": ["A", "B", "C", "D"], "out": ["D"], "fallen_before": "B", "prev_daifugo": "B"},
        [{"by": "A", "play": ["S7"]}, {"by": "C", "pass": True}],
        {"turn": "A", "fallen": "B", "cleared": 1, "hand": {"B": 0}},
        miyako_ochi="drop",
    ),
    "who has fallen and plays on": vector(
        {"players": ["A", "B", "C", "D"], "out": ["D"], "fallen_before": "B", "prev_daifugo": "B"},
        [{"by": "A", "play": ["S7"]}, {"by": "B", "play": ["S8"]}],
        {"turn": "C", "fallen": "B", "hand": {"B": 4}},
        miyako_ochi="play_on",
    ),
    "a card that must be shown": vector(
        {"must_show": "D3", "hands": {"A": ["D3", "S3", "S9"]}},
        [{"by": "A", "play": ["S9"], "illegal": "must_show"}, {"by": "A", "play": ["D3", "S3"]}],
        {"turn": "B"},
        first_lead="holder:D3",
        first_lead_show=True,
    ),
    "a direction that a play has turned": vector(
        {"direction": "ccw"}, [{"by": "A", "play": ["S7"]}], {"turn": "C", "direction": "ccw"}
    ),
    "a number lock that is given": vector(
        {
            "number_lock": True,
            "hands": {"A": ["S7", "S8"]},
            "table": [{"by": "C", "cards": ["H6"]}],
        },
        [{"by": "A", "play": ["S8"], "illegal": "number_locked"}, {"by": "A", "play": ["S7"]}],
        {"number_lock": True},
        suu_shibari=True,
    ),
    "a card that is not held": vector(
        {}, [{"by": "A", "play": ["S7"], "illegal": "not_in_hand"}], {"turn": "A"}
    ),
}


@pytest.mark.parametrize("name", VECTORS)
def test_the_runner_takes(name: str) -> None:
    check(VECTORS[name])


def test_the_legal_list_of_discards_and_of_gifts_has_its_own_member() -> None:
    state = {
        "players": ["A", "B"],
        "turn": "A",
        "hands": {"A": ["ST", "H4", "JK"]},
    }
    check(
        {
            "kind": "legal",
            "preset": "pagat",
            "options": {"ten_discard": "on_play"},
            "state": state,
            "do": [{"by": "A", "play": ["ST"]}],
            "legal": [{"discard": []}, {"discard": ["H4"]}, {"discard": ["JK"]}],
        }
    )


@pytest.mark.parametrize(
    ("cards", "players", "counts"),
    [
        (53, 4, [14, 13, 13, 13]),
        (106, 8, [14, 14, 13, 13, 13, 13, 13, 13]),
        (50, 4, [13, 13, 12, 12]),
    ],
)
def test_any_number_of_cards_is_dealt(cards: int, players: int, counts: list[int]) -> None:
    about = {"kind": "fn", "preset": "pagat", "fn": "deal_counts"}
    check(about | {"in": {"cards": cards, "players": players}, "out": {"sorted_counts": counts}})


@pytest.mark.parametrize(
    ("titles", "holder", "out"),
    [
        (["fugo", None, None, "hinmin"], "hinmin", ["hinmin", None, None, "fugo"]),
        (["fugo", None, None, "hinmin"], "fugo", ["fugo", None, None, "hinmin"]),
        (
            {"P1": "fugo", "P2": None, "P3": "hinmin"},
            "P3",
            {"P1": "hinmin", "P2": None, "P3": "fugo"},
        ),
    ],
)
def test_titles_turn_round_in_either_form(titles: Any, holder: str, out: Any) -> None:
    about = {"kind": "fn", "preset": "pagat", "fn": "both_jokers"}
    check(about | {"in": {"titles": titles, "holder": holder}, "out": {"titles": out}})
