"""The settings of one arena process: one frozen value, read once, unknown names refused.

Later sources win: defaults, a TOML file, the environment (``ARENA_PORT=8000``), flags of the
command line. Settings concern the process; what concerns a session is in the session's document.
Nothing here may change while the process runs.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from arena.errors import BadInput

PREFIX = "ARENA_"
OTHERS = ("admin_token", "code", "name", "session", "token", "token_file", "url")
"""Names with the prefix that belong to organisers' commands and to bots, not to the process."""
REGISTRATION = ("open", "code")
LOG_LEVELS = ("debug", "info", "warning", "error")
LOG_FORMATS = ("text", "json")
YES = ("1", "true", "yes", "on")
NO = ("0", "false", "no", "off")


@dataclass(frozen=True, kw_only=True)
class Settings:
    """What the operator of one process decides.

    host, port: where to listen; loopback unless told otherwise.
    database: ``sqlite:///FILE``, ``memory:``, or ``postgresql://...`` for several processes.
    registration: `open`, or `code`: a new bot needs an enrolment code.
    max_wait_ms: the longest a long-poll may wait; asking for more gets this.
    poll_after_ms: what a poll is told to wait if nothing is running.
    max_turns: the most turns in one answer, and the most answers in one request.
    max_body_bytes: larger bodies are refused before they are parsed.
    requests_per_s, request_burst: the limit for each token (answers to open turns never count).
    workers: threads that settle hands and begin the next ones.
    heartbeat_ms: how often the process notes that it is alive; an outage is credited to the
    clocks but for at most this much.
    drain_s: how long a stopping server lets requests finish.
    exports: how many record files are sent at the same time, over all callers.
    exports_share: per cent of the process's time that exports and other long work may take while
    something is being played; 100 lifts the limit.
    exports_folder: where record files of ended sessions are kept; empty for FILE.exports beside a
    SQLite database, else a folder of the system that goes with the process.
    exports_mb: how much that folder may hold, in megabytes; 0 keeps nothing.
    log_level: the least that is logged; each request is one line of `info`.
    log_format: `text` (key=value) or `json` (one object a line).
    """

    host: str = "127.0.0.1"
    port: int = 8000
    database: str = "sqlite:///arena.db"
    registration: str = "open"
    max_wait_ms: int = 30_000
    poll_after_ms: int = 1_000
    max_turns: int = 64
    max_body_bytes: int = 65_536
    requests_per_s: int = 50
    request_burst: int = 200
    workers: int = 2
    heartbeat_ms: int = 1_000
    drain_s: int = 5
    exports: int = 4
    exports_share: int = 10
    exports_folder: str = ""
    exports_mb: int = 2_048
    log_level: str = "info"
    log_format: str = "text"

    def __post_init__(self) -> None:
        _among("registration", self.registration, REGISTRATION)
        _among("log_level", self.log_level, LOG_LEVELS)
        _among("log_format", self.log_format, LOG_FORMATS)
        for name in ("max_turns", "max_body_bytes", "heartbeat_ms", "workers", "exports"):
            _at_least(name, getattr(self, name), 1)
        for name in ("max_wait_ms", "poll_after_ms", "requests_per_s", "request_burst", "drain_s"):
            _at_least(name, getattr(self, name), 0)
        _at_least("exports_mb", self.exports_mb, 0)
        if not 1 <= self.exports_share <= 100:
            raise BadInput("exports_share", self.exports_share, "1 to 100 per cent")
        if not 0 <= self.port <= 65_535:
            raise BadInput("port", self.port, "0 (any free port) to 65535")


def read_settings(
    file: Path | str | None = None,
    environ: Mapping[str, str] | None = None,
    flags: Mapping[str, Any] | None = None,
) -> Settings:
    """The settings of this process.

    file: a TOML file of names and values. environ: usually ``os.environ``; only names with the
    prefix ``ARENA_`` are looked at. flags: values given on the command line; None means not given.
    Raises BadInput for an unknown name, a value of the wrong type and a file that cannot be read.
    """
    values: dict[str, Any] = {}
    if file is not None:
        values |= _checked(_from_file(Path(file)))
    if environ is not None:
        values |= _checked(_from_environment(environ))
    given = {name: value for name, value in (flags or {}).items() if value is not None}
    return Settings(**(values | _checked(given)))


def _from_file(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise BadInput("settings file", str(path), f"a readable TOML file ({error})") from error
    except tomllib.TOMLDecodeError as error:
        raise BadInput("settings file", str(path), f"TOML ({error})") from error


def _from_environment(environ: Mapping[str, str]) -> dict[str, str]:
    return {
        name.removeprefix(PREFIX).lower(): value
        for name, value in environ.items()
        if name.startswith(PREFIX) and name.removeprefix(PREFIX).lower() not in OTHERS
    }


def _checked(values: Mapping[str, Any]) -> dict[str, Any]:
    types = {field.name: type(field.default) for field in fields(Settings)}
    return {name: _typed(name, value, types) for name, value in values.items()}


def _typed(name: str, value: Any, types: Mapping[str, type]) -> Any:
    if name not in types:
        raise BadInput("setting", name, f"one of {', '.join(sorted(types))}")
    wanted = types[name]
    if wanted is int and isinstance(value, str):
        return _number(name, value)
    if wanted is bool and isinstance(value, str):
        return _truth(name, value)
    if type(value) is not wanted:
        raise BadInput(name, value, f"a value of type {wanted.__name__}")
    return value


def _number(name: str, value: str) -> int:
    try:
        return int(value)
    except ValueError:
        raise BadInput(name, value, "a whole number") from None


def _truth(name: str, value: str) -> bool:
    word = value.lower()
    if word not in YES + NO:
        raise BadInput(name, value, f"one of {', '.join(YES + NO)}")
    return word in YES


def _among(name: str, value: str, allowed: tuple[str, ...]) -> None:
    if value not in allowed:
        raise BadInput(name, value, f"one of {', '.join(allowed)}")


def _at_least(name: str, value: int, least: int) -> None:
    if value < least:
        raise BadInput(name, value, f"{least} or more")
