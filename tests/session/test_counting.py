"""Which hands count, and for whom: the one decision that everything else rests on."""

from __future__ import annotations

from pathlib import Path

from arena.session import counting
from arena.session.counting import (
    Participant,
    TableState,
    barred_bots,
    contenders,
    counted_results,
    counted_tables,
    is_barred,
)
from arena.statuses import BotKind, EntryStatus
from arena.tournament.results import HandResult


def person(bot: str, status: str) -> Participant:
    return Participant(bot, bot, "", 1, status)


def test_a_table_counts_when_its_whole_block_has_ended_and_it_is_not_void() -> None:
    tables = [
        TableState("ended", "a", "finished"),
        TableState("cut short", "b", "aborted"),
        TableState("void", "c", "void"),
        TableState("beside the void one", "c", "finished"),
        TableState("ended early", "d", "finished"),
        TableState("goes on", "d", "playing"),
        TableState("ended too", "e", "finished"),
        TableState("still to begin", "e", "waiting"),
    ]
    expected = {"ended", "cut short", "beside the void one"}
    assert counted_tables(tables) == counted_tables(reversed(tables)) == expected


def test_only_the_hands_of_the_disqualified_are_taken_out() -> None:
    people = [person(bot, status) for bot, status in zip("abc", EntryStatus, strict=True)]
    results = [
        HandResult("t1", "p", ("c", "a", "b", "house"), (1, 2, 3, 4), faults=("c", "b")),
        HandResult("t2", "p", ("c", "b"), (1, 2)),
    ]
    assert barred_bots(people) == {"c"}
    counted = counted_results(results, barred_bots(people))
    assert counted == (HandResult("t1", "p", ("a", "b", "house"), (1, 2, 3), faults=("b",)),)
    assert counted_results(results, ()) == tuple(results)


def test_who_stayed_once_and_was_never_disqualified_contends() -> None:
    monday = [
        person("stays", EntryStatus.ENTERED),
        person("comes back", EntryStatus.WITHDRAWN),
        person("leaves", EntryStatus.WITHDRAWN),
        person("cheats", EntryStatus.ENTERED),
        person("house-1", BotKind.HOUSE),
    ]
    tuesday = [
        person("comes back", EntryStatus.ENTERED),
        person("cheats", EntryStatus.DISQUALIFIED),
    ]
    assert contenders([monday]) == {"stays", "cheats"}
    expected = {"stays", "comes back"}
    assert contenders([monday, tuesday]) == contenders([tuesday, monday]) == expected


def test_whose_hands_do_not_count_is_decided_in_one_place() -> None:
    """The draw of rounds, standings, finals, grades and offline ratings all ask `is_barred`."""
    assert [status for status in EntryStatus if is_barred(status)] == [EntryStatus.DISQUALIFIED]
    for path in ("referee/rounds.py", "records/pooling.py", "organising/finalists.py"):
        text = (Path(counting.__file__).parents[1] / path).read_text(encoding="utf-8")
        assert "DISQUALIFIED" not in text, path
