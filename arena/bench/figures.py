"""The figures of load runs by name, each with what it is to be compared with."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median

from arena.bench.baselines import Baselines
from arena.bench.load import Load

Figure = tuple[str, float | None, str]
"""What a figure is of, the figure, and what it is to be compared with."""


def medians(runs: Sequence[Sequence[Figure]]) -> list[Figure]:
    """The medians of several runs; of more than one with the least and the most beside them."""
    if len(runs) == 1:
        return list(runs[0])
    rows: list[Figure] = []
    for same in zip(*runs, strict=True):
        known = sorted(figure for _, figure, _ in same if figure is not None)
        spread = f"{known[0]:,.2f} to {known[-1]:,.2f}" if known else ""
        rows.append((same[0][0], median(known) if known else None, spread))
    return rows


def figures(load: Load) -> list[Figure]:
    """The figures of a load run."""
    bare, played = load.baselines, load.played
    cpu = played.server_cpu_us
    of_route = ratio(cpu, bare.route_cpu_us)
    return [
        ("tables", load.tables, "at the same time"),
        ("decisions accepted and durable", played.decisions, f"{played.refused} requests refused"),
        ("decisions/s", played.per_s, _times(played.per_s / bare.route_per_s, "a bare route")),
        ("answers in a request", played.decisions / played.requests, ""),
        ("server CPU, share of a core", played.server_share, ""),
        ("server CPU, us a decision", cpu, _times(of_route, "a bare request")),
        ("players' CPU, us a decision", played.players_cpu_us, ""),
        ("answer to next turn, ms p50", played.reached_ms[0], _trips(played.reached_ms[0], bare)),
        ("answer to next turn, ms p99", played.reached_ms[1], f"{played.samples} samples"),
        ("bell to waiter, ms p50 at most", played.woken_ms[0], ""),
        ("bell to waiter, ms p99 at most", played.woken_ms[1], ""),
        ("memory, bytes for each waiter", load.waiter_bytes, ""),
        ("memory of the server, bytes", played.server_bytes, ""),
        ("hands", played.hands, ""),
        ("database, bytes a hand", ratio(load.database_bytes, played.hands), ""),
        ("bare route in the same server, requests/s", bare.route_per_s, "same players"),
        ("bare route, CPU us a request", bare.route_cpu_us, ""),
        ("bare commit, us", bare.commit_us, "one row, SQLite, synchronous FULL"),
        ("loopback there and back, us", bare.trip_us, ""),
    ]


def ratio(value: float | None, base: float | None) -> float | None:
    """One by the other, None if either is not known, or nothing."""
    return value / base if value and base else None


def _times(ratio: float | None, what: str) -> str:
    return "" if ratio is None else f"{ratio:.2f} x {what}"


def _trips(milliseconds: float | None, bare: Baselines) -> str:
    return (
        "" if milliseconds is None else f"{milliseconds * 1000 / bare.trip_us:.0f} x the loopback"
    )
