"""`arena serve`: the referee as a server. Patches the process before it imports anything of it."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from arena import CORE

if TYPE_CHECKING:
    from arena.application import Referee
    from arena.settings import Settings


@click.command(
    epilog="""Examples:

    arena serve

    arena serve --database sqlite:///cup.db --port 9000

    arena serve --house-bots

    ARENA_REGISTRATION=code arena serve --config arena.toml

    ARENA_MAX_CONNECTIONS=5000 arena serve --access-log --log-format json

    arena serve --database postgresql://arena@db/arena --host 0.0.0.0

Several referees, on one host or many, share one PostgreSQL database (pip install
'daifugo-arena[postgres]'). Start as many as you like, in any order: the tables are made by
whoever is first. On many hosts each needs an address for the others: ARENA_CLUSTER_HOST, or
cluster_host in --config. Any HTTP load balancer will do; files for nginx, HAProxy, Traefik,
systemd and Docker Compose are in arena/deploy. A referee or the database may be stopped,
killed and started again while sessions are played: nothing is lost, and no clock runs
meanwhile. Connect to the database itself: no pooler between. The hosts' clocks need not
agree. SQLite is for one referee.  arena manual referees"""
)
@click.option(
    "--database", help="sqlite:///FILE, postgresql://USER@HOST/NAME, or memory: to keep nothing."
)
@click.option(
    "--database-check", help="quick, full or off: what is looked at before a SQLite start."
)
@click.option(
    "--signing-key",
    metavar="FILE",
    help="The private key by which digests and records are signed; beside a SQLite FILE it is"
    " FILE.key, made at the first start.",
)
@click.option("--host", help="Address to listen on; only this machine can reach it by default.")
@click.option("--port", type=int, help="Port to listen on; 0 for any free one.")
@click.option(
    "--print-token",
    is_flag=True,
    default=None,
    help="Print the first organiser's token also into a log.",
)
@click.option(
    "--registration",
    help="open; code: bots need an enrolment code; closed: only organisers register bots.",
)
@click.option(
    "--notify-allow",
    help="Hosts to which messages of sessions may be sent, with commas between; none if unsaid.",
)
@click.option(
    "--house-bots/--no-house-bots",
    default=None,
    help="Start house bots, for people to play against at /seat; off if unsaid.",
)
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
    token is made and printed, once. Where output is no terminal but a log, the token goes into a
    file beside the database that only its owner may read (FILE.organiser-token; with PostgreSQL
    `organiser-token` in the working directory), unless --print-token was given.
    """
    from arena.web.server.patching import patch

    patch()
    from arena.settings import read_settings
    from arena.web.api.logs import configure
    from arena.web.command import run

    settings = read_settings(config, os.environ, flags)
    configure(settings)
    run(settings, on_ready=lambda url, referee: _announce(url, referee, settings))


def _announce(url: str, referee: Referee, settings: Settings) -> None:
    """Say where the arena is and by which key it signs, and see to the first organiser's token."""
    from arena.store.opening import without_password

    address = without_password(settings.database)
    click.echo(f"Daifugō Arena at {url}  (database {address}; {CORE}; stop with Ctrl-C)")
    _see_to_token(referee, settings)
    signer = referee.queries.signer
    click.echo(f"Public key  {signer.public_key}" if signer else "No key: nothing is signed")


def _see_to_token(referee: Referee, settings: Settings) -> None:
    if referee.registry.has_admin():
        return
    if settings.print_token or sys.stdout.isatty():
        _print_token(referee)
    else:
        _keep_token(referee, settings.database)


def _print_token(referee: Referee) -> None:
    token = _first_token(referee)
    if token is not None:
        click.echo(f"Organiser's token, shown only now:  {token}")
        click.echo("  export ARENA_ADMIN_TOKEN=...   then:  arena session create FILE.toml")


def _keep_token(referee: Referee, database: str) -> None:
    """Leave the token in a new file; where there can be none, make no token."""
    from arena.store.opening import without_password

    path = _token_file(database)
    try:
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except OSError as error:
        more = f"arena admin token --database {without_password(database)}"
        message = f"No organiser's token was made: {path} cannot be made ({error.strerror})"
        click.echo(f"{message}; stop the arena, then: {more}")
        return
    token = None
    try:
        with open(handle, "w", encoding="ascii") as file:
            token = _first_token(referee)
            file.write(token or "")
    finally:
        if token is None:
            path.unlink()
    if token is not None:
        click.echo(f"Organiser's token, for its owner only, in {path}")


def _token_file(database: str) -> Path:
    """Beside the database if it is a file, else in the working directory."""
    from arena.store.opening import is_file, sqlite_file

    if is_file(database):
        file = sqlite_file(database).absolute()
        return file.with_name(f"{file.name}.organiser-token")
    return Path("organiser-token").absolute()


def _first_token(referee: Referee) -> str | None:
    """None if another process on this database has just made it."""
    from arena.errors import Conflict

    try:
        return referee.registry.create_admin()
    except Conflict:
        return None
