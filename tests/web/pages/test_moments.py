"""The moments of a hand as JSON: the same as on its page, only what changed, nothing hidden."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.errors import Refused
from arena.narration.language import Detail
from arena.narration.sentences import ABOVE, LANGUAGES, PUBLIC, Perspective
from arena.rules import EMPTY, Ruleset, decide, evolve
from arena.rules.commands import Command
from arena.rules.events import Played
from arena.rules.presets import PRESETS
from arena.session.recorded_hand import RecordedStep
from arena.settings import Settings
from arena.web.api.validation import Schemas
from arena.web.pages.hands import MOST_INLINE, HandView, viewer_values
from arena.web.pages.moments import (
    LONG_THOUGHT_MS,
    START,
    moment_document,
    moments_document,
    narrator,
)
from arena.web.pages.rendering import data_block, render_template
from tests.narration.golden import FOLDER, NAMES, golden_hand
from tests.real import Real
from tests.rules.dealing import play_out
from tests.rules.strategies import rulesets
from tests.rules.test_leaks import TELLING, hidden_pairs, in_other_world
from tests.web.api.test_results import play
from tests.web.pages.recorded import LONG, PLACE, long_record
from tests.web.pages.test_hands import HAND
from tests.web.pages.test_views import PATCHES, Outline, page
from tests.web.watchdog import Watchdog

MOMENTS = f"{HAND}/moments"


@pytest.fixture(scope="module")
def real(schemas: Schemas) -> Iterator[Real]:
    """Four bots that have played two hands, with every response looked at."""
    watchdog = Watchdog(schemas)
    created = Real(settings=Settings(requests_per_s=0, anonymous_per_s=0))
    watchdog.watch(created.app)
    created.session(4, ruleset=PATCHES)
    play(created)
    yield created
    assert watchdog.complaints == []


def recorded(events: list[list[Any]], charged_ms: int | None = None) -> list[RecordedStep]:
    """Steps of these events."""
    steps, first = [], 0
    for step in events:
        steps.append(RecordedStep(first, 0, tuple(step), charged_ms))
        first += len(step)
    return steps


def boards(document: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The boards of a document, each whole: as a reader of it puts them together."""
    board: dict[str, Any] = {}
    for moment in document["moments"]:
        changed = moment["board"]
        seats = {seat["seat"]: seat for seat in board.get("seats", ())}
        for seat in changed.get("seats", ()):
            seats[seat["seat"]] = {**seats.get(seat["seat"], {}), **seat}
        board = {**board, **changed, "seats": [seats[n] for n in sorted(seats)]}
        yield board


def test_its_moments_are_those_that_the_page_lists(real: Real) -> None:
    for query in ("lang=en", "lang=ja&seat=2", "detail=full"):
        document = real.anybody.get(f"{MOMENTS}?{query}").get_json()
        text = page(real.anybody, f"{HAND}?log=all&{query}")
        outline = Outline(text)
        links = [str(a["href"]) for a in outline.of("a") if "aria-label" not in a]
        listed = [int(link.split("=")[1].partition("&")[0]) for link in links if "log=all" in link]
        assert set(listed) == {each["at"] for each in document["moments"]}
        assert all(each["text"] in "".join(outline.words) for each in document["moments"])


def test_each_board_put_together_is_the_one_that_the_page_draws(real: Real) -> None:
    document = real.anybody.get(f"{MOMENTS}?seat=1").get_json()
    for moment, board in list(zip(document["moments"], boards(document), strict=True))[::9]:
        outline = Outline(page(real.anybody, f"{HAND}?seat=1&at={moment['at']}"))
        cards = [li for li in outline.of("li") if str(li.get("class", "")).startswith("card ")]
        known = [seat["cards"] for seat in board["seats"]]
        assert len(cards) == len(board["pile"] + board["under"]) + sum(map(len, known))
        words = "".join(outline.words)
        assert all(document["cards"][name]["words"] in words for name in known[1])
        assert all(phrase in words for phrase in board["in_force"])


def test_a_board_has_only_what_has_changed(real: Real) -> None:
    document = real.anybody.get(MOMENTS).get_json()
    assert len(document["moments"][0]["board"]["seats"]) == 4
    for before, moment in zip(boards(document), document["moments"][1:], strict=False):
        changed = dict(moment["board"])
        seats = changed.pop("seats", [])
        assert all(before[member] != value for member, value in changed.items())
        for seat in seats:
            old = before["seats"][seat["seat"]]
            assert [name for name in seat if old[name] == seat[name]] == ["seat"]


