"""Recorded hands as pages, without a referee: the golden hand of each preset in the viewer."""

from __future__ import annotations

import gzip
from functools import cache
from urllib.parse import urlencode

import orjson
from flask import Flask, Response, request
from werkzeug.exceptions import NotFound

from arena.narration.language import Detail
from arena.session.recorded_hand import RecordedHand, RecordedStep
from arena.web.pages.assets import ASSETS, VERIFY
from arena.web.pages.hands import Beside, HandView, viewer_values
from arena.web.pages.moments import moments_document
from arena.web.pages.rendering import render_template
from tests.narration.golden import NAMES, golden_hand

SECOND_MS = 1_000
LONG_MS = 7_000


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


def app() -> Flask:
    """An app with a page for each golden hand."""
    made = Flask("recorded", static_folder=None)

    def view() -> HandView:
        seat, query = request.args.get("seat"), request.args
        detail = Detail(query.get("detail", "normal"))
        return HandView(None if seat is None else int(seat), query.get("lang", "en"), detail)

    @made.get("/hands/<preset>")
    def hand(preset: str) -> bytes:
        at = request.args.get("at", type=int)
        log, theme = request.args.get("log", "trick"), request.args.get("theme")
        query = urlencode({name: v for name, v in request.args.items() if name != "at"})
        data = {"moments": f"/hands/{preset}/moments?{query}", "verify": VERIFY.path}
        values = viewer_values(golden_record(preset), view(), at, log, theme)
        page = {"session": "golden", "commitment": "", "beside": Beside("house", "school")}
        return render_template("hand.html", {**values, **page, "data": data})

    @made.get("/hands/<preset>/moments")
    def moments(preset: str) -> Response:
        record = golden_record(preset)
        document = moments_document(view().narrator(record), record.hand, record.steps)
        return Response(orjson.dumps(document), mimetype="application/json")

    @made.get("/static/<file>")
    def static(file: str) -> Response:
        if file not in ASSETS:
            raise NotFound
        return Response(ASSETS[file].body, content_type=ASSETS[file].media)

    return made


def on_the_wire(body: bytes) -> int:
    """What a body costs that is sent to a browser."""
    return len(gzip.compress(body, 6))
