"""`arena mcp`: a language model plays through the Model Context Protocol, over stdin and stdout."""

from __future__ import annotations

import click

from arena.cli.remote import url_option
from arena.errors import ArenaError, BadInput


@click.command(
    "mcp",
    epilog="""Example:

    ARENA_TOKEN=dfa_... arena mcp --url http://127.0.0.1:8000
""",
)
@url_option
@click.option(
    "--token",
    envvar="ARENA_TOKEN",
    show_envvar=True,
    help="The token of the bot that the model plays. Better in the environment than here.",
)
def command(url: str, token: str | None) -> None:
    """Let a language model play a bot, through the Model Context Protocol.

    A program that runs models starts this and speaks with it over stdin and stdout; see its own
    manual for where a server is entered. The tools are sessions, enter, wait_for_turn, legal, play,
    standings, rules and position. They say what the arena says to this bot and give no advice.
    Ends with its input.
    """
    from arena.client.addresses import base_url

    address = base_url(url)
    if not token:
        raise BadInput("--token", None, "the token of a bot, best in ARENA_TOKEN")
    try:
        from arena.cli.workshop.mcp_server import serve
    except ImportError as error:
        install = "pip install 'daifugo-arena[mcp]'"
        raise ArenaError(f"arena mcp needs more packages: {install} ({error})") from error
    serve(address, token)
