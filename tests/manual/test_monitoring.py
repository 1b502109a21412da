"""Alarms and the dashboard ask for metrics that there are, with labels that they have."""

from __future__ import annotations

import json
import re
from functools import cache

from tests.manual.pages import DEPLOY, ROOT, rows, section, text
from tests.real import Real

FOLDER = ROOT / "arena" / "deploy"
PAGE = next(page for page in DEPLOY if page.stem == "monitoring")
ALERTS = (FOLDER / "alerts.yaml").read_text(encoding="utf-8")
DASHBOARD = json.loads((FOLDER / "dashboard.json").read_bytes())


@cache
def metrics() -> dict[str, set[str]]:
    """The metrics of a referee that was asked something, with the labels of each."""
    real = Real()
    real.session()
    found: dict[str, set[str]] = {}
    for _ in range(2):  # the first request is counted when it is over
        for line in real.anybody.get("/metrics").text.splitlines():
            name, labels = (
                re.findall(r"^([a-z_]+)(?:\{(.*)\})?", line)[0] if line[0] != "#" else ("", "")
            )
            found.setdefault(name, set()).update(re.findall(r"(\w+)=", labels))
    return found


def expressions() -> list[str]:
    asked = re.findall(r"^ +expr: (.+)$", ALERTS, re.MULTILINE)
    return asked + [target["expr"] for panel in DASHBOARD["panels"] for target in panel["targets"]]


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
    assert named == re.findall(r"- alert: (\w+)", ALERTS)


def test_panels_have_a_place_and_a_name_of_their_own() -> None:
    places = [(each["gridPos"]["x"], each["gridPos"]["y"]) for each in DASHBOARD["panels"]]
    titles = [each["title"] for each in DASHBOARD["panels"]]
    assert len(set(places)) == len(set(titles)) == len(titles)
    assert "`arena/deploy/dashboard.json`" in text(PAGE)
