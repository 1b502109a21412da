"""Clients as bots of a running arena: whole sessions over HTTP, and all that can go wrong there."""

from __future__ import annotations

import re
import socket
import subprocess
import time
from contextlib import closing, contextmanager

import pytest

from arena.client import Client as ArenaClient
from arena.loopback.host import LocalArena
from arena.settings import Settings
from arena.uecda.arena_sessions import ContestForm
from arena.uecda.contest import Fill
from arena.uecda.gateway import Gateway, GatewayTerms
from arena.uecda.keys import Keys
from arena.uecda.party import SeatPort
from tests.cli.shell import ARENA, arena, environment
from tests.ports import free_port
from tests.uecda.clients import Client, lucky, table, wild
from tests.uecda.model import check
from tests.uecda.test_sockets import Thread

pytestmark = pytest.mark.slow
LIMIT_S = 60.0
LOWEST = "sample_bots.lowest:Lowest"


class Clock:
    """A time that may leap ahead."""

    def __init__(self):
        self.ahead_s = 0.0

    def __call__(self):
        return time.monotonic() + self.ahead_s


class Running:
    """An arena in this process, and its organiser."""

    def __init__(self):
        self.arena = LocalArena(Settings(requests_per_s=0))
        self.url = self.arena.listen().url
        self.token = self.arena.referee.registry.create_admin("organiser")
        self.organiser = ArenaClient(self.url, self.token)

    def form(self, name, **more):
        return ContestForm(name, self.token, **more)

    def faults(self, session):
        """For whom the referee has answered at the session's only table, hand by hand: names."""
        table = self.organiser.request("GET", f"/tables/{session}-r01-t01")
        names = [player["name"] for player in table["players"]]
        results = [hand["result"] for hand in table["hands"]]
        return [{names[fault["player"]] for fault in each["faults"]} for each in results]

    def entries(self, session):
        """The status of each entry, by name."""
        entries = self.organiser.session(session)["entries"]
        return {entry["name"]: entry["status"] for entry in entries}

    def close(self):
        self.organiser.close()
        self.arena.close()


@pytest.fixture(scope="module")
def running():
    with closing(Running()) as one:
        yield one


class Guests:
    """A gateway and the clients that have come to it."""

    def __init__(self, gateway, ports):
        self.gateway, self.ports = gateway, ports
        self.threads = []

    def pump_until(self, done):
        until_s = time.monotonic() + LIMIT_S
        while not done():
            assert time.monotonic() < until_s, f"it never came to that: {self.lines}"
            self.gateway.pump()

    def come(self, client, port=0, *, most=None):
        """A client sits down and gets its number at once; it is gone when it has sent so much."""
        client.thread = Thread(("127.0.0.1", self.ports[port].port), client, most=most)
        client.thread.start()
        self.threads.append(client.thread)
        self.pump_until(lambda: client.number is not None)
        return client

    def play(self):
        """To the end of all sessions."""
        self.pump_until(lambda: self.gateway.is_over)
        self.gateway.finish()
        for thread in self.threads:
            thread.join(LIMIT_S)
            assert not thread.is_alive()


@contextmanager
def gateway(running, folder, *ports, form=None, clock=time.monotonic, **terms):
    """A gateway with these ports; 0 for a free one."""
    lines = []
    chosen = GatewayTerms(running.url, form, wait_s=2.0, watch_s=0.1, **terms)
    own = Gateway(chosen, Keys(folder=folder / "keys"), lines.append, seconds=clock)
    with closing(own), own.listen(ports, "127.0.0.1") as bound:
        guests = Guests(own, bound)
        guests.lines = lines
        yield guests


def check_table(clients, *, hands):
    """Is every cell of a table's messages as described?"""
    clients = sorted(clients, key=lambda client: client.number)
    assert check([c.down for c in clients], [c.up for c in clients], hands=hands).mismatches == []
    assert [client.ended for client in clients] == [2] * 5


