"""Tables that fill themselves."""

from __future__ import annotations

from arena.rules.memo import Memo


def test_a_value_is_worked_out_once() -> None:
    asked = []

    def square(number: int) -> int:
        asked.append(number)
        return number * number

    squares = Memo(square)
    assert [squares[3], squares[4], squares[3]] == [9, 16, 9]
    assert asked == [3, 4]
