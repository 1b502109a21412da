"""The front page and the page of a session, kept up to date by a stream."""

from __future__ import annotations

import re

import pytest

from arena.settings import Settings
from arena.web.pages.page_feeds import MOST_VERSIONS, PageFeed
from arena.web.pages.parts import version_of
from arena.web.streams import channels
from arena.web.streams.journal import Journal
from tests.real import Real
from tests.web.api.test_results import play
from tests.web.pages.test_views import Outline, page
from tests.web.streams.reading import STREAM, Following, events_of, snapshot

PAGE = "/sessions/cup"


@pytest.fixture(autouse=True)
def _looks_often(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(channels, "LOOK_S", 0.05)


@pytest.fixture
def real() -> Real:
    """Four bots that have begun a hand."""
    created = Real()
    created.session(4)
    return created


def query(text: str) -> str:
    """The query by which a page is followed, with the version that it has."""
    (root,) = [each for each in Outline(text).of("p") if "data-stream" in each]
    return f"{str(root['data-stream']).partition('?')[2]}&after={root['data-version']}"


def parts(text: str) -> dict[str, str]:
    """The parts of a page by their names, read without the code that is tested."""
    found = re.finditer(r'<(div|p)[^>]* data-part="(\w+)">', text)
    ends = {each[2]: text.index(f"</{each[1]}><!--/part-->", each.end()) for each in found}
    starts = {each[2]: each.end() for each in re.finditer(r'<(\w+)[^>]* data-part="(\w+)">', text)}
    return {name: text[starts[name] : end] for name, end in ends.items()}


@pytest.mark.parametrize("path", [PAGE, "/"])
def test_a_page_that_is_up_to_date_is_told_nothing(real: Real, path: str) -> None:
    text = page(real.anybody, path)
    assert len(parts(text)) >= 3
    assert snapshot(real.anybody, query(text)) == []


@pytest.mark.parametrize("path", [PAGE, "/"])
def test_what_has_changed_is_sent_as_the_page_has_it_now(real: Real, path: str) -> None:
    before = page(real.anybody, path)
    play(real)
    now = parts(page(real.anybody, path))
    sent = {each.data["part"]: each.data["html"] for each in snapshot(real.anybody, query(before))}
    assert sent.items() <= now.items()
    assert parts(before) | sent == now
    assert sent["news"] != parts(before)["news"]


def test_only_the_parts_that_changed_are_sent_to_who_follows(real: Real) -> None:
    with Following(real.anybody, query(page(real.anybody, PAGE))) as following:
        assert real.organiser.post("/api/v1/sessions/cup/pause").status_code == 200
        events = [next(following)]
        while not events[-1].id:
            events.append(next(following))
    sent = {event.data["part"] for event in events}
    assert {"head", "news"} <= sent < set(parts(page(real.anybody, PAGE)))
    assert all(event.event == "part" for event in events)


def test_who_comes_back_gets_what_has_changed_since(real: Real) -> None:
    with Following(real.anybody, query(page(real.anybody, PAGE))) as following:
        assert real.organiser.post("/api/v1/sessions/cup/pause").status_code == 200
        while not (last := next(following).id):
            continue
        assert snapshot(real.anybody, "session=cup", last) == []
        assert real.organiser.post("/api/v1/sessions/cup/resume").status_code == 200
        later = snapshot(real.anybody, "session=cup", last)
    assert {"head", "news"} <= {event.data["part"] for event in later}
    everything = {event.data["part"] for event in snapshot(real.anybody, "session=cup", "cup.7")}
    assert everything == set(parts(page(real.anybody, PAGE)))


def test_the_list_of_sessions_gets_a_new_one(real: Real) -> None:
    with Following(real.anybody, query(page(real.anybody, "/"))) as following:
        created = real.organiser.post("/api/v1/sessions", json={"name": "Autumn", "slug": "autumn"})
        assert created.status_code == 201
        assert real.organiser.post("/api/v1/sessions/autumn/open").status_code == 200
        assert "Autumn" in next(following).data["html"]


def test_a_hidden_session_is_not_in_the_stream_of_the_list(real: Real) -> None:
    changed = real.organiser.patch("/api/v1/sessions/cup", json={"hidden": True})
    assert changed.status_code == 200
    assert "cup" not in str([event.data for event in snapshot(real.anybody, "sessions=all")])


def shown(*texts: str) -> bytes:
    """A page of two parts."""
    return "".join(
        f'<p data-part="{name}">{text}</p><!--/part-->'
        for name, text in zip("ab", texts, strict=True)
    ).encode()


def test_who_has_not_read_a_part_yet_gets_it_only_as_it_is_now() -> None:
    pages = [shown("secret", "1"), shown("withheld", "1"), shown("withheld", "2")]
    feed, journal = PageFeed("p", lambda: pages.pop(0)), Journal()
    for _ in range(3):
        feed.look(journal, lambda: None)
    _, text = journal.piece(0)
    events = list(events_of(text.decode()))
    assert [event.data for event in events] == [
        {"part": "a", "html": "withheld"},
        {"part": "b", "html": "2"},
    ]
    ids = [event.id for event in events]
    assert all(ids)
    after = feed.place(int(ids[0].partition(".")[2]))
    assert list(events_of(journal.piece(after)[1].decode())) == events[1:]
    assert feed.place(int(ids[1].partition(".")[2])) == journal.end


def test_a_page_that_is_again_as_it_was_has_its_version_again() -> None:
    first, other = shown("x", "1"), shown("y", "1")
    pages = [first, other, b"" + first + b"\n"]
    feed, journal = PageFeed("p", lambda: pages.pop(0)), Journal()
    for _ in range(3):
        feed.look(journal, lambda: None)
    assert journal.piece(feed.place(version_of(first))) == (journal.end, b"")
    (event,) = events_of(journal.piece(feed.place(version_of(other)))[1].decode())
    assert event.data == {"part": "a", "html": "x"}


def test_versions_that_are_long_ago_are_forgotten() -> None:
    pages = iter(shown("x", str(number)) for number in range(200))
    feed, journal = PageFeed("p", lambda: next(pages)), Journal()
    for _ in range(200):
        feed.look(journal, lambda: None)
    assert feed.place(version_of(shown("x", "0"))) == 0
    assert feed.place(version_of(shown("x", "199"))) == journal.end
    assert len(feed._places) == MOST_VERSIONS


def test_what_is_embargoed_is_replaced_by_that_it_is(real: Real) -> None:
    play(real)
    with Following(real.anybody, "session=cup") as following:
        while not next(following).id:
            continue
        assert real.organiser.post("/api/v1/sessions/cup/embargo", json={}).status_code == 200
        event = next(following)
        while event.data["part"] != "standings":
            event = next(following)
        assert "embargoed" in event.data["html"]
        assert event.data["html"] == parts(page(real.anybody, PAGE))["standings"]
    assert "bot-1" not in str(snapshot(real.anybody, "session=cup"))


def test_an_organiser_is_sent_what_everybody_is_sent(real: Real) -> None:
    play(real)
    assert real.organiser.post("/api/v1/sessions/cup/embargo", json={}).status_code == 200
    assert snapshot(real.organiser, "session=cup") == snapshot(real.anybody, "session=cup")


def test_a_pseudonymous_session_names_nobody() -> None:
    real = Real()
    real.session(4, board="pseudonymous")
    play(real)
    sent = str(snapshot(real.anybody, "session=cup") + snapshot(real.anybody, "sessions=all"))
    assert not any(name in sent for name in ("bot-1", "bot-2", "bot-3", "bot-4"))


def test_a_session_that_is_over_and_shown_is_not_followed(real: Real) -> None:
    play(real)
    text = page(real.anybody, PAGE)
    assert "data-stream" not in text
    assert "<script" not in text


def test_two_hosts_by_which_an_open_session_is_read_share_its_stream() -> None:
    real = Real(settings=Settings(requests_per_s=0))
    real.organiser.post("/api/v1/sessions", json={"name": "Cup", "slug": "cup"})
    real.organiser.post("/api/v1/sessions/cup/open")
    texts = [
        real.anybody.get(PAGE, headers={"Host": host}).text for host in ("a.example", "b.example")
    ]
    assert "http://a.example" in texts[0]
    assert "http://b.example" in texts[1]
    assert query(texts[0]) == query(texts[1])
    assert snapshot(real.anybody, query(texts[0])) == []


def test_a_name_that_looks_like_a_part_is_none() -> None:
    real = Real(settings=Settings(requests_per_s=0))
    name = '</div><!--/part--><div data-part="standings">x</div><!--/part-->'
    real.organiser.post("/api/v1/sessions", json={"name": name, "slug": "cup"})
    for path in (PAGE, "/"):
        text = page(real.anybody, path)
        assert snapshot(real.anybody, query(text)) == []
        assert name in Outline(text).words
    sent = {each.data["part"]: each.data for each in snapshot(real.anybody, "session=cup")}
    assert set(sent) == {"head", "news", "standings", "now", "schedule", "digest"}
    assert "&lt;/div&gt;" in sent["head"]["html"]


@pytest.mark.parametrize(
    ("asked", "last", "status"),
    [
        ("session=nothing", "", 404),
        ("session=cup&sessions=all", "", 400),
        ("session=cup&hand=cup-r01-t01-h001", "", 400),
        ("sessions=cup", "", 400),
        ("session=cup&seats=99", "", 400),
        ("session=cup&division=nobody", "", 400),
        ("session=cup", "other.5", 400),
        ("session=cup", "nonsense", 400),
    ],
)
def test_bad_input_is_named(real: Real, asked: str, last: str, status: int) -> None:
    headers = {"Last-Event-ID": last} if last else {}
    response = real.anybody.get(f"{STREAM}?{asked}&seconds=0", headers=headers)
    assert (response.status_code, response.mimetype) == (status, "application/problem+json")