def test_two_tables_at_once_with_equal_names_and_wild_clients(running, tmp_path):
    ports = (SeatPort(0, ""), SeatPort(0, ""))
    with gateway(running, tmp_path, *ports, form=running.form("two", hands=2)) as guests:
        tables = [], []
        for number in range(5):
            for port in (0, 1):
                client = Client("probe", (lucky, wild)[port](number))
                guests.come(client, port)
                tables[port].append(client)
        guests.play()
        for clients in tables:
            assert [client.number for client in clients] == [0, 1, 2, 3, 4]
            check_table(clients, hands=2)
        assert guests.gateway.failures == 0
        refused = [
            sum(p.counts["refused"] for p in party.players) for party in guests.gateway.parties
        ]
        assert refused[0] == 0
        assert refused[1] > 3
        for session in ("two", "two-2"):
            assert running.faults(session) == [set(), set()]
        names = {player.name for player in guests.gateway.players}
        assert names == {"probe", *(f"probe-{n}" for n in range(2, 11))}


def test_ten_clients_on_a_queue_are_two_tables(running, tmp_path):
    form = running.form("walk-in", hands=1)
    with gateway(running, tmp_path, SeatPort(0, "", is_queue=True), form=form) as guests:
        clients = [Client(f"queue{n}", lucky(n)) for n in range(10)]
        for client in clients:
            guests.come(client)
        guests.pump_until(lambda: all(client.ended == 2 for client in clients))
        assert [client.number for client in clients] == [*range(5)] * 2
        assert not guests.gateway.is_over
        check_table(clients[:5], hands=1)
        check_table(clients[5:], hands=1)


def test_who_dies_in_mid_hand_is_withdrawn_and_the_others_read_all_to_the_end(running, tmp_path):
    form = running.form("killed", hands=2)
    with gateway(running, tmp_path, SeatPort(0, ""), form=form) as guests:
        clients = [Client(f"killed{n}", lucky(n)) for n in range(4)]
        for client in clients:
            guests.come(client)
        guests.come(Client("mortal", lucky(4)), most=3 * 480)
        guests.play()
        assert [client.ended for client in clients] == [2] * 4
        assert [client.hand for client in clients] == [2] * 4
        assert running.entries("killed")["mortal"] == "withdrawn"
        assert running.faults("killed") == [{"mortal"}, {"mortal"}]
        assert "mortal is withdrawn: the arena answers for it" in guests.lines


def test_a_session_that_all_clients_leave_is_the_arenas_and_the_gateway_ends(running, tmp_path):
    form = running.form("deserted", hands=2)
    with gateway(running, tmp_path, SeatPort(0, ""), form=form) as guests:
        for number in range(5):
            guests.come(Client(f"deserter{number}", lucky(number)), most=481)
        guests.play()
        assert guests.gateway.is_deserted
        assert [*running.entries("deserted").values()] == ["withdrawn"] * 5


def test_who_may_rejoin_plays_from_the_next_hand_on_and_has_no_fault(running, tmp_path):
    form = running.form("again", hands=3)
    with gateway(running, tmp_path, SeatPort(0, ""), form=form, rejoin=True) as guests:
        for number in range(4):
            guests.come(Client(f"again{number}", lucky(number)))
        guests.come(Client("prodigal", lucky(4)), most=481)
        guests.pump_until(
            lambda: len(guests.gateway.players) == 5 and guests.gateway.players[4].is_absent
        )
        second = Client("prodigal", lucky(5))
        guests.come(second)
        guests.play()
        assert (second.number, second.ended) == (4, 2)
        assert second.hand in (1, 2)
        assert running.faults("again") == [set()] * 3


def test_who_is_silent_loses_the_turn_by_the_arenas_clock_and_is_in_step_again(running, tmp_path):
    """In the exchange the gateway gives the strongest cards, shortly before the deadline."""
    form = running.form("silent", hands=2, move_ms=1_000, bank_ms=0)

    def silent(seed):
        inner, asked = lucky(seed), []

        def choose(client, rows, pile):
            asked.append(0)
            return None if len(asked) == 1 and seed == 2 else inner(client, rows, pile)

        return choose

    with gateway(running, tmp_path, SeatPort(0, ""), form=form) as guests:
        clients = [Client(f"silent{n}", silent(n), lambda *_: None) for n in range(5)]
        for client in clients:
            guests.come(client)

        def wake():
            for player, thread in zip(guests.gateway.players, guests.threads, strict=True):
                if player.seat.is_behind and player.seat.late > len(thread.client.belated):
                    thread.client.belated.append(0)
                    thread.peer.sendall(table())
            return guests.gateway.is_over

        for client in clients:
            client.belated = []
        guests.pump_until(wake)
        guests.play()
        assert [client.ended for client in clients] == [2] * 5
        assert sum(player.counts["late"] for player in guests.gateway.players) >= 3
        assert "silent2" in running.faults("silent")[0]


