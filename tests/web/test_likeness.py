from __future__ import annotations

import pytest

from arena.errors import BadInput
from arena.web.likeness import check_likeness


@pytest.mark.parametrize(
    "name",
    [
        "alice-1",
        "Zoë",
        "大富豪ボット3",
        "かくめいAI",
        "革命くん Mk2",
        "々ロボットー",
        "김봇 v2",
        "Иван",
        "Ωμέγα bot".replace(" bot", ""),
        "Nguyễn",
        "🂡 ace",
        "x_y.z",
    ],
)
def test_honest_names_are_taken(name: str) -> None:
    check_likeness(name)


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("аlice", "one script"),
        ("alicе", "one script"),
        ("раураl".replace("l", "ӏ"), "look like Latin"),
        ("ΑΒΒΑ", "look like Latin"),
        ("ａｌｉｃｅ", "plain letters"),
        ("𝐚𝐥𝐢𝐜𝐞", "plain letters"),
        ("alice①", "plain letters"),
        ("alice١", "digits"),
        ("Z͑ͫ̓ͪ̂ͫ̽͏a", "marks"),
        ("Ваbка", "one script"),
    ],
)
def test_names_that_pass_for_others_are_refused_with_the_reason(name: str, why: str) -> None:
    with pytest.raises(BadInput, match=why):
        check_likeness(name)
