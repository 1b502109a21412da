"""Which hands count, and for whom: the one decision that everything else rests on."""

from arena.session.counting import (
    DISQUALIFIED,
    ENTERED,
    HOUSE,
    WITHDRAWN,
    Participant,
    TableState,
    barred_bots,
    contenders,
    counted_results,
    counted_tables,
)
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
    people = [person("a", ENTERED), person("b", WITHDRAWN), person("c", DISQUALIFIED)]
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
        person("stays", ENTERED),
        person("comes back", WITHDRAWN),
        person("leaves", WITHDRAWN),
        person("cheats", ENTERED),
        person("house-1", HOUSE),
    ]
    tuesday = [person("comes back", ENTERED), person("cheats", DISQUALIFIED)]
    assert contenders([monday]) == {"stays", "cheats"}
    expected = {"stays", "comes back"}
    assert contenders([monday, tuesday]) == contenders([tuesday, monday]) == expected
