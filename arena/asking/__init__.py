"""A bot is asked about given turns, one after another, and its answers are collected.

    turns = [...]                                   states, each with the seat that is asked
    with start_bot("python bot.py", {"ruleset": "pagat"}, folder=folder) as bot:
        for turn in turns:
            reply = bot.ask(turn)                   what it answered, in which time

The bot is a process that plays a session over HTTP as always: it has a token, enters, polls,
answers, and the session ends. Only which turns come next is decided here, and what is answered
changes nothing. `ClassBot` asks a Python class of the client kit in this process instead.

What a bot could tell: pages and documents of tables are those of the session, not of the turns; and
the clock counts anew for each turn.
"""

from __future__ import annotations

from arena.asking.in_process import ClassBot
from arena.asking.processes import AskedBot, BotGone, start_bot
from arena.asking.turns import BadAnswer, GivenTurn, TurnReply

__all__ = ["AskedBot", "BadAnswer", "BotGone", "ClassBot", "GivenTurn", "TurnReply", "start_bot"]
