"""The shadow of a hand: true in all that it shows, whatever it gives to others."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.client import Bot
from arena.client.turn import Turn
from arena.rules import legal
from arena.rules.cards import IDS, mask_of
from arena.uecda.cells import NOTHING, read_hand, read_play, write_hand
from arena.uecda.codec import (
    HandTable,
    MessageBuffer,
    RosterRow,
    Situation,
    StartTable,
    read_hand_table,
    read_start,
)
from arena.uecda.shadow import Shadow
from arena.uecda.spread import KnownCards, spread
from tests.uecda.bots import (
    HEURISTIC,
    LOWEST,
    RANDOM,
    RULES,
    Remembering,
    bots,
    referee_turns,
    session,
)
from tests.uecda.golden import golden_streams

SHOWN = ("kind", "seat", "held", "pile", "order", "lock", "direction", "must", "legal")
OF_PLAYERS = ("seat", "held", "passed", "place", "title")
MIXED = (HEURISTIC, RANDOM, RANDOM, LOWEST, RANDOM)


def mask(text):
    """Cards by their codes."""
    return mask_of(IDS[code] for code in text.split())


def public(event, seat, *, rich):
    """An event without what this protocol does not tell: who deals, and for the rich the cards of
    the tribute."""
    shown = {name: value for name, value in event.items() if name != "dealer"}
    if rich and event["type"] == "dealt":
        shown.pop("cards", None)
        shown.pop("hands", None)
    if rich and event["type"] == "gave" and event["to"] == seat:
        shown.pop("cards", None)
    return shown


@pytest.mark.slow
def test_every_turn_is_what_the_referee_would_have_shown_and_every_position_is_true() -> None:
    players = [Remembering(bot) for bot in bots(*MIXED)]
    _, hands = session(players, hands=3, seed=5)
    for number, player in enumerate(players):
        referee = list(referee_turns(hands, number))
        assert len(player.turns) == len(referee) > 25
        for turn, (document, history, state) in zip(player.turns, referee, strict=True):
            assert [turn.get(name) for name in SHOWN] == [document.get(name) for name in SHOWN]
            assert seats(turn) == seats(document)
            truth = Turn(document, history)
            assert turn.unseen == truth.unseen
            rich = turn.seat in state.setup.before[:2]
            own, real = (
                [public(event, turn.seat, rich=rich) for event in each.history]
                for each in (turn, truth)
            )
            assert own == real
            is_true(turn.position, state)


def seats(turn):
    """What a turn says of the players, but for their names."""
    return [[player[name] for name in OF_PLAYERS] for player in turn["players"]]


def is_true(position, state):
    """A position says nothing of a card that is not so, and worlds agree with it."""
    for seat, held in enumerate(state.held):
        assert not position.state.held[seat] & ~held
        assert not position.never[seat] & held
        assert position.counts[seat] == held.bit_count()
    assert position.worlds(1, Random(1))[0].state.held[position.seat] == state.held[position.seat]


class Worldly(Bot):
    """Draws worlds and decides by what is in them: it reads whatever it can."""

    def play(self, turn):
        worlds = turn.position.worlds(1, self.random)
        return turn.legal[sum(worlds[0].state.held) % len(turn.legal)]


@pytest.mark.slow
def test_what_a_bot_sends_does_not_depend_on_the_cards_that_the_shadow_gives_to_others() -> None:
    orders = [(), Random(3).sample(range(53), 53)]
    sent = []
    for order in orders:
        worldly = [Worldly(), Worldly()]
        for bot in worldly:
            bot.random = Random(7)
        players = [Remembering(bot) for bot in (*worldly, *bots(HEURISTIC, RANDOM, LOWEST))]
        joined, _ = session(players, hands=3, seed=2, orders=(order,) * 5)
        documents = [[dict(turn) for turn in player.turns] for player in players]
        logs = [player.logs for player in players]
        sent.append(([each.up for each in joined], documents, logs))
    assert sent[0] == sent[1]


@pytest.mark.parametrize("player", range(5))
def test_the_recorded_session_agrees_with_its_shadows(player: int) -> None:
    down, up = golden_streams()
    assert followed(player, down[player], up[player]) == []


def followed(player, down, up):
    """What differs between the streams of a client and its shadow."""
    came, sent, found, shadow = MessageBuffer(), MessageBuffer(), [], None
    came.feed(down)
    sent.feed(up)
    assert came.integer() == player
    assert sent.table() is not None
    flag = 1
    while flag == 1:
        start = read_start(came.table())
        if shadow is not None:
            found.append(shadow.settle(start.roster))
        shadow, flag = Shadow(RULES, player, start), 0
        if start.give:
            assert shadow.ask()
            shadow.give(read_hand(sent.table()))
        while flag == 0:
            table, own = read_hand_table(came.table()), None
            found += shadow.before(table)
            if table.own:
                own = read_play(sent.table(), shadow.seat)
                came.integer()
            found.append(shadow.after(came.table(), own))
            flag = came.integer()
        found.append(shadow.end())
    return [what for what in found if what]


# Servers that play otherwise


HAND = "S3 H4 D5 C6 S7 H8 D9 CT SJ HQ DK"
COUNTS = (11, 11, 11, 10, 10)
SEATS = (0, 1, 2, 3, 4)


def roster(counts=COUNTS, classes=(0,) * 5):
    return RosterRow(counts, classes, SEATS)


def hand_table(player, *, held=HAND, counts=COUNTS, **situation):
    return HandTable(
        mask(held), player == 0, player, Situation(**{"empty": True, **situation}), roster(counts)
    )


def led(cells_of="D4"):
    """A shadow in which player 1 has led a card, seen by player 0."""
    shadow = Shadow(RULES, 0, StartTable(mask(HAND), 0, roster()))
    assert shadow.before(hand_table(1)) == ()
    assert shadow.after(write_hand(mask(cells_of))) == ""
    return shadow


AFTER = (11, 10, 11, 10, 10)
DIFFERENT = {
    "turn": (0, {"empty": False}),
    "lock": (2, {"empty": False, "lock": True}),
    "order": (2, {"empty": False, "revolution": True}),
    "table": (2, {"empty": True}),
}


def test_a_server_that_agrees_is_not_mended() -> None:
    assert led().before(hand_table(2, counts=AFTER, empty=False)) == ()


@pytest.mark.parametrize("what", DIFFERENT)
def test_what_a_server_says_otherwise_is_named_and_taken_over(what: str) -> None:
    player, situation = DIFFERENT[what]
    shadow = led()
    table = hand_table(player, counts=AFTER, **situation)
    assert what in shadow.before(table)
    state = shadow.state
    assert state.to_move == player
    assert (not state.trick) == table.situation.empty
    assert state.revolution == table.situation.revolution
    assert bool(state.trick_marks.get("suit_lock")) == table.situation.lock
    assert legal(RULES, state, player).size > 0
    assert shadow.before(table) == ()


def test_11_back_turns_the_order_for_what_a_bot_may_play() -> None:
    shadow = led("C9")
    assert shadow.before(hand_table(0, counts=AFTER, empty=False, jack=True)) == ("order", "turn")
    lower = {meld.codes for meld in legal(RULES, shadow.state, 0).melds}
    assert lower == {(code,) for code in ["S3", "H4", "D5", "C6", "S7", "H8"]}


def test_who_has_passed_and_is_asked_again_may_play_again() -> None:
    shadow = led()
    assert shadow.before(hand_table(2, counts=AFTER, empty=False)) == ()
    assert shadow.after(write_hand(mask("D4"))) == ""
    assert shadow.before(hand_table(2, counts=AFTER, empty=False)) == ("turn",)
    assert not shadow.state.barred


def test_own_cards_and_counts_are_taken_from_the_table() -> None:
    shadow = led()
    fewer = HAND.removesuffix(" DK")
    table = hand_table(2, held=fewer, counts=(10, 9, 11, 10, 10), empty=False)
    assert shadow.before(table) == ("cards",)
    assert shadow.state.held[0] == mask(fewer)
    assert [held.bit_count() for held in shadow.state.held] == [10, 9, 11, 10, 10]


def test_a_play_against_the_rules_lies_there_all_the_same() -> None:
    shadow = led("DT")
    assert shadow.before(hand_table(2, counts=AFTER, empty=False)) == ()
    assert shadow.after(write_hand(mask("S4"))) == "play"
    counts = (11, 10, 10, 10, 10)
    assert shadow.before(hand_table(3, counts=counts, empty=False)) == ("turn",)
    assert shadow.state.pile.codes == ("S4",)


def test_cards_thrown_down_without_a_meld_are_out_of_the_game() -> None:
    shadow = led("DT")
    assert shadow.before(hand_table(2, counts=AFTER, empty=False)) == ()
    assert shadow.after(write_hand(mask("S4 H9 C2"))) == "play"
    assert shadow.events[-1].cards == mask("S4 H9 C2")
    assert shadow.events[-1].shown


def test_cells_that_are_no_play_are_named() -> None:
    shadow = led()
    assert shadow.before(hand_table(2, counts=AFTER, empty=False)) == ()
    odd = list(NOTHING)
    odd[7] = odd[8] = 2
    assert shadow.after(odd) == "play"
    assert shadow.before(hand_table(3, counts=AFTER, empty=False)) == ("turn",)


def test_the_classes_that_follow_say_how_a_hand_has_ended() -> None:
    shadow = led()
    assert shadow.end() == "end"
    assert shadow.settle(roster(classes=(3, 4, 0, 2, 1))) == ""
    assert shadow.finish == (2, 4, 3, 0, 1)
    assert shadow.events[-1].places == (2, 4, 3, 0, 1)


def test_cards_are_asked_for_only_where_the_classes_owe_them() -> None:
    rich = mask(f"{HAND} D2 JK")
    counts = (11, 10, 11, 11, 10)
    assert Shadow(RULES, 0, StartTable(rich, 2, roster(counts, (0, 1, 2, 3, 4)))).ask()
    assert not Shadow(RULES, 0, StartTable(rich, 2, roster(counts, (2, 1, 0, 3, 4)))).ask()
    assert not Shadow(RULES, 0, StartTable(rich, 2, roster(counts))).ask()


def test_every_unseen_card_goes_to_one_seat_and_known_ones_where_they_are() -> None:
    known = KnownCards(0, mask(HAND), COUNTS, table=mask("D4"), gone=0, at={3: mask("JK D3")})
    hands = spread(range(53), known)
    assert [hand.bit_count() for hand in hands] == [11, 11, 11, 10, 9]  # one card is on the table
    assert hands[3] & mask("JK D3") == mask("JK D3")
    assert sum(hands) == (1 << 53) - 1 - mask("D4")


@pytest.mark.slow
@given(st.randoms(use_true_random=False))
def test_no_table_that_can_be_read_ends_a_shadow(chance) -> None:
    """Whatever a server says: who is asked then has an answer."""

    def cards():
        return mask_of(chance.sample(range(53), chance.randrange(16)))

    def any_roster():
        counts = tuple(chance.choice((0, 1, 10, 10, 11, 11, 13, 2**32 - 1)) for _ in SEATS)
        dealt = tuple(chance.sample((11, 11, 11, 10, 10), 5))
        classes = tuple(chance.sample(SEATS, 5))
        return roster(chance.choice((counts, dealt)), chance.choice((classes, (0,) * 5)))

    player = chance.randrange(5)
    start = StartTable(cards(), chance.choice((0, 1, 2)), any_roster())
    shadow = Shadow(RULES, player, start)
    if shadow.ask():
        shadow.give(legal(RULES, shadow.state, shadow.seat).answer(0).cards)
    for _ in range(chance.randrange(1, 12)):
        mover = chance.randrange(5)
        situation = Situation(*(chance.random() < 0.3 for _ in range(4)))
        shadow.before(HandTable(cards(), mover == player, mover, situation, any_roster()))
        assert shadow.state.to_move == shadow.seating.index(mover)
        assert legal(RULES, shadow.state, shadow.state.to_move).size > 0
        cells = list(NOTHING)
        for _ in range(chance.randrange(4)):
            cells[chance.randrange(75)] = chance.choice((1, 1, 1, 2))
        shadow.after(cells)
    shadow.end()
    shadow.settle(any_roster())
