"""Deals that tables share: who gets which cards, what is told when, what a record proves."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import Any

import orjson
import pytest

from arena.errors import Forbidden
from arena.proofs.chance import mixed_key
from arena.records.verify import verify
from arena.session import deals
from arena.store.memory import open_memory
from arena.store.port import StepRow
from tests.cluster.memory import Several
from tests.referee.table import SEED, Arena, first, lowest
from tests.referee.test_restart import Died, DyingStore

KEY = mixed_key(bytes.fromhex(SEED), ())
ROTATE: dict[str, Any] = {"deals": "rotate", "deals_may_repeat": True}
COMMON: dict[str, Any] = {"deals": "common", "roster": {"bots_per_owner": 1}}
BOTH = pytest.mark.parametrize("shared", [ROTATE, COMMON], ids=["rotate", "common"])


def session(arena: Arena, shared: dict[str, Any], bots: int = 6, **more: Any) -> str:
    """Six bots at tables of three: two tables a round, or six replicas. 54 cards divide by three,
    so that no seat has a card more because of the dealer."""
    document = {"seats": 3, "hands_per_table": 3, "schedule": {"rounds": 1}, **shared, **more}
    return arena.session(bots, ruleset={"options": {"jokers": 2}}, **document)


def records(arena: Arena) -> list[str]:
    return list(arena.referee.queries.records("cup", full=True))


def hands(arena: Arena) -> list[dict[str, Any]]:
    """The records of all hands."""
    return [orjson.loads(each) for each in records(arena)[1:]]


def packets(hand: dict[str, Any]) -> list[tuple[str, ...]]:
    """The cards that each seat was dealt."""
    return [tuple(sorted(held)) for held in hand["steps"][0]["events"][0]["hands"]]


def step_of_all(arena: Arena) -> None:
    """One answer of every bot that is asked."""
    for bot, turn in arena.waiting():
        arena.referee.answer(bot, turn["turn"], lowest(turn))


@BOTH
def test_such_sessions_are_played_and_their_records_are_true(
    arena: Arena, shared: dict[str, Any]
) -> None:
    session(arena, shared)
    arena.play()
    assert arena.status("cup") == "finished"
    report = verify(records(arena))
    assert report.findings == ()
    assert report.hands == {"rotate": 18, "common": 6}[shared["deals"]]
    view = arena.referee.queries.session("cup")
    assert view["design"]["tables"] == {"rotate": 6, "common": 2}[shared["deals"]]
    assert view["progress"]["hands"] == report.hands == view["progress"]["hands_finished"]


@pytest.mark.slow
def test_rotate_deals_every_bot_every_packet_of_its_block_once(arena: Arena) -> None:
    session(arena, ROTATE)
    arena.play()
    got: dict[tuple[str, int, str], list[tuple[str, ...]]] = defaultdict(list)
    dealt: dict[tuple[str, int], set[tuple[tuple[str, ...], ...]]] = defaultdict(set)
    for hand in hands(arena):
        assert hand["block"] == hand["shuffles"] == f"cup-r01-b0{hand['block'][-1]}"
        dealt[hand["block"], hand["number"]].add(tuple(packets(hand)))
        for seat, player in enumerate(hand["seating"]):
            key = hand["block"], hand["number"], hand["bots"][player]
            got[key].append(packets(hand)[seat])
    assert len(dealt) == 2 * 3
    assert all(len(kinds) == 1 for kinds in dealt.values())
    for (block, number, _), cards in got.items():
        (kind,) = dealt[block, number]
        assert sorted(cards) == sorted(kind)


@pytest.mark.slow
def test_common_deals_the_same_cards_to_the_same_seats_of_a_round(arena: Arena) -> None:
    session(arena, COMMON, schedule={"rounds": 2})
    arena.play()
    dealt: dict[tuple[int, int], set[tuple[tuple[str, ...], ...]]] = defaultdict(set)
    for hand in hands(arena):
        assert (hand["block"], hand["shuffles"]) == (hand["table"], hand["table"][:7])
        dealt[hand["round"], hand["number"]].add(tuple(packets(hand)))
    assert len(dealt) == 2 * 3
    assert all(len(kinds) == 1 for kinds in dealt.values())
    assert len({kind for kinds in dealt.values() for kind in kinds}) == 6


@pytest.mark.parametrize("shared", [{}, ROTATE, COMMON], ids=["fresh", "rotate", "common"])
def test_deals_are_the_documented_function_of_key_shuffles_and_number(
    arena: Arena, shared: dict[str, Any]
) -> None:
    session(arena, shared)
    arena.play()
    rules = arena.referee._context.in_play.session("cup").config.rules
    for hand in hands(arena):
        drawn = deals.deal(
            KEY, hand["shuffles"], hand["number"], deck=rules.deck, players=rules.players
        )
        assert deals.commitment(drawn) == hand["commitment"]
        assert drawn.salt.hex() == hand["salt"]
        assert orjson.loads(deals.committed_text(drawn)) == {
            "deck": hand["deck"],
            "lots": hand["lots"],
        }
        assert hand["steps"][0]["meta"]["commitment"] == hand["commitment"]


@pytest.mark.slow
def test_the_replicas_of_a_line_up_are_one_block_of_the_ratings(arena: Arena) -> None:
    session(arena, ROTATE)
    arena.play()
    standings = arena.referee.queries.standings("cup")
    assert standings["blocks"] == 2
    assert standings["hands"] == 18
    (group,) = standings["groups"] if len(standings["groups"]) == 1 else standings["groups"][:1]
    assert {row["blocks"] for row in group["rows"]} == {1}


def everything(arena: Arena, viewer: str | None, tables: list[str]) -> bytes:
    """All that somebody can be told of some tables, and of the session as a whole."""
    referee, told = arena.referee, []
    for table in tables:
        seen = referee.queries.table(table)
        told.append(seen)
        for hand in seen["hands"]:
            told.append(referee.queries.hand(hand["hand"]))
            told.append(referee.hand_events(hand["hand"], viewer))
            told.append(referee.hand_events(hand["hand"], viewer, 5))
            try:
                told.append(referee.queries.record(hand["hand"]))
            except Forbidden as error:
                told.append(str(error))
    told += [
        referee.queries.session("cup"),
        referee.queries.standings("cup"),
        list(referee.queries.records("cup")),
    ]
    return orjson.dumps(told)


@pytest.mark.slow
@BOTH
def test_nothing_that_happens_at_one_table_is_told_at_another_before_both_have_ended(
    arena: Arena, shared: dict[str, Any]
) -> None:
    """One table plays a hand to its end while the others have not begun: not a byte changes."""
    session(arena, shared)
    there = "cup-r01-t01"
    others = {bot for bot, turn in arena.waiting() if turn["table"] != there}
    seated = {p["bot"] for p in arena.referee.queries.table(there)["players"]}
    viewers = [None, *sorted(others - seated)]
    before = [everything(arena, viewer, [there]) for viewer in viewers]
    answered = 0
    while turns := [(b, t) for b, t in arena.waiting() if t["table"] == there]:
        bot, turn = turns[0]
        arena.referee.answer(bot, turn["turn"], lowest(turn))
        answered += 1
        assert [everything(arena, viewer, [there]) for viewer in viewers] == before
    assert answered > 20
    hand = f"{there}-h001"
    row = arena.store.hand(hand)
    assert row is not None
    assert row.status == "finished"
    assert arena.referee.queries.hand(hand)["status"] == "playing"
    own = arena.referee.hand_events(hand, sorted(seated)[0])
    assert own["over"]
    deck_of_all = [e for e in own["events"] if e["type"] == "dealt"]
    assert sum(bool(held) and "S3" in str(held) for held in deck_of_all[0]["hands"]) <= 1
    with pytest.raises(Forbidden):
        arena.referee.queries.record(hand)


@pytest.mark.slow
@BOTH
def test_hands_are_shown_once_all_tables_have_ended_them(
    arena: Arena, shared: dict[str, Any]
) -> None:
    session(arena, shared)
    while arena.referee.queries.hand("cup-r01-t01-h001")["status"] == "playing":
        arena.play(at_most=1)
    record = arena.referee.queries.record("cup-r01-t01-h001")
    same = [h for h in hands(arena) if h["shuffles"] == record["shuffles"]]
    assert len(same) == {"rotate": 3, "common": 2}[shared["deals"]]
    assert arena.referee.hand_events("cup-r01-t01-h001")["over"]
    numbers = Counter(turn["hand_number"] for _, turn in arena.waiting())
    assert max(numbers) == 2


@pytest.mark.slow
@BOTH
def test_tables_that_share_their_deals_go_from_hand_to_hand_together(
    arena: Arena, shared: dict[str, Any]
) -> None:
    session(arena, shared)
    while arena.waiting():
        by_shuffles: dict[str, set[int]] = defaultdict(set)
        for _, turn in arena.waiting():
            group = turn["table"][:7]
            if shared["deals"] == "rotate":
                group = str((int(turn["table"][-2:]) - 1) // 3)
            by_shuffles[group].add(turn["hand_number"])
        assert all(len(numbers) == 1 for numbers in by_shuffles.values())
        arena.play(at_most=9)
    assert arena.status("cup") == "finished"


@BOTH
def test_who_watches_a_hidden_hand_is_told_when_it_is_shown(
    arena: Arena, shared: dict[str, Any]
) -> None:
    session(arena, shared, hands_per_table=1)
    told = arena.referee.hand_events("cup-r01-t01-h001")
    assert told == {
        "hand": "cup-r01-t01-h001", "after": 0, "events": [], "next": 0, "over": False
    }  # fmt: skip
    arena.play()
    told = arena.referee.hand_events("cup-r01-t01-h001")
    assert told["over"]
    assert len(told["events"]) > 20


@pytest.mark.slow
@BOTH
def test_crashes_at_any_write_that_ends_or_begins_a_hand_change_nothing(
    shared: dict[str, Any],
) -> None:
    bots = 3 if shared is ROTATE else 6
    whole = DyingStore(open_memory(), 10**9, after=False)
    arena = Arena(whole)
    session(arena, shared, bots, hands_per_table=2)
    arena.play()
    expected = [(hand["hand"], hand["result"]["game"]) for hand in hands(arena)]
    begun = next(n for n, each in enumerate(whole.writes) if isinstance(each[0], StepRow))
    points = [n for n, each in enumerate(whole.writes, 1) if len(each) > 1 and n >= begun]
    for point in points:
        for after in (False, True):
            store = open_memory()
            arena = Arena(DyingStore(store, point, after=after))
            try:
                session(arena, shared, bots, hands_per_table=2)
                arena.play()
            except Died:
                pass
            arena.store = store
            arena.restart(outage_ms=1_000)
            if arena.status("cup") == "open":
                arena.referee.set_session("cup", "start", "admin")
            arena.play()
            assert arena.status("cup") == "finished"
            assert verify(records(arena)).ok
            again = [(hand["hand"], hand["result"]["game"]) for hand in hands(arena)]
            assert again == expected


@pytest.mark.slow
@BOTH
def test_tables_that_share_deals_wait_for_each_other_when_their_home_dies(
    shared: dict[str, Any],
) -> None:
    several = Several()
    session(several.members[0], shared)
    several.step()
    while several.store.leases():
        home = several.home()
        home.play(at_most=40)
        several.restart(home)
        several.pass_ms(500)
    assert {member.status("cup") for member in several.members} == {"finished"}
    assert verify(records(several.members[0])).ok


@pytest.mark.slow
@BOTH
def test_a_table_that_is_forfeited_holds_nobody_up(arena: Arena, shared: dict[str, Any]) -> None:
    session(arena, shared, hands_per_table=5, clock={"bank_ms": 0, "absent_after": 1})
    arena.bots.pop("bot-6")
    while arena.status("cup") != "finished":
        if not arena.play():
            arena.clock.pass_ms(60_000)
            arena.referee.sweep()
    statuses = Counter(hand["status"] for hand in hands(arena))
    assert statuses["forfeited"] > 0
    assert verify(records(arena)).ok


@pytest.mark.slow
@BOTH
def test_an_edited_record_of_shared_deals_is_found_with_its_line(
    arena: Arena, shared: dict[str, Any]
) -> None:
    session(arena, shared)
    arena.play(first)
    lines = records(arena)

    def found(line: int, **more: Any) -> str:
        document = orjson.loads(lines[line - 1])
        edited = [*lines]
        edited[line - 1] = orjson.dumps({**document, **more}).decode()
        findings = verify(edited).findings
        assert findings
        assert findings[0].line == line, findings
        return findings[0].what

    hand = orjson.loads(lines[4])
    assert "block and shuffles" in found(5, shuffles=hand["table"])
    assert "block and shuffles" in found(5, block="cup-r09-b09")
    assert "round is 2" in found(5, round=2)
    turned = {name: [*reversed(hand[name])] for name in ("bots", "players")}
    assert "line-up" in found(5, **turned)
    deck = [*hand["deck"][1:], hand["deck"][0]]
    assert "deck" in found(5, deck=deck)
    steps = orjson.loads(orjson.dumps(hand["steps"]))
    dealt = steps[0]["command"]["deck"]
    dealt[0], dealt[1] = dealt[1], dealt[0]
    assert "deck is not the one that was dealt" in found(5, steps=steps)
    schedule = orjson.loads(lines[0])["schedule"]
    rounds = [[[*reversed(table)] for table in tables] for tables in schedule["rounds"]]
    assert "follows from the secret" in found(1, schedule={**schedule, "rounds": rounds})
