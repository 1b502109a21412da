"""What the manual says about schedules and deals is what the code does."""

from __future__ import annotations

import re

import pytest

from arena.rules.cards import CODES, pack
from arena.session import deals
from arena.session.schedule_config import KINDS
from tests.manual.pages import ROOT, block, text

EVENTS = ROOT / "arena" / "manual" / "events.md"
FAIRNESS = ROOT / "arena" / "manual" / "fairness.md"


@pytest.mark.parametrize("line", block(FAIRNESS, "vectors").splitlines()[1:])
def test_the_vectors_of_the_deal_function_hold(line: str) -> None:
    said, identity, number, packs, jokers, cards = re.split(r"  +", line)
    secret = {
        "00, 32 times": bytes(32),
        "00 01 02 to 1f": bytes(range(32)),
        "ff, 32 times": b"\xff" * 32,
    }[said]
    made = deals.deal(
        secret, identity, int(number), deck=pack(decks=int(packs), jokers=int(jokers)), players=4
    )
    assert [CODES[card] for card in made.deck[:10]] == cards.split()


def test_every_kind_of_schedule_is_in_the_manual() -> None:
    table = text(EVENTS).split("| `schedule.kind` |")[1].split("\n\n")[0]
    assert re.findall(r"^\| `(\w+)` \|", table, re.MULTILINE) == list(KINDS)
