"""The view over a turn document, and the answers a bot may give."""

from __future__ import annotations

import pytest

from arena.client import Bot, KitError, NoLegalList, Turn
from arena.client.bot import as_answer
from tests.client.fake_arena import answering, turn

PLAYERS = [
    {"seat": 0, "held": 4},
    {"seat": 1, "held": 0},
    {"seat": 2, "held": 3},
    {"seat": 3, "held": 1},
]


def test_every_member_can_be_read_as_in_a_dict() -> None:
    view = Turn(turn(held=["S3"], something_new=1))
    assert view["held"] == view.held == ["S3"]
    assert view["something_new"] == 1
    assert dict(view)["kind"] == view.kind == "play"


def test_changing_what_was_read_does_not_change_the_turn() -> None:
    view = Turn(turn())
    view.held.clear()
    view.legal[0]["cards"] = []
    assert view.held == ["S3", "D7", "JK"]
    assert view.lowest() == {"cards": ["S3"]}


def test_lowest_and_highest_follow_the_order_in_force() -> None:
    legal = [{"cards": ["S3"]}, {"cards": ["D7"]}, {"cards": ["JK"]}]
    assert Turn(turn(legal=legal)).lowest() == {"cards": ["S3"]}
    assert Turn(turn(legal=legal, order="reversed")).lowest() == {"cards": ["D7"]}
    assert Turn(turn(legal=legal, order="reversed")).highest() == {"cards": ["JK"]}


def test_plays_come_weakest_first_as_the_order_in_force_has_it() -> None:
    """The protocol lists them by suit, which beginners took for the weakest first."""
    legal = [{"pass": True}, {"cards": ["S2"]}, {"cards": ["H4"]}, {"cards": ["D3"]}]
    plays = [play["cards"] for play in Turn(turn(legal=legal)).plays()]
    assert plays == [["D3"], ["H4"], ["S2"]]
    assert [p["cards"] for p in Turn(turn(legal=legal, order="reversed")).plays()] == plays[::-1]


def test_of_equally_weak_plays_the_longest_without_jokers_is_the_lowest() -> None:
    legal = [{"cards": ["S3"]}, {"cards": ["S3", "D3"]}, {"cards": ["S3", "D3", "JK"]}]
    assert Turn(turn(legal=legal)).lowest() == {"cards": ["S3", "D3"]}


def test_there_is_no_lowest_play_if_passing_is_all_that_is_left() -> None:
    view = Turn(answering(legal=[{"pass": True}]))
    assert (view.lowest() or view.pass_()) == {"pass": True}


def test_the_others_are_those_who_still_play_the_next_first() -> None:
    view = Turn(turn(seat=2, players=PLAYERS))
    assert [player["seat"] for player in view.others] == [3, 0]


def test_a_waiting_revolution_is_seen_in_the_order_to_come() -> None:
    assert Turn(turn(pending_revolution=True)).next_order == "reversed"
    assert Turn(turn(order="reversed", pending_revolution=True)).next_order == "normal"
    assert Turn(turn(order="reversed")).next_order == "reversed"


def test_the_referee_answers_when_move_time_and_bank_are_spent() -> None:
    view = Turn(turn(remaining_ms=4_000, bank_ms=60_000))
    assert (view.remaining_ms, view.bank_ms, view.left_ms) == (4_000, 60_000, 64_000)


def test_without_a_list_of_legal_moves_asking_for_it_says_so() -> None:
    document = turn()
    del document["legal"]
    with pytest.raises(NoLegalList, match="find them yourself"):
        Turn(document).lowest()


@pytest.mark.parametrize(
    ("document", "answer"),
    [
        (answering(), {"pass": True}),
        (turn(), {"cards": ["S3"]}),
        (turn(legal=[{"cards": ["H4"]}, {"cards": ["S4", "H4"]}]), {"cards": ["H4"]}),
        (answering(legal=None), {"pass": True}),
        (turn(legal=None, held=["H4", "S2"]), {"cards": ["H4"]}),
        (turn(legal=None, held=["H4", "S2"], order="reversed"), {"cards": ["S2"]}),
        (turn(kind="give", legal=None, must={"min": 2, "max": 2}), {"cards": ["S3", "D7"]}),
        (
            turn(
                kind="give", legal=None, must={"min": 2, "from": ["JK", "D2", "H2"], "owed": ["JK"]}
            ),
            {"cards": ["JK", "H2"]},
        ),
        (turn(kind="accept", legal=None, must={"min": 1, "max": 1}), {"accept": False}),
    ],
)
def test_there_is_always_something_harmless_to_fall_back_to(
    document: dict[str, object], answer: dict[str, object]
) -> None:
    assert Turn(document).fallback() == answer


def test_a_bot_that_writes_only_play_can_answer_every_question() -> None:
    give = [{"cards": ["S3"]}, {"cards": ["D7"]}]
    discard = [{"cards": []}, {"cards": ["S3"]}, {"cards": ["D7"]}]
    ask = [{"ask": []}, {"ask": ["3"]}, {"ask": ["2"]}]
    name = [{"name": ["5"]}, {"name": ["7"]}]
    bot = Bot()
    assert bot.answer(Turn(turn(kind="give", legal=give))) == {"cards": ["S3"]}
    assert bot.answer(Turn(turn(kind="discard", legal=discard))) == {"cards": ["S3"]}
    assert bot.answer(Turn(turn(kind="ask", legal=ask))) == {"ask": ["2"]}
    assert bot.answer(Turn(turn(kind="name", legal=name))) == {"name": ["7"]}
    assert bot.answer(Turn(turn(kind="riddle", legal=give))) == {"cards": ["S3"]}
    assert bot.answer(Turn(turn(kind="accept"))) == {"accept": True}
    throw = bot.answer(Turn(turn(kind="throw")))
    assert throw
    assert throw["throw"] in ("rock", "paper", "scissors")


