"""A session's document as a checked value: what the organiser decided, with all defaults in place.

Members that nobody knows are refused by name. This module may read nothing but the document; the
secret, the roster and the schedule are not part of it.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from arena.errors import BadInput
from arena.proofs.chance import read_public
from arena.rules import Ruleset, compile_ruleset
from arena.rules.ruleset import DEFAULT_PRESET
from arena.rules.short_form import read_short_form
from arena.session.deals import SECRET_BYTES
from arena.session.divisions import Division, divisions_document, read_divisions
from arena.session.names import HOUSE, check_text
from arena.session.notify_config import read_notify
from arena.session.people import CLOCKS, People
from arena.session.schedule_config import (
    GAUNTLET,
    ROUND_ROBIN,
    ScheduleConfig,
    read_names,
    read_schedule_config,
)
from arena.session.times import TIMES, SessionTimes, read_times
from arena.statuses import BoardNames, HandVisibility
from arena.tournament.pairing.mixed import SMALLEST

SLUG = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,38}[a-z0-9])?")
SEED = re.compile(r"(?:[0-9a-f]{2}){1,32}")
DAY_MS = 86_400_000
MOST_BENCHMARKS = 20
SIZES = (2, 8)
OPEN_END = "open"
UNRATED_KINDS = (ROUND_ROBIN, GAUNTLET)
"""Schedules whose rounds do not follow from ratings."""
FRESH, ROTATE, COMMON = "fresh", "rotate", "common"
DEALS = (FRESH, ROTATE, COMMON)
USUAL_HANDS = 10
"""Hands of a table where neither the session nor its ruleset says how many."""
LIMITS: Mapping[str, tuple[int, int]] = {
    "hands_per_table": (1, 1_000),
    "reseat_every": (0, 1_000),
    "clock.move_ms": (1, DAY_MS),
    "clock.bank_ms": (0, DAY_MS),
    "clock.grace_ms": (0, 60_000),
    "clock.illegal_budget": (0, 1_000),
    "clock.absent_after": (1, 1_000),
    "clock.probation_ms": (0, DAY_MS),
    "roster.max_bots": (2, 1_000),
    "roster.bots_per_owner": (1, 1_000),
}


@dataclass(frozen=True, kw_only=True)
class TimeControl:
    """The clock of a session; see “How long may a bot think?” in `arena/manual/clocks.md`.

    absent_after: faults in a row after which a seat is on probation: until an answer of it is
    accepted its turns have `probation_ms` (never more than `move_ms`) and no bank, and while no
    request of its bot waits it is answered for at once.
    """

    move_ms: int = 5_000
    bank_ms: int = 60_000
    grace_ms: int = 150
    illegal_budget: int = 5
    absent_after: int = 3
    probation_ms: int = 300


@dataclass(frozen=True, kw_only=True)
class Roster:
    """Who may enter. open: bots may enter by themselves, not only by the organiser's hand."""

    open: bool = True
    max_bots: int = 64
    bots_per_owner: int = 3


