"""`arena schedule`: who would meet whom, and how evenly, before a session starts."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

import click

from arena.cli.organiser import json_option
from arena.errors import BadInput

if TYPE_CHECKING:
    from arena.tournament.lineups import Schedule

KINDS = ("round_robin", "gauntlet", "swiss", "ladder", "final")
SWISS_ROUNDS = 10


@click.command(
    epilog="""Examples:

    arena schedule --bots 30 --seats 4 --rounds 10

    arena schedule --bots 12 --seats 4 --kind gauntlet --regulars 0 --tables

    arena schedule --bots 24 --bots-per-owner 3 --kind swiss --rounds 8 --json
"""
)
@click.option("--bots", required=True, type=int, help="Bots of the roster.")
@click.option("--seats", default=4, show_default=True, help="Bots at a table.")
@click.option("--rounds", type=int, default=None, help="Rounds.  [as the kind of schedule says]")
@click.option("--kind", type=click.Choice(KINDS), default="round_robin", show_default=True)
@click.option("--hands", default=10, show_default=True, help="Hands at a table.")
@click.option("--bots-per-owner", default=1, show_default=True, help="Neighbours in the roster.")
@click.option("--house", is_flag=True, help="House bots take the seats that are left over.")
@click.option("--mixed", is_flag=True, help="Smaller tables instead of byes or house bots.")
@click.option("--regulars", multiple=True, type=int, help="Gauntlet: who sits at every table.  [0]")
@click.option("--seed", default="00", show_default=True, help="Hex digits; the draw follows.")
@click.option("--tables", "listed", is_flag=True, help="List the tables too.")
@json_option
def command(
    bots: int,
    seats: int,
    rounds: int | None,
    kind: str,
    hands: int,
    bots_per_owner: int,
    house: bool,
    mixed: bool,
    regulars: tuple[int, ...],
    seed: str,
    listed: bool,
    as_json: bool,
) -> None:
    """Show who would meet whom in a session, and how evenly.

    Bots are numbered from 0. A roster that cannot be seated is refused with the reason. Of a Swiss
    schedule the balanced half is shown, of a ladder its first block, of bots without ratings.
    """
    from arena.tournament.descriptions import describe, schedule_document, tables_text

    if bots < 0 or bots_per_owner < 1 or hands < 1:
        raise BadInput("bots, bots per owner, hands", (bots, bots_per_owner, hands), "1 or more")
    asked = Asked(
        tuple(f"owner {number // bots_per_owner}" for number in range(bots)),
        seats,
        rounds=rounds,
        seed=_seed(seed),
        house=house,
        mixed=mixed,
        regulars=regulars or (0,),
    )
    made = draw(kind, asked)
    to_come = (rounds or SWISS_ROUNDS) - len(made.rounds) if kind == "swiss" else 0
    if as_json:
        document = schedule_document(made, owners=asked.owners, hands=hands, more_rounds=to_come)
        click.echo(json.dumps(document))
        return
    click.echo(describe(made, owners=asked.owners, hands=hands, more_rounds=to_come), nl=False)
    if listed:
        click.echo("\n" + tables_text(made), nl=False)


class Asked(NamedTuple):
    """What a schedule is drawn from. owners: of the roster."""

    owners: tuple[str, ...]
    seats: int
    rounds: int | None
    seed: bytes
    house: bool
    mixed: bool
    regulars: tuple[int, ...]


def draw(kind: str, asked: Asked) -> Schedule:
    """The schedule of a kind. Raises `BadInput` for a roster that cannot be seated."""
    if asked.mixed and kind != "round_robin":
        raise BadInput("mixed", kind, "round_robin: other kinds have tables of one size")
    makers: dict[str, Callable[[Asked], Schedule]] = {
        "round_robin": _mixed if asked.mixed else _round_robin,
        "gauntlet": _gauntlet,
        "swiss": _swiss,
        "ladder": _ladder,
        "final": _final,
    }
    return makers[kind](asked)


def _round_robin(asked: Asked) -> Schedule:
    from arena.tournament.schedules import round_robin

    owners, seats, rounds, seed = asked[:4]
    return round_robin(owners, seats, rounds=rounds, seed=seed, fill=asked.house)


def _mixed(asked: Asked) -> Schedule:
    from arena.tournament.mixed import mixed_rounds

    owners, seats, rounds, seed = asked[:4]
    return mixed_rounds(owners, seats, rounds=rounds, seed=seed)


def _gauntlet(asked: Asked) -> Schedule:
    from arena.tournament.gauntlet import gauntlet

    owners, seats, rounds, seed = asked[:4]
    return gauntlet(owners, seats, regulars=asked.regulars, rounds=rounds, seed=seed)


def _swiss(asked: Asked) -> Schedule:
    from arena.tournament.swiss import swiss_start

    owners, seats, rounds, seed = asked[:4]
    return swiss_start(owners, seats, rounds=rounds or SWISS_ROUNDS, seed=seed, fill=asked.house)


def _ladder(asked: Asked) -> Schedule:
    from arena.tournament.ladder import Rung, ladder_round
    from arena.tournament.lineups import schedule_of

    owners, seats, _, seed = asked[:4]
    rungs = [Rung(bot, owner) for bot, owner in enumerate(owners)]
    tables = max(1, len(owners) // max(1, seats))
    first = ladder_round(rungs, seats, number=1, seed=seed, met={}, tables=tables)
    return schedule_of("ladder", [first], n=len(owners), k=seats)


def _final(asked: Asked) -> Schedule:
    from arena.tournament.finals import final

    owners, seats, rounds, seed = asked[:4]
    return final(owners, seats, rounds=rounds, seed=seed)


def _seed(text: str) -> bytes:
    try:
        return bytes.fromhex(text)
    except ValueError:
        raise BadInput("seed", text, "hex digits, an even number of them") from None
