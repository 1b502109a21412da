"""The deal is a function of (secret, table, number) that anybody can write again."""

from __future__ import annotations

import hashlib
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.errors import BadInput
from arena.rules.cards import CODES, pack
from arena.session import deals
from arena.tournament.random_stream import RandomStream

SECRET = bytes(range(32))
DECK = pack(decks=1, jokers=1)

VECTORS = [
    {
        "secret": "00" * 32,
        "table": "s-demo-r01-t01",
        "number": 1,
        "decks": 1,
        "jokers": 1,
        "players": 4,
        "deck": "D6 D5 DK SQ H9 ST C2 CJ JK S3",
        "dealer": (2, 0, 3, 1),
        "throws": (1, 2, 0, 2),
        "salt": "339f8d17e850690b37e1c20c43868a17",
        "commitment": "409ec4d8fd84ca504b5b7d991b85fbc449dac59c8224dec36c7f330acf57f45c",
    },
    {
        "secret": bytes(range(32)).hex(),
        "table": "春-r10-t03",
        "number": 100,
        "decks": 1,
        "jokers": 2,
        "players": 5,
        "deck": "ST H6 S9 C9 H9 C3 CJ S3 HT S5",
        "dealer": (0, 2, 3, 1, 4),
        "throws": (0, 1, 2, 1, 2),
        "salt": "808865856f39499834c7b14bc32876e4",
        "commitment": "4d34e180f3b5903ceae9cad321c0f2dbf49d13f8efa5a8a8e2a150e891257f7f",
    },
    {
        "secret": "ff" * 32,
        "table": "cup-r02-t11",
        "number": 7,
        "decks": 2,
        "jokers": 2,
        "players": 8,
        "deck": "H6 SJ H4 H9 D5 CT DK D8 CJ D8",
        "dealer": (7, 1, 4, 5, 3, 2, 6, 0),
        "throws": (1, 2, 2, 1, 2, 0, 1, 1),
        "salt": "e99886c0371b343cdb0d3415a5e97c9c",
        "commitment": "10dee33f223cc2b0d7420589ae3dd20abf9245fe4e8948f1450736d0204697fc",
    },
]
"""The published vectors: first ten cards, order for the dealer, first round of janken."""


@pytest.mark.parametrize("known", VECTORS, ids=lambda known: known["table"])
def test_the_published_vectors_hold(known: dict) -> None:
    made = deals.deal(
        bytes.fromhex(known["secret"]),
        known["table"],
        known["number"],
        deck=pack(decks=known["decks"], jokers=known["jokers"]),
        players=known["players"],
    )
    assert " ".join(CODES[card] for card in made.deck[:10]) == known["deck"]
    assert (made.lots.dealer, made.lots.throws[0]) == (known["dealer"], known["throws"])
    assert made.salt.hex() == known["salt"]
    assert deals.commitment(made) == known["commitment"]


def test_a_rewritten_function_gives_the_same_deal() -> None:
    """The description in the module, written again with nothing but hashlib."""

    def stream(label: str):
        key = hashlib.sha256(
            b"daifugo-arena/1"
            + SECRET
            + (5).to_bytes(4, "big")
            + b"s-r01"
            + (3).to_bytes(4, "big")
            + label.encode()
        ).digest()
        i = 0
        while True:
            yield from hashlib.sha256(key + i.to_bytes(8, "big")).digest()
            i += 1

    def below(source, m: int) -> int:
        while True:
            w = int.from_bytes(bytes(next(source) for _ in range(4)), "big")
            if w < 2**32 - 2**32 % m:
                return w % m

    def shuffled(label: str, items: list) -> list:
        source = stream(label)
        for i in range(len(items) - 1, 0, -1):
            j = below(source, i + 1)
            items[i], items[j] = items[j], items[i]
        return items

    made = deals.deal(SECRET, "s-r01", 3, deck=DECK, players=5)
    names = [s + r for r in "3456789TJQKA2" for s in "SHDC"] + ["JK"]
    assert [CODES[card] for card in made.deck] == shuffled("deck", names)
    assert list(made.lots.idle) == shuffled("idle", list(range(5)))
    throws = stream("throws")
    assert made.lots.throws == tuple(tuple(below(throws, 3) for _ in range(5)) for _ in range(64))
    salt = stream("salt")
    assert made.salt == bytes(next(salt) for _ in range(16))


@given(st.binary(min_size=32, max_size=32), st.text(max_size=20), st.integers(1, 10**6))
def test_every_card_is_dealt_once(secret: bytes, table: str, number: int) -> None:
    deck = pack(decks=2, jokers=2)
    made = deals.deal(secret, table, number, deck=deck, players=8)
    assert sorted(made.deck) == sorted(deck)
    assert all(sorted(order) == list(range(8)) for order in made.lots[:4])


def test_equal_cards_are_numbered_as_they_come() -> None:
    deck = pack(decks=2, jokers=2)
    made = deals.deal(SECRET, "t", 1, deck=deck, players=4)
    seen: dict[str, int] = {}
    for card in made.deck:
        assert card > seen.get(CODES[card], -1)
        seen[CODES[card]] = card


def stream_of(table: str, number: int, label: str) -> RandomStream:
    return RandomStream.of_key(deals.stream_key(SECRET, table, number=number, label=label))


def test_below_is_even() -> None:
    stream = stream_of("t", 1, "x")
    counts = Counter(stream.below(5) for _ in range(20_000))
    assert all(abs(count - 4_000) < 300 for count in counts.values())


def test_another_table_number_or_label_gives_another_stream() -> None:
    streams = {
        stream_of(table, number, label).below(2**32)
        for table in ("a", "b")
        for number in (1, 2)
        for label in ("deck", "dealer")
    }
    assert len(streams) == 8


def test_a_secret_of_the_wrong_length_is_refused() -> None:
    with pytest.raises(BadInput, match="32 bytes"):
        deals.deal(b"short", "t", 1, deck=DECK, players=4)