@dataclass(frozen=True, kw_only=True)
class SessionConfig:
    """A checked session document. rules: its compiled ruleset; document: plain data, complete;
    hidden: it stands in no list that everybody sees.

    smaller: the same ruleset for tables with a seat less, where the session has such tables.
    benchmarks: names of bots that others are measured by, and that keep their names on the board.
    divisions: parts of the field that have a ranking of their own.
    publish_reasons: is everybody told why a bot was taken out, or the session cancelled?
    notes: may everybody read the notes of bots when the session is over?
    public_chance: the source of a public value that the start needs, None: it takes none.
    rated: does it have standings? Where it has none, it is casual.
    """

    name: str
    slug: str | None
    rules: Ruleset
    smaller: Ruleset | None
    seats: int
    hands_per_table: int
    schedule: ScheduleConfig
    reseat_every: int
    deals: str
    deals_may_repeat: bool
    clock: TimeControl
    roster: Roster
    people: People
    legal: bool
    visibility: str
    anchor: str | None
    benchmarks: tuple[str, ...]
    divisions: tuple[Division, ...]
    board: str
    hidden: bool
    publish_reasons: bool
    notes: bool
    public_chance: str | None
    rated: bool
    times: SessionTimes
    document: Mapping[str, Any]

    @property
    def names(self) -> frozenset[str]:
        """The names of bots that the document tells to everybody."""
        named = (self.anchor, *self.benchmarks, *self.schedule.regulars, *self.schedule.finalists)
        return frozenset(name for name in named if name is not None)

    def check_entered(self, names: Collection[str]) -> None:
        """Raises BadInput unless every benchmark is among the names, or is a house bot."""
        for at, name in enumerate(self.benchmarks):
            if name not in names and not name.startswith(HOUSE):
                entered = ", ".join(sorted(names)) or "none yet"
                raise BadInput(f"benchmarks[{at}]", name, f"bots that have entered: {entered}")

    def check_public(self, value: str | None) -> None:
        """Raises BadInput unless this is a value of the source that the document announces, or
        None, where it announces none."""
        source = self.public_chance
        if source is None and value is not None:
            wanted = "no value, since the session's document announces no source of public chance"
            raise BadInput("public_chance", value, wanted)
        if source is not None and value is None:
            wanted = f"the value of {source!r}, without which the session does not start"
            raise BadInput("public_chance", None, f"{wanted}: start it with --public-chance TEXT")
        if value is not None:
            read_public(value)

    def rules_at(self, players: int) -> Ruleset:
        """The ruleset of a table with this number of seats. Raises BadInput if there is none."""
        rules = next((r for r in (self.rules, self.smaller) if r and r.players == players), None)
        if rules is None:
            sizes = f"{self.seats}" if self.smaller is None else f"{self.seats} or {self.seats - 1}"
            raise BadInput("players of a table", players, f"{sizes}, as the session says")
        return rules


MEMBERS: Mapping[str, tuple[Any, Mapping[str, Any]]] = {
    "clock": (TimeControl, dict.fromkeys(TimeControl.__dataclass_fields__, int)),
    "roster": (Roster, {"open": bool, "max_bots": int, "bots_per_owner": int}),
    "people": (People, {"longest_clock": str, "rated": bool}),
}
PLAIN: Mapping[str, tuple[type, Any]] = {
    "name": (str, None),
    "slug": (str, None),
    "seats": (int, None),
    "hands_per_table": (int, None),
    "reseat_every": (int, 1),
    "deals": (str, FRESH),
    "deals_may_repeat": (bool, False),
    "legal": (bool, True),
    "visibility": (str, HandVisibility.AFTER_HAND.value),
    "anchor": (str, None),
    "board": (str, BoardNames.NAMED.value),
    "hidden": (bool, False),
    "publish_reasons": (bool, False),
    "notes": (bool, False),
    "public_chance": (str, None),
    "rated": (bool, True),
    "seed": (str, None),
}


def read_config(document: Mapping[str, Any]) -> SessionConfig:
    """The config of a session document. Raises BadInput for whatever does not fit."""
    lists = ("benchmarks", "divisions", "schedule", "ruleset", "notify")
    members = (*PLAIN, *MEMBERS, *TIMES, *lists)
    _known(document, members, where="session")
    read_notify(document.get("notify"))
    values = {name: _plain(document, name) for name in PLAIN}
    values["times"] = read_times(document)
    named = document.get("benchmarks", [])
    values["benchmarks"] = read_names("benchmarks", named, most=MOST_BENCHMARKS)
    values["divisions"] = read_divisions(document.get("divisions", []))
    values |= {name: _group(document, name) for name in MEMBERS}
    values["schedule"] = read_schedule_config(document.get("schedule", {}))
    ruleset = _ruleset_parts(document.get("ruleset", {}))
    rules = _compiled(ruleset, seats=values["seats"])
    _check(values, seats=rules.players)
    _check_deals(values)
    values |= {"seats": rules.players, "rules": rules}
    values["hands_per_table"] = values["hands_per_table"] or _hands_by(rules)
    values["smaller"] = _smaller(values, ruleset)
    del values["seed"]
    return SessionConfig(**values, document=_complete(values, ruleset))