def test_a_session_that_is_cancelled_closes_all_its_clients(running, tmp_path):
    form = running.form("void", hands=5)
    with gateway(running, tmp_path, SeatPort(0, ""), form=form) as guests:
        clients = [Client(f"void{n}", (lambda *_: None) if n == 3 else lucky(n)) for n in range(5)]
        for client in clients:
            guests.come(client)
        guests.pump_until(lambda: all(len(client.down) > 900 for client in clients))
        running.organiser.request("POST", "/sessions/void/cancel")
        guests.play()
        assert 2 not in [client.ended for client in clients]
        assert all(player.is_over for player in guests.gateway.players)
        gone = [line.partition(" has gone: ")[2] for line in guests.lines if " has gone: " in line]
        assert len(gone) == 5
        assert {*gone} <= {"session void was cancelled", "its hand was voided"}


def test_seats_that_stay_free_or_become_free_before_the_start_are_filled(running, tmp_path):
    """A number is free again only if it was the last one: the others have been sent theirs."""
    form = running.form("filled", hands=1)
    clock, terms = Clock(), {"form": form, "fill": (Fill(LOWEST, 1_000.0),)}
    with gateway(running, tmp_path, SeatPort(0, ""), clock=clock, **terms) as guests:
        first, second, third = (guests.come(Client(f"fill{n}", lucky(n))) for n in range(3))
        third.thread.peer.shutdown(socket.SHUT_RDWR)
        guests.pump_until(lambda: len(guests.gateway.players) == 2)
        fourth = guests.come(Client("fill3", lucky(3)))
        assert fourth.number == 2
        first.thread.peer.shutdown(socket.SHUT_RDWR)
        guests.pump_until(lambda: "lowest takes seat 0" in " ".join(guests.lines))
        clock.ahead_s = 1_000.0
        guests.play()
        assert [second.ended, fourth.ended] == [2, 2]
        entered = {
            name for name, status in running.entries("filled").items() if status == "entered"
        }
        assert entered == {"fill1", "fill3", "lowest", "lowest-2", "lowest-3"}


class Served(Running):
    """`arena serve` in a process of its own, which can be killed and started again."""

    def __init__(self, folder):
        self.port, self.folder = free_port(), folder
        self.url = f"http://127.0.0.1:{self.port}"
        self.token = self.start("--print-token")
        self.organiser = ArenaClient(self.url, self.token)

    def start(self, *flags):
        """Start it, and wait until it takes requests; the token that it prints, if it does."""
        database = f"sqlite:///{(self.folder / 'arena.db').as_posix()}"
        self.process = subprocess.Popen(
            [*ARENA, "serve", "--port", str(self.port), "--database", database, *flags],
            env=environment(),
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        self.process.stdout.readline()
        return re.search(r"dfaadm_\S+", self.process.stdout.readline()).group() if flags else ""

    def kill(self):
        self.process.kill()
        self.process.communicate()

    def close(self):
        self.organiser.close()
        self.kill()


@pytest.mark.server
def test_clients_notice_nothing_of_an_arena_that_is_killed_in_mid_hand(tmp_path):
    with closing(Served(tmp_path)) as served:
        form = served.form("restart", hands=3)
        with gateway(served, tmp_path, SeatPort(0, ""), form=form) as guests:
            clients = [Client(f"probe{n}", lucky(n)) for n in range(5)]
            for client in clients:
                guests.come(client)
            guests.pump_until(lambda: clients[0].hand == 2)
            so_far = len(clients[0].down)
            guests.pump_until(lambda: len(clients[0].down) > so_far + 3_000)
            served.kill()
            for _ in range(10):
                guests.gateway.pump()
            served.start()
            guests.play()
            check_table(clients, hands=3)
            assert served.faults("restart") == [set()] * 3
        records = tmp_path / "restart.jsonl"
        records.write_bytes(served.organiser.records("restart"))
        done = arena("verify", str(records))
        assert "3 hands, deals recomputed: no findings" in done.stdout
