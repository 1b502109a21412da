"""Keys of rounds: everything that is left to chance follows from the secret and the bots' bytes."""

from __future__ import annotations

import itertools
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from arena.proofs.chance import RoundKeys, mixed_key
from arena.records.verify import verify
from arena.statuses import EntryStatus, SessionStatus
from arena.store.memory import open_memory
from arena.store.port import BotRow, EntryRow, SessionRow
from tests.cluster.memory import Several
from tests.referee.table import SEED, Arena
from tests.referee.test_schedules import KINDS, line_ups, members, records, stored

SECRET = bytes.fromhex(SEED)
FORMER = Path(__file__).with_name("started_before_mixing.json")
FINAL = {"kind": "final", "finalists": [f"bot-{number}" for number in range(1, 8)]}
ALL_KINDS = {**KINDS, "final": FINAL}
BYTES = [bytes([number]) * 32 for number in range(1, 9)]
SLOW = pytest.mark.slow
ONE_OF_THEM = [None, None, None, BYTES[3], None, None, None]


def begun(kind: str, given: Sequence[bytes | None], **more: Any) -> Arena:
    """An arena with a session of seven bots that has just been started."""
    arena = Arena()
    document = {**members("round_robin"), "seats": 4 if kind == "mixed" else 3, **more}
    document["schedule"] = ALL_KINDS[kind]
    if kind == "final":
        document = {**document, "name": "Final", "slug": "cup", "seed": SEED}
        arena.enrol(7)
        arena.referee.create_session(document, "admin")
        arena.referee.set_session("cup", "open", "admin")
    else:
        arena.session(7, start=False, **document)
    for bot, chance in zip(arena.bots.values(), given, strict=True):
        arena.referee.enter("cup", bot, chance=chance)
    arena.referee.set_session("cup", "start", "admin")
    return arena


def commitments(arena: Arena) -> list[str]:
    """Of all hands so far."""
    return [hand.commitment for hand in arena.store.session_hands("cup", limit=500)]


@pytest.mark.parametrize(
    "kind",
    [
        kind if kind == "ladder" else pytest.param(kind, marks=pytest.mark.slow)
        for kind in ALL_KINDS
    ],
)
def test_one_bots_bytes_change_deals_and_line_ups_of_every_kind(kind: str) -> None:
    without, again = begun(kind, [None] * 7), begun(kind, [None] * 7)
    mine, others = begun(kind, ONE_OF_THEM), begun(kind, [BYTES[7], *ONE_OF_THEM[1:]])
    assert commitments(without) == commitments(again)
    assert line_ups(without) == line_ups(again)
    assert stored(without)["mixed"] == [7] * len(stored(without)["rounds"])
    dealt = [frozenset(commitments(arena)) for arena in (without, mine, others)]
    assert len(frozenset.union(*dealt)) == sum(map(len, dealt))
    drawn = {tuple(line_ups(arena)) for arena in (without, mine, others)}
    assert len(drawn) == 3


@SLOW
@pytest.mark.parametrize("kind", ALL_KINDS)
def test_a_session_goes_on_from_its_keys_after_restarts(kind: str) -> None:
    arena, whole = begun(kind, BYTES[:7]), begun(kind, BYTES[:7])
    for _ in range(3):
        arena.play(at_most=40)
        arena.restart()
    arena.play()
    whole.play()
    assert arena.status("cup") == "finished"
    assert line_ups(arena) == line_ups(whole)
    assert commitments(arena) == commitments(whole)
    report = verify(records(arena))
    assert report.findings == ()
    assert report.secret


def test_the_key_has_each_bots_bytes_by_its_place_in_the_roster(arena: Arena) -> None:
    arena.session(5, start=False, board="pseudonymous", hands_per_table=1)
    given = dict(zip(arena.bots.values(), BYTES, strict=False))
    for bot, chance in given.items():
        arena.referee.enter("cup", bot, chance=chance)
    arena.referee.set_session("cup", "start", "admin")
    live = arena.referee._context.in_play.session("cup")
    roster = stored(arena)["roster"]
    assert roster != list(given)  # by pseudonym
    assert live.keys == RoundKeys(SECRET, tuple(map(given.get, roster)), (5,))
    assert {table.key for table in live.tables.values()} == {live.keys.of_round(1)}
    arena.play()
    public = list(arena.referee.queries.records("cup"))
    header = json.loads(public[0])
    by_place = {bot["bot"]: bot["chance"] for bot in header["bots"]}
    assert [by_place[bot] for bot in header["schedule"]["roster"]] == [
        given[bot].hex() for bot in roster
    ]
    for lines in (public, records(arena)):
        report = verify(lines)
        assert report.findings == ()
        assert report.secret


@SLOW
def test_bytes_stay_mixed_in_whoever_leaves() -> None:
    arena = begun("swiss", BYTES[:7])
    key = arena.referee._context.in_play.session("cup").keys.of_round(4)
    arena.referee.disqualify("cup", arena.bots["bot-2"], "admin")
    arena.referee.leave("cup", arena.bots["bot-5"])
    arena.play()
    arena.restart()
    assert arena.referee._context.in_play.session("cup").keys.of_round(4) == key
    report = verify(records(arena))
    assert report.findings == ()
    assert report.secret


