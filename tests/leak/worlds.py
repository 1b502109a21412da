"""Two arenas that differ in nothing but cards that one seat cannot know.

Both get the same requests at the same time. In the second, two other seats have swapped some cards
of a deal; random ids, tokens and nonces are the same, and so is the commitment (a salted hash of
the deal, which tells nothing but has to differ). What the seat and a spectator are sent is compared
as bytes, headers and all, but for the hashes of logs, which cover all cards and have to differ,
too: each is looked for by its value, so that nothing else of its form is passed over. That these
tell nothing is tried in `tests/referee/test_leaks.py`.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable
from random import Random
from typing import Any, NamedTuple

import pytest
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from arena import wire
from arena.documents import Document
from arena.referee import answers
from arena.referee.live import Hand
from arena.rules import redact
from arena.rules.cards import CODES, ids
from arena.session import deals, names
from arena.settings import Settings
from arena.web.api.browser_forms import FORM_TOKEN, SEAT_COOKIE, SEAT_PATH, form_token
from tests.real import Real

Deal = Callable[..., deals.Shuffle]
SAME = {"X-Request-Id": "the-same"}
HASH = re.compile(rb"(?<![0-9a-f])[0-9a-f]{64}(?![0-9a-f])")
MASK = b"#" * 64


class Chance:
    """In place of `secrets`: the same in every world, another one each time."""

    def __init__(self) -> None:
        self._count = 0

    def token_bytes(self, size: int) -> bytes:
        self._count += 1
        return hashlib.sha256(b"%d" % self._count).digest()[:size]

    def token_hex(self, size: int) -> str:
        return self.token_bytes(size).hex()

    def token_urlsafe(self, size: int) -> str:
        return self.token_bytes(size).hex()[:43].ljust(43, "x")


class World:
    """An arena. swaps: cards that change places in the deck of the hand with this number. hashes:
    those of its logs that were sent."""

    def __init__(self, number: int, swaps: tuple[tuple[int, int], ...]) -> None:
        self.number = number
        self.swaps = swaps
        self.chance = Chance()
        self.hashes: set[bytes] = set()
        self.real: Real

    def dealt(self, shuffle: deals.Shuffle, number: int) -> deals.Shuffle:
        """The shuffle of a hand, as it is in this world."""
        if number != self.number or not self.swaps:
            return shuffle
        other = dict(self.swaps) | {b: a for a, b in self.swaps}
        return shuffle._replace(deck=tuple(other.get(card, card) for card in shuffle.deck))

    def hand(self) -> Hand:
        """The hand that is being played."""
        (hand,) = self.real.referee._context.in_play.hands.values()
        return hand

    def masked(self, text: bytes) -> bytes:
        """What was sent, without the hashes of this world's logs."""
        found = set(HASH.findall(text))
        if not found:
            return text
        in_play = self.real.referee._context.in_play
        hands = (*in_play.hands.values(), *in_play.ended.values())
        hashes = {step.hash.hex().encode() for hand in hands for step in hand.log.steps}
        self.hashes |= found & hashes
        for hash_ in found & hashes:
            text = text.replace(hash_, MASK)
        return text

    def logs(self, seat: int) -> tuple[list[Document], list[Document]]:
        """What the core says a seat and a spectator may know of the hand."""
        events = self.hand().log.events
        return (
            [wire.write_event(redact(event, seat)) for event in events],
            [wire.write_event(redact(event, None)) for event in events],
        )


class Asked(NamedTuple):
    """A request that goes to both worlds: by the seat's bot, whose browser has its cookie, or by
    anybody. form: sent in place of a body."""

    method: str
    path: str
    body: Document | None = None
    anonymous: bool = False
    form: Document | None = None


