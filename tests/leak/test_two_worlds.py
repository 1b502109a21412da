"""No leak: with other hidden cards, every byte that a seat or a spectator is sent is the same."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

import pytest

from arena.documents import Document
from arena.rules import compile_ruleset
from arena.rules.presets import PRESETS
from arena.settings import Settings
from arena.web.app import route_tables
from tests.leak.worlds import Asked, World, Worlds, code, swaps_of

STEPS = 24
FULL_LOOK = 20
TRIES = 40
MOST_PAIRS = 8
API = "/api/v1"
MORE = (
    f"{API}/turns?legal=0",
    f"{API}/turns?as=text",
    f"{API}/turns?after=0",
    f"{API}/turns?max=1&x=1",
    f"{API}/hands/{{hand}}/events?after=3",
    f"{API}/hands/{{hand}}/events?after=99999",
    f"{API}/hands/{{hand}}/events?wait=x",
    f"{API}/sessions/{{session}}/standings?format=text&layout=wide",
    f"{API}/sessions/{{session}}/standings?format=csv",
    f"{API}/sessions?state=running",
    f"{API}/stream?hand={{hand}}&seconds=0",
    f"{API}/stream?table={{table}}&seconds=0",
    f"{API}/stream?hand={{hand}}&form=moments&detail=full&seconds=0",
    f"{API}/stream?session={{session}}&seconds=0",
    f"{API}/stream?sessions=all&seconds=0",
    f"{API}/hands/nothing",
    "/seat?after=nothing",
    "/nowhere",
)


def reads() -> tuple[str, ...]:
    """Every route that is read."""
    found = [
        prefix + endpoint.path
        for prefix, endpoints in route_tables(Settings()).values()
        for endpoint in endpoints
        if endpoint.method == "GET"
    ]
    return (*found, *MORE)


def names(worlds: Worlds, player: int, hand: str) -> dict[str, str]:
    """What stands for the names in the paths."""
    return {
        "session": "cup",
        "table": hand.rpartition("-h")[0],
        "hand": hand,
        "turn": f"{hand}.5.0",
        "bot": worlds.both[0].real.ids[player],
        "other": worlds.both[0].real.ids[player - 1],
        "code": "illegal",
        "file": "turn.schema.json",
    }


def looks(worlds: Worlds, player: int, hands: list[str]) -> Iterator[Asked]:
    """All that can be read, by the seat's bot and by anybody."""
    for hand in hands:
        given = names(worlds, player, hand)
        for route in reads():
            for anonymous in (False, True):
                path = route
                for name, value in given.items():
                    path = path.replace(f"{{{name}}}", value)
                yield Asked("GET", path, anonymous=anonymous)


def attempts(world: World, player: int, cards: list[str]) -> Iterator[Asked]:
    """Answers that cannot be accepted, to every open turn, and other things that are refused."""
    hand = world.hand()
    mine = [turn.id for turn in hand.turns.values() if turn.bot == world.real.ids[player]]
    bodies: list[Document] = [{"cards": cards[:1]}, {"choice": 500}, {"cards": cards}]
    bodies.append({"text": " ".join(cards)})
    for turn in [turn.id for turn in hand.turns.values()] + [f"{hand.id}.0.9", "x"]:
        yield from (Asked("POST", f"{API}/turns/{turn}", body) for body in bodies)
        yield Asked("POST", f"{API}/turns/{turn}", bodies[0], anonymous=True)
    for turn in [*mine, f"{hand.id}.3.0"]:
        for form in ({"card": cards[0]}, {"card": cards}, {"choice": "500"}, {"throw": "x"}):
            yield Asked("POST", "/seat/answer", form={"turn": turn, "kind": "play", **form})
    answers = [{"turn": turn, **body} for turn in [*mine, f"{hand.id}.3.0"] for body in bodies]
    yield Asked("POST", f"{API}/turns?wait=0", {"answers": answers})
    yield Asked("PUT", f"{API}/sessions/cup/entry")
    yield Asked("POST", f"{API}/sessions/cup/pause")


