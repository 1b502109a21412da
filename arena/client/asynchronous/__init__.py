"""The kit for bots whose thinking waits for something: `async def` instead of `def`.

    AsyncClient             the HTTP protocol, one awaitable method for each endpoint
    AsyncRunner             plays a bot in a program that has an event loop already
    run                     plays a bot, flags and all, as `arena.client.run` does

A bot is the same `Bot`; each of its methods may be a coroutine. Turns of several tables are thought
about at the same time. Needs aiohttp: the extra `async`.
"""

from __future__ import annotations

from arena.client.asynchronous.http import AsyncClient
from arena.client.asynchronous.runner import AsyncRunner, run

__all__ = ["AsyncClient", "AsyncRunner", "run"]