class Worlds:
    """Two worlds, and whose turn it is to be asked."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self._patch = monkeypatch
        self._deal: Deal = deals.deal
        self._now: World
        self.both: tuple[World, World]
        monkeypatch.setattr(deals, "deal", self._dealing)
        monkeypatch.setattr(deals, "commitment", lambda shuffle: "00" * 32)

    def _dealing(self, secret: bytes, table: str, number: int, **named: Any) -> deals.Shuffle:
        return self._now.dealt(self._deal(secret, table, number, **named), number)

    def begin(self, number: int, swaps: tuple[tuple[int, int], ...], **document: Any) -> None:
        """Make both worlds, and start the same session in both."""
        self.both = World(number, ()), World(number, swaps)
        for world in self.both:
            self.enter(world)
            unlimited = Settings(requests_per_s=0, anonymous_per_s=0)  # the clock stands still
            world.real = Real(settings=unlimited)
            world.real.session(**document)
            for bot in world.real.bots:
                token = bot.environ_base["HTTP_AUTHORIZATION"].removeprefix("Bearer ")
                bot.set_cookie(SEAT_COOKIE, token, path=SEAT_PATH)

    def enter(self, world: World) -> World:
        """From now on everything happens in this world."""
        self._now = world
        for module in (names, answers):
            self._patch.setattr(module, "secrets", world.chance)
        return world

    def same_history(self, seat: int) -> bool:
        """Has the seat, has a spectator, seen the same in both worlds, as the core has it?"""
        here, there = self.both
        return here.hand().id == there.hand().id and here.logs(seat) == there.logs(seat)

    def compare(self, player: int, asked: Asked) -> int:
        """Ask both worlds; the status that both answer. Everything must be the same."""
        here, there = (self._ask(world, player, asked) for world in self.both)
        assert here.status_code == there.status_code, asked
        assert list(here.headers) == list(there.headers), asked
        told = [
            world.masked(text)
            for world, text in zip(self.both, (here.data, there.data), strict=True)
        ]
        assert told[0] == told[1], asked
        return here.status_code

    def _ask(self, world: World, player: int, asked: Asked) -> TestResponse:
        real = self.enter(world).real
        client: FlaskClient = real.anybody if asked.anonymous else real.bots[player]
        if asked.form is not None:
            token = form_token(client.environ_base["HTTP_AUTHORIZATION"].removeprefix("Bearer "))
            fields = {**asked.form, FORM_TOKEN: token}
            origin = {**SAME, "Origin": "http://localhost"}
            return client.open(asked.path, method=asked.method, data=fields, headers=origin)
        return client.open(asked.path, method=asked.method, json=asked.body, headers=SAME)

    def step(self, random: Random) -> bool:
        """Answer one turn with something that is legal in both worlds; False if nothing is.

        Each answer has a note that names the cards which its bot holds.
        """
        here, there = (self._turns(world) for world in self.both)
        shared = sorted(here.keys() & there.keys())
        if not shared or here.keys() != there.keys():
            return False
        number, turn = random.choice(shared)
        both = [e for e in here[number, turn]["legal"] if e in there[number, turn]["legal"]]
        if not both:
            return False
        plays = [entry for entry in both if "pass" not in entry]
        answer = random.choice(plays if plays and random.random() < 0.6 else both)
        for world, turns in zip(self.both, (here, there), strict=True):
            body = {**answer, "note": " ".join(turns[number, turn]["held"])}
            told = self.enter(world).real.bots[number].post(f"/api/v1/turns/{turn}", json=body)
            assert told.status_code == 200, told.text
        return True

    def _turns(self, world: World) -> dict[tuple[int, str], Document]:
        self.enter(world)
        return {(n, turn["turn"]): turn for n, turn in world.real.waiting()}


def swaps_of(hand: Hand, seat: int, random: Random) -> tuple[tuple[int, int], ...]:
    """One or two pairs of cards of two other seats, none of which the seat can know of."""
    others = [other for other in range(len(hand.seating)) if other != seat]
    one, two = random.sample(others, 2)
    dealt = hand.log.events[0].hands  # type: ignore[union-attr]
    first, second = (random.sample(sorted(ids(dealt[each])), 2) for each in (one, two))
    return tuple(zip(first, second, strict=True))[: random.randint(1, 2)]


def code(card: int) -> str:
    """A card as it is written."""
    return CODES[card]
