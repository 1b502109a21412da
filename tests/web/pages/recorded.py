"""Recorded hands as pages, without a referee: the golden hand of each preset in the viewer."""

from __future__ import annotations

from functools import cache
from urllib.parse import urlencode

import orjson
from flask import Flask, Response, request
from werkzeug.exceptions import NotFound

from arena.narration.language import Detail
from arena.rules.events import Passed, ToMove
from arena.session.recorded_hand import RecordedHand, RecordedStep
from arena.web.pages.assets import ASSETS, VERIFY
from arena.web.pages.hands import HandView, Place, viewer_values
from arena.web.pages.moments import moments_document
from arena.web.pages.rendering import render_template
from tests.narration.golden import NAMES, golden_hand

PLACE = Place(
    *("golden", "Golden cup", "golden-r01-t01", "Round 1, table 1", 3, "house", "school"),
    closed=True,
)
SECOND_MS = 1_000
LONG_MS = 7_000
LONG = 10_000


@cache
def golden_record(preset: str) -> RecordedHand:
    """The golden hand of a preset; every eighth turn took long."""
    _, rules, steps = golden_hand(preset)
    recorded, first = [], 0
    for number, events in enumerate(steps):
        charged = None if number == 0 else (SECOND_MS if number % 8 else LONG_MS)
        recorded.append(RecordedStep(first, number * SECOND_MS, tuple(events), charged))
        first += len(events)
    names = NAMES[: rules.players]
    return RecordedHand(preset, "golden", 1, 1, names, rules, tuple(recorded), "")


@cache
def long_record(least: int) -> RecordedHand:
    """A hand of at least so many events: all pass, again and again, as no rule would have it."""
    deal = golden_record("pagat").steps[0]
    steps, first = [deal], len(deal.events)
    while first < least:
        seat = len(steps) % 4
        events = (Passed(seat, False), ToMove((seat + 1) % 4))
        steps.append(RecordedStep(first, 0, events, SECOND_MS))
        first += len(events)
    return golden_record("pagat")._replace(hand="long", steps=tuple(steps))


def app() -> Flask:
    """An app with a page for each golden hand, and one for a `long` one. `steps` in a query: only
    the first of them have been played; `/host` embeds the page `of`."""
    made = Flask("recorded", static_folder=None)

    def view() -> HandView:
        seat, query = request.args.get("seat"), request.args
        detail = Detail(query.get("detail", "normal"))
        return HandView(None if seat is None else int(seat), query.get("lang", "en"), detail)

    def record_of(preset: str) -> RecordedHand:
        record = long_record(LONG) if preset == "long" else golden_record(preset)
        return record._replace(steps=record.steps[: request.args.get("steps", type=int)])

    @made.get("/host")
    def host() -> str:
        return f'<!doctype html><title>Host</title><iframe src="{request.args["of"]}"></iframe>'

    @made.get("/hands/<preset>")
    def hand(preset: str) -> bytes:
        at = request.args.get("at", type=int)
        log, theme = request.args.get("log", "trick"), request.args.get("theme")
        query = urlencode({name: v for name, v in request.args.items() if name != "at"})
        data = {"moments": f"/hands/{preset}/moments?{query}", "verify": VERIFY.path}
        over = "steps" not in request.args
        values = viewer_values(record_of(preset), view(), at, log, theme, over=over)
        page = {"commitment": "", "place": PLACE}
        return render_template("hand.html", {**values, **page, "data": data})

    @made.get("/hands/<preset>/moments")
    def moments(preset: str) -> Response:
        record = record_of(preset)
        over = "steps" not in request.args
        by = view().narrator(record)
        document = moments_document(by, record.hand, by.moments(record.steps), over=over)
        return Response(orjson.dumps(document), mimetype="application/json")

    @made.get("/static/<file>")
    def static(file: str) -> Response:
        if file not in ASSETS:
            raise NotFound
        return Response(ASSETS[file].body, content_type=ASSETS[file].media)

    return made
