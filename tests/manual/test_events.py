"""What the manual says about schedules and deals is what the code does."""

from __future__ import annotations

import re

import pytest

from arena.proofs.chance import RoundKeys, mixed_key
from arena.rules.cards import CODES, pack
from arena.session import deals
from arena.session.schedule_config import KINDS
from tests.manual.pages import ROOT, block, text

EVENTS = ROOT / "arena" / "manual" / "events.md"
FAIRNESS = ROOT / "arena" / "manual" / "fairness.md"


SECRETS = {
    "00, 32 times": bytes(32),
    "00 01 02 to 1f": bytes(range(32)),
    "ff, 32 times": b"\xff" * 32,
}


@pytest.mark.parametrize("line", block(FAIRNESS, "chance-vectors").splitlines()[1:])
def test_the_vectors_of_the_key_of_a_round_hold(line: str) -> None:
    said, listed, mixed, value, key = re.split(r"  +", line)
    given = [None if each == "-" else bytes.fromhex(each) * 32 for each in listed.split()]
    public = None if value == "-" else value
    keys = RoundKeys(SECRETS[said], tuple(given), (int(mixed),), public)
    assert keys.of_round(1).hex() == key
    assert mixed_key(SECRETS[said], given[: int(mixed)], public=public).hex() == key


@pytest.mark.parametrize("line", block(FAIRNESS, "vectors").splitlines()[1:])
def test_the_vectors_of_the_deal_function_hold(line: str) -> None:
    said, identity, number, packs, jokers, cards = re.split(r"  +", line)
    made = deals.deal(
        SECRETS[said],
        identity,
        int(number),
        deck=pack(decks=int(packs), jokers=int(jokers)),
        players=4,
    )
    assert [CODES[card] for card in made.deck[:10]] == cards.split()


def test_every_kind_of_schedule_is_in_the_manual() -> None:
    table = text(EVENTS).split("| `schedule.kind` |")[1].split("\n\n")[0]
    assert re.findall(r"^\| `(\w+)` \|", table, re.MULTILINE) == list(KINDS)
