"""The process's log: one line for each thing, with request id, bot, table and hand where known.

`text` is for people and grep (``key=value`` after the message), `json` for programs (one object a
line). Whatever is logged, by whom ever, has everything that resembles a token replaced, and
nothing that a client sends can begin a line of its own. This module may not log anything itself.
"""

from __future__ import annotations

import logging
import re
import sys
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from functools import lru_cache
from typing import IO, Any

import orjson
from flask import has_request_context, request

from arena.settings import Settings

CALLER = "arena.caller"
REQUEST = "arena.request"
PLAIN = re.compile(r"[!#-<>-~]+", re.ASCII)
"""What needs no quotation marks: visible characters but for the quotation and the equals sign."""
SECRETS = re.compile(r"dfa[a-z]*_[A-Za-z0-9_-]{4,}")
LONGEST = 200
NAMES = ("session", "table", "hand", "turn")
Fields = Mapping[str, Any]


def without_secrets(text: str) -> str:
    """A text for a log, with everything that resembles a token replaced."""
    return SECRETS.sub("dfa_…", text)


def configure(settings: Settings, stream: IO[str] | None = None) -> None:
    """Send the log of this process to a stream (standard error), in the form that is wished."""
    handler = logging.StreamHandler(stream or sys.stderr)
    handler.setFormatter(LineFormatter(settings.log_format))
    logging.basicConfig(level=settings.log_level.upper(), handlers=[handler], force=True)


class LineFormatter(logging.Formatter):
    """Writes a record as one line. form: text or json. A record may bring `fields` with it."""

    def __init__(self, form: str) -> None:
        super().__init__()
        self._write: Callable[[logging.LogRecord, Fields], str] = {
            "text": self._text,
            "json": self._json,
        }[form]

    def format(self, record: logging.LogRecord) -> str:
        """The line, without secrets."""
        fields = {**request_fields(), **getattr(record, "fields", {})}
        return without_secrets(self._write(record, fields))

    def _text(self, record: logging.LogRecord, fields: Fields) -> str:
        head = f"{_instant(record)} {record.levelname} {record.name} {_one_line(record)}"
        line = " ".join([head, *(f"{name}={_value(value)}" for name, value in fields.items())])
        trace = self._trace(record)
        return f"{line}\n{trace}" if trace else line

    def _json(self, record: logging.LogRecord, fields: Fields) -> str:
        line = {
            "at": _instant(record),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
            **fields,
        }
        trace = self._trace(record)
        whole = {**line, "trace": trace} if trace else line
        return orjson.dumps(whole, default=str).decode()

    def _trace(self, record: logging.LogRecord) -> str:
        """The traceback of an error, indented, so that no line of it can pass for a record."""
        if not record.exc_info:
            return ""
        return "\n".join("  " + line for line in self.formatException(record.exc_info).splitlines())


def request_fields() -> dict[str, Any]:
    """What is known of the request that is being answered now; {} outside of one."""
    if not has_request_context():
        return {}
    environ = request.environ
    known = {"request": environ.get(REQUEST), "bot": environ.get(CALLER)}
    return {name: value for name, value in (known | _about(request.view_args)).items() if value}


def _about(names: Fields | None) -> dict[str, str]:
    """Session, table, hand and turn of a request, from the names in its path."""
    if not names:
        return {}
    fields = {name: str(names[name])[:LONGEST] for name in NAMES if name in names}
    if "turn" in fields:
        fields["hand"] = fields["turn"].partition(".")[0]
    if "hand" in fields:
        fields["table"] = fields["hand"].rpartition("-h")[0]
    return fields


def _instant(record: logging.LogRecord) -> str:
    return f"{_second(int(record.created))}.{int(record.msecs):03d}Z"


@lru_cache(maxsize=2)
def _second(second: int) -> str:
    return f"{datetime.fromtimestamp(second, UTC):%Y-%m-%dT%H:%M:%S}"


def _one_line(record: logging.LogRecord) -> str:
    """The message with everything escaped that could begin another line."""
    message = record.getMessage()
    if message.isprintable():
        return message
    return "".join(c if c.isprintable() else repr(c)[1:-1] for c in message)


def _value(value: object) -> str:
    text = str(value)
    if PLAIN.fullmatch(text):
        return text
    return orjson.dumps(text).decode() if text.isprintable() else repr(text)
