"""A log that was changed by hand: its table is not played on and is named, all others play on."""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from arena.errors import DamagedHand, NotFound
from arena.organising.integrity import check_at_start
from arena.store import open_store
from arena.store.reading import all_hands
from tests.cluster.memory import Several
from tests.referee.table import Arena, lowest

pytestmark = pytest.mark.slow

BAD, GOOD = "cup-r01-t01", "cup-r01-t02"
HAND = f"{BAD}-h001"


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A session of two tables, some turns after the start."""
    file = tmp_path_factory.mktemp("played") / "arena.db"
    with open_store(f"sqlite:///{file}") as store:
        arena = Arena(store)
        arena.session(8, hands_per_table=1)
        arena.play(at_most=16)
        assert [hand.status for hand in all_hands(store, BAD)] == ["playing"]
    return file


@pytest.fixture
def file(played: Path, tmp_path: Path) -> Path:
    return Path(shutil.copyfile(played, tmp_path / "arena.db"))


def run_sql(file: Path, *statements: str) -> None:
    """Change rows as somebody does who has the file."""
    with closing(sqlite3.connect(file, isolation_level=None)) as connection:
        for statement in statements:
            assert connection.execute(statement).rowcount > 0, statement


def third(file: Path) -> int:
    """The number of the third step."""
    with closing(sqlite3.connect(file)) as connection:
        sql = f"SELECT seq FROM steps WHERE hand_id = '{HAND}' ORDER BY seq LIMIT 1 OFFSET 2"
        (seq,) = connection.execute(sql).fetchone()
    return int(seq)


class Started:
    """An arena that has started on a file. Use it as a context."""

    def __init__(self, file: Path) -> None:
        url = f"sqlite:///{file}"
        check_at_start(url, "quick")
        self._store = open_store(url)
        self.arena = Arena(self._store)
        rows = self._store.entries("cup")
        self.arena.bots = {row.bot: row.bot for row in rows}

    def __enter__(self) -> Arena:
        return self.arena

    def __exit__(self, *_: object) -> None:
        self.arena.referee.stop()
        self._store.close()


def tables_that_wait(arena: Arena) -> set[str]:
    return {turn["table"] for _, turn in arena.waiting()}


CHANGES = {
    "an answer": "UPDATE steps SET command = replace(command, 'seat', 'seal') WHERE {step}",
    "an event": "UPDATE steps SET events = replace(events, '\"seat\":', '\"seal\":') WHERE {step}",
    "a time": "UPDATE steps SET at_ms = at_ms + 1 WHERE {step}",
    "a charge": "UPDATE steps SET meta = replace(meta, ':0', ':1') WHERE {step}",
    "a hash": "UPDATE steps SET hash = zeroblob(32) WHERE {step}",
    "no JSON": "UPDATE steps SET meta = '{{' WHERE {step}",
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES.keys())
def test_a_changed_step_stops_its_table_only(
    file: Path, change: str, caplog: pytest.LogCaptureFixture
) -> None:
    seq = third(file)
    run_sql(file, change.format(step=f"hand_id = '{HAND}' AND seq = {seq}"))
    with Started(file) as arena:
        assert f"hand {HAND} is damaged at step {seq}: " in caplog.text
        assert tables_that_wait(arena) == {GOOD}


@pytest.mark.parametrize(
    "change",
    ["seating = '[0,1,2,9]'", "seating = '[1,0,2,3]'", "commitment = 'x'", "number = 7"],
)
def test_a_changed_row_of_a_hand_stops_its_table_only(
    change: str, played: Path, tmp_path: Path
) -> None:
    file = Path(shutil.copyfile(played, tmp_path / "arena.db"))
    run_sql(file, f"UPDATE hands SET {change} WHERE id = '{HAND}'")
    with open_store(f"sqlite:///{file}") as store:
        arena = Arena(store)
        arena.bots = {row.bot: row.bot for row in store.entries("cup")}
        assert tables_that_wait(arena) == {GOOD}


def test_two_steps_that_changed_places_are_found(file: Path) -> None:
    first = third(file)
    with closing(sqlite3.connect(file)) as connection:
        sql = f"SELECT MIN(seq) FROM steps WHERE hand_id = '{HAND}' AND seq > {first}"
        (second,) = connection.execute(sql).fetchone()
    where = f"hand_id = '{HAND}' AND seq ="
    run_sql(
        file,
        f"UPDATE steps SET seq = 9999 WHERE {where} {first}",
        f"UPDATE steps SET seq = {first} WHERE {where} {second}",
        f"UPDATE steps SET seq = {second} WHERE {where} 9999",
    )
    with Started(file) as arena:
        assert tables_that_wait(arena) == {GOOD}
        with pytest.raises(DamagedHand) as caught:
            arena.referee.hand_events(HAND)
        assert caught.value.seq == first


def test_a_step_that_was_taken_out_is_found(file: Path) -> None:
    run_sql(file, f"DELETE FROM steps WHERE hand_id = '{HAND}' AND seq = {third(file)}")
    with Started(file) as arena:
        assert tables_that_wait(arena) == {GOOD}


def test_an_ended_hand_without_its_last_step_stops_its_table(tmp_path: Path) -> None:
    file = tmp_path / "arena.db"
    with open_store(f"sqlite:///{file}") as store:
        arena = Arena(store)
        arena.session(8)
        while len(tuple(all_hands(store, BAD))) < 2:
            bot, turn = next(each for each in arena.waiting() if each[1]["table"] == BAD)
            arena.referee.answer(bot, turn["turn"], lowest(turn))
    last = f"(SELECT MAX(seq) FROM steps WHERE hand_id = '{HAND}')"
    run_sql(file, f"DELETE FROM steps WHERE hand_id = '{HAND}' AND seq = {last}")
    with Started(file) as arena:
        assert tables_that_wait(arena) == {GOOD}
        with pytest.raises(DamagedHand, match="the log stops before it"):
            arena.referee.hand_events(HAND)
        with pytest.raises(DamagedHand, match=HAND):  # the hand that runs is whole, and stops too
            arena.referee.hand_events(f"{BAD}-h002")
        arena.referee.void(BAD, "a damaged disk", "admin")
        statuses = [hand.status for hand in all_hands(arena.store, BAD)]
        assert statuses == ["finished", "void"]


def damaged(file: Path) -> Path:
    """The same file with a time changed."""
    run_sql(file, f"UPDATE steps SET at_ms = 1 WHERE hand_id = '{HAND}' AND seq = {third(file)}")
    return file


def test_who_asks_about_a_damaged_hand_is_told_which_and_what_to_do(file: Path) -> None:
    with Started(damaged(file)) as arena:
        turn = f"{HAND}.{third(file)}.0"
        bot = arena.store.table(BAD).players.split('"')[1]  # type: ignore[union-attr]
        for ask in (
            lambda: arena.referee.hand_events(HAND),
            lambda: arena.referee.answer(bot, turn, {"pass": True}),
        ):
            with pytest.raises(DamagedHand, match="restore the database from a backup, or void"):
                ask()


def test_the_others_play_to_their_end_and_nothing_is_written_to_the_damaged_log(
    file: Path,
) -> None:
    with Started(damaged(file)) as arena:
        before = arena.log(HAND)
        arena.play()
        assert arena.store.table(GOOD).status == "finished"  # type: ignore[union-attr]
        arena.clock.pass_ms(10**9)
        arena.referee.sweep()
        assert arena.log(HAND) == before
        assert arena.store.table(BAD).status == "playing"  # type: ignore[union-attr]
        assert arena.status("cup") == "running"


def test_the_organiser_is_told_in_the_session_and_the_metrics(file: Path) -> None:
    with Started(damaged(file)) as arena:
        told = arena.referee.queries.session("cup", staff=True)["damaged"]
        assert told == [
            {
                "table": BAD,
                "hand": HAND,
                "step": third(file),
                "problem": "its hash does not fit what is stored",
            }
        ]
        assert "damaged" not in arena.referee.queries.session("cup")
        assert b"\narena_tables_quarantined 1.0\n" in arena.referee.metrics()


def test_an_organiser_voids_the_table_and_the_session_ends(file: Path) -> None:
    with Started(damaged(file)) as arena:
        arena.referee.void(BAD, "a damaged disk", "admin")
        assert [hand.status for hand in all_hands(arena.store, BAD)] == ["void"]
        assert arena.referee.queries.session("cup", staff=True)["damaged"] == []
        arena.play()
        assert arena.status("cup") == "finished"


def test_a_void_table_is_replayed_under_another_name(file: Path) -> None:
    with Started(damaged(file)) as arena:
        arena.referee.void(BAD, "a damaged disk", "admin")
        assert arena.referee.replay(BAD, "admin")["table"] == f"{BAD}b"
        arena.play()
        assert arena.status("cup") == "finished"


def test_a_session_with_a_damaged_hand_is_cancelled_as_others_are(file: Path) -> None:
    with Started(damaged(file)) as arena:
        arena.referee.set_session("cup", "cancel", "admin")
        assert [hand.status for hand in all_hands(arena.store, BAD)] == ["void"]
        assert arena.status("cup") == "cancelled"


def test_a_hand_of_an_older_program_goes_on_with_hashes(file: Path) -> None:
    run_sql(file, "UPDATE steps SET hash = NULL")
    with Started(file) as arena:
        assert tables_that_wait(arena) == {BAD, GOOD}
        arena.play()
        assert arena.status("cup") == "finished"
        hashes = [step.hash for step in arena.store.steps(HAND)]
        begin = hashes.index(next(filter(None, hashes)))
        assert begin > 2
        assert None not in hashes[begin:]
    with Started(file) as arena:
        assert arena.referee.hand_events(HAND)["over"]


def test_a_row_that_somebody_adds_while_the_arena_runs_stops_the_table(file: Path) -> None:
    with Started(file) as arena:
        bot, turn = next(each for each in arena.waiting() if each[1]["table"] == BAD)
        last = arena.store.steps(HAND)[-1]
        arena.store.write(
            last._replace(seq=last.seq + last.event_count, turn=turn["turn"], hash=bytes(32))
        )
        with pytest.raises(DamagedHand):
            arena.referee.answer(bot, turn["turn"], lowest(turn))
        assert tables_that_wait(arena) == {GOOD}


def test_a_hand_that_is_not_there_is_not_damaged(file: Path) -> None:
    with Started(file) as arena, pytest.raises(NotFound):
        arena.referee.hand_events(f"{BAD}-h009")


def test_a_home_that_reads_a_wrong_step_quarantines_the_table_and_so_does_the_next() -> None:
    several = Several(2)
    here, there = several.members
    here.session(8, hands_per_table=1)
    several.step()
    last = several.store.steps(HAND)[-1]
    several.store.write(last._replace(seq=last.seq + last.event_count, turn="x", hash=bytes(32)))
    bot, turn = next(each for each in here.waiting() if each[1]["hand"] == HAND)
    with pytest.raises(DamagedHand, match="its hash does not fit"):
        here.referee.answer(bot, turn["turn"], lowest(turn))
    assert tables_that_wait(here) == {GOOD}
    several.move(there)
    assert tables_that_wait(there) == {GOOD}
    for arena in several.members:
        with pytest.raises(DamagedHand, match="its hash does not fit"):
            arena.referee.hand_events(HAND)
    there.referee.void(BAD, "a damaged disk", "admin")
    for arena in several.members:
        assert arena.referee.queries.session("cup", staff=True)["damaged"] == []


def test_what_one_home_has_written_the_next_reads_and_checks() -> None:
    several = Several(2)
    several.members[0].session(4, hands_per_table=1)
    for turn in range(12):
        home = several.members[turn % 2]
        if not home.plays():
            several.move(home)
        bot, document = home.one()
        home.referee.answer(bot, document["turn"], lowest(document))
        head = home.referee._context.in_play.find_hand(HAND).log.head
        assert head == several.store.steps(HAND)[-1].hash
