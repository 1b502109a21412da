"""What tables share: blocks, shuffles, and how far the seats are moved on."""

from __future__ import annotations

import pytest

from arena.session.deal_groups import DealGroup, alone, planned_table, planned_tables, replicas

LINE_UPS = ((0, 1, 2), (3, 4, 5))


def test_with_fresh_deals_a_table_shares_nothing() -> None:
    found = planned_tables("fresh", "cup", 2, line_ups=LINE_UPS)
    assert [place.number for place in found] == [1, 2]
    assert [place.group for place in found] == [alone("cup-r02-t01"), alone("cup-r02-t02")]


def test_with_common_deals_a_round_shares_its_shuffles_and_no_blocks() -> None:
    found = planned_tables("common", "cup", 2, line_ups=LINE_UPS)
    assert [place.group for place in found] == [
        DealGroup("cup-r02-t01", "cup-r02", shared=True),
        DealGroup("cup-r02-t02", "cup-r02", shared=True),
    ]


def test_rotate_gives_every_line_up_as_many_tables_as_it_has_bots() -> None:
    found = planned_tables("rotate", "cup", 1, line_ups=LINE_UPS)
    assert [place.number for place in found] == [1, 2, 3, 4, 5, 6]
    assert [place.line_up for place in found] == [LINE_UPS[0]] * 3 + [LINE_UPS[1]] * 3
    assert found[4].group == DealGroup("cup-r01-b02", "cup-r01-b02", turned=1, shared=True)
    assert replicas("rotate", LINE_UPS[0]) == 3
    assert replicas("common", LINE_UPS[0]) == 1


@pytest.mark.parametrize("deals", ["fresh", "rotate", "common"])
def test_a_table_is_found_by_its_round_and_number(deals: str) -> None:
    for place in planned_tables(deals, "cup", 1, line_ups=LINE_UPS):
        assert planned_table(deals, "cup", 1, number=place.number, rounds=[LINE_UPS]) == place


@pytest.mark.parametrize(("round_", "number"), [(0, 1), (1, 0), (1, 3), (2, 1), (-1, 1)])
def test_a_table_that_is_not_in_the_schedule_has_no_place(round_: int, number: int) -> None:
    assert planned_table("fresh", "cup", round_, number=number, rounds=[LINE_UPS]) is None
