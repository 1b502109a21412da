"""The stand-in for the referee knows whatever endpoints ask of a real one."""

from __future__ import annotations

import re
from pathlib import Path

from arena.application import Referee
from tests.web.fakes import FakeReferee

API = Path(__file__).parents[2] / "arena" / "web" / "api"


def test_the_stand_in_has_every_method_that_an_endpoint_calls() -> None:
    source = "\n".join(path.read_text(encoding="utf-8") for path in API.glob("*.py"))
    called = {name for name in re.findall(r"\.referee\.(\w+)\(", source) if hasattr(Referee, name)}
    assert len(called) > 20
    assert {name for name in called if not hasattr(FakeReferee, name)} == set()
