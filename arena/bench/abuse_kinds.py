"""Hostile requests, each as large as the default limits let it be.

They are what somebody would send who wants the process to be busy with them: bodies that
fill the limit with faults, with depth, with length, or with what looks right until the end.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import orjson

from arena.bench.abuse_target import RequestKind, Sent, Target

LIMIT = 65_536
GARBAGE = "dfa_" + "g" * 43
TURNS = "/api/v1/turns"
TURN = "/api/v1/turns/none-r01-t01-h001.1.0"
SESSIONS = "/api/v1/sessions"
MARKS = "\N{COMBINING ACUTE ACCENT}\N{COMBINING DOT BELOW}"


def hostile() -> Sequence[RequestKind]:
    """All of them."""
    return (*_batches(), *_answers(), *_documents(), *_texts(), *_strangers(), *_reads())


def _batches() -> Sequence[RequestKind]:
    odd = {f"m{number}": 1 for number in range(60)}
    full = {"turn": "t", "cards": ["S3"] * 70}
    lost = [{"turn": f"none-r01-t01-h001.{n}.0", "pass": True} for n in range(64)]
    return (
        _batch("21,001 empty answers", [{}] * 21_001),
        _batch("3,300 answers with unknown members", [{"a": 1, "b": 2}] * 3_300),
        _batch("2,500 answers", [{"turn": "t", "pass": 1}] * 2_500),
        _batch("64 answers full of unknown members", [odd] * 64),
        _batch("63 answers full of cards, and a fault", [*[full] * 62, {}]),
        _batch("64 answers of which none is one", [{}] * 64),
        _batch("64 answers to turns that are not there", lost),
        RequestKind("64 refused answers to an open turn", _refused_batch),
    )


def _batch(name: str, answers: Sequence[Any]) -> RequestKind:
    return _by_bot(name, TURNS, {"answers": answers})


def _refused_batch(arena: Target) -> Sent:
    token, turn = arena.turn()
    answers = [{"turn": turn["turn"], "choice": 90_000 + n} for n in range(64)]
    return Sent("POST", TURNS, token=token, body=orjson.dumps({"answers": answers}))


def _answers() -> Sequence[RequestKind]:
    return (
        _by_bot("9,000 cards that are none", TURN, {"cards": ["x9"] * 9_000}),
        _by_bot("9,000 cards", TURN, {"cards": ["S3"] * 9_000}),
        _by_bot("ask for 9,000 cards", TURN, {"ask": ["HA"] * 9_000}),
        _by_bot("108 cards that are none, four times", TURN, _cards("x9")),
        _by_bot("6,000 unknown members", TURN, {f"m{n}": 1 for n in range(6_000)}),
        _by_bot("500 unknown members", TURN, {f"m{n}": 1 for n in range(500)}),
    )


def _cards(card: str) -> dict[str, Any]:
    return {name: [card] * 108 for name in ("cards", "as", "ask", "name")}


def _texts() -> Sequence[RequestKind]:
    deep = b'{"a":' * 10_000 + b"1" + b"}" * 10_000
    twice = b'{"pass":true,"pass":false,"a":"' + b":" * 65_000 + b'"}'
    return (
        _bytes("10,000 levels", deep[:LIMIT]),
        _bytes("500 levels", b'{"a":' + b"[" * 500 + b"]" * 500 + b"}"),
        _bytes("a number of 60,000 digits", b'{"choice":' + b"1" * 60_000 + b"}"),
        _bytes("a fraction of 60,000 digits", b'{"a:":0.' + b"1" * 60_000 + b"}"),
        _bytes("a member twice, and 65,000 colons", twice),
        _bytes("64 KiB that are no JSON", b"x" * LIMIT),
        _bytes("64 KiB of white space", b" " * LIMIT),
        _by_bot("a text of 60,000 characters", TURN, {"throw": "\x01" * 10_000}),
        _by_bot("a name of 60,000 characters", TURN, {"大" * 20_000: 1}),
    )


def _documents() -> Sequence[RequestKind]:
    names = [f"bot-{number}" for number in range(1_000)]
    near = [f"kakumei_{number}x" for number in range(64)]
    steps: list[Any] = [["first", "last", 1, "lowest"]] * 400
    return (
        _document("2,000 names, one twice", schedule=_final(names, [*names[1:], names[1]])),
        _document("1,000 names that are none", schedule=_final(names, [{}] * 1_000)),
        _document("64 patches nearly right", ruleset={"patches": near}),
        _document("400 steps of an exchange", ruleset={"options": {"exchange": steps}}),
        _document(
            "2,000 unknown options", ruleset={"options": dict.fromkeys(map(str, range(2000)))}
        ),
    )


def _final(of: Sequence[Any], finalists: Sequence[Any]) -> dict[str, Any]:
    return {"kind": "final", "of": of, "finalists": finalists}


def _document(name: str, **members: Any) -> RequestKind:
    body = orjson.dumps({"name": "x", **members})
    return RequestKind(
        f"a session: {name}",
        lambda arena: Sent("POST", SESSIONS, token=arena.organiser, body=body),
    )


def _strangers() -> Sequence[RequestKind]:
    bots = "/api/v1/bots"
    members = orjson.dumps({f"m{number}": 1 for number in range(6_000)})
    few = orjson.dumps({f"m{number}": 1 for number in range(500)})
    marked = orjson.dumps({"name": "a" + MARKS * 19})
    code = orjson.dumps({"name": "a", "code": "c" * 60_000})
    headers = {"HTTP_X_REQUEST_ID": "a" * 60_000, "HTTP_IF_NONE_MATCH": '"' * 60_000}
    return (
        RequestKind("6,000 unknown members, no token", lambda _: Sent("POST", bots, body=members)),
        RequestKind("500 unknown members, no token", lambda _: Sent("POST", bots, body=few)),
        RequestKind("a name of marks, no token", lambda _: Sent("POST", bots, body=marked)),
        RequestKind("a code of 60,000 characters", lambda _: Sent("POST", bots, body=code)),
        RequestKind("a token that nobody has", lambda _: Sent("GET", TURNS, token=GARBAGE)),
        RequestKind(
            "a token of 60,000 characters", lambda _: Sent("GET", TURNS, token="g" * 60_000)
        ),
        RequestKind(
            "headers of 60,000 characters", lambda _: Sent("GET", "/schemas", fields=headers)
        ),
        RequestKind(
            "a path of 60,000 characters", lambda _: Sent("GET", "/api/v1/" + "a/" * 30_000)
        ),
    )


def _reads() -> Sequence[RequestKind]:
    short, long = "&x=1" * 2_000, "&x=1" * 16_000
    few = "&".join(f"p{number}={'a' * 200}" for number in range(32))
    paths = ("/rules", "/openapi.json", "/schemas", "/problems", "/metrics", "/readyz", "/healthz")
    return (
        RequestKind("a query of 64 KiB", lambda _: Sent("GET", SESSIONS, query=long)),
        RequestKind("a query of 2,000 parameters", lambda _: Sent("GET", SESSIONS, query=short)),
        RequestKind("a query of 32 unknown parameters", lambda _: Sent("GET", SESSIONS, query=few)),
        *(_read(path) for path in paths),
    )


def _read(path: str) -> RequestKind:
    return RequestKind(path, lambda _: Sent("GET", path))


def _by_bot(name: str, path: str, body: dict[str, Any]) -> RequestKind:
    return _bytes(name, orjson.dumps(body), path)


def _bytes(name: str, data: bytes, path: str = TURN) -> RequestKind:
    return RequestKind(
        name,
        lambda arena: Sent("POST", path, token=next(iter(arena.tokens.values())), body=data),
    )