def test_it_may_be_kept_for_ever_under_the_version_that_the_page_names(real: Real) -> None:
    (viewer,) = [
        each for each in Outline(page(real.anybody, HAND)).of("div") if "data-moments" in each
    ]
    versioned = real.anybody.get(str(viewer["data-moments"]))
    assert "immutable" in versioned.headers["Cache-Control"]
    for other in (MOMENTS, f"{MOMENTS}?version=former"):
        response = real.anybody.get(other)
        assert response.headers["Cache-Control"] == "no-cache"
        again = real.anybody.get(other, headers={"If-None-Match": response.headers["ETag"]})
        assert (again.status_code, again.data) == (304, b"")


@pytest.mark.parametrize(
    ("query", "code"),
    [
        ("seat=4", "bad_value"),
        ("seat=8", "invalid"),
        ("lang=xx", "invalid"),
        ("detail=much", "invalid"),
        ("at=1", "invalid"),
        ("version=", "invalid"),
    ],
)
def test_what_cannot_be_had_is_refused_by_name(real: Real, query: str, code: str) -> None:
    response = real.anybody.get(f"{MOMENTS}?{query}")
    assert (response.status_code, response.get_json()["code"]) == (400, code)
    assert query.partition("=")[0] in response.text


def test_a_withheld_hand_has_no_moments_and_a_pseudonymous_one_no_name() -> None:
    real = Real()
    real.session(4, board="pseudonymous")
    assert "bot-1" not in real.anybody.get("/hands/cup-r01-t01-h001/moments").text
    play(real)
    assert "bot-1" not in real.anybody.get(MOMENTS).text
    assert real.organiser.post("/api/v1/sessions/cup/embargo", json={}).status_code == 200
    assert real.anybody.get(MOMENTS).status_code == 403
    assert real.anybody.get("/hands/cup-r09-t01-h001/moments").status_code == 404


def test_a_void_hand_goes_to_another_version() -> None:
    own = Real()
    own.session(4)
    play(own)
    before = own.anybody.get(MOMENTS).headers["ETag"]
    version = Outline(page(own.anybody, HAND)).of("div")[0]["data-moments"]
    void = {"reason": "power cut"}
    for path, body in (
        ("sessions/cup/embargo", {}),
        ("tables/cup-r01-t01/void", void),
        ("sessions/cup/publish", {}),
    ):
        response = own.organiser.post(f"/api/v1/{path}", json=body)
        assert response.status_code == 200, response.text
    text = page(own.anybody, HAND)
    assert "power cut" in text
    assert Outline(text).of("div")[0]["data-moments"] != version
    assert own.anybody.get(MOMENTS).headers["ETag"] == before


@pytest.mark.parametrize("query", ["", "?seat=1&lang=ja", "?watch=1&detail=brief&at=9"])
def test_a_page_has_the_same_moments_in_it_as_data(real: Real, query: str) -> None:
    data = page(real.anybody, f"{HAND}{query}").partition('<script type="application/json">')[2]
    document = orjson.loads(data.partition("</script>")[0])
    served = real.anybody.get(f"{MOMENTS}{query.replace('&at=9', '')}").get_json()
    assert document == served


def test_a_hand_of_many_steps_does_not_come_along_with_its_page() -> None:
    few, many = (
        viewer_values(long_record(2 * steps), HandView(None, "en", Detail.NORMAL))
        for steps in (MOST_INLINE - 2, MOST_INLINE + 2)
    )
    assert few["inline"] is not None
    assert many["inline"] is None


def test_no_text_in_a_block_of_data_ends_it() -> None:
    document = {"names": ["</script><script>alert(1)</script>", "<!--<script>", "大富豪 & 'x'"]}
    block = data_block(document)
    assert "<" not in block
    assert orjson.loads(block.encode()) == document


