"""Pseudonyms: stable, readable aloud, unlike each other, and nothing else on the board changes."""

from __future__ import annotations

import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.errors import BadInput
from arena.tournament.pseudonyms import disguised, names_in, pseudonyms
from arena.tournament.reporting.documents import standings_document
from arena.tournament.reporting.layouts import render
from arena.tournament.reporting.reports import cross_table, separation_table
from arena.tournament.standings import Entrant, compile_standings
from arena.tournament.words import FIRST, SECOND
from tests.tournament.cup import ENTRANTS, STANDINGS
from tests.tournament.simulation import hand

KEY = b"class 3b, spring"
ROSTER = {f"b{i}": f"bot {i}" for i in range(200)}


def board(key=KEY, **options):
    return disguised(STANDINGS, pseudonyms(names_in(STANDINGS), key, **options))


def test_the_same_key_gives_the_same_names():
    assert pseudonyms(ROSTER, KEY) == pseudonyms(ROSTER, KEY)
    (one,), (other,) = (pseudonyms({bot: "alice-1"}, KEY).values() for bot in ("b-1", "b-2"))
    assert one == other


def test_another_key_gives_other_names():
    one, other = pseudonyms(ROSTER, KEY), pseudonyms(ROSTER, b"another key")
    assert sum(one[bot] == other[bot] for bot in ROSTER) < 5


def test_pseudonyms_are_two_words():
    for words in pseudonyms(ROSTER, KEY).values():
        assert re.fullmatch("[a-z]+ [a-z]+", words)


@given(st.dictionaries(st.text(), st.text(), max_size=60), st.binary(min_size=8))
def test_no_two_bots_share_one_and_none_is_a_real_name(names, key):
    found = pseudonyms(names, key)
    assert list(found) == list(names)
    assert len(set(found.values())) == len(names)
    hidden = {found[b] for b in names if not names[b].startswith("house-")}
    assert not hidden & set(names.values())


@given(st.permutations(sorted(ROSTER)[:30]))
def test_the_order_of_the_roster_is_of_no_matter(order):
    assert pseudonyms({b: ROSTER[b] for b in order}, KEY) == pseudonyms(
        {b: ROSTER[b] for b in sorted(ROSTER)[:30]}, KEY
    )


def test_newcomers_do_not_rename_the_others():
    before = pseudonyms(dict(list(ROSTER.items())[:100]), KEY)
    after = pseudonyms(ROSTER, KEY)
    assert sum(before[bot] != after[bot] for bot in before) <= 1


def test_a_taken_pair_of_words_is_given_only_once():
    (words,) = pseudonyms({"a": "alice"}, KEY).values()
    found = pseudonyms({"a": "alice", "b": words}, KEY)
    assert words not in found.values()


def test_benchmarks_and_house_bots_keep_their_names():
    found = pseudonyms(ROSTER | {"h": "house-1"}, KEY, keep=["bot 7"])
    assert (found["h"], found["b7"]) == ("house-1", "bot 7")
    assert found["b8"] != "bot 8"
    twins = pseudonyms({"a": "twin", "b": "twin"}, KEY, keep=["twin"])
    assert twins == {"a": "twin", "b": "twin (2)"}


def test_a_short_key_and_a_stranger_are_refused():
    with pytest.raises(BadInput, match="at least 8"):
        pseudonyms(ROSTER, b"short")
    with pytest.raises(BadInput, match="nobody"):
        pseudonyms(ROSTER, KEY, keep=["nobody"])


def test_the_words_are_plain_and_all_different():
    assert len(FIRST) * len(SECOND) > 60_000
    words = [*FIRST, *SECOND]
    assert len(set(words)) == len(words)
    assert all(re.fullmatch("[a-z]{3,11}", word) for word in words)


def test_nothing_on_the_board_tells_who_it_is():
    found = board()
    texts = [json.dumps(standings_document(found), ensure_ascii=False)]
    texts += [render(found, layout=layout) for layout in ("full", "wide", "concise")]
    texts += [render(found, layout="wide", form="csv"), cross_table(found), separation_table(found)]
    for text in texts:
        for entrant in ENTRANTS:
            for secret in (entrant.name, entrant.owner):
                assert not secret or secret == "carol" or secret not in text
            assert f'"{entrant.bot}"' not in text
        assert "carol" not in text


def test_only_names_change():
    def bare(standings):
        document = standings_document(standings)
        for group in document["groups"]:
            group["anchor"] = None
            rows = [r for r in group["rows"] if r["status"] != "unrated"]
            group["rows"] = [r | dict.fromkeys(("bot", "name", "owner"), "") for r in rows]
        return document

    assert bare(board()) == bare(STANDINGS)


def test_bots_without_a_rating_are_not_in_the_order_of_their_names():
    (section,) = board().sections
    names = [row.name for row in section.rows if row.status == "unrated"]
    assert names == sorted(names)


def test_a_warning_names_the_anchor_by_its_pseudonym():
    people = [Entrant("b-1", name="alice b"), Entrant("b-2", name="alice")]
    hands = [hand("b-1", "b-2"), hand("b-2", "b-1")]
    named = compile_standings(hands, people, anchor="b-1")
    masks = pseudonyms({"b-1": "alice b", "b-2": "alice"}, KEY)
    found = disguised(named, masks)
    assert any(warning.startswith("alice b cannot") for warning in named.warnings)
    assert any(warning.startswith(f"{masks['b-1']} cannot") for warning in found.warnings)
    assert not any("b-1" in warning or "alice" in warning for warning in found.warnings)


def test_why_a_bot_was_taken_out_is_not_told_where_it_has_no_name():
    people = [Entrant("b-1", name="alice", reason="alice copied"), Entrant("b-2", name="bob")]
    named = compile_standings([hand("b-1", "b-2"), hand("b-2", "b-1")], people)
    assert any(row.reason for row in named.sections[0].rows)
    found = disguised(named, pseudonyms({"b-1": "alice", "b-2": "bob"}, KEY))
    assert not any(row.reason for row in found.sections[0].rows)
