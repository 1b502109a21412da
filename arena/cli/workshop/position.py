"""`arena position ...`: show a position, list what may be answered in it, answer, solve it."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, Any

import click

from arena.cli.remote import json_option, print_json
from arena.cli.workshop.words import in_words
from arena.errors import BadInput

if TYPE_CHECKING:
    from arena.game import Position


@click.group("position", epilog="Example:  arena position show TEXT")
def command() -> None:
    """Show a position, list what may be answered in it, answer, solve it."""


@command.command(
    epilog="Example:  arena position show 'daifugo/1 pagat seat=0 move=0 held=S3/18/17/17 dealer=3'"
)
@click.argument("text")
@json_option
def show(text: str, as_json: bool) -> None:
    """Show what a position says: who is asked what, the table, and what each seat holds.

    TEXT is the line of a position in quotation marks. With --json, the turn document of the seat
    that is asked.
    """
    position = _read(text)
    if as_json:
        print_json(_document(position))
    else:
        click.echo("\n".join(_lines(position)))


@command.command("legal", epilog='Example:  arena position legal "$(cat position.txt)"')
@click.argument("text")
@json_option
def legal_(text: str, as_json: bool) -> None:
    """List what the seat that is asked may answer, in the protocol's order, from 0."""
    from arena.wire import menu_entries

    entries = menu_entries(_read(text).legal())
    if as_json:
        print_json(entries)
        return
    for number, entry in enumerate(entries):
        click.echo(f"{number:>3}  {in_words(entry)}")


@command.command(epilog='Example:  arena position apply "$(cat position.txt)" S4S5')
@click.argument("text")
@click.argument("answer")
@json_option
def apply(text: str, answer: str, as_json: bool) -> None:
    """Answer for the seat that is asked, and print the position that follows.

    TEXT is a position in which everything is known (seat=all). ANSWER is pass, cards such as S4S5,
    a number of the list of `arena position legal`, or the JSON that a bot would send.
    """
    from arena.game import Position
    from arena.wire import read_answer
    from arena.wire.short_answers import short_answer

    position = _read(text)
    state = position.game_state()
    if position.asked < 0:
        raise BadInput("position", text, "a hand that is not over")
    given = read_answer(position.rules, state.state, position.asked, short_answer(answer))
    after = state.play(given)
    follows = Position.of_state(after.rules, after.state, ruleset=position.ruleset)
    if as_json:
        print_json({"position": str(follows), "places": after.result()})
    else:
        click.echo(str(follows))


@command.command(epilog='Example:  arena position solve "$(cat position.txt)"')
@click.argument("text")
@click.option(
    "--steps",
    type=click.IntRange(1),
    help="How many answers the search may try; 1,000,000 if not given.",
)
@json_option
def solve(text: str, steps: int | None, as_json: bool) -> None:
    """Search which place each answer is sure of, whatever the others hold and do.

    TEXT is a small position, late in a hand. A place is sure if one plan reaches it in every world
    that agrees with the position and against everything that the others may answer; the plan may
    use what the seat is shown later, and no hidden card. With seat=all it knows all cards.
    """
    from arena.game.solution import MOST_STEPS
    from arena.wire import menu_entries

    position = _read(text)
    solution = position.solve(most_steps=steps or MOST_STEPS)
    answers = list(zip(menu_entries(position.legal()), solution.places, strict=True))
    if as_json:
        rows = [{"answer": entry, "place": place} for entry, place in answers]
        numbers = {name: getattr(solution, name) for name in ("seat", "place", "worlds", "steps")}
        print_json({**numbers, "answers": rows})
        return
    for number, (entry, place) in enumerate(answers):
        click.echo(f"{number:>3}  place {place}  {in_words(entry)}")
    worlds = "1 world" if solution.worlds == 1 else f"{solution.worlds} worlds"
    sure = f"seat {solution.seat} is sure of place {solution.place} of {position.rules.players}"
    click.echo(f"{sure}; {worlds}, {solution.steps} steps of search")


def _read(text: str) -> Position:
    from arena.game import Position

    return Position.parse(text)


def _document(position: Position) -> dict[str, Any]:
    """The turn document of the seat that is asked, and the line itself."""
    from arena.wire.positions import position_fields

    return {"position": str(position), **position_fields(position, Random(0))}


def _lines(position: Position) -> list[str]:
    """A position for people."""
    from arena.game.notation import FIELDS

    state = position.state
    question = state.question_for(position.asked)
    asked = f"seat {position.asked}, {question.kind if question else 'play'}"
    if position.asked < 0:
        asked = "nobody, the hand is over"
    lines = [
        f"ruleset  {position.ruleset}",
        f"asked    {asked}",
        f"knows    {'everything' if position.seat is None else f'seat {position.seat}'}",
        f"pile     {' '.join(state.pile.codes) if state.pile else '-'}",
        f"order    {'reversed' if state.order_reversed else 'normal'}",
    ]
    held = FIELDS["held"](position).split("/")
    lines += [f"seat {seat}   {cards}" for seat, cards in enumerate(held)]
    shown = {"seat", "move", "asked", "held", "dealer"}
    others = {name: write(position) for name, write in FIELDS.items() if name not in shown}
    return lines + [f"{name:<8} {text}" for name, text in others.items() if text]
