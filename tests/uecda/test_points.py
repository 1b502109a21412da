"""The table of points, and what a contest prints while it goes on."""

from __future__ import annotations

from arena.cli.uecda.printing import PlainProgress, TerminalProgress, document, lines
from arena.uecda.points import points_table
from tests.uecda.memory import contest, five

POINTS = (5, 4, 3, 2, 1)


def test_points_are_summed_by_place_and_equal_ones_share_a_rank() -> None:
    table = points_table([(0, 1, 2, 3, 4), (1, 0, 2, 4, 3)], POINTS)
    assert [(line.rank, line.player, line.points) for line in table] == [
        (1, 0, 9),
        (1, 1, 9),
        (3, 2, 6),
        (4, 3, 3),
        (4, 4, 3),
    ]
    assert table[0].places == (1, 1, 0, 0, 0)
    assert (table[2].hands, table[2].mean) == (2, 3.0)


def test_without_a_hand_nobody_has_points() -> None:
    assert [line.mean for line in points_table([], POINTS)] == [0.0] * 5


def test_the_table_has_a_line_for_each_player_and_says_what_went_wrong() -> None:
    own, _ = contest(five(), hands=2)
    own.clients[1].refuse("of no card")
    own.clients[2].leave()
    printed = lines(own, [(0, 1, 2, 3, 4), (1, 0, 2, 4, 3)])
    assert printed[0] == "2 of 2 hands"
    assert printed[3].split() == ["1", "probe0", "9", "4.50", "1", "1", "0", "0", "0"]
    assert printed[-2:] == ["probe1: 1 refused", "probe2: gone before the end"]
    first = document(own, [(0, 1, 2, 3, 4)])["players"][0]
    assert (first["rank"], first["name"], first["points"], first["mean"]) == (1, "probe0", 5, 5.0)


def test_a_log_has_a_line_for_each_hundred_hands_and_a_terminal_one_that_changes(capsys) -> None:
    own, _ = contest(five(), hands=200)
    finishes = [(0, 1, 2, 3, 4)] * 100
    plain, terminal = PlainProgress(), TerminalProgress()
    plain.hand(own, finishes[:99])
    assert capsys.readouterr().err == ""
    plain.hand(own, finishes)
    line = "hand 100 of 200: probe0 500, probe1 400, probe2 300, probe3 200, probe4 100"
    assert capsys.readouterr().err == f"{line}\n"
    terminal.hand(own, finishes)
    terminal.line("player 1 has gone")
    terminal.clear()
    assert capsys.readouterr().err == f"\r{line}\rplayer 1 has gone\n{line}\r"
