"""Alarms and the dashboard ask for metrics that there are, with labels that they have."""

from __future__ import annotations

import json
import re
from functools import cache

import pytest
from prometheus_client import CollectorRegistry, generate_latest

from arena.web.routing.hop_metrics import HopMetrics
from tests.cluster.memory import Database, Member
from tests.manual.pages import DEPLOY, ROOT, rows, section, text
from tests.real import Real
from tests.referee.table import FakeClock

FOLDER = ROOT / "arena" / "deploy"
PAGE = next(page for page in DEPLOY if page.stem == "monitoring")
ALERTS = pytest.importorskip("yaml").safe_load((FOLDER / "alerts.yaml").read_bytes())
"""The package comes with those that the tests of the API need."""
RULES = [rule for group in ALERTS["groups"] for rule in group["rules"]]
DURATION = re.compile(r"[1-9][0-9]*(s|m|h)")
FORM = {"alert", "expr", "for", "annotations"}
FUNCTIONS = {"histogram_quantile", "sum", "rate", "increase"}
DASHBOARD = json.loads((FOLDER / "dashboard.json").read_bytes())


@cache
def metrics() -> dict[str, set[str]]:
    """The metrics of a referee that was asked something, with the labels of each."""
    real = Real()
    real.session()
    real.anybody.get("/metrics")  # a request is counted when it is over
    text = real.anybody.get("/metrics").text + metrics_of_several()
    found: dict[str, set[str]] = {}
    for line in text.splitlines():
        name, labels = (
            re.findall(r"^([a-z_]+)(?:\{(.*)\})?", line)[0] if line[0] != "#" else ("", "")
        )
        found.setdefault(name, set()).update(re.findall(r"(\w+)=", labels))
    return found


def metrics_of_several() -> str:
    """What a referee counts beside that where it shares its database."""
    referee = Member(Database(), FakeClock(), "referee-1").referee
    registry = CollectorRegistry()
    hops = HopMetrics(registry)
    hops.hop("referee-2", 0.01)
    hops.failed("referee-2")
    shown = referee.metrics() + generate_latest(registry)
    referee.stop()
    return shown.decode()


def first_lines(name: str) -> str:
    """What a referee says of a metric before it was asked anything."""
    lines = Real().anybody.get("/metrics").text.splitlines()
    return "\n".join(line for line in lines if line.startswith(name))


def expressions() -> list[str]:
    return [rule["expr"] for rule in RULES] + [
        target["expr"] for panel in DASHBOARD["panels"] for target in panel["targets"]
    ]


def test_every_metric_that_is_asked_for_is_there() -> None:
    assert len(expressions()) >= 15
    for expression in expressions():
        for name, labels in re.findall(r"\b(arena_[a-z_]+)(?:\{([^}]*)\})?", expression):
            assert name in metrics(), expression
            assert set(re.findall(r"(\w+)=", labels)) <= metrics()[name], expression


def test_what_is_shown_apart_is_a_label() -> None:
    for panel in DASHBOARD["panels"]:
        for target in panel["targets"]:
            names = re.findall(r"\b(arena_[a-z_]+)", target["expr"])
            labels = set(re.findall(r"\{\{(\w+)\}\}", target["legendFormat"]))
            assert labels <= {"instance", *metrics()[names[0]]}, target


def test_the_page_explains_every_alarm() -> None:
    named = [row[0].strip("`") for row in rows(section(PAGE, "Which alarms are worth having?"))]
    assert named == [rule["alert"] for rule in RULES]


def test_alarms_have_the_form_that_prometheus_reads() -> None:
    assert ALERTS.keys() == {"groups"}
    for group in ALERTS["groups"]:
        assert group.keys() == {"name", "rules"}
    for rule in RULES:
        assert {"alert", "expr", "annotations"} <= rule.keys() <= FORM
        assert DURATION.fullmatch(rule.get("for", "1s"))
        assert rule["annotations"].keys() == {"summary"}
        named = re.findall(r"\{\{ (.+?) \}\}", rule["annotations"]["summary"])
        assert set(named) <= {"$labels.instance", "$value"}


@pytest.mark.parametrize("expression", expressions())
def test_an_expression_is_closed_and_calls_what_there_is(expression: str) -> None:
    pairs = {")": "(", "]": "[", "}": "{"}
    unclosed: list[str] = []
    for letter in re.sub(r'"[^"]*"', "", expression):
        if letter in pairs.values():
            unclosed.append(letter)
        elif letter in pairs:
            assert unclosed.pop() == pairs[letter]
    assert unclosed == []
    assert set(re.findall(r"(\w+)\(", expression.replace("by (", "by("))) <= {*FUNCTIONS, "by"}
    assert all(map(DURATION.fullmatch, re.findall(r"\[(.*?)\]", expression)))


def test_the_first_fault_of_an_endpoint_is_an_alarm() -> None:
    """Its series begins with 1: no increase, but no series five minutes ago."""
    [rule] = [rule for rule in RULES if rule["alert"] == "ArenaFaults"]
    assert "status" not in first_lines("arena_http_requests_total")
    assert 'unless arena_http_requests_total{status="500"} offset 5m' in rule["expr"]
    [server] = [rule for rule in RULES if rule["alert"] == "ArenaAnswersForBots"]
    assert 'cause="server"' in server["expr"]
    assert 'cause="server"' in first_lines("arena_turns_expired_total")


def test_panels_have_a_place_and_a_name_of_their_own() -> None:
    places = [(each["gridPos"]["x"], each["gridPos"]["y"]) for each in DASHBOARD["panels"]]
    titles = [each["title"] for each in DASHBOARD["panels"]]
    assert len(set(places)) == len(set(titles)) == len(titles)
    assert "`arena/deploy/dashboard.json`" in text(PAGE)
