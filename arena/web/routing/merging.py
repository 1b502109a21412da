"""Which requests of a bot are answered from several homes, and what their cursors stand for.

How they are answered is in `merged_request`. This module may not know how homes are asked.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterable
from http import HTTPStatus
from urllib.parse import quote

import orjson

from arena.cluster.peers import CURSOR, PeerRequest, PeerUnreachable
from arena.settings import Settings
from arena.web.api.bots import poll_params
from arena.web.api.problems import Problem
from arena.web.api.queries import AS, reader
from arena.web.api.validation import Schemas
from arena.web.routing.arrived import Arrived
from arena.web.routing.asking import HomeInquiry
from arena.web.routing.cursors import NONE, Cursors, MergedCursors, is_merged
from arena.web.routing.homes import Homes
from arena.web.routing.merged_request import MergedRequest, Tools, WantedTurns
from arena.web.routing.passing import Passing
from arena.web.routing.paths import Matter


class Merging:
    """Answers for several homes. asking: how they are asked. schemas: of bodies."""

    def __init__(
        self,
        cluster: Homes,
        asking: HomeInquiry,
        passing: Passing,
        cursors: MergedCursors,
        settings: Settings,
        schemas: Schemas,
        *,
        monotonic: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._cluster = cluster
        self._cursors = cursors
        self._passing = passing
        give, choose = self._cursors.give, random.randrange
        self._tools = Tools(cluster, asking, settings, schemas, give, choose, monotonic, sleep)
        poll = poll_params(settings, wait=0.0)
        self._readers = {
            Matter.TURNS: {"GET": reader((*poll, AS)), "POST": reader(poll)},
            Matter.ANSWER: {"POST": reader((*poll_params(settings, wait=None), AS))},
        }

    def concerns(self, request: Arrived, homes: tuple[str, ...]) -> bool:
        """Is this a request that several homes have to answer, or whose cursor stands for several?

        One that was passed on to a referee that is not home of the bot any more is answered here
        too: it cannot be passed on once more, but its home can be asked.
        """
        if not homes:
            return False
        alone = len(homes) == 1
        passed_wrongly = request.hop is not None and alone and homes[0] != self._cluster.name
        if alone and not passed_wrongly and "after" not in request.query:
            return False
        wanted = self._wanted(request)
        if wanted is None:
            return False
        of_several = wanted.after is not None and is_merged(wanted.after)
        return not alone or passed_wrongly or of_several

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
        cursors = self._read(request, bot, wanted.after)
        merged = MergedRequest(self._tools, request, bot, wanted=wanted, cursors=cursors)
        if request.method == "GET":
            return merged.poll()
        if request.concern.matter is Matter.ANSWER:
            return merged.answer_one(body)
        return merged.answer_many(body)

    def _read(self, request: Arrived, bot: str, after: int | None) -> Cursors:
        """What a cursor stands for: itself, if a home gave it; else whoever gave it knows."""
        issuer = None if after is None else self._cluster.issuer(after)
        if after is None or issuer is None:
            return NONE
        if not is_merged(after):
            return {issuer: after}
        if issuer == self._cluster.name:
            return self._cursors.known(bot, after)
        return self._ask_issuer(request, issuer, bot, after=after)

    def _ask_issuer(self, request: Arrived, issuer: str, bot: str, *, after: int) -> Cursors:
        """What a number of another referee stands for; nothing if that one does not say so."""
        target = f"{CURSOR}?bot={quote(bot, safe='')}&cursor={after}"
        fields = (("Host", "peer"), ("X-Request-Id", request.request_id))
        try:
            response = self._passing.ask(issuer, PeerRequest("GET", target, fields))
            body = response.read()
        except PeerUnreachable as error:
            self._passing.failed(error)
            return NONE
        return dict(orjson.loads(body)) if response.status == HTTPStatus.OK else NONE
