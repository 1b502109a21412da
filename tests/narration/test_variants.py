"""What the later variants sound like: colours, limits of ranks, falls of the second."""

from __future__ import annotations

import pytest

from arena.narration.sentences import ABOVE, LANGUAGES, describe_position, narrate
from arena.reference.scenes import read_move, with_hands
from arena.rules import compile_ruleset, decide, evolve
from tests.narration.test_sentences import SPEAKER, after

FALLS = ("A S9 S4 / B HT H3 / C CK / D DA / E D5 D6 / F C5 C6", "A S9, B HT, C CK, D DA")


@pytest.mark.parametrize(
    ("hands", "moves", "ruleset", "english", "japanese"),
    [
        (
            "A H5 S4 / B D7 H3 / C CK HQ",
            "A H5, B D7",
            "pagat+iro_shibari",
            "The colour is locked to red",
            "赤縛り",
        ),
        (
            "A H5 S4 / B D7 H3 / C DQ HQ",
            "A H5, B D7, C DQ",
            "pagat+iro_shibari,q_toki=true",
            "The colour is no longer locked",
            "色の縛りが解けた",
        ),
        (
            "A S4 S3 / B HT H3",
            "A S4",
            "pagat+even_only",
            "Only fours, sixes, eights, tens, queens and twos may follow",
            "4、6、8、10、クイーン、2しか出せない",
        ),
        (
            "A S5 H5 D5 C5 S3 / B HT H3",
            "A S5 H5 D5 C5",
            "pagat+shimin_byodo",
            "Revolution number 1 of this hand",
            "この回1度目の革命",
        ),
    ],
)
def test_limits_and_revolutions_are_said(
    hands: str, moves: str, ruleset: str, english: str, japanese: str
) -> None:
    said = after(hands, moves, ruleset)
    assert english in said[0]
    assert japanese in said[1]


def test_of_two_who_fall_each_is_said_to_come_where_he_comes() -> None:
    rules = compile_ruleset("pagat+fu_ochi,players=6")
    state = with_hands(rules, FALLS[0], places=tuple(range(6)))
    said: dict[str, str] = {"en": "", "ja": ""}
    speaker = SPEAKER._replace(names=("Aki", "Ben", "Chie", "Dai", "Eri", "Fumi"))
    for move in FALLS[1].split(", "):
        events = decide(rules, state, read_move(move))
        for code, words in LANGUAGES.items():
            sentences = narrate(words, speaker, events, reader=ABOVE, state=state)
            said[code] += " ".join(sentence.text for sentence in sentences)
        state = evolve(state, events)
    assert "Aki, who won the hand before, falls to the last place" in said["en"]
    assert "Ben, who came second in the hand before, falls to the second last place" in said["en"]
    assert "前回1位の Aki は都落ち、最下位になる" in said["ja"]
    assert "前回2位の Ben は転落、下から2番目になる" in said["ja"]


def test_what_a_trick_is_limited_to_is_said_with_how_things_stand() -> None:
    rules = compile_ruleset("pagat+iro_shibari+even_only,players=3")
    state = with_hands(rules, "A H4 S3 / B DT H3 / C CK HQ")
    for move in ("A H4", "B DT"):
        state = evolve(state, decide(rules, state, read_move(move)))
    english, japanese = (
        " ".join(describe_position(words, SPEAKER, rules, state, reader=ABOVE))
        for words in LANGUAGES.values()
    )
    assert "the colour is locked to red" in english
    assert "only fours, sixes, eights, tens, queens and twos may follow" in english
    assert "赤縛り" in japanese
    assert "4、6、8、10、クイーン、2しか出せない" in japanese
