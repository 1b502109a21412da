"""A value that no command can use is refused before anything is done."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from arena.cli.main import group
from arena.errors import BadInput


def refusal(line: str) -> str:
    """What a command says that is called with a bad value."""
    done = CliRunner().invoke(group, line.split())
    if isinstance(done.exception, BadInput):
        return str(done.exception)
    assert done.exit_code == 2, done.output
    return done.stderr.splitlines()[-1]


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("demo --hands 0", "--hands': 0 is not in the range 1<=x<=1000"),
        ("demo --rounds 0", "--rounds': 0 is not in the range 1<=x<=64"),
        ("demo --rounds 100000", "--rounds': 100000 is not in the range 1<=x<=64"),
        ("demo --seed xx", "seed is 'xx'; expected 2 to 64 hex digits"),
        ("demo --seed 0", "seed is '0'; expected 2 to 64 hex digits"),
        ("prune --records old --days -3", "--days is -3.0; expected 0 or more"),
        ("prune --records old --days nan", "--days is nan; expected 0 or more"),
        ("prune --records old --days inf", "--days is inf; expected 0 or more"),
        ("bench engine --hands -1", "--hands': -1 is not in the range x>=1"),
        ("bench parts --hands 0", "--hands': 0 is not in the range x>=1"),
        ("bench crash --kills 0", "--kills': 0 is not in the range x>=1"),
        ("bench statistics --scale -1", "--scale': -1.0 is not in the range x>0"),
        ("schedule --bots 8 --hands 0", "--hands': 0 is not in the range x>=1"),
        ("schedule --bots 8 --bots-per-owner 0", "--bots-per-owner': 0 is not in the range x>=1"),
        ("schedule --bots 8 --prizes 0", "--prizes': 0 is not in the range x>=1"),
    ],
)
def test_a_bad_value_is_named_and_nothing_is_begun(
    line: str, says: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert says in refusal(line)
    assert list(tmp_path.iterdir()) == []
