"""Attackers do what they are told, within bounds, and to this machine only."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator

import pytest

from arena.bench.attackers import (
    KINDS,
    MOST_CONNECTIONS,
    MOST_S,
    Attackers,
    AttackOrders,
    Met,
    attack,
)
from arena.errors import BadInput
from tests.ports import free_port


class Victim:
    """A listener that notes what each connection sends, and hangs up on some at once."""

    def __init__(self, *, hangs_up: bool = False) -> None:
        self.heard: list[bytearray] = []
        self._hangs_up = hangs_up
        self._over = threading.Event()
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._listener.getsockname()[1]}"
        self._threads = [threading.Thread(target=self._accept)]
        self._threads[0].start()

    def _accept(self) -> None:
        while True:
            sock, _ = self._listener.accept()
            if self._over.is_set():
                sock.close()
                return
            heard = bytearray()
            self.heard.append(heard)
            if self._hangs_up:
                sock.close()
                continue
            self._threads.append(threading.Thread(target=self._listen, args=[sock, heard]))
            self._threads[-1].start()

    @staticmethod
    def _listen(sock: socket.socket, heard: bytearray) -> None:
        with sock:
            try:
                while piece := sock.recv(65_536):
                    heard += piece
            except OSError:
                return

    def close(self) -> None:
        """Once is enough."""
        if self._over.is_set():
            return
        self._over.set()
        socket.create_connection(self._listener.getsockname(), timeout=10).close()
        for thread in self._threads:
            thread.join(10)
        self._listener.close()


@pytest.fixture
def victim() -> Iterator[Victim]:
    made = Victim()
    yield made
    made.close()


@pytest.mark.slow
@pytest.mark.parametrize("kind", sorted(set(KINDS) - {"silent"}))
def test_each_connection_says_what_its_kind_says(kind: str, victim: Victim) -> None:
    met = attack(AttackOrders(kind, victim.url, 5, 0.5, token="dfa_x"))
    assert (met.opened, met.most_open, met.closed, met.refused) == (5, 5, 0, 0)
    victim.close()
    first = KINDS[kind].first.replace(b"%s", b"Authorization: Bearer dfa_x\r\n")
    assert len(victim.heard) == 5
    for heard in victim.heard:
        assert heard
        assert first.startswith(heard) or heard.startswith(first)
    assert met.sent >= sum(map(len, victim.heard))


def test_places_of_connections_that_were_closed_are_taken_again() -> None:
    victim = Victim(hangs_up=True)
    met = attack(AttackOrders("silent", victim.url, 3, 0.5))
    assert met.most_open <= 3
    assert met.opened > 3
    assert met.closed >= met.opened - 3
    victim.close()


def test_where_nobody_listens_everything_is_refused() -> None:
    met = attack(AttackOrders("garbage", f"http://127.0.0.1:{free_port()}", 2, 0.3))
    assert met.refused >= 2
    assert met._replace(refused=0) == Met(0, 0, 0, 0, 0, met.most_open)


@pytest.mark.server
def test_an_attack_can_be_a_process_of_its_own(victim: Victim) -> None:
    attackers = Attackers(AttackOrders("slow-heads", victim.url, 2, 0.5))
    assert attackers.met().opened == 2
    attackers = Attackers(AttackOrders("silent", victim.url, 2, MOST_S))
    attackers.kill()


@pytest.mark.parametrize(
    ("orders", "told"),
    [
        (
            AttackOrders("tickle", "http://127.0.0.1", 1, 1),
            "attack is 'tickle'; expected one of silent",
        ),
        (
            AttackOrders("silent", "http://192.0.2.1", 1, 1),
            "this machine: nothing else is attacked",
        ),
        (AttackOrders("silent", "http://arena.example:80", 1, 1), "this machine"),
        (AttackOrders("silent", "http://127.0.0.1", 0, 1), "connections is 0"),
        (AttackOrders("silent", "http://127.0.0.1", MOST_CONNECTIONS + 1, 1), "1 to 10000"),
        (AttackOrders("silent", "http://127.0.0.1", 1, MOST_S + 1), "at most 120"),
    ],
)
def test_orders_that_go_too_far_are_refused(orders: AttackOrders, told: str) -> None:
    with pytest.raises(BadInput, match=told):
        attack(orders)
