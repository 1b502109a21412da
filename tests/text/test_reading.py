"""From what somebody wrote to the answer that is meant, and never to one that was not."""

from __future__ import annotations

import re
from contextlib import suppress
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.documents import Document
from arena.narration.sentences import ENGLISH, JAPANESE, describe_answers
from arena.rules import Ruleset, State, compile_ruleset, decide, evolve, legal
from arena.rules.presets import PRESETS
from arena.text.describing import answer_as_cards, entry_in_words
from arena.text.lexicon import cut, plain
from arena.text.reading import LONGEST, Unclear, read_body, read_index
from arena.text.words import answer_in_words
from arena.wire.turns import legal_entries
from tests.rules.dealing import dealt
from tests.rules.strategies import rulesets

MOST_ENTRIES = 40


def plays(*cards: str) -> list[Document]:
    """Entries of `legal` that play cards, "SA S2 JK/SK" with what the joker stands for."""
    entries: list[Document] = [{"pass": True}]
    for written in cards:
        names, _, roles = written.partition("/")
        entries.append({"cards": names.split(), **({"as": roles.split()} if roles else {})})
    return entries


SHORT = plays("S4", "H4", "C6", "S4 H4", "S4 S5", "S4 JK", "S3 S4 S5", "JK")


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("3", "C6"),
        ("#3", "C6"),
        ("option 3.", "C6"),
        (" **3** ", "C6"),
        ("3. C6: the six of clubs", "C6"),
        ("C6: the six of clubs", "C6"),
        ("My answer is: c6", "C6"),
        ("my answer is 3", "C6"),
        ("(3)", "C6"),
        ('{"choice": 3}', "C6"),
        ('{"cards": ["C6"], "note": "low"}', "C6"),
        ('```json\n{"cards": ["S5", "S4"]}\n```', "S4 S5"),
        ('{"pass": true}', ""),
        ("C6", "C6"),
        ("6c", "C6"),
        ("6♣", "C6"),
        ("♣6", "C6"),
        ("Ｃ６", "C6"),
        ("six of clubs", "C6"),
        ("I play the six of clubs.", "C6"),
        ("six", "C6"),
        ("クラブの6", "C6"),
        ("S4 S5", "S4 S5"),
        ("S4,S5", "S4 S5"),
        ("s5s4", "S4 S5"),
        ('["S4", "S5"]', "S4 S5"),
        ("four and five of spades", "S4 S5"),
        ("spades 4 5", "S4 S5"),
        ("4♠ + 5♠", "S4 S5"),
        ("スペードの4とスペードの5", "S4 S5"),
        ("the pair of fours", "S4 H4"),
        ("two fours", "S4 H4"),
        ("pair of 4s", "S4 H4"),
        ("four of spades and hearts", "S4 H4"),
        ("4のペア", "S4 H4"),
        ("four of spades and a joker", "S4 JK"),
        ("S4 JK", "S4 JK"),
        ("JK", "JK"),
        ("ジョーカー", "JK"),
        ("a run of 3 in spades", "S3 S4 S5"),
        ("3-4-5 of spades", "S3 S4 S5"),
        ("pass", ""),
        ("I pass.", ""),
        ("パス", ""),
        ("I skip", ""),
    ],
)
def test_many_ways_to_say_it(text: str, meant: str) -> None:
    entry = SHORT[read_index(text, "play", SHORT)]
    assert " ".join(entry.get("cards", ())) == meant


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("four", "fits 2 answers; say which: 1. S4: the four of spades; 2. H4: the four of hearts"),
        ("4s", "fits 2 answers; say which: 1. S4: the four of spades; 4. S4 H4"),
        ("play 4", "fits 3 answers"),
        ("9", "fits no answer; the answers are: 0. pass; 1. S4: the four of spades"),
        ("S9", "fits no answer"),
        ("S4 S6", "fits no answer"),
        ("pass S4", "fits no answer"),
        ("3. S4", "fits no answer"),
        ("the banana of spades", "(of which 'banana' is not understood) fits no answer"),
        ("fours and fives", "fits no answer"),
        ("hearts 4 and spades", "fits no answer"),
        ("hearts and 4 spades and clubs", "fits no answer"),
        ("run of 3 from four in spades", "'from' is not understood"),
        ('{"cards": ["S9"]}', "fits no answer"),
        ('{"cards": "S4"}', "fits no answer"),
        ('{"choice": 99}', "fits no answer"),
        ('{"choice": true}', "fits no answer"),
        ('{"pass": false}', "'false' is not understood"),
        ('{"pass": true, "cards": ["S4"]}', "fits no answer"),
        ('{"cards": ["S4"', "fits no answer"),
        ("", "is no answer"),
        (":", "is no answer"),
        ("a:b:c:d", "is no answer"),
        ("S4 " * 200, f"at most {LONGEST} are read"),
    ],
)
def test_what_is_unclear_is_refused_and_says_what_there_is(text: str, said: str) -> None:
    with pytest.raises(Unclear, match=re.escape(said)):
        read_index(text, "play", SHORT)


