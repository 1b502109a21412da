"""The record of a match is one that `arena verify` and `arena rate` read."""

from __future__ import annotations

import json

import pytest

from arena.match.local import Match, MatchTerms, play_block
from arena.match.recording import record_lines
from arena.match.tables import play_table
from arena.records.pooling import Records
from arena.records.verify import verify
from arena.web.api.validation import load_schemas
from tests.match.players import BOTS, UECDA, Low, Silent, Stubborn, setting

LOWEST = "tests.match.players:Lowest"


def recorded(players, **table):
    """The record of one table of these players."""
    asked = setting(**table)
    return list(record_lines(asked, play_table(asked, players), number=3))


@pytest.mark.parametrize(
    "options", [{}, {"jokers": 2}, {"decks": 2, "blind_cards": 3}, {"players": 5}]
)
def test_what_a_block_records_can_be_verified_and_rated(options):
    terms = MatchTerms(ruleset={"preset": "pagat", "options": options}, hands_per_table=2)
    block = play_block(Match(LOWEST, f"{LOWEST} --shy", (LOWEST,), terms, record=True), 1)
    checked = verify(block.records)
    assert checked.findings == ()
    assert checked.hands == len(block.hands)
    records = Records()
    records.read(block.records)
    (pool,) = records.pools()
    assert sorted(hand.finish for hand in pool.results) == sorted(h.finish for h in block.hands)
    assert {hand.bots for hand in pool.results} == {hand.bots for hand in block.hands}
    assert {hand.block for hand in pool.results} == {"block 000001"}


def test_each_line_has_the_shape_of_a_hand_record():
    schemas = load_schemas()
    players = [Low(), Low(), Low(), Low()]
    asked = setting(rules=UECDA)
    casual = record_lines(asked, play_table(asked, players), number=1, rated=False)
    for line in (*recorded(players, rules=UECDA), *casual):
        assert not schemas.faults("hand_record", json.loads(line))


def test_hands_that_were_answered_for_and_hands_not_played_are_recorded_too():
    lines = recorded([Low(), Low(), Silent(), Low()], hands=5)
    assert [json.loads(line)["status"] for line in lines] == ["finished"] * 3 + ["forfeited"] * 2
    assert verify(lines).findings == ()


def test_refused_answers_are_counted_in_the_record():
    lines = recorded([Stubborn(), Stubborn(), Stubborn(), Stubborn()], hands=1)
    assert verify(lines).findings == ()
    steps = json.loads(lines[0])["steps"]
    assert max(step["meta"].get("refused", 0) for step in steps) >= 6


def test_the_same_seed_gives_the_same_bytes():
    once, again = (recorded([Low() for _ in BOTS], hands=2) for _ in range(2))
    assert once == again


class Noting(Low):
    note = "低い"


def test_notes_are_recorded_each_with_a_nonce_that_follows_from_its_turn():
    once, again = (recorded([Noting(), Low(), Low(), Low()], hands=2) for _ in range(2))
    assert once == again
    assert verify(once).findings == ()
    steps = [step for line in once for step in json.loads(line)["steps"]]
    remarks = [step["remarks"] for step in steps if "remarks" in step]
    assert {each["note"] for each in remarks} == {"低い"}
    assert len({each["nonce"] for each in remarks}) == len(remarks) > 2
