"""Outcomes: what a hand's end means for its table and for the standings.

A pure layer between the log and `arena.tournament`: it turns ended hands into results as they are
stored, and stored results into what the ratings take. It may not read a clock or a store.
"""

from __future__ import annotations

from collections.abc import Sequence

from arena import sitting
from arena.documents import Document
from arena.rules import State
from arena.rules.commands import Expire
from arena.rules.events import Cause
from arena.session.hand_log import Fault, HandLog, Step, TableLog
from arena.tournament.results import HandResult, forfeit, settle


def hand_result(hand: HandLog, state: State, steps: Sequence[Step]) -> Document:
    """The result of a hand that is over: by player (index at the table), best to last.

    `places`, and parallel to it `finish`, as in sport; `game`: the order by the rules alone, before
    faults count; `faults`; `forfeits`; by player `points` of this hand, `moves` and the time
    charged. state: the last one; steps: the whole log. Both may be one step ahead of the hand
    itself.
    """
    table = hand.table
    faults = faults_of(hand, steps)
    players = [hand.seating[seat] for seat in state.places]
    failed = [str(fault.player) for fault in faults]
    settled = settle(
        [str(player) for player in players],
        range(1, len(players) + 1),
        block=table.id,
        pool="",
        faults=failed,
    )
    return {
        "places": [int(player) for player in settled.bots],
        "finish": list(settled.finish),
        "game": players,
        "faults": [_fault_document(fault) for fault in faults],
        "forfeits": [],
        "points": _points(table, hand, state),
        **_thinking(hand, steps),
    }


def forfeited_result(table: TableLog, out: Sequence[int]) -> Document:
    """The result of a hand that is not played, because these players are out (see `results`)."""
    players = [str(player) for player in range(len(table.players))]
    settled = forfeit(players, [str(player) for player in out], block=table.id, pool="")
    return {
        "places": [int(player) for player in settled.bots],
        "finish": list(settled.finish),
        "game": [],
        "faults": [],
        "forfeits": list(out),
        "points": [0] * len(players),
        "moves": [0] * len(players),
        "charged_ms": [0] * len(players),
    }


def overall_winners(mode: str, results: Sequence[Document]) -> list[int]:
    """The players who have won all the hands of a table together; nobody where the ruleset says so.

    mode: the ruleset's `overall_winner` (DX-21); results: of the hands that were played, in order.
    Equal points share the win (AM-78).
    """
    finishes = [[str(player) for player in result["game"]] for result in results]
    totals = [sum(points) for points in zip(*(r["points"] for r in results), strict=True)]
    points = {str(player): total for player, total in enumerate(totals)}
    winner = sitting.overall(mode, finishes, points)
    return [int(player) for player in ([winner] if isinstance(winner, str) else winner or ())]


def faults_of(hand: HandLog, steps: Sequence[Step]) -> tuple[Fault, ...]:
    """The faults of a log that count against a player, in the order of failing."""
    return tuple(
        Fault(hand.seating[step.command.seat], step.command.seat, step.seq, step.command.cause)
        for step in steps
        if isinstance(step.command, Expire) and step.command.cause != Cause.SERVER
    )


def rated_result(result: Document, *, players: Sequence[str], block: str, pool: str) -> HandResult:
    """A stored result as the ratings take it. players: bot ids by player."""
    faults = dict.fromkeys(players[fault["player"]] for fault in result["faults"])
    return HandResult(
        block,
        pool,
        tuple(players[player] for player in result["places"]),
        tuple(result["finish"]),
        faults=tuple(faults),
        forfeits=tuple(players[player] for player in result["forfeits"]),
    )


def pool_of(fingerprint: str, seats: int) -> str:
    """The rating pool of a ruleset and a number of seats."""
    return f"{fingerprint}/{seats}"


def _fault_document(fault: Fault) -> Document:
    return {
        "player": fault.player,
        "seat": fault.seat,
        "seq": fault.seq,
        "cause": fault.cause,
    }


def _thinking(hand: HandLog, steps: Sequence[Step]) -> Document:
    """Answers and the time charged for them, by player, without those of the referee."""
    moves = [0] * len(hand.seating)
    charged_ms = [0] * len(hand.seating)
    for step in steps:
        if step.turn and step.meta["cause"] is None:
            player = hand.seating[step.meta["seat"]]
            moves[player] += 1
            charged_ms[player] += step.meta["charged_ms"]
    return {"moves": moves, "charged_ms": charged_ms}


def _points(table: TableLog, hand: HandLog, state: State) -> list[float]:
    before = table.sitting
    after = sitting.after_hand(table.rules, before, hand.seating, state)
    return [new - old for new, old in zip(after.points, before.points, strict=True)]