def settled(document: Mapping[str, Any]) -> dict[str, Any]:
    """The document of a new session with a ruleset that stops where the session says (OR-75).

    Hands per table that are given win over the ruleset's own stop, which is then open; where they
    are left out the ruleset decides. Raises BadInput as `read_config` does.
    """
    config = read_config(document)
    hands, stop = document.get("hands_per_table"), config.rules.table.session_end
    if hands is None or stop in (OPEN_END, f"hands:{hands}"):
        return dict(document)
    ruleset = config.document["ruleset"]
    options = {**ruleset["options"], "session_end": OPEN_END}
    return {**document, "ruleset": {**ruleset, "options": options}}


def _hands_by(rules: Ruleset) -> int:
    """Hands of a table by its ruleset; with an end by time or points, the most there may be."""
    stop = rules.table.session_end
    kind, _, number = stop.partition(":")
    most = LIMITS["hands_per_table"][1]
    if kind != "hands":
        return USUAL_HANDS if stop == OPEN_END else most
    if int(number) > most:
        raise BadInput("session_end", stop, f"at most hands:{most} in a session")
    return int(number)


def read_seed(document: Mapping[str, Any]) -> bytes | None:
    """The secret that a document asks for by its `seed`: 64 hex digits are the secret itself,
    fewer are hashed to one. None if the document has no seed."""
    seed = document.get("seed")
    if seed is None:
        return None
    if not isinstance(seed, str) or not SEED.fullmatch(seed):
        raise BadInput("seed", seed, "2 to 64 hex digits, an even number of them")
    given = bytes.fromhex(seed)
    return given if len(given) == SECRET_BYTES else hashlib.sha256(given).digest()


def _plain(document: Mapping[str, Any], name: str) -> Any:
    wanted, default = PLAIN[name]
    value = document.get(name, default)
    if name == "reseat_every" and value == "never":
        return 0
    if value is not None:
        _typed(name, value, wanted)
    if name in LIMITS and value is not None:
        _within(name, value)
    return value


def _group(document: Mapping[str, Any], name: str) -> Any:
    kind, types = MEMBERS[name]
    given = document.get(name, {})
    if not isinstance(given, Mapping):
        raise BadInput(name, given, "an object")
    _known(given, tuple(types), where=name)
    for member, value in given.items():
        _member(f"{name}.{member}", value, types[member])
    return kind(**given)


def _member(path: str, value: Any, wanted: type) -> None:
    _typed(path, value, wanted)
    if path in LIMITS:
        _within(path, value)


def _ruleset_parts(given: object) -> dict[str, Any]:
    """A ruleset document, also from its short form ``pagat+kakumei``, with all three members."""
    if isinstance(given, str):
        given = read_short_form(given)
    if not isinstance(given, Mapping):
        raise BadInput("ruleset", given, "an object with preset, patches, options")
    return {"preset": DEFAULT_PRESET, "patches": [], "options": {}, **given}


def _compiled(ruleset: Mapping[str, Any], *, seats: int | None) -> Ruleset:
    """The compiled ruleset; `seats` of the session says how many play, unless the options do."""
    options = ruleset["options"]
    if not isinstance(options, Mapping):
        raise BadInput("ruleset.options", options, "an object")
    if seats is not None and not SIZES[0] <= seats <= SIZES[1]:
        raise BadInput("seats", seats, f"{SIZES[0]} to {SIZES[1]}")
    if seats is not None:
        options = {"players": seats, **options}
    return compile_ruleset({**ruleset, "options": options})