@pytest.mark.slow
@pytest.mark.parametrize("number", [1, 2])
@pytest.mark.parametrize("preset", PRESETS)
def test_hidden_cards_change_no_byte(
    preset: str, number: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    random = Random(f"{preset}/{number}")
    worlds = Worlds(monkeypatch)
    document: Document = {
        "bots": compile_ruleset({"preset": preset}).players,
        "ruleset": {"preset": preset},
        "clock": {"illegal_budget": 1_000},
        "notes": True,
    }
    statuses: set[int] = set()
    compared = pairs = 0
    while (compared < STEPS or 422 not in statuses) and pairs < MOST_PAIRS:
        compared += compare_pair(worlds, random, number, document, statuses)
        pairs += 1
    assert compared >= STEPS, compared
    assert statuses == {200, 400, 401, 403, 404, 409, 422}


def compare_pair(
    worlds: Worlds, random: Random, number: int, document: Document, statuses: set[int]
) -> int:
    """Two worlds, played on until their histories part; how often they were compared."""
    player, cards = begin(worlds, random, number, document)
    seat = seat_of(worlds, player)
    compared = 0
    while worlds.same_history(seat):
        worlds.compare(player, Asked("GET", f"{API}/turns?max=64"))
        hand = worlds.both[0].hand().id
        worlds.compare(player, Asked("GET", f"{API}/hands/{hand}/events"))
        worlds.compare(player, Asked("GET", f"{API}/hands/{hand}/events", anonymous=True))
        worlds.compare(player, Asked("GET", "/metrics", anonymous=True))
        stream = f"{API}/stream?hand={hand}&seconds=0"
        worlds.compare(player, Asked("GET", stream, anonymous=True))
        worlds.compare(player, Asked("GET", f"{stream}&form=moments", anonymous=True))
        if compared % FULL_LOOK == 0:
            hands = [hand[:-1] + str(n) for n in range(1, number + 1)]
            statuses |= {worlds.compare(player, each) for each in looks(worlds, player, hands)}
        asked = worlds.both[0].hand().turns.get(seat) is not None
        if compared % FULL_LOOK == 0 or (asked and 422 not in statuses):
            tried = attempts(worlds.both[0], player, cards)
            statuses |= {worlds.compare(player, each) for each in tried}
        compared += 1
        for world in worlds.both:
            world.real.clock.pass_ms(7)
        if not worlds.step(random) or not playing(worlds, number):
            break
    return compared


def begin(worlds: Worlds, random: Random, number: int, document: Document) -> tuple[int, list[str]]:
    """Two worlds in which hand `number` has begun and looks the same to one player, and whose."""
    for _ in range(TRIES):
        worlds.begin(number, (), **document)
        play = random.random()
        if not reach(worlds, number, play):
            continue
        player = random.randrange(document["bots"])
        swaps = swaps_of(worlds.both[0].hand(), seat_of(worlds, player), random)
        worlds.begin(number, swaps, **document)
        if reach(worlds, number, play) and worlds.same_history(seat_of(worlds, player)):
            assert worlds.both[0].hand().log.state.held != worlds.both[1].hand().log.state.held
            return player, [code(card) for pair in swaps for card in pair]
    raise AssertionError("no two worlds look the same")


def reach(worlds: Worlds, number: int, play: float) -> bool:
    """Play the hands before this one, the same in both worlds."""
    random = Random(play)
    while not playing(worlds, number):
        if not worlds.step(random):
            return False
    return True


def playing(worlds: Worlds, number: int) -> bool:
    """Is the hand with this number being played in both worlds?"""
    halls = [world.real.referee._context for world in worlds.both]
    return all(
        [hand.number for hand in context.in_play.hands.values()] == [number] for context in halls
    )


def seat_of(worlds: Worlds, player: int) -> int:
    """The seat of a bot in the hand that is being played."""
    world = worlds.both[0]
    seat = world.hand().seat_of(world.real.ids[player])
    assert seat is not None
    return seat


@pytest.mark.slow
def test_the_comparison_finds_a_leak(monkeypatch: pytest.MonkeyPatch) -> None:
    """If a view told what another seat holds, this would fail."""
    from arena.referee import turn_documents

    worlds = Worlds(monkeypatch)
    document: Document = {"bots": 4}
    player, _ = begin(worlds, Random(1), 1, document)
    honest = turn_documents.turn_document

    def leaking(turn, now, *, hints):  # type: ignore[no-untyped-def]
        told = honest(turn, now, hints=hints)
        return told if told is None else {**told, "leak": list(turn.hand.log.state.held)}

    monkeypatch.setattr("arena.referee.long_poll.turn_document", leaking)
    with pytest.raises(AssertionError):
        poll_on(worlds, player)
    assert worlds.same_history(seat_of(worlds, player))


def poll_on(worlds: Worlds, player: int) -> None:
    """Play on, and compare nothing but the bot's turns."""
    while worlds.same_history(seat_of(worlds, player)):
        worlds.compare(player, Asked("GET", f"{API}/turns?max=64"))
        if not worlds.step(Random(2)):
            return


def test_the_hashes_of_logs_are_sent_and_differ_where_the_worlds_do(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    worlds = Worlds(monkeypatch)
    player, _ = begin(worlds, Random(5), 1, {"bots": 4})
    while worlds.same_history(seat_of(worlds, player)):
        worlds.compare(player, Asked("GET", f"{API}/turns?max=64"))
        if worlds.both[0].hashes or not worlds.step(Random(2)):
            break
    here, there = (world.hashes for world in worlds.both)
    assert len(here) == len(there) > 0
    assert here.isdisjoint(there)


def test_the_page_of_the_seat_is_among_what_is_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    worlds = Worlds(monkeypatch)
    worlds.begin(1, (), bots=4)
    assert "/seat" in reads()
    assert "Hand 1 of 2" in worlds.both[0].real.bots[0].get("/seat").text


def test_the_notes_of_the_others_differ_in_the_two_worlds(monkeypatch: pytest.MonkeyPatch) -> None:
    """Else that they are told to nobody would not have been tried."""
    worlds = Worlds(monkeypatch)
    document: Document = {"bots": 4, "notes": True}
    begin(worlds, Random(3), 1, document)
    random = Random(3)
    while worlds.step(random):
        here, there = (
            [step.meta.get("note") for step in world.hand().log.steps] for world in worlds.both
        )
        if here != there:
            break
    assert here != there
