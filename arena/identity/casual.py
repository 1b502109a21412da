"""People in a browser, and the house bots that play against them.

Both are bots like others, but for where they come from: they enter no session that is rated, unless
its document lets people play. House
bots have names that nobody else can have. Those that the referee answers for, to fill tables, are
the registry's; those here have tokens, and a program plays them.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

from arena.errors import BadInput, Conflict
from arena.identity.registry import Registry
from arena.session.names import HOUSE, NAME_LENGTH, check_name
from arena.session.people import People
from arena.statuses import BotKind
from arena.store.port import BotRow, Store

PERSON, PROGRAM = "person", "program"
"""How a bot was registered, beside the words of `enrolment`."""
STRENGTHS: Mapping[str, str] = MappingProxyType(
    {
        "random": "sample_bots.random_bot:RandomBot",
        "lowest": "sample_bots.lowest:Lowest",
        "heuristic": "sample_bots.heuristic:Heuristic",
    }
)
"""The sample bot that plays a house bot, by its strength, the weakest first."""
EACH = 7
"""House bots of each strength: they fill a table of eight with one person at it."""
MOST_NAMESAKES = 100


class HouseBot(NamedTuple):
    """A house bot with a token that nobody else knows. source: the sample bot that plays it."""

    name: str
    token: str
    source: str


def is_person(bot: BotRow) -> bool:
    """Does a person play this bot, in a browser?"""
    return bot.origin == PERSON


def may_be_rated(bot: BotRow, people: People) -> bool:
    """May a bot enter a session that is rated? people: what that allows them."""
    return people.rated if is_person(bot) else bot.origin != PROGRAM


def house_names(strength: str) -> list[str]:
    """The names of the house bots of a strength. Raises BadInput for one that there is not."""
    if strength not in STRENGTHS:
        raise BadInput("strength", strength, f"one of {', '.join(STRENGTHS)}")
    return [f"{HOUSE}{strength}-{number}" for number in range(1, EACH + 1)]


def house_bots(registry: Registry, store: Store) -> list[HouseBot]:
    """All house bots, made if they are not there yet, each with a new token."""
    return [
        HouseBot(name, _token(registry, store, name), source)
        for strength, source in STRENGTHS.items()
        for name in house_names(strength)
    ]


def _token(registry: Registry, store: Store, name: str) -> str:
    known = store.bot_by_name(name)
    if known is not None:
        return registry.rotate_token(known.id)
    made, token = registry.new_bot(name, name, kind=BotKind.BOT)
    store.write(made._replace(origin=PROGRAM))
    registry.catch_up()
    registry.keep(made)
    return token


def person_row(registry: Registry, name: str) -> tuple[BotRow, str]:
    """The row of a new person, an owner of their own, and the token for the browser. Writes
    nothing."""
    made, token = registry.new_bot(name, f"{HOUSE}seat-{name}", kind=BotKind.BOT)
    return made._replace(origin=PERSON), token


def new_person(registry: Registry, store: Store, name: str) -> tuple[BotRow, str]:
    """A person who sits down, and the token for the browser. A name that is taken, or looks like
    one that is, gets a number.

    Raises BadInput for a name that nobody may have, Conflict if too many have it.
    """
    check_name(name)
    for wanted in itertools.islice(_numbered(name), MOST_NAMESAKES):
        if registry.named(wanted) is not None:
            continue
        made, token = person_row(registry, wanted)
        try:
            store.write(made)
        except Conflict:  # somebody else took it just now
            continue
        registry.keep(made)
        return made, token
    raise Conflict("name", f"too many are called {name!r}; choose another name")


def _numbered(name: str) -> itertools.chain[str]:
    """The name, then the name with numbers, as long as a name may be."""
    numbers = (f"-{number}" for number in itertools.count(2))
    return itertools.chain([name], (name[: NAME_LENGTH - len(each)] + each for each in numbers))
