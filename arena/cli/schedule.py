"""`arena schedule`: who would meet whom, and how evenly, before a session starts."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from arena.cli.documents import opened
from arena.cli.rate import season_option
from arena.cli.remote import json_option
from arena.errors import BadInput

if TYPE_CHECKING:
    from arena.session.apart import Pairs
    from arena.session.config import SessionConfig
    from arena.session.forecast import Speed
    from arena.tournament.pairing.lineups import Schedule

KINDS = ("round_robin", "gauntlet", "swiss", "ladder", "final")
MOST_BOTS = 1_000


@click.command(
    epilog="""Examples:

    arena schedule --bots 30 --seats 4 --rounds 10

    arena schedule spring-cup.toml --tables

    arena schedule --bots 12 --seats 4 --kind gauntlet --regulars 0 --tables

    arena schedule --bots 24 --bots-per-owner 3 --kind swiss --rounds 8 --json

    arena schedule --bots 16 --apart 0,5 --apart 1,2,3

    arena schedule --kind final --prizes 3 --records cup.jsonl

    arena schedule summer-cup.toml --past spring-cup.jsonl
"""
)
@click.argument(
    "file", required=False, type=click.Path(exists=True, dir_okay=False, path_type=Path)
)
@click.option("--bots", type=int, default=None, help="Bots of the roster.  [those of FILE]")
@click.option("--seats", default=4, show_default=True, help="Bots at a table.")
@click.option("--rounds", type=int, help="Rounds.  [round robin: one fewer than bots, at most 40]")
@click.option("--kind", type=click.Choice(KINDS), default="round_robin", show_default=True)
@click.option(
    "--hands", type=click.IntRange(1), default=10, show_default=True, help="Hands at a table."
)
@click.option(
    "--bots-per-owner",
    type=click.IntRange(1),
    default=1,
    show_default=True,
    help="Neighbours in the roster.",
)
@click.option("--house", is_flag=True, help="House bots take the seats that are left over.")
@click.option("--mixed", is_flag=True, help="Smaller tables instead of byes or house bots.")
@click.option("--regulars", multiple=True, type=int, help="Gauntlet: who sits at every table.  [0]")
@click.option(
    "--prizes",
    type=click.IntRange(1),
    default=1,
    show_default=True,
    help="Final: how many there are to win.",
)
@click.option(
    "--records",
    multiple=True,
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="Final: record files of what leads to it.",
)
@click.option(
    "--apart", multiple=True, metavar="A,B", help="Bots that never meet, of a group no two."
)
@season_option
@click.option("--seed", default="00", show_default=True, help="Hex digits; the draw follows.")
@click.option(
    "--hand-seconds",
    type=click.FloatRange(min=0, min_open=True),
    help="How long a hand takes, as `arena session forecast` measures it: then so does all.",
)
@click.option(
    "--past",
    multiple=True,
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="Record files that show how long a hand takes at tables of this size.",
)
@click.option("--tables", "listed", is_flag=True, help="List the tables too.")
@json_option
def command(
    file: Path | None,
    bots: int | None,
    hand_seconds: float | None,
    past: tuple[Path, ...],
    listed: bool,
    as_json: bool,
    **options: Any,
) -> None:
    """Show who would meet whom in a session, how evenly, for how long and how exactly rated.

    The session is that of FILE, a session document with or without bots, or described by options.
    Bots are numbered from 0. A roster that cannot be seated is refused with the reason. Of a Swiss
    schedule the balanced half is shown, of a ladder its first block, of bots without ratings.
    Warnings say beforehand what would disappoint: an anchor or bots with too few blocks, a field
    that will not be separated.
    """
    from arena.session.config import ROTATE
    from arena.session.forecast import forecast, forecast_document, forecast_text
    from arena.tournament.pairing.descriptions import describe, schedule_document, tables_text

    asked = _of_file(file, bots) if file is not None else _of_options(bots, options)
    made, to_come = draw(asked)
    config = asked.config
    shape: dict[str, Any] = {
        "hands": config.hands_per_table,
        "more_rounds": to_come or 0,
        "replays": config.deals == ROTATE,
    }
    speed = _speed(past, hand_seconds, seats=config.seats)
    names = asked.names if asked.named else ()
    expected = forecast_document(forecast(config, made, names, to_come=to_come, speed=speed))
    if as_json:
        document = schedule_document(made, owners=asked.owners, apart=asked.apart, **shape)
        more = {"names": list(asked.names), "forecast": expected}
        click.echo(json.dumps({**document, **more}, ensure_ascii=False))
        return
    click.echo(describe(made, owners=asked.owners, apart=asked.apart, **shape), nl=False)
    click.echo("\n" + forecast_text(expected), nl=False)
    if asked.named and (listed or config.schedule.kind == "final"):
        click.echo(f"\nbots  {', '.join(f'{n} {name}' for n, name in enumerate(asked.names))}")
    if listed:
        click.echo("\n" + tables_text(made), nl=False)


def _speed(past: Sequence[Path], hand_seconds: float | None, *, seats: int) -> Speed | None:
    """How long a hand takes, if anything was said of it."""
    from arena.records.reading import lines_of
    from arena.records.speed import hand_lengths
    from arena.session.forecast import Speed

    if past and hand_seconds is not None:
        raise BadInput("--past", "--hand-seconds", "one of the two")
    if not past:
        return None if hand_seconds is None else Speed(1_000 * hand_seconds, 0)
    lengths: list[int] = []
    for file in past:
        with opened(file) as lines:
            lengths += hand_lengths(lines_of(lines), str(file), seats=seats)
    if not lengths:
        raise BadInput("--past", ", ".join(map(str, past)), f"played hands at tables of {seats}")
    return Speed(sum(lengths) / len(lengths), len(lengths))


class ScheduleRequest(NamedTuple):
    """What a schedule is drawn from. names, owners: of the roster; named: they are not numbers."""

    config: SessionConfig
    names: tuple[str, ...]
    owners: tuple[str, ...]
    seed: bytes
    named: bool = False

    @property
    def apart(self) -> Pairs:
        """The pairs that never meet. Raises `BadInput` for one that is not there."""
        from arena.session.apart import Field, check_known, pairs_apart

        roster, groups = Field(self.names, self.names, self.owners), self.config.schedule.apart
        numbers = roster.numbers()
        check_known(groups, lambda member: member.key in numbers)
        return pairs_apart(groups, roster)


def draw(asked: ScheduleRequest) -> tuple[Schedule, int | None]:
    """The schedule, and how many rounds follow from results, None for a ladder that is closed by
    hand. Raises `BadInput` for a roster that cannot be seated."""
    from arena.session.stored_schedule import first_rounds, rounds_to_come
    from arena.tournament.pairing.draws import next_round
    from arena.tournament.pairing.ladder import Rung

    pairing, apart = asked.config.schedule, asked.apart
    schedule = first_rounds(
        *(pairing, asked.config.seats),
        names=asked.names,
        owners=asked.owners,
        apart=apart,
        seed=asked.seed,
    )
    if pairing.kind == "ladder":
        rungs = [Rung(bot, owner) for bot, owner in enumerate(asked.owners)]
        drawn = next_round(schedule, rungs, seed=asked.seed, tables=pairing.tables, apart=apart)
        return drawn, None if pairing.rounds is None else pairing.rounds - 1
    return schedule, rounds_to_come(pairing, schedule)


def _of_options(bots: int | None, options: dict[str, Any]) -> ScheduleRequest:
    if options["records"]:
        return _of_records(options)
    if options["season"]:
        raise BadInput("--season", "alone", "--records of several databases")
    if bots is None or not 0 <= bots <= MOST_BOTS:
        raise BadInput("bots", bots, f"a number up to {MOST_BOTS}, or a file that has them")
    numbers, per_owner = tuple(map(str, range(bots))), options["bots_per_owner"]
    return ScheduleRequest(
        _config(options, numbers),
        numbers,
        tuple(f"owner {number // per_owner}" for number in range(bots)),
        _seed(options["seed"]),
    )


def _config(options: dict[str, Any], names: Sequence[str]) -> SessionConfig:
    """The session that options describe."""
    from arena.session.config import read_config

    members = {"seats": options["seats"], "hands_per_table": options["hands"]}
    schedule = _document(options, names)
    return read_config({"name": "session", "schedule": schedule, **members})


def _document(options: dict[str, Any], numbers: Sequence[str]) -> dict[str, Any]:
    """The schedule of a session document. What a kind has not is refused by that."""
    kind, document = options["kind"], {"kind": options["kind"], "rounds": options["rounds"]}
    if options["house"]:
        document["house_bots"] = True
    if options["mixed"]:
        document["mixed_sizes"] = True
    if options["apart"]:
        document["apart"] = [group.split(",") for group in options["apart"]]
    if kind == "gauntlet" or options["regulars"]:
        document["regulars"] = list(map(str, options["regulars"] or (0,)))
    if kind == "final":
        document["finalists"] = numbers or ["0"]
    return document


def _of_records(options: dict[str, Any]) -> ScheduleRequest:
    """A final of those that can still win a prize, by record files."""
    from arena.cli.finals import finalists_in
    from arena.session.owners import in_one_spelling

    if options["kind"] != "final":
        raise BadInput("records", options["kind"], "a final: other kinds follow from no records")
    finalists = finalists_in(
        options["records"],
        prizes=options["prizes"],
        seats=options["seats"],
        season=options["season"],
    )
    names = [finalist.name for finalist in finalists]
    return ScheduleRequest(
        _config(options, names),
        tuple(names),
        tuple(in_one_spelling(finalist.owner for finalist in finalists)),
        _seed(options["seed"]),
        named=True,
    )


def _of_file(file: Path, bots: int | None) -> ScheduleRequest:
    """The session of a file. With slug and seed it is the very schedule that will be played, if no
    bot gives bytes to chance."""
    from arena.cli.finals import playing, read_session
    from arena.cli.run import read_bots
    from arena.confinement.limits import read_limits
    from arena.proofs.chance import mixed_key
    from arena.session.config import read_config, read_seed
    from arena.session.owners import in_one_spelling
    from arena.session.stored_schedule import seed_of

    document = read_session(file)
    listed = document.pop("bots", None)
    read_limits(document.pop("limits", None))
    plan = read_config(document)
    if listed is None and bots is None:
        raise BadInput("bots", None, f"a number of bots, since {file} lists none")
    if listed is None and plan.schedule.apart:
        click.echo(f"Note: {file} lists no bots, so nobody is kept apart here.", err=True)
        plan = replace(plan, schedule=replace(plan.schedule, apart=()))
    finalists = playing(document, read_bots(listed)) if listed is not None else []
    numbers = range(bots if bots is not None else 0)
    names = tuple(bot.name for bot in finalists) or tuple(map(str, numbers))
    listed_owners = in_one_spelling(bot.owner for bot in finalists)
    owners = tuple(listed_owners) or tuple(f"owner {n}" for n in numbers)
    seed = seed_of(mixed_key(read_seed(document) or bytes(32), ()), plan.slug or "")
    return ScheduleRequest(
        plan,
        names,
        owners,
        seed,
        named=bool(finalists),
    )


def _seed(text: str) -> bytes:
    try:
        return bytes.fromhex(text)
    except ValueError:
        raise BadInput("seed", text, "hex digits, an even number of them") from None
