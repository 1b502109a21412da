"""The parts of a move, one by one, on recorded hands: what each costs in the referee's process."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import orjson
from flask import Flask

from arena import wire
from arena.bench.engine import Spec, random_deal
from arena.rules import EMPTY, Ruleset, State, compile_ruleset, decide, evolve, legal
from arena.rules.commands import Command
from arena.rules.events import Event
from arena.statuses import BotKind, HandStatus, SessionStatus, TableStatus
from arena.store import open_store
from arena.store.port import BotRow, HandRow, SessionRow, StepRow, TableRow
from arena.web.api.validation import load_schemas

ROWS = 300


class MovePart(NamedTuple):
    """One part of a move. us: microseconds for one decision."""

    name: str
    us: float


class RecordedDecision(NamedTuple):
    """A recorded decision: the state before it, the answer, and what followed."""

    state: State
    seat: int
    body: dict[str, Any]
    command: Command
    events: list[Event]


def record(rules: Ruleset, hands: int, *, seed: int = 1) -> tuple[list[RecordedDecision], int]:
    """Random hands as moments, and the size of their logs in bytes."""
    random = Random(seed)
    moments, size = [], 0
    for _ in range(hands):
        first = random_deal(rules, random)
        events = decide(rules, EMPTY, first)
        size += len(_row("h", 0, first, events).events)
        state = evolve(EMPTY, events)
        while not state.over:
            seat, _since = state.open[0]
            menu = legal(rules, state, seat)
            index = random.randrange(len(menu))
            command = menu.answer(index)
            events = decide(rules, state, command)
            row = _row("h", state.seq, command, events)
            size += len(row.events) + len(row.command)
            body = wire.legal_entries(rules, state, seat)[index]
            moments.append(RecordedDecision(state, seat, body, command, events))
            state = evolve(state, events)
    return moments, size


def measure(spec: Spec, *, hands: int = 20) -> tuple[list[MovePart], int, int]:
    """The parts of a decision, the bytes of log for a hand, and the decisions in a hand."""
    rules = compile_ruleset(spec)
    moments, size = record(rules, hands)
    schemas = load_schemas()
    documents = [wire.turn_fields(rules, m.state, m.seat, hints=True) for m in moments]
    parts = [
        MovePart("bare Flask route (no socket)", _bare_route(len(moments))),
        MovePart("bare commit, synchronous FULL", bare_commit_us()),
        MovePart(
            "schema of the answer", _each(moments, lambda m: schemas.faults("answer", m.body))
        ),
        MovePart(
            "JSON to command",
            _each(moments, lambda m: wire.read_answer(rules, m.state, m.seat, m.body)),
        ),
        MovePart("decide", _each(moments, lambda m: decide(rules, m.state, m.command))),
        MovePart("evolve", _each(moments, lambda m: evolve(m.state, m.events))),
        MovePart("log row as JSON", _each(moments, lambda m: _row("h", 1, m.command, m.events))),
        MovePart(
            "view and legal list for the next",
            _each(moments, lambda m: wire.turn_fields(rules, m.state, m.seat, hints=True)),
        ),
        MovePart("turn document as JSON", _each(documents, orjson.dumps)),
        MovePart("append to the store, alone", _appends(moments[:ROWS])),
    ]
    return parts, size // hands, len(moments) // hands


def _each(items: list[Any], work: Callable[[Any], object], *, warm: bool = True) -> float:
    """Microseconds for one item; warm: after a few that are not counted."""
    for item in items[:50] if warm else ():
        work(item)
    began = time.perf_counter()
    for item in items:
        work(item)
    return (time.perf_counter() - began) / len(items) * 1e6


def _row(hand: str, seq: int, command: Command, events: list[Event]) -> StepRow:
    """A step as the referee stores it."""
    written = orjson.dumps([wire.write_event(e) for e in events]).decode()
    text = orjson.dumps(wire.write_command(command)).decode()
    return StepRow(hand, seq, 0, f"{hand}.{seq}.0", text, written, len(events), "{}")


def _bare_route(calls: int) -> float:
    """One POST through an empty Flask app's own test environment."""
    app = Flask("bare")
    app.add_url_rule("/", view_func=lambda: "{}", methods=["POST"], endpoint="bare")
    client = app.test_client()
    return _each([b"{}"] * min(calls, 500), lambda body: client.post("/", data=body).data)


def bare_commit_us() -> float:
    """One row and one commit in a SQLite file of its own."""
    import sqlite3

    with tempfile.TemporaryDirectory() as folder:
        connection = sqlite3.connect(Path(folder) / "bare.db", isolation_level=None)
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute("PRAGMA synchronous=FULL")
        connection.execute("CREATE TABLE t (n INTEGER PRIMARY KEY, x TEXT)")
        cost = _each(
            list(range(ROWS)),
            lambda n: connection.execute("INSERT INTO t (x) VALUES (?)", ("x" * 200,)),
        )
        connection.close()
    return cost


def _appends(moments: list[RecordedDecision]) -> float:
    """Appending steps one by one: a commit for each."""
    with tempfile.TemporaryDirectory() as folder:
        path = (Path(folder) / "bench.db").as_posix()
        with open_store(f"sqlite:///{path}") as store:
            store.write(BotRow("b", "b", "b", "h", 0, False, BotKind.BOT))
            store.write(SessionRow("s", SessionStatus.RUNNING, "{}", b"", 0, None))
            store.write(TableRow("t", "s", 1, 1, "[]", TableStatus.PLAYING))
            hand = HandRow("h", "t", 1, "[]", HandStatus.PLAYING, "", None, 0, None)
            rows, seq = [], 0
            for moment in moments:
                row = _row("h", seq, moment.command, moment.events)
                rows.append(row)
                seq += row.event_count
            store.write(hand, rows[0])
            return _each(rows[1:], store.write, warm=False)
