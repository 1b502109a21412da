"""Bots of the kit as clients in memory, and what the referee would have shown them."""

from __future__ import annotations

from arena.client import Bot
from arena.match.documents import LocalHistory, LocalTurn, session_document
from arena.match.local import make_bot
from arena.match.tables import SeatView, TableSetup
from arena.rules import EMPTY, compile_ruleset, evolve
from arena.rules.commands import Deal
from arena.uecda.client import BotClient
from arena.uecda.contest import Contest, ContestTerms
from tests.uecda.memory import MemorySockets

RULES = compile_ruleset({"preset": "uecda"})
RANDOM, LOWEST = "sample_bots.random_bot:RandomBot", "sample_bots.lowest:Lowest"
HEURISTIC = "sample_bots.heuristic:Heuristic"


def same(data):
    """What a server sends, unchanged."""
    return data


class InMemory:
    """A client of ours with the face of those of the tests. rewrite: what comes from the server;
    piece: in so many bytes at a time; up: all that it has sent."""

    def __init__(self, client, *, rewrite, piece):
        self.client, self.name = client, client.name
        self.rewrite, self.piece, self.up = rewrite, piece, bytearray()

    def sent(self):
        data = self.client.output()
        self.up += data
        return data

    def receive(self, data):
        data = self.rewrite(data)
        for at in range(0, len(data), self.piece):
            try:
                self.client.receive(data[at : at + self.piece])
            except Exception as error:  # the engine would take it for a refused answer
                raise RuntimeError("a client of ours has failed") from error
        return self.sent()


class Remembering(Bot):
    """Asks another bot, and keeps its turns."""

    def __init__(self, inner):
        self.inner, self.turns, self.logs = inner, [], []

    def answer(self, turn):
        self.turns.append(turn)
        return self.inner.answer(turn)

    def on_hand_end(self, hand, events):
        self.logs.append(events)


def bots(*sources, seed=1):
    """Bots of the kit, each with its own chance."""
    return [make_bot(source, seed=f"{seed}/{n}") for n, source in enumerate(sources)]


def session(
    players, *, hands, seed, rules=RULES, rewriter=lambda: same, orders=((),) * 5, piece=1 << 20
):
    """Play a session of five bots against the server in memory: the clients and the hands."""
    clients = [
        BotClient(bot, RULES, name=f"bot{n}", hands=hands, order=order)
        for n, (bot, order) in enumerate(zip(players, orders, strict=True))
    ]
    sockets = MemorySockets()
    table = Contest(ContestTerms(hands, seed), lambda line: None, seconds=sockets.seconds)
    table.rules = rules
    joined = [InMemory(client, rewrite=rewriter(), piece=piece) for client in clients]
    for each in joined:
        sockets.join(table, each)
    assert table.gather(sockets)
    return joined, list(table.play(sockets))


def referee_turns(hands, player, rules=RULES):
    """Documents, histories and states of all turns of a player, as the referee has them; without
    tributes, which no client is asked for."""
    setting = TableSetup(rules, "b", "p", tuple("abcde"), len(hands), 0, "s", "s")
    options = session_document(setting)["options"]
    for number, hand in enumerate(hands, start=1):
        state, events = EMPTY, []
        for step in hand.steps:
            seat = -1 if isinstance(step.command, Deal) else step.command.seat
            if seat >= 0 and hand.seating[seat] == player and not is_tribute(state, seat):
                look = SeatView(setting, number, hand.seating, seat, state, [*events])
                yield LocalTurn(look), LocalHistory(look, options), state
            events += step.events
            state = evolve(state, step.events)


def is_tribute(state, seat):
    """Is the seat asked for cards of which it has no choice?"""
    return state.question_for(seat) is not None and seat in state.setup.before[-2:]
