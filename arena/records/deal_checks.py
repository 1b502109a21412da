"""Deals: does a recorded deal fit its commitment, follow from the key of its round, and from the
hand before?

Pure; a file may come from anybody, so whatever is wrong is a finding or BadInput.
"""

from __future__ import annotations

from collections.abc import Iterator

from arena import sitting
from arena.documents import Document
from arena.errors import BadInput
from arena.records.exactness import check_sitting, same
from arena.rules.commands import Deal
from arena.session import deals
from arena.session.hand_log import HandLog, TableLog, next_deal, next_seating
from arena.wire.values import read_deck


def check_seating(
    table: TableLog, document: Document, key: bytes, *, chained: bool
) -> Iterator[str]:
    """Who sits where. key: of the round; chained: are the hands before known?"""
    if table.rules.table.seats != "fixed" and not chained:
        return
    expected = next_seating(table, document["number"], secret=key)
    if not same(list(expected), document["seating"]):
        yield f"the seating is {document['seating']}, from the secret follows {list(expected)}"


def check_deal(
    hand: HandLog, document: Document, command: Deal, *, key: bytes | None, chained: bool
) -> Iterator[str]:
    """The deal with which a log begins. key: of the round, None as long as it is secret."""
    table = hand.table
    shuffle = deals.Shuffle(
        read_deck(document["deck"]), command.lots, bytes.fromhex(document["salt"])
    )
    yield from check_sitting(document, command)
    yield from _check_chance(document, shuffle, hand=hand, key=key)
    if _dealt(table, command, shuffle) != command.deck:
        yield "the deck is not the one that was dealt"
    if chained and next_deal(table, hand.seating, shuffle)._replace(deck=command.deck) != command:
        yield "the deal does not follow from the hand before (dealer or places)"


def _dealt(table: TableLog, command: Deal, shuffle: deals.Shuffle) -> tuple[int, ...]:
    """The deck as it is dealt: as it was drawn, unless packets belong to seats."""
    if not table.group.shared:
        return shuffle.deck
    if sorted(shuffle.deck) != sorted(table.rules.deck):
        raise BadInput("deck", len(shuffle.deck), f"each of the {len(table.rules.deck)} cards once")
    drawn = command._replace(deck=shuffle.deck)
    return deals.renumbered(sitting.by_seat(table.rules, drawn))


def _check_chance(
    document: Document, shuffle: deals.Shuffle, *, hand: HandLog, key: bytes | None
) -> Iterator[str]:
    if not same(deals.lots_document(shuffle.lots), document["lots"]):
        yield "the lots are not the ones that were used"
    if deals.commitment(shuffle) != document["commitment"]:
        yield "deck, lots and salt do not fit the commitment"
    if document["steps"][0]["meta"].get("commitment") != document["commitment"]:
        yield "the commitment is not the one in the log"
    if key is None:
        return
    table = hand.table
    drawn = deals.deal(
        key, table.group.shuffles, hand.number, deck=table.rules.deck, players=len(hand.seating)
    )
    if drawn != shuffle:
        yield "deck, lots or salt are not what follows from the secret"
