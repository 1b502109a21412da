"""What a check comes to, and how it is shown: the request, the answer, what to change."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from arena.doctor.evidence import Exchange

LONGEST_BODY = 600
SECRET = re.compile(r"dfa_[A-Za-z0-9_-]+")


class CheckOutcome(StrEnum):
    """What may become of a check."""

    PASSED = "passed"
    FAILED = "failed"
    SKIPPED = "skipped"


@dataclass(frozen=True)
class CheckVerdict:
    """What became of a check, and why. exchange: the one that shows it; lines: the last ones that
    the bot's process wrote, where they may explain it."""

    outcome: CheckOutcome
    why: str
    exchange: Exchange | None = None
    lines: Sequence[str] = ()


def passed(why: str) -> CheckVerdict:
    """It is as it should be."""
    return CheckVerdict(CheckOutcome.PASSED, why)


def failed(why: str, exchange: Exchange | None = None, lines: Sequence[str] = ()) -> CheckVerdict:
    """It is not."""
    return CheckVerdict(CheckOutcome.FAILED, why, exchange, lines)


def skipped(why: str) -> CheckVerdict:
    """It could not be seen."""
    return CheckVerdict(CheckOutcome.SKIPPED, why)


def request_lines(exchange: Exchange) -> list[str]:
    """A request as it was sent, without the token itself."""
    request = exchange.request
    lines = [f"{request.method} {request.target}"]
    for name in ("HTTP_AUTHORIZATION", "CONTENT_TYPE"):
        if name in request.fields:
            lines.append(f"{_field(name)}: {request.fields[name]}")
    return [_hidden(line) for line in (*lines, *_body(request.body))]


def answer_lines(exchange: Exchange) -> list[str]:
    """What the bot was answered."""
    reply = exchange.sent
    note = [f"({exchange.note})"] if exchange.note else []
    if reply is None or reply.delivery.lost:
        return ["no answer", *note]
    retry = reply.header("Retry-After")
    after = [] if retry is None else [f"Retry-After: {retry}"]
    return [_hidden(line) for line in (str(reply.status), *after, *_body(reply.body), *note)]


def _field(name: str) -> str:
    return name.removeprefix("HTTP_").replace("_", "-").title()


def _body(body: bytes) -> list[str]:
    if not body:
        return []
    text = body.decode("utf-8", "replace")
    try:
        text = json.dumps(json.loads(text), ensure_ascii=False)
    except ValueError:
        text = repr(text)
    return [text if len(text) <= LONGEST_BODY else f"{text[:LONGEST_BODY]}…"]


def _hidden(text: str) -> str:
    """Without tokens, that a report may be shown to others."""
    return SECRET.sub("dfa_…", text)