@SLOW
def test_a_ladder_mixes_in_who_enters_while_it_is_played() -> None:
    arena, other = begun("ladder", ONE_OF_THEM), begun("ladder", ONE_OF_THEM)
    for each, chance in ((arena, BYTES[7]), (other, None)):
        (late,) = each.enrol(1)
        assert each.referee.enter("cup", late, chance=chance)["chance_given"] == (
            chance is not None
        )
        assert entry(each, late)["chance"] is None  # nobody sees it yet
        each.play()
        assert each.status("cup") == "finished"
        assert stored(each)["mixed"] == [7, 8, 8]
    assert entry(arena, arena.bots["bot-8"])["chance"] == BYTES[7].hex()
    given = (*ONE_OF_THEM, BYTES[7])
    keys = RoundKeys(SECRET, given, (7, 8, 8))
    view = arena.referee.queries.session("cup")
    by_index = {each["index"]: each["chance"] for each in view["entries"]}
    assert [by_index[n] for n in range(8)] == [each and each.hex() for each in given]
    assert list(view["mixed"]) == [7, 8, 8]
    assert keys.of_round(1) == mixed_key(SECRET, ONE_OF_THEM)
    assert arena.referee._context.in_play.session("cup").keys == keys
    first = [len(stored(each)["rounds"][0]) for each in (arena, other)]
    assert commitments(arena)[: first[0]] == commitments(other)[: first[1]]
    assert not {*commitments(arena)[first[0] :]} & {*commitments(other)[first[1] :]}
    report = verify(records(arena))
    assert report.findings == ()
    assert report.secret


def entry(arena: Arena, bot: str) -> dict[str, Any]:
    """A bot in the roster of the session, as organisers see it."""
    view = arena.referee.queries.session("cup", staff=True)
    return next(each for each in view["entries"] if each["bot"] == bot)


@SLOW
@pytest.mark.parametrize("kind", ["swiss", "ladder"])
def test_several_processes_deal_from_the_same_keys(kind: str) -> None:
    several = Several(3)
    first, second, third = several.members
    first.session(7, start=False, **members(kind))
    for n, (bot, chance) in enumerate(zip(first.bots.values(), BYTES, strict=False)):
        several.members[n % 3].referee.enter("cup", bot, chance=chance)
    second.referee.set_session("cup", "start", "admin")
    several.step()
    if kind == "ladder":
        several.move(third)
        (late,) = third.enrol(1)
        third.referee.enter("cup", late, chance=BYTES[7])
    homes = itertools.cycle(several.members)
    while several.store.leases():
        several.home().play(at_most=40)
        to = next(homes)
        if several.store.leases() and not to.plays():
            several.move(to)
    keys = [arena.referee._context.in_play.session("cup").keys for arena in several.members]
    assert keys[0] == keys[1] == keys[2]
    for arena in several.members:
        report = verify(records(arena))
        assert report.findings == ()
        assert report.secret


def test_a_process_that_has_not_heard_of_a_round_deals_from_its_key() -> None:
    arena = begun("ladder", ONE_OF_THEM)
    in_play = arena.referee._context.in_play
    behind = in_play.load_session(in_play._store.session("cup"))  # type: ignore[arg-type]
    (late,) = arena.enrol(1)
    arena.referee.enter("cup", late, chance=BYTES[7])
    while len(stored(arena)["mixed"]) == 1:
        arena.play(at_most=1)
    assert behind.keys.mixed == (7,)
    assert in_play.key_of(behind, 2) == mixed_key(SECRET, (*ONE_OF_THEM, BYTES[7]))
    assert in_play.key_of(behind, 1) == mixed_key(SECRET, ONE_OF_THEM)
    text = in_play._store.session("cup").schedule  # type: ignore[union-attr]
    assert in_play.chances(behind, text)[late] == BYTES[7]


@SLOW
def test_a_session_that_an_older_program_started_goes_on_as_it_would_have() -> None:
    """Its rows, and how it went on there: with the secret itself for a key in all rounds."""
    former = json.loads(FORMER.read_text())
    store = open_memory()
    secret = bytes.fromhex(former["secret"])
    running = SessionStatus.RUNNING
    store.write(SessionRow("cup", running, former["document"], secret, 1, former["first"]))
    for number, (bot, name) in enumerate(former["bots"]):
        store.write(BotRow(bot, name, name, f"{number:064}", 1, False, "bot", proven=True))
    for number, bot in enumerate(former["entries"], start=1):
        store.write(EntryRow("cup", bot, number, EntryStatus.ENTERED, 1))
    arena = Arena(store)
    names = dict(former["bots"])
    arena.bots = {names[bot]: bot for bot in former["entries"]}
    arena.play()
    assert arena.status("cup") == "finished"
    assert store.session("cup").schedule == former["last"]  # type: ignore[union-attr]
    hands = store.session_hands("cup", limit=500)
    assert [[hand.id, hand.seating, hand.commitment] for hand in hands] == former["hands"]
    report = verify(records(arena))
    assert report.findings == ()
    assert report.secret
