"""Which requests of a bot are answered from several homes, and what their cursors stand for.

How they are answered is in `merged_request`. This module may not know how homes are asked.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Iterable

from arena.settings import Settings
from arena.web.api.bots import poll_params
from arena.web.api.problems import Problem
from arena.web.api.queries import AS, reader
from arena.web.api.validation import Schemas
from arena.web.routing.arrived import Arrived
from arena.web.routing.asking import HomeInquiry
from arena.web.routing.cursors import MergedCursors, is_merged
from arena.web.routing.homes import Homes
from arena.web.routing.merged_request import MergedRequest, Tools, WantedTurns
from arena.web.routing.paths import Matter


class Merging:
    """Answers for several homes. asking: how they are asked. schemas: of bodies."""

    def __init__(
        self,
        cluster: Homes,
        asking: HomeInquiry,
        settings: Settings,
        schemas: Schemas,
        *,
        monotonic: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._cluster = cluster
        self._cursors = MergedCursors(lambda: cluster.mark)
        rounds = itertools.count()
        self._tools = Tools(
            cluster, asking, settings, schemas, self._cursors.give, rounds, monotonic, sleep
        )
        poll = poll_params(settings, wait=0.0)
        self._readers = {
            Matter.TURNS: {"GET": reader((*poll, AS)), "POST": reader(poll)},
            Matter.ANSWER: {"POST": reader((*poll_params(settings, wait=None), AS))},
        }

    def issuer(self, request: Arrived, homes: tuple[str, ...]) -> str | None:
        """The other referee that gave the cursor of a poll, where only that one knows what it
        stands for."""
        wanted = self._wanted(request)
        if wanted is None or wanted.after is None:
            return None
        if len(homes) < 2 and not is_merged(wanted.after):
            return None
        issuer = self._cluster.issuer(wanted.after)
        return None if issuer in (None, self._cluster.name) else issuer

    def concerns(self, request: Arrived, homes: tuple[str, ...]) -> bool:
        """Is this a request that several homes have to answer, or whose cursor stands for them?"""
        if len(homes) < 2 and (request.hop is None and not request.query):
            return False
        wanted = self._wanted(request)
        if wanted is None or not homes:
            return False
        own = self._cluster.name
        if len(homes) == 1 and homes[0] != own and request.hop is not None:
            return True  # it cannot be passed on once more, but asked for
        of_several = wanted.after is not None and self._cursors.is_own(wanted.after)
        return len(homes) > 1 or of_several

    def _wanted(self, request: Arrived) -> WantedTurns | None:
        """What a request wants to poll; None if that is not clear, or nothing."""
        read = self._readers.get(request.concern.matter, {}).get(request.method)
        if read is None:
            return None
        try:
            values = read(request.query)
        except Problem:
            return None
        if values["wait"] is None:
            return None
        text = values.get("as", "json") == "text"
        return WantedTurns(values["wait"], values["max"], values["after"], values["legal"], text)

    def answer(self, request: Arrived, bot: str, body: bytes) -> Iterable[bytes]:
        """Answer a request that `concerns` this. Raises Unavailable."""
        wanted = self._wanted(request)
        assert wanted is not None  # or it would not concern this
        cursors = self._cursors.read(bot, wanted.after, self._cluster.name)
        merged = MergedRequest(self._tools, request, bot, wanted=wanted, cursors=cursors)
        if request.method == "GET":
            return merged.poll()
        if request.concern.matter is Matter.ANSWER:
            return merged.answer_one(body)
        return merged.answer_many(body)
