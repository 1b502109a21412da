"""`arena serve`: the referee as a server. Patches the process before it imports anything of it."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from arena.referee.service import Referee


@click.command(
    epilog="""Examples:

    arena serve

    arena serve --database sqlite:///cup.db --port 9000

    ARENA_REGISTRATION=code arena serve --config arena.toml

    ARENA_MAX_CONNECTIONS=5000 arena serve --access-log --log-format json

    arena serve --database postgresql://arena@db/arena --host 0.0.0.0

Several processes, on one host or many, may serve one PostgreSQL database (pip install
'daifugo-arena[postgres]'). Start as many as you like, in any order: the tables are made by
whoever is first. Any HTTP load balancer will do, without sticky sessions; files for nginx,
systemd and Docker Compose are in arena/deploy. A process or the database may be stopped,
killed and started again while sessions are played: nothing is lost, and while no process is
alive no clock runs. Connect to the database itself, or through a pooler in session mode. Rate
limits count per process; the hosts' clocks need not agree. SQLite is for one process."""
)
@click.option(
    "--database", help="sqlite:///FILE, postgresql://USER@HOST/NAME, or memory: to keep nothing."
)
@click.option("--host", help="Address to listen on; only this machine unless told otherwise.")
@click.option("--port", type=int, help="Port to listen on; 0 for any free one.")
@click.option("--registration", help="open, or code: bots need an enrolment code.")
@click.option("--log-level", help="debug, info, warning or error.")
@click.option("--log-format", help="text (key=value), or json: one object a line.")
@click.option(
    "--access-log/--no-access-log", default=None, help="Log a line for each request; off if unsaid."
)
@click.option(
    "--config",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="A TOML file of settings; the environment (ARENA_PORT ...) and flags win over it.",
)
def command(config: Path | None, **flags: Any) -> None:
    """Run the referee until Ctrl-C or SIGTERM.

    Everything that was being played goes on where it stopped. At the first start an organiser's
    token is printed, once.
    """
    from arena.web.patching import patch

    patch()
    from arena.settings import read_settings
    from arena.web.command import run
    from arena.web.logs import configure

    settings = read_settings(config, os.environ, flags)
    configure(settings)
    run(settings, on_ready=lambda url, referee: _announce(url, referee, settings.database))


def _announce(url: str, referee: Referee, database: str) -> None:
    """Say where the arena is, and the first organiser's token."""
    from arena.errors import Conflict
    from arena.store.opening import without_password

    shown = without_password(database)
    click.echo(f"Daifugō Arena at {url}  (database {shown}; stop with Ctrl-C)")
    if not referee.has_admin():
        try:
            token = referee.create_admin()
        except Conflict:  # another process on this database has just done so
            return
        click.echo(f"Organiser's token, shown only now:  {token}")
        click.echo("  export ARENA_ADMIN_TOKEN=...   then:  arena session create FILE.toml")
