"""The list of checks: layer, scene and phases that each needs, what it asks, what to change."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from arena.doctor import basic_checks as basic
from arena.doctor import turn_checks as turns
from arena.doctor.scenes import CALM, KINDS, PAUSE, RESTART
from arena.doctor.turn_checks import Judge
from arena.errors import BadInput

LAYERS = {
    "L0": "it starts and ends",
    "L1": "token, registration, requests",
    "L2": "turns of every kind",
    "L3": "a session and its troubles",
    "L4": "optional parts",
    "L5": "rough weather",
}


class BotCheck(NamedTuple):
    """One check. phases: those of its scene that it looks at; advice: what to change if it
    fails."""

    name: str
    layer: str
    scene: str
    phases: tuple[str, ...]
    judge: Judge
    asks: str
    advice: str


def _on(layer: str, name: str, phase: str, judge: Judge, asks: str, advice: str) -> BotCheck:
    """A check of the main scene."""
    return BotCheck(name, layer, "table", (phase,), judge, asks, advice)


def _goes_on(layer: str, name: str, asks: str, advice: str) -> BotCheck:
    return _on(layer, name, name, turns.goes_on(name), asks, advice)


def _scene(name: str, scene: str, asks: str, advice: str, *, optional: bool = False) -> BotCheck:
    judge = turns.goes_on(name, optional=optional)
    return BotCheck(name, "L4", scene, (name,), judge, asks, advice)


def _kind(name: str, answer: str) -> BotCheck:
    asks = f"turns of the kind `{name}` are answered"
    advice = f"Look at `kind`: a turn of the kind {name} is answered with {answer}."
    judge = turns.kind(name)
    return BotCheck(f"kind-{name}", "L2", "kinds", ("kinds",), judge, asks, advice)


ANSWERS = dict(
    zip(
        KINDS,
        (
            '{"cards": [...]} or {"pass": true}, an entry of `legal`',
            '{"cards": [...]}: as many as `must` says, from `must.from`',
            '{"ask": [...]}, an entry of `legal`',
            '{"cards": [...]}, which may be empty if `must.min` is 0',
            '{"name": [...]}, an entry of `legal`',
            '{"throw": "rock"}, "paper" or "scissors"',
            '{"accept": true} or false',
        ),
        strict=True,
    )
)
CHECKS: Sequence[BotCheck] = (
    _on(
        *("L0", "starts", CALM, basic.starts, "the command starts and sends a request"),
        "Run the command by hand with ARENA_URL, ARENA_TOKEN and ARENA_SESSION set.",
    ),
    _on(
        *("L0", "stays", CALM, basic.stays, "its process lives as long as the session"),
        "Catch what may be raised while a turn is thought about, and go on polling.",
    ),
    _on(
        *("L0", "ends", CALM, basic.ends, "it ends with exit code 0 when the session is over"),
        "After an empty poll GET /sessions/{session}: end at `finished` and `cancelled`.",
    ),
    _on(
        *("L0", "stops", RESTART, basic.stops, "SIGTERM ends it"),
        "Let SIGTERM end the process; do not catch it without leaving.",
    ),
    _on(
        *("L1", "token", CALM, basic.token, "every request has the token, in its place"),
        "Send `Authorization: Bearer $ARENA_TOKEN` with every request, and nowhere else.",
    ),
    _on(
        *("L1", "enters", CALM, basic.enters, "it enters the session it is given"),
        "PUT /sessions/{ARENA_SESSION}/entry before the first poll; twice is harmless.",
    ),
    _on(
        *("L1", "whoami", CALM, basic.whoami, "if it asks who it is, it hears it"),
        "GET /whoami with the token.",
    ),
    _on(
        *("L1", "requests", CALM, basic.requests, "every request has its proper form"),
        "`detail` says what was not understood; the endpoints are in `arena manual endpoints`.",
    ),
    BotCheck(
        *("registers", "L1", "register", ("registers",), basic.registers),
        "without a token it registers and plays",
        'POST /bots {"name": $ARENA_NAME, "code": $ARENA_CODE}, and use `token` from then on.',
    ),
    _on(
        *("L2", "answers", CALM, turns.answers, "every turn is answered"),
        "Answer every turn of every poll, the most urgent first.",
    ),
    _on(
        *("L2", "in-time", CALM, turns.in_time, "every answer comes in time"),
        "Answer within `remaining_ms` plus `bank_ms`, less the way to the referee.",
    ),
    _on(
        *("L2", "legal", CALM, turns.legal, "every answer is legal"),
        "Answer with an entry of `legal`, or with the `example` of a refusal.",
    ),
    _on(
        *("L2", "well-formed", CALM, turns.well_formed, "every answer has the form of one"),
        "Send JSON of schemas/answer.schema.json, with Content-Type: application/json.",
    ),
    _on(
        *("L2", "once", CALM, turns.once, "a turn is not answered again after its 200"),
        "Forget a turn when its answer was accepted.",
    ),
    *(_kind(name, answer) for name, answer in ANSWERS.items()),
    BotCheck(
        *("many-tables", "L3", "tables", ("many-tables",), turns.goes_on("many-tables")),
        "turns of several tables are answered side by side",
        "A poll brings the turns of all tables: answer all of them, not only the first.",
    ),
    _goes_on(
        *("L3", "lost-answer", "an answer whose reply is lost does no harm"),
        "Send the same answer again, or poll: the reply is 200 with `replayed`.",
    ),
    _goes_on(
        *("L3", "status-409", "a turn that was answered otherwise is given up"),
        "409 on a turn: it is over. Poll for the next one.",
    ),
    _goes_on(
        *("L3", "status-410", "a turn that is too late is given up"),
        "410 on a turn: the referee has answered. Poll for the next one.",
    ),
    _goes_on(
        *("L3", "status-422", "a refused answer is followed by another one"),
        "422 leaves the turn open: answer with `example`, or with another entry of `legal`.",
    ),
    _goes_on(
        *("L3", "status-429", "a 429 is waited for"),
        "429: wait as long as Retry-After says, then send the request again.",
    ),
    _goes_on(
        *("L3", "status-503", "a 503 is waited for"),
        "503: wait as long as Retry-After says, then send the request again.",
    ),
    BotCheck(
        *("retry-after", "L3", "table", ("status-429", "status-503"), turns.retry_after),
        "it comes back no sooner than Retry-After",
        "Retry-After is in seconds: send nothing before they have passed.",
    ),
    _on(
        *("L3", "polls", PAUSE, turns.polls, "it does not ask in a loop while nothing is offered"),
        "Poll with `wait=25`, or sleep for `poll_after_ms` after an empty poll.",
    ),
    _on(
        *("L3", "cursor", CALM, turns.cursor, "a cursor that it sends is the newest"),
        "Send the `cursor` of the latest answer in `after`, or no `after` at all.",
    ),
    _on(
        *("L3", "restart", RESTART, turns.restart, "started again, it goes on"),
        "Keep nothing that a poll does not tell: enter again, poll, answer.",
    ),
    _scene(
        *("no-legal", "unlisted", "it plays without the list `legal`"),
        "Work moves out from `held`, `pile`, `order` and `lock`, or enter no such session.",
        optional=True,
    ),
    BotCheck(
        *("joker-roles", "L4", "jokers", ("two-jokers",), turns.joker_roles),
        "jokers stand for what they may",
        "`as` has a card for each joker, in order: copy it from the entry of `legal`.",
    ),
    _scene(
        *("two-jokers", "jokers", "it plays with more than one joker"),
        "The code JK may come several times in `held`: count cards, do not make a set of them.",
    ),
    _scene(
        *("two-packs", "packs", "it plays with two packs"),
        "Every card may come twice in `held`: count cards, do not make a set of them.",
    ),
    _scene(
        *("seats-3", "three", "it plays at a table of three"),
        "Take the number of seats from `players`.",
    ),
    _scene(
        *("seats-8", "eight", "it plays at a table of eight"),
        "Take the number of seats from `players`.",
    ),
    _goes_on(
        *("L5", "latency", "late replies are waited for"),
        "Let a request take 15 s longer than its `wait` before it is given up.",
    ),
    _goes_on(
        *("L5", "closed-connection", "a connection that was closed is opened anew"),
        "Connect again and repeat the request when a kept connection turns out to be closed.",
    ),
    _goes_on(
        *("L5", "split-body", "a reply may come in pieces and in chunks"),
        "Read until Content-Length bytes, or the last chunk, are there.",
    ),
    _goes_on(
        *("L5", "slow-body", "a reply may come slowly"),
        "Read on until the whole reply is there.",
    ),
    _goes_on(
        *("L5", "unknown-members", "members that it does not know are ignored"),
        "Ignore members of documents that you do not know: version 1 may add some.",
    ),
    _goes_on(
        *("L5", "legal-more", "a list that was cut is used as it is"),
        "With `legal_more` there are more answers than listed; those listed are legal.",
    ),
)


def chosen_checks(layers: Sequence[str], names: Sequence[str]) -> list[BotCheck]:
    """The checks of these layers and names, all if none is named. Raises BadInput."""
    known = {check.name for check in CHECKS}
    for layer in layers:
        if layer not in LAYERS:
            raise BadInput("--layer", layer, "one of " + ", ".join(LAYERS))
    for name in names:
        if name not in known:
            raise BadInput("--check", name, "one of " + ", ".join(sorted(known)))
    if not layers and not names:
        return list(CHECKS)
    return [check for check in CHECKS if check.layer in layers or check.name in names]