def test_a_turn_that_took_long_is_notable() -> None:
    _, rules, steps = golden_hand("pagat")
    by = narrator(LANGUAGES["en"], NAMES[: rules.players], rules, reader=ABOVE)
    for charged_ms, notable in ((LONG_THOUGHT_MS - 1, False), (LONG_THOUGHT_MS, True)):
        line, _ = next(by.lines(recorded(steps[1:2], charged_ms), START.after(steps[0])))
        assert ("long thought" in line.notable) is notable
        assert line.charged_ms == charged_ms


@pytest.mark.parametrize("code", LANGUAGES)
@pytest.mark.parametrize("preset", PRESETS)
def test_the_sentences_of_moments_are_the_golden_ones(
    preset: str, code: str, schemas: Schemas
) -> None:
    _, rules, steps = golden_hand(preset)
    names = NAMES[: rules.players]
    by = narrator(LANGUAGES[code], names, rules, reader=ABOVE, detail=Detail.FULL)
    document = orjson.loads(orjson.dumps(moments_document(by, "h", by.moments(recorded(steps)))))
    assert schemas.faults("moments", document) == []
    golden = (FOLDER / f"{preset}.{code}.txt").read_text(encoding="utf-8").splitlines()
    texts = [each["text"] for each in document["moments"]]
    assert texts == [line for line in golden if line in set(texts)]


def test_what_was_played_last_lies_faded_until_somebody_plays() -> None:
    _, rules, steps = golden_hand("pagat")
    by = narrator(LANGUAGES["en"], NAMES[: rules.players], rules, reader=PUBLIC)
    plays: list[tuple[str, ...]] = [(), ()]
    for step, moment in zip(steps, by.moments(recorded(steps)), strict=True):
        plays += [event.meld.codes for event in step if isinstance(event, Played)]
        if moment.board.pile:
            assert moment.board.pile == plays[-1]
            assert moment.board.under in (plays[-2], ())
        else:
            assert moment.board.under == plays[-1]


def test_moments_can_be_made_one_after_the_other_while_a_hand_is_played() -> None:
    _, rules, steps = golden_hand("tycoon_p5r")
    by = narrator(LANGUAGES["ja"], NAMES[: rules.players], rules, reader=PUBLIC)
    whole = list(by.moments(recorded(steps)))
    middle = len(steps) // 2
    since = START.after([event for step in steps[:middle] for event in step])
    first = list(by.moments(recorded(steps)[:middle]))
    rest = by.moments(recorded(steps)[middle:], since)
    assert [*first, *rest] == whole
    assert set(moment_document(whole[0], None)["board"]["seats"][0]) >= {"size", "cards", "title"}


def test_the_work_on_a_long_hand_is_done_in_many_pieces() -> None:
    hand, pauses = long_record(LONG), []
    view = HandView(None, "en", Detail.NORMAL)

    def pause() -> None:
        pauses.append(1)

    values = viewer_values(hand, view, LONG - 1, pause=pause)
    assert values["current"] == LONG - 1
    assert len(pauses) >= LONG / 2
    by = view.narrator(hand)
    moments_document(by, hand.hand, by.moments(hand.steps), pause=pause)
    assert len(pauses) >= LONG
    page = {"commitment": "", "place": PLACE, "data": {}}
    body = render_template("hand.html", {**values, **page}, pause=pause)
    assert len(pauses) >= LONG + len(body) / 4_000


@pytest.mark.slow
@given(rulesets(decks=1, **TELLING), st.integers(0, 10**9))
def test_cards_that_a_reader_cannot_know_change_no_byte_of_the_moments(
    rules: Ruleset, seed: int
) -> None:
    random = Random(seed)
    _, steps = play_out(rules, seed)
    seat = random.choice([None, *range(rules.players)])
    swap = hidden_pairs(rules, steps, seat, random)
    commands = [command for command, _ in steps]
    other = said(rules, [in_other_world(command, swap) for command in commands], seat)
    if swap and other is not None:
        assert other == said(rules, commands, seat)


def said(rules: Ruleset, commands: list[Command], seat: int | None) -> bytes | None:
    """Every byte of the moments for a seat or a spectator; None if the actions are not possible."""
    state, steps = EMPTY, []
    for command in commands:
        try:
            steps.append(decide(rules, state, command))
        except Refused:
            return None
        state = evolve(state, steps[-1])
    by = narrator(LANGUAGES["en"], NAMES[: rules.players], rules, reader=Perspective(seat))
    return orjson.dumps(moments_document(by, "h", by.moments(recorded(steps))))
