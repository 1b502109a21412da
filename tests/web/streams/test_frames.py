"""Every frame of real streams fits its schema, and the schema knows no others."""

from __future__ import annotations

import pytest

from arena.web.api.validation import Schemas
from tests.real import Real
from tests.web.api.test_results import play
from tests.web.streams.reading import Event, Following, snapshot

TABLE = "cup-r01-t01"
FIRST = f"{TABLE}-h001"


def document(event: Event) -> dict[str, object]:
    """A frame as its schema describes it."""
    fields = {"event": event.event, "data": event.data}
    return fields | {"id": event.id} if event.id else fields


@pytest.fixture(scope="module")
def frames() -> list[Event]:
    """What is sent in every form, of a session with some of everything."""
    real = Real()
    real.session(4, hands_per_table=3, ruleset={"preset": "pagat", "patches": ["kakumei"]})
    with Following(real.anybody, f"table={TABLE}") as following:
        found = [next(following)]
        play(real)
        found += following
    for form in ("form=moments", "form=moments&lang=ja&detail=full", "form=hands"):
        found += snapshot(real.anybody, f"hand={FIRST}&{form}")
    found += snapshot(real.anybody, "session=cup") + snapshot(real.anybody, "sessions=all")
    real.session(4, names="next", slug="next")
    play(real, at_most=9)
    with Following(real.anybody, "hand=next-r01-t01-h001") as following:
        found.append(next(following))
        assert real.organiser.post("/api/v1/sessions/next/embargo", json={}).status_code == 200
        found += following
    real.session(4, names="void", slug="void")
    reason = {"reason": "power cut"}
    voided = real.organiser.post("/api/v1/tables/void-r01-t01/void", json=reason)
    assert voided.status_code == 200
    return found + snapshot(real.anybody, "hand=void-r01-t01-h001")


def test_every_frame_fits_the_schema(frames: list[Event], schemas: Schemas) -> None:
    for event in frames:
        assert schemas.faults("frame", document(event)) == [], event


def test_every_kind_of_frame_is_sent(frames: list[Event], schemas: Schemas) -> None:
    kinds = schemas.documents["frame"]["properties"]["event"]["enum"]
    parts = [each["properties"]["event"]["const"] for each in schemas.documents["frame"]["oneOf"]]
    assert {event.event for event in frames} == set(kinds) == set(parts)
    assert {event.data["status"] for event in frames if event.event == "over"} == {
        "finished",
        "void",
    }


def test_another_frame_does_not_fit(frames: list[Event], schemas: Schemas) -> None:
    for event in {each.event: each for each in frames}.values():
        whole = document(event)
        for name in event.data:
            less = {key: value for key, value in event.data.items() if key != name}
            assert not schemas.is_valid("frame", whole | {"data": less})
        assert not schemas.is_valid("frame", whole | {"data": event.data | {"more": 1}})
    assert not schemas.is_valid("frame", {"event": "news", "data": {}})
