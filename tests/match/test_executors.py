"""The contract of executors: whatever plays the blocks, the verdict is the same to the byte."""

from __future__ import annotations

import json
import logging
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import cache

import pytest

from arena.cli.matching.report import MatchOutcome, document
from arena.errors import BadInput, Unavailable
from arena.match.attempts import FirstErrors
from arena.match.conduct import together
from arena.match.executors import Renewed, find_factory
from arena.match.local import Match, MatchTerms
from arena.match.matches import play_match
from tests.match import factories

LOWEST = "tests.match.players:Lowest"
RANDOM = "sample_bots.random_bot:RandomBot"
HERE = "tests.match.factories"


def match(first, *, hands_per_table=1, record=True):
    terms = MatchTerms(ruleset={"preset": "pagat"}, hands_per_table=hands_per_table, seed=11)
    return Match(first, "tests.match.players:Cheat", (RANDOM, LOWEST), terms, record=record)


def outcome(executor, *, first=RANDOM, hands=20):
    """What a match prints as JSON, without what a clock has measured, and what it records."""
    played, conduct, records = match(first), {}, []

    def watch(test, block):
        conduct.update(together(conduct, block.conduct))
        records.extend(block.records)

    with executor:
        test = play_match(played, executor, hands=hands, window=4, watch=watch)
    others = played.others_at_table
    whole = MatchOutcome(first, played.second, others, test, None, conduct, 5_000, 4)
    written = document(whole)
    del written["slowest_ms"]
    return json.dumps(written), "".join(records)


@cache
def expected():
    return outcome(factories.inline())


@pytest.mark.server
@pytest.mark.parametrize("kind", ["threads", "spawned", "workers", "dask"])
def test_the_verdict_and_the_records_are_the_same_to_the_byte(kind):
    assert outcome(Renewed(find_factory(f"{HERE}:{kind}"), name=kind)) == expected()


@pytest.mark.slow
def test_the_contract_is_about_something():
    outcome_text, records = expected()
    assert json.loads(outcome_text)["blocks"] == 5
    assert json.loads(outcome_text)["refused"]["B"] > 0
    assert len(set(records.splitlines())) == 20
    assert outcome(factories.inline(), first=LOWEST) != expected()


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("no_such_module:pool", r"No module named 'no_such_module'"),
        (f"{HERE}:no_such_name", r"has no attribute 'no_such_name'"),
        (f"{HERE}:NO_FACTORY", r"it is a int"),
        (HERE, r"expected MODULE:FACTORY"),
        (":pool", r"expected MODULE:FACTORY"),
        ("tests.match.factories:", r"expected MODULE:FACTORY"),
    ],
)
def test_what_is_no_factory_is_refused(source, said):
    with pytest.raises(BadInput, match=said) as raised:
        find_factory(source)
    assert str(raised.value).startswith(f"executor is '{source}'; expected MODULE:FACTORY")


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("raising", r"ConnectionRefusedError: no cluster is there"),
        ("no_executor", r"a dict has no submit"),
    ],
)
def test_what_makes_no_executor_is_refused(name, said):
    with (
        Renewed(find_factory(f"{HERE}:{name}"), name="x:y") as executor,
        pytest.raises(BadInput, match=said),
    ):
        executor.submit(abs, -1)


def test_an_executor_that_takes_nothing_even_when_it_is_fresh_is_said_so():
    with (
        Renewed(factories.Finished, name="x:y") as executor,
        pytest.raises(Unavailable, match="executor x:y takes nothing: RuntimeError: cannot"),
    ):
        executor.submit(abs, -1)


def test_a_fresh_executor_takes_the_place_of_one_that_takes_nothing_more():
    made = []

    def factory():
        made.append(ThreadPoolExecutor(1))
        return made[-1]

    with Renewed(factory, name="x:y") as executor:
        assert executor.submit(abs, -1).result() == 1
        made[0].shutdown()
        assert executor.submit(abs, -2).result() == 2
    assert len(made) == 2
    with pytest.raises(RuntimeError):
        made[1].submit(abs, -3)
    with pytest.raises(RuntimeError, match="after the end"):
        executor.submit(abs, -3)


class Noting(ThreadPoolExecutor):
    """Remembers whether its end was waited for."""

    def shutdown(self, wait=True, *, cancel_futures=False):
        self.waited = wait
        super().shutdown(wait, cancel_futures=cancel_futures)


@pytest.mark.parametrize(("error", "waits"), [(None, True), (KeyboardInterrupt, False)])
def test_whoever_is_interrupted_waits_for_nothing_that_still_runs(error, waits):
    pool = Noting(1)
    with suppress(KeyboardInterrupt), Renewed(lambda: pool, name="x:y") as executor:
        executor.submit(abs, -1).result()
        if error:
            raise error
    assert pool.waited is waits


def test_nothing_is_made_for_nothing():
    with Renewed(factories.raising, name="x:y"):
        pass


@pytest.mark.slow
def test_bots_in_several_threads_log_the_first_mistake_only(caplog):
    played = match("tests.match.players:Broken", record=False)
    with ThreadPoolExecutor(4) as pool:
        play_match(played, pool, hands=16, window=4)
    assert [record.levelname for record in caplog.records if record.name == "arena.client"] == [
        "ERROR"
    ]
    assert not any(
        isinstance(each, FirstErrors) for each in logging.getLogger("arena.client").filters
    )
