"""A hand in words: what is said, in which words, and that nothing hidden is in it."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.errors import BadInput, Refused
from arena.narration.language import Detail, Language, Speaker
from arena.narration.sentences import (
    ABOVE,
    LANGUAGES,
    PUBLIC,
    Perspective,
    Sentence,
    describe_position,
    language,
    narrate,
)
from arena.reference.scenes import read_move, with_hands
from arena.rules import EMPTY, Ruleset, compile_ruleset, decide, evolve
from arena.rules import events as e
from arena.rules.cards import parse
from arena.rules.commands import Command
from tests.narration.golden import FOLDER, NAMES, texts
from tests.rules.dealing import play_out
from tests.rules.strategies import rulesets
from tests.rules.test_leaks import TELLING, hidden_pairs, in_other_world

ENGLISH, JAPANESE = LANGUAGES["en"], LANGUAGES["ja"]
SPEAKER = Speaker(("Aki", "Ben", "Chie", "Dai"))


def after(hands: str, moves: str, ruleset: str = "pagat", detail: str = "normal") -> list[str]:
    """The sentences of the last move, in English and in Japanese."""
    rules = compile_ruleset(ruleset + f",players={hands.count('/') + 1}")
    state = with_hands(rules, hands)
    *before, last = (part.strip() for part in moves.split(","))
    for move in before:
        state = evolve(state, decide(rules, state, read_move(move)))
    events = decide(rules, state, read_move(last))
    speaker = SPEAKER._replace(detail=Detail(detail))
    return [
        words.between.join(
            s.text for s in narrate(words, speaker, events, reader=ABOVE, state=state)
        )
        for words in LANGUAGES.values()
    ]


@pytest.mark.parametrize(
    ("hands", "moves", "english", "japanese"),
    [
        (
            "A S3 S4 / B H5",
            "A S3",
            "Aki plays the three of spades.",
            "Aki はスペードの3を出した。",
        ),
        (
            "A H9 C9 S4 / B H5",
            "A H9 C9",
            "Aki plays a pair of nines, hearts and clubs.",
            "Aki は9のペア（ハート、クラブ）を出した。",
        ),
        (
            "A S6 H6 JK S4 / B H5",
            "A S6 H6 JK",
            "Aki plays three sixes, spades, hearts and a joker.",
            "Aki は6の3枚組（スペード、ハート、ジョーカー）を出した。",
        ),
        (
            "A S4 S6 JK S9 / B H5",
            "A S4 S6 JK as S5",
            "Aki plays a run of 3 in spades, four, six and a joker as five.",
            "Aki はスペードの3枚階段（4、6、5の代わりのジョーカー）を出した。",
        ),
        ("A S9 S4 / B H5 H6", "A S9, B pass", "Ben passes. The table is cleared. Aki leads.", None),
        ("A JK S4 / B H5 H6", "A JK", "Aki plays the joker.", "Aki はジョーカーを出した。"),
        (
            "A S3 / B H5 H6",
            "A S3",
            "Aki plays the three of spades. Aki goes out 1st. The hand ends: 1st Aki, 2nd Ben.",
            "Aki はスペードの3を出した。Aki は1番目に上がった。終了：1位 Aki、2位 Ben。",
        ),
    ],
)
def test_a_play_in_words(hands: str, moves: str, english: str, japanese: str | None) -> None:
    said = after(hands, moves)
    assert said[0] == english
    if japanese:
        assert said[1] == japanese


def test_brief_leaves_out_suits_of_sets_and_full_counts_what_is_left() -> None:
    hands, move = "A H9 C9 S4 / B H5", "A H9 C9"
    assert after(hands, move, detail="brief")[0] == "Aki plays a pair of nines."
    assert after(hands, move, detail="full")[0].endswith("hearts and clubs; 1 card left.")


def test_a_rule_that_made_it_happen_is_named_as_people_call_it() -> None:
    english, japanese = after("A S9 H9 D9 C9 S3 / B H5 H6", "A S9 H9 D9 C9", "japan_league")
    assert "The order of ranks is reversed: a three beats a two (kakumei)." in english
    assert "革命：強さが逆になった。3が2より強い。" in japanese
    english, japanese = after("A S8 S3 / B H5 H6", "A S8", "pagat+hachi_giri")
    assert "The table is cleared (hachi-giri)." in english
    assert "八切り：場が流れた。" in japanese


def sentences(words: Language, *events: e.Event, reader: Perspective = ABOVE) -> list[Sentence]:
    rules = compile_ruleset("pagat")
    state = with_hands(rules, "A S3 S4 / B H5 / C D6 / D C7")
    return list(narrate(words, SPEAKER, events, reader=reader, state=state))


def test_a_locked_suit_and_who_is_skipped_in_words() -> None:
    lock = e.Marked("suit_lock", 0x0011, "trick", "shibari")
    (locked,) = sentences(ENGLISH, lock)
    assert (locked.text, locked.notable, locked.rule) == (
        "The suit is locked to spades and hearts (shibari).",
        "lock",
        "shibari",
    )
    assert sentences(JAPANESE, lock)[0].text == "スペードとハートの縛り。"
    (skipped,) = sentences(ENGLISH, e.Skipped((1, 2, 3), "go_tobi"))
    assert skipped.text == "Ben, Chie and Dai are skipped (go-tobi)."


@pytest.mark.parametrize(
    ("shapes", "seats", "english", "japanese"),
    [
        ((0, 0, 2, 2), (0, 1), "Aki and Ben stay in.", "Aki、Ben が残る。"),
        ((-1, 0, -1, 2), (1,), "Ben rock, Dai scissors; Ben wins.", "Ben の勝ち。"),
        ((-1, 0, -1, 0), (1, 3), "Ben rock, Dai rock; a draw.", "Ben グー、Dai グー。あいこ。"),
    ],
)
def test_what_a_round_of_rock_paper_scissors_decides_is_said(
    shapes: tuple[int, ...], seats: tuple[int, ...], english: str, japanese: str
) -> None:
    shown = e.Shown(shapes, seats, "janken")
    assert sentences(ENGLISH, shown)[0].text.endswith(english)
    assert sentences(JAPANESE, shown)[0].text.endswith(japanese)


@pytest.mark.parametrize(
    ("least", "most", "english", "japanese"),
    [
        (1, 1, "Aki is to give 1 card to Ben.", "Aki は Ben に1枚渡す。"),
        (0, 1, "Aki may give 1 card to Ben.", "Aki は Ben に1枚渡してもよい。"),
        (0, 2, "Aki may give up to 2 cards to Ben.", "Aki は Ben に2枚まで渡してもよい。"),
    ],
)
def test_what_must_be_given_and_what_may_be_given_are_told_apart(
    least: int, most: int, english: str, japanese: str
) -> None:
    asked = e.Asked((e.Question(0, "give", "nana_watashi", to=1, least=least, most=most),))
    assert sentences(ENGLISH, asked)[0].text == english
    assert sentences(JAPANESE, asked)[0].text == japanese


def test_a_fault_says_its_cause_and_can_be_jumped_to() -> None:
    (fault,) = sentences(ENGLISH, e.Expired(2, "timeout"))
    assert fault.text == "The referee answers for Chie: no answer in time."
    assert (fault.seat, fault.notable) == (2, "fault")


def test_what_a_seat_gives_is_named_to_both_and_counted_to_others() -> None:
    gave = e.Gave(0, 1, parse(["S3", "S4"]), 2, "exchange")
    both = "Aki gives Ben the three of spades and the four of spades."
    assert [sentences(ENGLISH, gave, reader=Perspective(p))[0].text for p in (0, 1)] == [both] * 2
    for stranger in (Perspective(2), PUBLIC):
        assert sentences(ENGLISH, gave, reader=stranger)[0].text == "Aki gives Ben 2 cards."
        assert sentences(JAPANESE, gave, reader=stranger)[0].text == "Aki は Ben に2枚渡した。"


def test_a_language_that_there_is_not_is_refused_by_name() -> None:
    with pytest.raises(BadInput, match="klingon"):
        language("klingon")


def test_how_things_stand() -> None:
    rules = compile_ruleset("pagat+shibari,players=2")
    state = with_hands(rules, "A S3 S4 / B H5 H6")
    state = evolve(state, decide(rules, state, read_move("A S3")))
    lines = describe_position(ENGLISH, SPEAKER, rules, state, reader=Perspective(1))
    assert lines == [
        "On the table: the three of spades, played by Aki.",
        "Ben is to play.",
        "Aki: 1 card.",
        "Ben: 2 cards: the five of hearts and the six of hearts.",
    ]
    public = describe_position(JAPANESE, SPEAKER, rules, state, reader=PUBLIC)
    assert public == ["場：Aki のスペードの3。", "Ben の番。", "Aki：1枚。", "Ben：2枚。"]


def everything_said(rules: Ruleset, commands: list[Command], reader: Perspective) -> list[str]:
    """Every sentence and every position of a hand; nothing if the actions are not possible."""
    speaker = Speaker(NAMES[: rules.players], rules.table.titles, Detail.FULL)
    state, said = EMPTY, []
    for command in commands:
        try:
            events = decide(rules, state, command)
        except Refused:
            return []
        for words in LANGUAGES.values():
            said += [s.text for s in narrate(words, speaker, events, reader=reader, state=state)]
        state = evolve(state, events)
        for words in LANGUAGES.values():
            said += describe_position(words, speaker, rules, state, reader=reader)
    return said


@pytest.mark.slow
@given(rulesets(decks=1, **TELLING), st.integers(0, 10**9))
def test_cards_that_a_reader_cannot_know_change_no_word(rules: Ruleset, seed: int) -> None:
    random = Random(seed)
    places = tuple(random.sample(range(rules.players), rules.players)) if seed % 2 else ()
    _, steps = play_out(rules, seed, places=places)
    steps = steps[: random.randrange(1, len(steps) + 1)]
    commands = [command for command, _ in steps]
    for seat in (None, *range(rules.players)):
        swap = hidden_pairs(rules, steps, seat, random)
        other = [in_other_world(command, swap) for command in commands]
        world = everything_said(rules, other, Perspective(seat))
        if swap and world:
            assert world == everything_said(rules, commands, Perspective(seat))


@given(rulesets(), st.integers(0, 10**9))
def test_every_hand_can_be_said_and_every_sentence_ends(rules: Ruleset, seed: int) -> None:
    _, steps = play_out(rules, seed)
    speaker = Speaker(NAMES[: rules.players], rules.table.titles)
    events = [event for _, events in steps for event in events]
    for words, stop in ((ENGLISH, "."), (JAPANESE, "。")):
        said = list(narrate(words, speaker, events, reader=ABOVE))
        assert [s.number for s in said] == sorted({s.number for s in said})
        assert all(s.text.endswith(stop) and "None" not in s.text for s in said)


@pytest.mark.parametrize("code", LANGUAGES)
def test_every_kind_of_event_has_a_phrase(code: str) -> None:
    assert set(LANGUAGES[code].phrases) == set(e.Event.__args__)


def test_the_golden_hands_are_said_as_they_were() -> None:
    kept = {path.name: path.read_text(encoding="utf-8") for path in FOLDER.glob("*.txt")}
    assert texts() == kept