@pytest.mark.parametrize(
    ("returned", "answer"),
    [
        ("pass", {"pass": True}),
        ("S3", {"cards": ["S3"]}),
        (["S3", "JK"], {"cards": ["S3", "JK"]}),
        ({"choice": 3}, {"choice": 3}),
        ({"cards": ["S4", "S5", "JK"], "as": ["S6"]}, {"cards": ["S4", "S5", "JK"], "as": ["S6"]}),
    ],
)
def test_answers_may_be_written_in_a_short_form(returned: object, answer: object) -> None:
    assert as_answer(returned) == answer


@pytest.mark.parametrize(
    ("returned", "complaint"),
    [
        (None, "Is a `return` missing"),
        (7, "not an answer; the entry number 7 of turn.legal is"),
        (True, "not an answer"),
        ({}, "empty answer"),
        ({"cards": "S3"}, "'S3' must be a list of cards"),
        ({"cards": [3]}, "3 is no card: a card is text"),
        ({"cards": ["S3"], "as": ["S10"]}, "'S10' is no card, ten is T: ST"),
        ({"choice": object()}, "is no index of turn.legal"),
        ({"choice": 0, "why": object()}, "not JSON"),
        ({"choice": -1}, "the choice -1 is no index of turn.legal"),
        ({"pass": "please"}, '"pass" is followed by True'),
        ({"card": "S3"}, "one of the members cards, as, pass"),
        ({"throw": "well"}, "'well' is none of rock, paper, scissors"),
        ({"accept": "no"}, '"accept" is followed by True or False'),
        ({"name": ["10"]}, "'10' is no rank: .* ten is T"),
        ({"ask": ["joker"]}, "'joker' is no card, a joker is JK: JK"),
        ("S3 S4", "are several cards: write a list, .'S3', 'S4'."),
    ],
)
def test_what_is_no_answer_is_said_plainly(returned: object, complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        as_answer(returned)


def test_a_coroutine_is_no_answer() -> None:
    async def play() -> str:
        return "pass"

    with pytest.raises(ValueError, match="is `async def`"):
        as_answer(play())


def test_the_hand_of_a_turn_is_the_deal_being_played_and_no_cards() -> None:
    hand = Turn(turn(hand_number=4)).hand
    assert (str(hand), hand.id, hand.number, hand.of) == (*["cup-r01-t01-h001"] * 2, 4, 10)
    assert hand == Turn(turn(2, hand_number=4)).hand
    mistakes = [list, len, lambda cards: "S3" in cards, lambda cards: cards[0]]
    for taken_for_cards in mistakes:
        with pytest.raises(TypeError, match=r"your cards are turn\.held"):
            taken_for_cards(hand)


def test_a_turn_is_read_by_a_person_and_its_answer_by_the_kit() -> None:
    view = Turn(answering())
    assert "On the table: the five of hearts, played by bot 1." in view.text()
    assert "1. D7: the seven of diamonds" in view.text()
    assert view.read("1") == view.read("seven of diamonds") == {"cards": ["D7"]}
    assert as_answer({"text": "D7"}) == {"text": "D7"}
    with pytest.raises(KitError, match="fits no answer; the answers are: 0"):
        view.read("eight")
    unlisted = Turn(answering(legal=None))
    assert unlisted.read("seven of diamonds") == {"cards": ["D7"]}
    with pytest.raises(KitError, match="name each card"):
        unlisted.read("seven")
    cut = Turn(answering(legal_more=True))
    assert cut.read("D8 S8") == {"cards": ["D8", "S8"]}
    with pytest.raises(KitError, match="fits no answer"):
        cut.read("eight")
    with pytest.raises(ValueError, match="must be a text"):
        as_answer({"text": 3})


def test_a_note_goes_with_any_form_of_an_answer() -> None:
    view = Turn(turn())
    assert view.answer("pass", note="too dear") == {"pass": True, "note": "too dear"}
    assert view.answer(["S3"], note="lowest") == {"cards": ["S3"], "note": "lowest"}
    noted = view.answer(view.legal[0], note="first")
    assert view.answer(noted) == noted
    assert view.answer(noted, note="second")["note"] == "second"
    assert view.answer({"choice": 0}) == {"choice": 0}
    with pytest.raises(ValueError, match="is not an answer"):
        view.answer(3, note="the third")


def test_no_note_costs_a_move() -> None:
    """What the arena would refuse is made into what it takes, also where a bot wrote it itself."""
    view = Turn(turn())
    assert view.answer("pass", note="x" * 300)["note"] == "x" * 279 + "…"
    assert view.answer("pass", note="two\n\tlines\x00")["note"] == "two lines"
    assert view.answer("pass", note="\ud83d alone")["note"] == "alone"
    assert as_answer({"pass": True, "note": None}, "play") == {"pass": True}
    assert as_answer({"pass": True, "note": 7}, "play") == {"pass": True, "note": "7"}
    assert as_answer({"pass": True, "note": "\n"}, "play") == {"pass": True}
