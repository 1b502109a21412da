"""Over HTTP: what a bot's own clock says is nobody's business."""

from __future__ import annotations

from typing import Any

import pytest

from tests.real import Real

WRONG = (
    {"Date": "Thu, 01 Jan 1970 00:00:00 GMT"},
    {"Date": "Fri, 31 Dec 2999 23:59:59 GMT", "Age": "86400", "X-Request-Start": "t=0"},
    {"If-Modified-Since": "Fri, 31 Dec 2999 23:59:59 GMT", "Timeout": "0"},
)


def charged_ms(real: Real, bot: Any) -> int:
    result: int = bot.get("/api/v1/turns/ledger").json["entries"][0]["charged_ms"]
    return result


@pytest.mark.parametrize("headers", WRONG, ids=lambda headers: next(iter(headers)))
def test_a_wrong_clock_gains_and_loses_nothing(headers: dict[str, str]) -> None:
    real = Real()
    real.session()
    number, turn = real.waiting()[0]
    bot = real.bots[number]
    real.clock.pass_ms(2_000)
    again = bot.get("/api/v1/turns", headers=headers).json["turns"][0]  # type: ignore[index]
    assert again["remaining_ms"] == turn["remaining_ms"] - 2_000 == 3_000
    path = f"/api/v1/turns/{turn['turn']}"
    answered = bot.post(path, json={"choice": 0}, headers=headers)
    assert answered.status_code == 200
    assert charged_ms(real, bot) == 2_000 - 150


def test_a_time_in_an_answer_is_refused_like_every_unknown_member() -> None:
    real = Real()
    real.session()
    number, turn = real.waiting()[0]
    real.clock.pass_ms(11_000)
    path = f"/api/v1/turns/{turn['turn']}"
    response = real.bots[number].post(path, json={"choice": 0, "answered_ms": 5})
    assert response.status_code == 400
    assert real.bots[number].post(path, json={"choice": 0}).status_code == 410
    assert charged_ms(real, real.bots[number]) == 10_000
