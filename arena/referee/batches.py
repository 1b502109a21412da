"""Batches: many answers of one bot, decided one by one and committed together.

Answers to different hands share one write, as many as are decided before it is others' turn: these
have none while locks are held and nothing is written. Locks are taken in the order of the hands'
ids, so two batches cannot wait for each other. If one of the logs or sessions spoils the common
write, each answer is given again on its own. It may do nothing that `answers` would not do for a
single answer.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from arena.documents import Document
from arena.errors import ArenaError, BadInput, NotHome, Unavailable
from arena.pacing import Pieces
from arena.referee.answers import (
    Draft,
    Overtaken,
    accepted,
    answer,
    attempt,
    commit,
    locate,
)
from arena.referee.context import Context
from arena.referee.live import Hand


@dataclass(slots=True)
class Given:
    """One answer of a batch: its place in it, the turn, the rest of the body, the hand."""

    place: int
    turn: str
    body: Mapping[str, Any]
    hand: Hand


def answer_many(context: Context, bot: str, answers: Sequence[Mapping[str, Any]]) -> list[Document]:
    """Answer many turns; see `Referee.answer_many`."""
    arrived_ms = context.clock.now_ms()
    results: dict[int, Document] = {}
    waiting: list[Given] = []
    pieces = context.long_work.pieces()
    for index, body in enumerate(answers):
        try:
            waiting.append(_given(context, bot, index, body=body))
        except ArenaError as error:
            results[index] = {"turn": body.get("turn"), "error": error}
        pieces.pause()  # a hand that was over long ago is read from its log
    while waiting:
        group, waiting = _one_of_each_hand(waiting)
        while group:
            answered = _answer_group(context, bot, group, arrived_ms=arrived_ms, pieces=pieces)
            results |= answered
            group = group[len(answered) :]
            pieces.pause()
    return [results[index] for index in range(len(answers))]


def _given(context: Context, bot: str, index: int, *, body: Mapping[str, Any]) -> Given:
    turn = body.get("turn")
    if not isinstance(turn, str):
        raise BadInput("turn", turn, "the id of a turn")
    rest = dict(body)
    del rest["turn"]
    return Given(index, turn, rest, locate(context, bot, turn))


def _one_of_each_hand(waiting: Sequence[Given]) -> tuple[list[Given], list[Given]]:
    """The first answer to each hand, in the order of the hands' ids; and all others."""
    first: dict[str, Given] = {}
    for given in waiting:
        first.setdefault(given.hand.id, given)
    rest = []
    if len(first) < len(waiting):
        rest = [given for given in waiting if first[given.hand.id] is not given]
    return [first[hand] for hand in sorted(first)], rest


def _answer_group(
    context: Context, bot: str, group: Sequence[Given], *, arrived_ms: int, pieces: Pieces
) -> dict[int, Document]:
    """Answer the first of a group, as many as fit into this piece, but one at least."""
    results: dict[int, Document] = {}
    alone: list[Given] = []
    locks: list[threading.Lock] = []
    try:
        drafts: list[tuple[Given, Draft]] = []
        for given in group:
            if locks and pieces.is_over:
                break
            given.hand.lock.acquire()
            locks.append(given.hand.lock)
            try:
                made = attempt(
                    context, given.hand, given.turn, body=given.body, arrived_ms=arrived_ms
                )
            except ArenaError as error:
                results[given.place] = {"turn": given.turn, "error": error}
            except Overtaken:
                alone.append(given)
            else:
                if isinstance(made, Draft):
                    drafts.append((given, made))
                else:
                    results[given.place] = _result(given, made)
        results |= _commit_together(context, drafts, alone)
    finally:
        for lock in reversed(locks):
            lock.release()
    for given in alone:
        results[given.place] = _answer_alone(context, bot, given)
    return results


def _commit_together(
    context: Context, drafts: Sequence[tuple[Given, Draft]], alone: list[Given]
) -> dict[int, Document]:
    try:
        commit(context, [made for _, made in drafts])
    except (Overtaken, NotHome):  # of one of the hands only
        alone.extend(given for given, _ in drafts)
        return {}
    except Unavailable as error:
        return {given.place: {"turn": given.turn, "error": error} for given, _ in drafts}
    return {
        given.place: _result(given, accepted(made.hand, made.step, seat=made.seat, replayed=False))
        for given, made in drafts
    }


def _answer_alone(context: Context, bot: str, given: Given) -> Document:
    try:
        return _result(given, answer(context, bot, given.turn, given.body))
    except ArenaError as error:
        return {"turn": given.turn, "error": error}


def _result(given: Given, document: Document) -> Document:
    return {"turn": given.turn, "status": 200, **document}
