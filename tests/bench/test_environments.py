"""The benchmark of environments measures ours, and names what is not installed."""

from __future__ import annotations

import json
import sys

import pytest
from click import ClickException

from arena.bench.environments import RLCARD_GAMES, compare
from arena.cli.benchmarks.command import command
from tests.cli.shell import arena


def test_ours_are_measured_and_what_is_missing_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "rlcard", None)
    monkeypatch.setitem(sys.modules, "pettingzoo.classic.leduc_holdem_v4", None)
    found = compare([("pagat", "pagat"), ("dqx", "dqx")], seconds=0.05)
    ours = [pace for pace in found.paces if pace.ours]
    assert [pace.name for pace in ours] == ["arena.envs pagat", "arena.envs dqx"]
    assert all(pace.best >= pace.middle > 0 for pace in ours)
    assert all(pace.length > 20 for pace in ours)
    named = [each.partition(":")[0] for each in found.missing]
    assert named[-3:] == [f"RLCard {name}" for name in RLCARD_GAMES]
    assert "PettingZoo leduc_holdem_v4" in named


def test_without_the_extra_the_command_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delitem(sys.modules, "arena.bench.environments")
    for name in [name for name in sys.modules if name.startswith("arena.envs")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "gymnasium", None)
    with pytest.raises(ClickException, match=r"pip install 'daifugo-arena\[envs\]'"):
        command.main(["envs"], standalone_mode=False)


@pytest.mark.server
def test_the_command_prints_json() -> None:
    done = arena("bench", "envs", "--seconds", "0.1", "--ruleset", "pagat", "--json")
    assert done.returncode == 0, done.stderr
    rows = json.loads(done.stdout)
    assert rows[0]["environment"] == "arena.envs pagat"
    assert rows[0]["pagat / this"] == 1
    measured = {row["environment"] for row in rows}
    for name in RLCARD_GAMES:
        assert f"RLCard {name}" in measured or f"not measured: RLCard {name}" in done.stderr