def test_answers_as_programs_write_them_are_read_as_such() -> None:
    both = plays("S5 S6 JK/S4", "S5 S6 JK/S7")
    assert read_index('{"cards": ["S5", "S6", "JK"], "as": ["S7"]}', "play", both) == 2
    assert read_body('{"cards": ["S5", "S6", "JK"], "as": ["S7"]}', "play") == {
        "cards": ["S5", "S6", "JK"],
        "as": ["S7"],
    }
    assert read_index('{"accept": false}', "accept", [{"accept": False}, {"accept": True}]) == 0
    assert read_index('{"throw": "paper"}', "throw", [{"throw": "rock"}, {"throw": "paper"}]) == 1
    assert read_index('{"name": ["8", "Q"]}', "name", [{"name": []}, {"name": ["8", "Q"]}]) == 1
    assert read_index('{"name": []}', "name", [{"name": []}, {"name": ["8", "Q"]}]) == 0
    assert read_index('{"ask": ["S2"]}', "ask", [{"ask": ["2"]}, {"ask": ["S2"]}]) == 1


def test_a_joker_stands_for_what_is_said_or_for_the_only_thing_it_can() -> None:
    both = plays("S5 S6 JK/S4", "S5 S6 JK/S7", "D5 D6 JK/D4")
    assert read_index("S5 S6 JK as S7", "play", both) == 2
    assert read_index("five, six of spades and a joker as four", "play", both) == 1
    assert read_index("spades 5 6, joker as seven of spades", "play", both) == 2
    assert read_index("S5 S6 JK=S4", "play", both) == 1
    assert read_index("D5 D6 JK", "play", both) == 3
    with pytest.raises(Unclear, match="fits 2 answers"):
        read_index("S5 S6 JK", "play", both)
    with pytest.raises(Unclear, match="fits no answer"):
        read_index("S5 S6 JK as S8", "play", both)


def test_what_is_said_twice_in_different_ways_is_not_half_believed() -> None:
    runs = plays("S4 S5", "S4", "H4", "S5 JK/S6", "H4 H5")
    for text in (
        *("two fours and a five", "a pair of fours and a five", "three fives and fours"),
        *("S4 hearts", "S5 JK as S6 of hearts", "spades 4 5 hearts", "pass pass no", "4 or 5"),
        *("S5 joker as", "as S5", "S4 S4", "two runs", "pair of run of 2"),
    ):
        with pytest.raises(Unclear):
            read_index(text, "play", runs)


def test_an_ace_of_spades_is_no_word() -> None:
    entries = plays("SA", "HA JK", "SA JK")
    assert read_index("AS", "play", entries) == 1
    assert read_index("a of spades", "play", entries) == 1
    assert read_index("JK AS", "play", entries) == 3
    assert read_index("a joker and the ace of hearts", "play", entries) == 2


def test_answers_to_questions() -> None:
    gives: list[Document] = [{"cards": ["S2"]}, {"cards": ["S2", "JK"]}, {"cards": []}]
    assert read_index("give the two of spades and the joker", "give", gives) == 1
    assert read_index("nothing", "give", gives) == 2
    names: list[Document] = [{"name": ["8"]}, {"name": ["J"]}, {"name": ["8", "J"]}]
    assert read_index("name eights and jacks", "name", names) == 2
    assert read_index("J", "name", names) == 1
    assert read_index("name nothing", "name", [{"name": []}, *names]) == 0
    wishes: list[Document] = [{"ask": []}, {"ask": ["2"]}, {"ask": ["HA"]}, {"ask": ["2", "JK"]}]
    assert read_index("ask for a two", "ask", wishes) == 1
    assert read_index("the ace of hearts", "ask", wishes) == 2
    assert read_index("ask for a two and a joker", "ask", wishes) == 3
    throws: list[Document] = [{"throw": "rock"}, {"throw": "paper"}, {"throw": "scissors"}]
    assert read_index("チョキ", "throw", throws) == 2
    offers: list[Document] = [{"accept": False}, {"accept": True}]
    assert read_index("Yes!", "accept", offers) == 1
    assert read_index("decline", "accept", offers) == 0


def test_without_a_list_each_card_has_to_be_named() -> None:
    assert read_body("four and five of spades", "play") == {"cards": ["S4", "S5"]}
    assert read_body("S4 S5 JK as S6", "play") == {"cards": ["S4", "S5", "JK"], "as": ["S6"]}
    assert read_body("パス", "play") == {"pass": True}
    assert read_body("name eights", "name") == {"name": ["8"]}
    assert read_body("ask for a two and a joker", "ask") == {"ask": ["2", "JK"]}
    assert read_body("rock", "throw") == {"throw": "rock"}
    assert read_body("no", "accept") == {"accept": False}
    assert read_body("nothing", "discard") == {"cards": []}
    for unclear in ("four", "the pair of fours", "3", "S4 S5 JK as six", "what?"):
        with pytest.raises(Unclear, match="name each card"):
            read_body(unclear, "play")


