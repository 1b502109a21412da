"""What no option changes: the order of the ranks, and the documents' own example."""

from __future__ import annotations

from arena.reference.scenes import ExampleHand, dealt, lines_of
from arena.rules import EMPTY, compile_ruleset, evolve, see
from arena.rules.cards import IDS, codes, parse
from arena.rules.shapes import SINGLES
from arena.rules.transcript import transcript
from tests.rules.dealing import play_out


def test_ranks_go_from_three_up_to_two_and_the_joker() -> None:
    """A single is beaten by every higher single and by no other.

    rests: PG-07 RU-04
    """
    shapes = compile_ruleset("pagat").shapes
    order = [SINGLES[IDS["S" + rank]] for rank in "3456789TJQKA2"] + [SINGLES[IDS["JK"]]]
    for low, weaker in enumerate(order):
        for high, stronger in enumerate(order):
            assert shapes.beats(stronger, weaker, False) == (high > low)


def test_suits_mean_nothing_in_the_basic_game() -> None:
    """rests: DX-06"""
    shapes = compile_ruleset("denexa").shapes
    eights = [SINGLES[IDS[suit + "8"]] for suit in "SHDC"]
    assert not any(shapes.beats(a, b, False) for a in eights for b in eights)


def test_the_documents_example_of_four_players_goes_as_it_is_told() -> None:
    """Pairs only; Chinatsu (B) passes twice, then her ace and joker are not beaten.

    rests: PG-37 PG-38 PG-39 FO-16 FO-17 FO-25
    """
    lines = lines_of(
        ExampleHand(
            {},
            "A S4 H4 S3 / B HA JK D3 / C D7 C7 HK CK C3 / D S8 D8 C8 H2 H3",
            "A S4 H4, B pass, C D7 C7, D S8 D8 C8 refused, D H2 refused, D S8 D8, A pass, B pass, "
            "C HK CK, D pass, A pass, B HA JK, C pass, D pass, A pass",
        )
    )
    assert lines[-1].split() == ["A", "pass", "cleared;", "B", "leads"]
    assert [line.split(": ")[-1] for line in lines if "refused" in line] == ["wrong_kind"] * 2


def test_what_is_played_is_public_and_what_is_held_is_not() -> None:
    """rests: PG-21 FO-07"""
    rules = compile_ruleset("pagat")
    state = evolve(EMPTY, dealt(rules))
    assert see(rules, state, None).held == 0
    assert see(rules, state, 2).held == parse(codes(state.held[2]))


def test_everything_can_be_followed_by_ear() -> None:
    """A whole hand can be told without a card's short name, for players who listen.

    rests: FO-01
    """
    _, steps = play_out(compile_ruleset("uecda"), 3, places=(2, 0, 1, 4, 3))
    lines = transcript([events for _, events in steps], EMPTY, spoken=True)
    words = {word.strip(";,") for line in lines for word in line.split()}
    assert not words & IDS.keys()
    assert any("three of spades" in line for line in lines)
