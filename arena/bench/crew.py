"""A crew: processes of cheap players (`arena.bench.players`) with their orders."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence

import orjson

from arena.bench.players import PlayerFigures, PlayerOrders


class Crew:
    """Processes that hold bots between them, which play from now on.

    urls: referees that serve the same sessions; the bots share them out. size: processes, of which
    there are no more than bots. pace: decisions in a second of all bots together, 0 for as many as
    there can be. route, names: to which referee bots go, and what the referees are called, see
    `arena.bench.players`.
    """

    def __init__(
        self,
        urls: Sequence[str],
        mode: str,
        tokens: Sequence[str],
        *,
        size: int,
        most: int,
        pace: float = 0.0,
        route: str = "stay",
        names: Sequence[str] = (),
    ) -> None:
        self._processes = []
        size = min(size, len(tokens))
        for number in range(size):
            share = tokens[number::size]
            orders = PlayerOrders(urls, mode, share, most, number, pace / size, route, names)
            process = subprocess.Popen(
                [sys.executable, "-P", "-m", "arena.bench.players"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
            )
            assert process.stdin is not None
            process.stdin.write(orjson.dumps(orders._asdict()) + b"\n")
            process.stdin.flush()
            self._processes.append(process)
        for process in self._processes:
            assert process.stdout is not None
            if process.stdout.readline() != b"playing\n":
                raise RuntimeError("the players did not start")

    def stop(self) -> list[PlayerFigures]:
        """Stop them; what they measured."""
        figures = []
        for process in self._processes:
            output, _ = process.communicate(b"stop\n", timeout=60)
            figures.append(PlayerFigures(**json.loads(output)))
        return figures

    def kill(self) -> None:
        """End them; harmless if they have ended."""
        for process in self._processes:
            process.kill()
