"""Answers: is what a bot has answered, as its receipts have it, what a recorded log has?

A receipt has a hash of each answer: of an entry of `legal` where the bot has chosen one, else of
what it sent. So the hash of the log's answer is looked for in every form in which it may have been
sent, and if it is none of these, among all that was legal then. What is neither, a text say, cannot
be compared. Pure.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from itertools import permutations
from typing import Any, NamedTuple

from arena.documents import Document
from arena.proofs.canonical import canonical
from arena.rules import EMPTY, State, evolve
from arena.session.hand_log import HandLog
from arena.wire.turns import legal_entries

MOST_CARDS = 5
"""Of this many cards every order is tried."""
PASS = {"pass": True}


class ComparedAnswers(NamedTuple):
    """What comparing the answers of a receipt has given. otherwise: how many could not be."""

    findings: tuple[str, ...]
    compared: int
    otherwise: int


def compare_answers(
    document: Document, log: HandLog | None, answers: Mapping[str, str], *, seat: int
) -> ComparedAnswers:
    """Are the answers of a receipt, hashes by turn, in the log of their hand?

    log: the hand, if its log could be followed to the end.
    """
    turns = {step["turn"]: number for number, step in enumerate(document["steps"]) if step["turn"]}
    findings: list[str] = []
    unlike: dict[int, str] = {}
    for turn, given in answers.items():
        number = turns.get(turn)
        wrong = _not_taken(document, number, turn=turn, seat=seat)
        if number is None or wrong is not None:
            findings.append(str(wrong))
        elif given not in _hashes(document["steps"][number]["command"]):
            unlike[number] = given
    compared, otherwise = len(answers) - len(findings) - len(unlike), len(unlike)
    if log is not None and unlike:
        for number, entry in _chosen(log, unlike):
            answer = _bare(document["steps"][number]["command"])
            otherwise -= 1
            if _means(entry, answer):
                compared += 1
                continue
            findings.append(
                f"step {number}: the bot answered {_shown(entry)}, and this was accepted; the "
                f"record has {_shown(answer)}"
            )
    return ComparedAnswers(tuple(findings), compared, otherwise)


def _not_taken(document: Document, number: int | None, *, turn: str, seat: int) -> str | None:
    """Why no answer to a turn can have been accepted by this log; None if it can."""
    if number is None:
        return f"the answer to turn {turn} was accepted, and is not in the log"
    meta = document["steps"][number]["meta"]
    if meta.get("cause") is not None:
        return (
            f"step {number}: the answer to turn {turn} was accepted, the log has {meta['cause']} "
            "in its place"
        )
    if meta["seat"] != seat:
        return f"step {number}: turn {turn} is of seat {meta['seat']}"
    return None


def _bare(command: Mapping[str, Any]) -> dict[str, Any]:
    """A command as the answer that it came from."""
    bare = {name: value for name, value in command.items() if name not in ("type", "seat")}
    return bare or PASS


def _hashes(command: Mapping[str, Any]) -> set[str]:
    """The hashes of what may have been sent for a command."""
    return {_hash(each) for each in _forms(_bare(command))}


def _forms(answer: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield answer
    yield {name: value for name, value in answer.items() if value}
    cards = answer.get("cards", ())
    if len(cards) <= MOST_CARDS:
        for order in permutations(cards):
            yield {**answer, "cards": list(order)} if cards else answer


def _hash(answer: Mapping[str, Any]) -> str:
    return hashlib.sha256(canonical(answer)).hexdigest()


def _chosen(log: HandLog, unlike: Mapping[int, str]) -> Iterator[tuple[int, Document]]:
    """The entries of `legal` that have these hashes, by the number of the step, where they are
    there."""
    state: State = EMPTY
    for number, step in enumerate(log.steps):
        if number in unlike:
            seat = step.meta["seat"]
            for entry in legal_entries(log.table.rules, state, seat):
                if _hash(entry) == unlike[number]:
                    yield number, entry
        state = evolve(state, step.events)


def _means(entry: Mapping[str, Any], answer: Mapping[str, Any]) -> bool:
    """Are these the same answer, with the cards in another order?"""
    return {**answer, "cards": None, "as": None} == {**entry, "cards": None, "as": None} and (
        sorted(entry.get("cards", ())) == sorted(answer.get("cards", ()))
        and entry.get("as", answer.get("as")) == answer.get("as", entry.get("as"))
    )


def _shown(answer: Mapping[str, Any]) -> str:
    return canonical(answer).decode()
