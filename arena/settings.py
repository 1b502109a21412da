"""The settings of one arena process: one frozen value, read once, unknown names refused.

Later sources win: defaults, a TOML file, the environment (``ARENA_PORT=8000``), flags of the
command line. Settings concern the process; what concerns a session is in the session's document.
Nothing here may change while the process runs.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, fields
from ipaddress import IPv4Network, IPv6Network, ip_network
from pathlib import Path
from typing import Any

from arena.errors import BadInput
from arena.statuses import RegistrationMode

PREFIX = "ARENA_"
OTHERS = (
    "admin_token",
    "code",
    "compile",
    "core",
    "name",
    "owner",
    "owner_token",
    "session",
    "token",
    "token_file",
    "url",
)
"""Names with the prefix that belong to organisers' commands, to bots and to pip, and the choice of
the compiled core, which is made before there are settings."""
DATABASE_CHECKS = ("off", "quick", "full")
AT_LEAST_ONE = (
    "max_turns",
    "max_body_bytes",
    "heartbeat_ms",
    "workers",
    "bots_per_owner",
    "max_bots",
    "registration_burst",
    "anonymous_burst",
    "exports",
    "casual_keep_h",
)
AT_LEAST_NONE = (
    "max_wait_ms",
    "poll_after_ms",
    "requests_per_s",
    "request_burst",
    "anonymous_per_s",
    "requests_per_s_per_address",
    "registrations_per_s",
    "registrations_per_hour",
    "registrations_per_hour_per_address",
    "max_connections",
    "max_connections_per_address",
    "drain_s",
    "exports_mb",
    "streams",
    "streams_per_address",
    "casual_tables",
)
LOG_LEVELS = ("debug", "info", "warning", "error")
LOG_FORMATS = ("text", "json")
MOST_TURNS = 1_024
"""The ceiling of `max_turns`: as many answers as the schema of a request allows."""
ORIGIN = re.compile(r"https?://(\*\.)?[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)*(:[0-9]{1,5})?", re.ASCII)
"""What a page can be embedded by: a scheme, a host, `*.` before it for all below, a port."""
REFEREE_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,62}", re.ASCII)
INTERNAL_ADDRESS = re.compile(r"http://(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._-]+):[0-9]{1,5}", re.ASCII)
CLUSTER_SECRET = re.compile(r"[A-Za-z0-9_-]{16,200}", re.ASCII)
YES = ("1", "true", "yes", "on")
NO = ("0", "false", "no", "off")


@dataclass(frozen=True, kw_only=True)
class Settings:
    """What the operator of one process decides.

    host, port: where to listen; only this machine can reach it unless `host` says otherwise.
    database: ``sqlite:///FILE``, ``memory:``, or ``postgresql://...`` for several referees.
    database_check: how a SQLite file is looked at before it is used: `quick` (its files, what is
    being played, and of a file of up to 64 MB every page and reference), `full` (every page and
    row, as `arena check` does; minutes for a large file), or `off`, to start on a damaged one all
    the same.
    signing_key: the file of the private key by which digests and records are signed; empty for
    FILE.key beside a SQLite FILE, which is made at the first start.
    registration: `open`; `code`: a new bot needs an enrolment code, or the token of another bot of
    its owner; `closed`: only organisers register bots.
    registrations_per_s, registration_burst: how often bots may be registered without a code or a
    token, by all callers together. Wrong codes draw from such a bucket too, good ones never.
    registrations_per_hour: the most bots in an hour that come with neither code nor token; 0 for
    no limit.
    bots_per_owner: the most bots of one owner in this arena.
    max_bots: the most bots of all owners together.
    max_wait_ms: the longest a long-poll may wait; asking for more gets this.
    poll_after_ms: how long a bot is asked to wait before its next poll if nothing is running.
    max_turns: the most turns in one answer, and the most answers in one request; up to 1024.
    max_body_bytes: larger bodies are refused before they are parsed.
    requests_per_s, request_burst: the limit for each token (answers to open turns never count).
    anonymous_per_s, anonymous_burst: the limit of all callers without a token together.
    requests_per_s_per_address, registrations_per_hour_per_address: the limits of one address (of a
    /64 in IPv6) for requests, and for registrations, without a token; 0, the default, for none.
    trusted_proxies: addresses and networks, with commas between, of proxies whose
    `X-Forwarded-For` is believed; none unless they are named.
    workers: threads that settle hands and begin the next ones.
    heartbeat_ms: how often the process notes that it is alive; an outage is credited to the
    clocks but for at most this much.
    drain_s: how long a stopping server lets requests finish.
    print_token: print the first organiser's token also where output is no terminal, where it would
    stay in a log; else `arena serve` leaves it in a file there.
    max_connections: open at the same time; 0 for as many as the limit of open files allows, less
    128 that are kept for the database and the log, and at most 20,000. One more is answered with
    503 and closed.
    max_connections_per_address: from one address; 0 for no limit. Behind a proxy all connections
    come from the proxy's address: leave it at 0 there, and let the proxy count.
    frame_ancestors: who may show hands of this arena within their own pages: origins, with spaces
    between, such as `https://club.example https://*.example.org`, or `*` for everybody; nobody
    unless they are named. Other pages can never be embedded.
    log_level: the least that is logged. `info` has events, `debug` also each answer that the
    referee gave for a bot.
    exports: how many record files are sent at the same time, over all callers.
    exports_share: per cent of the process's time that exports may take while something is being
    played; as much again other long work, and those who follow; 100 lifts the limit.
    exports_folder: where record files of ended sessions are kept; empty for FILE.exports beside a
    SQLite database, else a folder of the system that goes with the process.
    exports_mb: how much that folder may hold, in megabytes; 0 keeps nothing.
    log_format: `text` (key=value) or `json` (one object a line).
    access_log: a line of `info` for each request; faults of the server (500) are logged anyway.
    streams: browsers and programs that follow what is played at the same time; 0 for none, and at
    most half of the connections that there may be. streams_per_address: from one address (a /64 in
    IPv6); 0 for no limit. Behind a proxy that is not one of the `trusted_proxies` all come from its
    address.
    house_bots: start a program of house bots together with the server, for people to play against
    in the browser; `arena house` is that program.
    casual_tables: how many tables with people may be played at the same time; 0: none at all.
    casual_keep_h: hours after which such a table is removed, with its hands.
    notify_allow: hosts, with commas between, to which messages of sessions may be sent; none unless
    they are named. `hooks.example.org`, `*.example.org`, `hooks.example.org:8443`; `http://` before
    a host for one without TLS; an address of a private net only if it is named itself.
    cluster_name: what this referee is called among those that share a PostgreSQL database; empty
    for the name of the host and the port. Balancers know it from the cookie `arena_route`.
    cluster_host, cluster_port: where it listens for the other referees, on a network that nobody
    else reaches; port 0 for any free one.
    cluster_address: `http://HOST:PORT` by which the others reach that; empty for the two above.
    cluster_secret: what referees show each other; the same for all of them. Empty for one that is
    made at the first start and kept in the database.
    lease_ms: after how much silence of a referee the others take its sessions over; the same for
    all of them, 500 to 60000. One that is killed is noticed sooner.
    """

    host: str = "127.0.0.1"
    port: int = 8000
    database: str = "sqlite:///arena.db"
    database_check: str = "quick"
    signing_key: str = ""
    registration: str = RegistrationMode.OPEN.value
    registrations_per_s: int = 20
    registration_burst: int = 200
    registrations_per_hour: int = 300
    bots_per_owner: int = 16
    max_bots: int = 10_000
    max_wait_ms: int = 30_000
    poll_after_ms: int = 1_000
    max_turns: int = 64
    max_body_bytes: int = 65_536
    requests_per_s: int = 50
    request_burst: int = 200
    anonymous_per_s: int = 200
    anonymous_burst: int = 1_000
    requests_per_s_per_address: int = 0
    registrations_per_hour_per_address: int = 0
    trusted_proxies: str = ""
    frame_ancestors: str = ""
    workers: int = 2
    heartbeat_ms: int = 1_000
    drain_s: int = 5
    print_token: bool = False
    max_connections: int = 0
    max_connections_per_address: int = 0
    exports: int = 4
    exports_share: int = 10
    exports_folder: str = ""
    exports_mb: int = 2_048
    log_level: str = "info"
    log_format: str = "text"
    access_log: bool = False
    streams: int = 2_000
    streams_per_address: int = 200
    house_bots: bool = False
    casual_tables: int = 50
    casual_keep_h: int = 24
    notify_allow: str = ""
    cluster_name: str = ""
    cluster_host: str = "127.0.0.1"
    cluster_port: int = 0
    cluster_address: str = ""
    cluster_secret: str = ""
    lease_ms: int = 1_500

    def __post_init__(self) -> None:
        _among("database_check", self.database_check, DATABASE_CHECKS)
        _among("registration", self.registration, tuple(RegistrationMode))
        _among("log_level", self.log_level, LOG_LEVELS)
        _among("log_format", self.log_format, LOG_FORMATS)
        for name in AT_LEAST_ONE:
            _at_least(name, getattr(self, name), 1)
        for name in AT_LEAST_NONE:
            _at_least(name, getattr(self, name), 0)
        if self.max_turns > MOST_TURNS:
            raise BadInput("max_turns", self.max_turns, f"1 to {MOST_TURNS}")
        read_networks(self.trusted_proxies)
        _check_origins("frame_ancestors", self.frame_ancestors)
        if not 1 <= self.exports_share <= 100:
            raise BadInput("exports_share", self.exports_share, "1 to 100 per cent")
        for name in ("port", "cluster_port"):
            if not 0 <= getattr(self, name) <= 65_535:
                raise BadInput(name, getattr(self, name), "0 (any free port) to 65535")
        _check_cluster(self)


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


def read_networks(text: str) -> tuple[IPv4Network | IPv6Network, ...]:
    """The networks of `trusted_proxies`. Raises BadInput."""
    named = [part.strip() for part in text.split(",") if part.strip()]
    try:
        return tuple(ip_network(name, strict=False) for name in named)
    except ValueError as error:
        expected = f"addresses and networks with commas between, such as 10.0.0.0/8 ({error})"
        raise BadInput("trusted_proxies", text, expected) from error


def _check_cluster(settings: Settings) -> None:
    """How referees know each other. The secret is repeated to nobody."""
    if settings.cluster_name and not REFEREE_NAME.fullmatch(settings.cluster_name):
        expected = "1 to 63 letters, digits, dots, hyphens or underscores, a letter or digit first"
        raise BadInput("cluster_name", settings.cluster_name, expected)
    if settings.cluster_address and not INTERNAL_ADDRESS.fullmatch(settings.cluster_address):
        raise BadInput("cluster_address", settings.cluster_address, "http://HOST:PORT")
    if settings.cluster_secret and not CLUSTER_SECRET.fullmatch(settings.cluster_secret):
        raise BadInput("cluster_secret", "(not repeated)", "16 to 200 letters, digits, - or _")
    if not 500 <= settings.lease_ms <= 60_000:  # less is taken over because a disk was slow
        raise BadInput("lease_ms", settings.lease_ms, "500 to 60000 milliseconds")


def _check_origins(name: str, text: str) -> None:
    for origin in text.split():
        if origin != "*" and not ORIGIN.fullmatch(origin):
            expected = "origins with spaces between, such as https://club.example, or *"
            raise BadInput(name, origin, expected)


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
