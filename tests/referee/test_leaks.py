"""No seat, and no spectator, is told what it cannot know while a hand runs."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from itertools import permutations
from typing import Any

import orjson
import pytest

from arena import wire
from arena.proofs.chain import LogHasher, step_text
from arena.referee import hand_start
from arena.referee.live import Hand
from arena.rules import EMPTY, decide
from arena.rules.cards import CODES, ids
from arena.session import deals
from arena.store.port import StepRow
from tests.referee.table import Arena, lowest

CARD = re.compile(r'"([SHDC][3-9TJQKA2]|JK)"')
RULES = {"options": {"jokers": 0, "hachi_giri": True, "ten_discard": "on_play"}}


def stripped(value: Any) -> Any:
    """A document without its `as`, which names cards that jokers stand for."""
    if isinstance(value, dict):
        return {name: stripped(inner) for name, inner in value.items() if name != "as"}
    return [stripped(inner) for inner in value] if isinstance(value, list) else value


def cards_in(value: Any) -> set[str]:
    """Every card that is named anywhere in a document."""
    return set(CARD.findall(orjson.dumps(stripped(value)).decode()))


def hidden_from(arena: Arena, hand: str, seat: int | None) -> set[str]:
    """What the others hold now, without what this seat has given them itself."""
    live = arena.referee._context.in_play.find_hand(hand)
    held = [
        CODES[card]
        for other, mask in enumerate(live.log.state.held)
        if other != seat
        for card in ids(mask)
    ]
    given = {
        CODES[card]
        for event in live.log.events
        if type(event).__name__ == "Gave" and event.seat == seat
        for card in ids(event.cards)
    }
    return set(held) - given


@pytest.mark.slow
def test_turn_documents_and_logs_never_name_a_card_that_another_holds(arena: Arena) -> None:
    arena.session(hands_per_table=4, ruleset=RULES)
    seen = 0
    while waiting := arena.waiting():
        bot, turn = waiting[0]
        hidden = hidden_from(arena, turn["hand"], turn["seat"])
        assert not cards_in(turn) & hidden
        log = arena.referee.hand_events(turn["hand"], bot)
        assert not cards_in(log) & hidden
        public = arena.referee.hand_events(turn["hand"])
        assert not cards_in(public) & hidden_from(arena, turn["hand"], None)
        assert not cards_in(arena.referee.queries.hand(turn["hand"]))
        told = arena.referee.answer(bot, turn["turn"], lowest(turn))
        if arena.referee.queries.hand(turn["hand"])["status"] == "playing":
            assert not cards_in(told) & hidden_from(arena, turn["hand"], turn["seat"])
        seen += 1
    assert seen > 100


def test_no_document_of_a_running_hand_tells_a_thinking_time(arena: Arena) -> None:
    arena.session()
    arena.clock.pass_ms(1_234)
    bot, turn = arena.one()
    told = arena.referee.answer(bot, turn["turn"], lowest(turn))
    _, following = arena.one()
    log = arena.referee.hand_events(turn["hand"])
    for document in (told, following["events"], log):
        text = orjson.dumps(document).decode()
        assert "_ms" not in text
        assert "1234" not in text


@pytest.mark.parametrize("swaps", [1, 5])
def test_in_a_world_with_other_hidden_cards_a_seat_is_told_the_same(
    monkeypatch: pytest.MonkeyPatch, swaps: int
) -> None:
    """Cards of two other seats change places; only the commitment and the hash of the log may look
    different."""
    arena = Arena()
    here, hand = first_turn(arena)
    monkeypatch.setattr(hand_start.deals, "deal", swapped(deals.deal, hand, swaps))
    world = Arena()
    there, other = first_turn(world)
    assert other.log.state.held != hand.log.state.held
    assert here == there


def swapped(deal: Any, hand: Hand, swaps: int) -> Any:
    """A deal in which the two seats after the one to move have swapped some cards."""
    ((seat, _),) = hand.log.state.open
    first_dealt = (hand.log.state.setup.dealer + 1) % 4

    def other(*args: Any, **named: Any) -> deals.Shuffle:
        shuffle = deal(*args, **named)
        deck = list(shuffle.deck)
        places = [
            [at for at in range(len(deck)) if (first_dealt + at) % 4 == (seat + step) % 4]
            for step in (1, 2)
        ]
        for first, second in list(zip(*places, strict=False))[:swaps]:
            deck[first], deck[second] = deck[second], deck[first]
        return shuffle._replace(deck=tuple(deck))

    return other


def first_turn(arena: Arena) -> tuple[str, Hand]:
    """All that the first to move is told, without random ids, the commitment and the hash of the
    log; its hand."""
    arena.session(slug="cup", hands_per_table=1)
    bot, turn = arena.one()
    log = arena.referee.hand_events(turn["hand"], bot)
    text = orjson.dumps([turn, log]).decode().replace(turn["commitment"], "")
    text = text.replace(turn["log"]["hash"], "")
    for each in arena.bots.values():
        text = text.replace(each, "")
    return text, arena.referee._context.in_play.find_hand(turn["hand"])


def receipts(arena: Arena, turns: int) -> list[dict[str, Any]]:
    """All that the bots are sent of how far the log has come, from the deal on."""
    told = []
    for _ in range(turns):
        bot, turn = arena.one()
        told.append(turn["log"])
        told.append(arena.referee.answer(bot, turn["turn"], lowest(turn))["log"])
    return told


class Attacker:
    """Somebody who knows all of a log but who of the others holds which of a few cards."""

    def __init__(self, arena: Arena, hand: str) -> None:
        live = arena.referee._context.in_play.find_hand(hand)
        self.rules, self.seating = live.table.rules, live.seating
        self.commitment = live.log.commitment
        self.hand = hand
        self.rows = arena.store.steps(hand)
        self.deck = orjson.loads(self.rows[0].command)["deck"]
        self.places = (1, 2, 5, 6)

    def worlds(self) -> Iterator[list[str]]:
        """Every deck that is possible for all that is known."""
        cards = [self.deck[at] for at in self.places]
        for order in permutations(cards):
            deck = list(self.deck)
            for at, card in zip(self.places, order, strict=True):
                deck[at] = card
            yield deck

    def hashes(self, deck: list[str], salt: bytes) -> dict[int, str]:
        """The hashes that the log has if this is the deck and this the salt, by its length."""
        hasher = LogHasher(self.hand, seating=self.seating, commitment=self.commitment, salt=salt)
        head, hashes = hasher.start, {}
        for row in self.rows:
            head = hasher.after(head, step_text(self._step(row, deck)))
            hashes[row.seq + row.event_count] = head.hex()
        return hashes

    def _step(self, row: StepRow, deck: list[str]) -> dict[str, Any]:
        command, events = orjson.loads(row.command), orjson.loads(row.events)
        if row.seq == 0:
            command["deck"] = deck
            dealt = decide(self.rules, EMPTY, wire.read_command(command))
            events = [wire.write_event(event) for event in dealt]
        return {
            "seq": row.seq,
            "at_ms": row.at_ms,
            "turn": row.turn,
            "command": command,
            "events": events,
            "meta": orjson.loads(row.meta),
        }


def test_no_possible_world_fits_a_hash_without_the_salt_and_the_true_one_alone_with_it() -> None:
    arena = Arena()
    arena.session(hands_per_table=1, ruleset={"preset": "pagat"})
    told = receipts(arena, 3)
    hand = "cup-r01-t01-h001"
    attacker = Attacker(arena, hand)
    live = arena.referee._context.in_play.find_hand(hand)
    salt = deals.salt_of(live.table.key, live.table.group.shuffles, number=1)
    public = bytes.fromhex(attacker.commitment)
    worlds = list(attacker.worlds())
    assert len(worlds) == 24
    for guess in (b"", bytes(16), public[:16], public[16:], hashlib.sha256(public).digest()[:16]):
        for deck in worlds:
            found = attacker.hashes(deck, guess)
            assert not any(found[log["seq"]] == log["hash"] for log in told)
    fitting = [
        deck
        for deck in worlds
        if all(attacker.hashes(deck, salt)[log["seq"]] == log["hash"] for log in told)
    ]
    assert fitting == [attacker.deck]