@given(st.text(max_size=LONGEST))
def test_any_text_is_an_answer_or_is_refused(text: str) -> None:
    with suppress(Unclear):
        assert 0 <= read_index(text, "play", SHORT) < len(SHORT)


MANY = plays(
    *("S4", "H4", "S5", "D6", "SA", "JK", "S4 H4", "S5 H5", "S4 JK", "JK JK", "S4 H4 D4"),
    *("S3 S4 S5", "S4 S5 S6", "H3 H4 H5", "S4 S5 JK/S6", "S4 S5 JK/S3", "S5 JK JK/S3 S4"),
    *("S4 H4 D4 JK", "S5 H6 D7 C8", "SA S2 JK/JK"),
)
SAID = (
    *(
        "S4",
        "H4",
        "S5",
        "SA",
        "as",
        "JK",
        "JK",
        "4s",
        "joker",
        "jokers",
        "four",
        "five",
        "a",
        "six",
    ),
    *("fours", "fives", "two", "three", "4", "5", "spades", "hearts", "♦", "of", "pair", "run"),
    *("pass", "nothing", "and", "the", "スペード", "ハートの5"),
)


@pytest.mark.slow
@settings(max_examples=200)
@given(st.lists(st.sampled_from(SAID), min_size=2, max_size=7))
def test_whatever_is_mentioned_is_in_what_is_played(said: list[str]) -> None:
    """Nothing that was said is overlooked: each suit and rank has its card, or counts them."""
    text = " ".join(said)
    try:
        entry = MANY[read_index(text, "play", MANY)]
    except Unclear:
        return
    if "pass" in entry:
        assert set(said) <= {"pass", "and", "the", "of"}
        return
    shown = [*entry["cards"], *entry.get("as", ())]
    size = str(len(entry["cards"]))
    for token in cut(plain(text), suits_first=True):
        if token.kind == "card" and token.value not in shown:
            is_any_role = "as" in said and "as" not in entry  # in a set its suit does not matter
            assert token.text in ("as", "4s") or is_any_role
        elif token.kind == "suit" and ("as" in entry or "as" not in said):
            assert token.value in {name[0] for name in shown}
        elif token.kind == "plural":
            assert token.value in {"JK" if name == "JK" else name[1] for name in shown}
        elif token.kind == "rank" and token.value != size:
            assert token.value in {name[1] for name in shown}
        else:
            assert token.kind not in ("pass", "nothing", "unknown")


def kind_of(state: State, seat: int) -> str:
    """The kind of the turn that waits for a seat."""
    question = state.question_for(seat)
    return "play" if question is None else question.kind


def check(rules: Ruleset, state: State, seat: int, random: Random) -> None:
    """Some answers of a seat, in their own words, are read as themselves."""
    entries, kind = legal_entries(rules, state, seat), kind_of(state, seat)
    words = describe_answers(ENGLISH, legal(rules, state, seat))
    assert [answer_in_words(kind, entry) for entry in entries] == words
    for index in random.sample(range(len(entries)), min(MOST_ENTRIES, len(entries))):
        entry = entries[index]
        ways = {words[index], words[index].upper(), answer_as_cards(entry)} - {""}
        for text in (*ways, f"{index}. {entry_in_words(kind, entry)}", str(index)):
            assert read_index(text, kind, entries) == index, (text, entry)


def check_hand(rules: Ruleset, seed: int, moves: int) -> None:
    """The same along a hand."""
    state, random = dealt(rules, seed), Random(seed)
    for _ in range(moves):
        if state.over:
            return
        seat, _ = random.choice(state.open)
        check(rules, state, seat, random)
        menu = legal(rules, state, seat)
        state = evolve(state, decide(rules, state, menu.answer(random.randrange(len(menu)))))


@pytest.mark.slow
@pytest.mark.parametrize("preset", PRESETS)
def test_each_answer_of_a_preset_reads_back_from_its_own_text(preset: str) -> None:
    check_hand(compile_ruleset(preset), seed=7, moves=30)


@pytest.mark.slow
@settings(max_examples=30)
@given(rulesets(), st.integers(0, 99))
def test_each_answer_of_any_ruleset_reads_back_from_its_own_text(rules: Ruleset, seed: int) -> None:
    check_hand(rules, seed, moves=6)


def test_the_words_of_a_play_in_japanese_are_read_where_they_name_its_cards() -> None:
    rules = compile_ruleset("pagat")
    state = dealt(rules, 3)
    [seat] = [seat for seat, _ in state.open]
    entries = legal_entries(rules, state, seat)
    words = describe_answers(JAPANESE, legal(rules, state, seat))
    singles = [i for i, entry in enumerate(entries) if len(entry.get("cards", ())) == 1]
    assert singles
    for index in singles:
        assert read_index(words[index], "play", entries) == index
