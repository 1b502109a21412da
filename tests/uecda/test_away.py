"""Bots of the kit on another server: what they are asked, and a shadow like its tables."""

from __future__ import annotations

from random import Random

import pytest
from arena.uecda.away import AwayClient, away_setting

from arena.errors import BadInput
from arena.match.kit import KitPlayer
from arena.match.local import make_bot
from arena.rules import compile_ruleset
from tests.match.players import Lucky
from tests.uecda.clients import Client, lucky, profile
from tests.uecda.golden import HANDS, golden_streams
from tests.uecda.memory import contest, five
from tests.uecda.model import Model, check

UECDA = compile_ruleset({"preset": "uecda"})


class Away:
    """A bot on our own server, called as the clients of tests are."""

    def __init__(self, name, player, seed):
        self.name = name
        self.down, self.up = bytearray(), bytearray()
        self.own = AwayClient(name, player, away_setting(UECDA, name), Random(seed))

    def receive(self, data):
        self.down += data
        self.own.receive(data)
        return self.sent()

    def sent(self):
        data = self.own.output()
        self.up += data
        return data


def kit_bot(source, number):
    """A bot of the kit at an away table."""
    setting = away_setting(UECDA, f"bot{number}")
    return KitPlayer(make_bot(source, seed=str(number)), setting, strict=True)


@pytest.mark.slow
@pytest.mark.parametrize("seed", [14, 24, 35])
def test_a_shadow_agrees_with_every_table_of_our_own_server(seed: int) -> None:
    clients = [Away(f"bot{n}", Lucky(n), seed + n) for n in range(5)]
    table, sockets = contest(clients, hands=6, seed=seed)
    assert len(list(table.play(sockets))) == 6
    report = check([c.down for c in clients], [c.up for c in clients], hands=6)
    assert report.mismatches == []
    for client in clients:
        tally = client.own.tally
        assert (tally.hands, tally.refused, tally.differences) == (6, 0, 0)
        assert client.own.is_over
        points = sum(n * (5 - place) for place, n in enumerate(tally.places))
        assert points == report.points[client.down[3]]


@pytest.mark.slow
@pytest.mark.parametrize("source", ["heuristic:Heuristic", "lowest:Lowest", "random_bot:RandomBot"])
def test_the_sample_bots_play_away_without_a_refused_play(source: str) -> None:
    away = [Away(f"bot{n}", kit_bot(f"sample_bots.{source}", n), n) for n in range(2)]
    table, sockets = contest([*away, *five()[:3]], hands=4, seed=3)
    assert len(list(table.play(sockets))) == 4
    for each in away:
        assert (each.own.tally.refused, each.own.tally.differences) == (0, 0)
        assert each.own.is_over


def test_a_server_with_other_rules_is_followed_by_its_tables() -> None:
    """The recorded session, in which the bot's own answers are not those of the recording."""
    down, _ = golden_streams()
    away = AwayClient("probe0", Lucky(3), away_setting(UECDA, "probe0"), Random(1))
    away.receive(down[0])
    assert away.is_over
    assert away.tally.hands == HANDS
    assert sum(away.tally.places) == HANDS


@pytest.mark.slow
def test_a_table_that_contradicts_the_shadow_is_believed_and_counted() -> None:
    data = bytearray(golden_streams()[0][0])
    model = Model(*golden_streams())
    model.run()
    ends = [0, *sorted(model.down[0].ends)]
    tables = [at for at, kind in enumerate(model.down[0].kinds) if kind == "hand table"]
    data[ends[tables[150]] + 4 * 81 + 3] ^= 1  # there is a revolution now
    away = AwayClient("probe0", Lucky(3), away_setting(UECDA, "probe0"), Random(1))
    away.receive(bytes(data))
    assert away.is_over
    assert away.tally.differences >= 1
    assert away.tally.hands == HANDS


@pytest.mark.parametrize("cut", [1, 7, 481])
def test_what_comes_may_be_cut_anywhere(cut: int) -> None:
    down, _ = golden_streams()
    away = AwayClient("probe0", Lucky(3), away_setting(UECDA, "probe0"), Random(1))
    sent = b""
    data = down[0][: 200 * 484]
    for at in range(0, len(data), cut):
        away.receive(data[at : at + cut])
        sent += away.output()
    whole = AwayClient("probe0", Lucky(3), away_setting(UECDA, "probe0"), Random(1))
    whole.receive(data)
    assert whole.output() == sent
    assert sent.startswith(profile("probe0"))


def test_a_message_that_is_none_of_the_protocol_is_named() -> None:
    away = AwayClient("a", Lucky(1), away_setting(UECDA, "a"), Random(1))
    with pytest.raises(BadInput, match="the mark of a start table, is 0; expected one of 1"):
        away.receive(bytes(4 + 480))


def test_the_name_goes_over_the_wire_and_the_own_client_is_a_client_like_any_other() -> None:
    away = AwayClient("mybot", Lucky(1), away_setting(UECDA, "mybot"), Random(1))
    assert away.output() == profile("mybot")
    assert Client("mybot", lucky(1)).sent() == profile("mybot")