def _check(values: Mapping[str, Any], *, seats: int) -> None:
    if values["name"] is None:
        raise BadInput("name", None, "a name for the session")
    check_text("name", values["name"], longest=80)
    if values["public_chance"] is not None:
        check_text("public_chance", values["public_chance"], longest=200)
    if values["slug"] is not None and not SLUG.fullmatch(values["slug"]):
        raise BadInput("slug", values["slug"], "1 to 40 of a-z, 0-9 and - (not at the ends)")
    if values["seats"] not in (None, seats):
        raise BadInput("seats", values["seats"], f"{seats}, as the ruleset says")
    _among("deals", values["deals"], DEALS)
    _among("people.longest_clock", values["people"].longest_clock, tuple(CLOCKS))
    _among("visibility", values["visibility"], tuple(HandVisibility))
    _among("board", values["board"], tuple(BoardNames))
    if not values["rated"] and values["schedule"].kind not in UNRATED_KINDS:
        wanted = (
            f"true, since the rounds of a {values['schedule'].kind} schedule follow from ratings"
        )
        raise BadInput("rated", False, wanted)
    if len(values["schedule"].regulars) >= seats:
        regulars = list(values["schedule"].regulars)
        raise BadInput("schedule.regulars", regulars, f"at most {seats - 1}: one seat is left")
    read_seed(values)


def _check_deals(values: Mapping[str, Any]) -> None:
    """May the same cards be dealt more than once? The organiser has to say so where it matters.

    Whoever remembers knows a deal that it has seen before: a bot its replay, an owner with two bots
    the cards of the other table.
    """
    kind, schedule = values["deals"], values["schedule"]
    if kind == FRESH:
        return
    if schedule.mixed_sizes:
        raise BadInput("deals", kind, "fresh, since tables of two sizes cannot share their deals")
    known = "bots that remember would know the cards"
    if kind == ROTATE and not values["deals_may_repeat"]:
        raise BadInput("deals", kind, f"fresh, or deals_may_repeat = true as well: {known}")
    if kind == COMMON and not values["deals_may_repeat"] and values["roster"].bots_per_owner > 1:
        wanted = "fresh, or roster.bots_per_owner = 1, or deals_may_repeat = true"
        raise BadInput("deals", kind, f"{wanted}: {known}")


def _smaller(values: Mapping[str, Any], ruleset: Mapping[str, Any]) -> Ruleset | None:
    """The ruleset of the smaller tables, if there are any. Raises BadInput if it allows none."""
    if not values["schedule"].mixed_sizes:
        return None
    least = SMALLEST + 1
    if values["seats"] < least:
        raise BadInput("seats", values["seats"], f"{least} or more, to have smaller tables too")
    if "players" in ruleset["options"]:
        wanted = "false, since the ruleset's option `players` fixes the size of the tables"
        raise BadInput("schedule.mixed_sizes", True, wanted)
    rules = _compiled(ruleset, seats=values["seats"] - 1)
    fewest, most = rules.options["players_range"]
    if not fewest <= rules.players <= most:
        wanted = f"false, since the ruleset is for {fewest} to {most} players"
        raise BadInput("schedule.mixed_sizes", True, wanted)
    return rules


def _complete(values: Mapping[str, Any], ruleset: Mapping[str, Any]) -> dict[str, Any]:
    """The document with all defaults; without the seed, which would tell the deals. Notes stand
    there only where they are published, a source of chance where there is one, so that the records
    of all other sessions are as before.
    """
    left_out = {"seed", *(name for name in ("notes", "public_chance") if not values[name])}
    plain = {name: values[name] for name in PLAIN if name not in left_out}
    groups = {name: dict(vars(values[name])) for name in MEMBERS}
    lists = {
        "benchmarks": list(values["benchmarks"]),
        "divisions": divisions_document(values["divisions"]),
        "schedule": values["schedule"].document(),
    }
    times = values["times"].document()
    return {**plain, **groups, **times, **lists, "ruleset": dict(ruleset)}


def _known(given: Mapping[str, Any], names: tuple[str, ...], *, where: str) -> None:
    for name in given:
        if name not in names:
            raise BadInput(f"member of {where}", name, f"one of {', '.join(names)}")


def _typed(name: str, value: object, wanted: type) -> None:
    if type(value) is not wanted:
        words = {int: "a whole number", bool: "true or false", str: "text"}
        raise BadInput(name, value, words[wanted])


def _within(name: str, value: int) -> None:
    least, most = LIMITS[name]
    if not least <= value <= most:
        raise BadInput(name, value, f"{least} to {most}")


def _among(name: str, value: str, allowed: tuple[str, ...]) -> None:
    if value not in allowed:
        raise BadInput(name, value, f"one of {', '.join(allowed)}")
