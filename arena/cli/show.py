"""`arena show`: a recorded hand in sentences, or how it stood at one moment."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import click

from arena.cli.documents import opened
from arena.cli.narrated import (
    detail_option,
    find_hand,
    language_option,
    numbered_hands,
    recorded_hand_options,
    seat_of_bot,
)
from arena.cli.remote import json_option, print_json
from arena.narration.language import Detail, Language, Speaker
from arena.narration.sentences import (
    ABOVE,
    Perspective,
    Sentence,
    describe_position,
    language,
    narrate,
)
from arena.records.reading import lines_of
from arena.rules import EMPTY, evolve
from arena.session.recorded_hand import RecordedHand, read_recorded_hand
from arena.tournament.reporting.markup import printable


@click.command(
    epilog="""Examples:

    arena show demo.jsonl

    arena show demo.jsonl --hand 3

    arena show demo.jsonl --hand demo-r01-t01-h003 --at 40 --seat lowest-1 --language ja
"""
)
@recorded_hand_options
@click.option("--at", "moment", type=int, metavar="N", help="How it stood after event N.")
@language_option
@detail_option("How much is said; full also counts cards.")
@json_option
def command(
    file: Path,
    wanted: str | None,
    moment: int | None,
    seat_of: str | None,
    code: str,
    detail: str,
    as_json: bool,
) -> None:
    """Show a hand of a record file in sentences, numbered by event.

    Without --hand it lists the hands of the file. All cards are shown, also those that were hidden
    while the hand was played, unless --seat says whose eyes to look through.
    """
    with opened(file) as lines:
        if wanted is None and moment is None and seat_of is None:
            _list(lines_of(lines), as_json=as_json)
            return
        replay = _printable(read_recorded_hand(find_hand(lines_of(lines), wanted)))
    reader = ABOVE if seat_of is None else Perspective(seat_of_bot(replay, seat_of))
    speaker = Speaker(replay.names, replay.rules.table.titles, Detail(detail))
    if moment is None:
        _print_hand(replay, language(code), speaker, reader, as_json=as_json)
    else:
        _print_position(replay, language(code), speaker, reader, moment=moment, as_json=as_json)


def _list(lines: Iterable[bytes], *, as_json: bool) -> None:
    """The hands of a file, a line each; of a long file they appear as they are read."""
    documents = []
    for position, document in numbered_hands(lines):
        replay = _printable(read_recorded_hand(document))
        if as_json:
            documents.append({"position": position, **_heading(replay)})
        else:
            click.echo(f"{position:>4}  {_summary(replay)}")
    if as_json:
        print_json({"hands": documents})


def _printable(replay: RecordedHand) -> RecordedHand:
    """The same with names that do nothing to a terminal; a file may come from anybody."""
    names = tuple(map(printable, replay.names))
    return replay._replace(hand=printable(replay.hand), names=names, void=printable(replay.void))


def _heading(replay: RecordedHand) -> dict[str, Any]:
    return {
        "hand": replay.hand,
        "table": replay.table,
        "round": replay.round,
        "number": replay.number,
        "players": list(replay.names),
        "events": len(replay.events),
        "void": replay.void or None,
    }


def _summary(replay: RecordedHand) -> str:
    """One hand in one line: who finished where, and what was notable."""
    final = evolve(EMPTY, replay.events)
    places = ", ".join(replay.names[seat] for seat in final.places) or "not played"
    seen = Counter(sentence.notable for sentence in _sentences(replay))
    notable = [
        f"{count} {word}{'s'[: count > 1]}"
        for word, count in sorted(seen.items())
        if word not in ("", "out")
    ]
    void = " (void)" if replay.void else ""
    return f"{replay.hand}{void}  {places}" + (f"  [{', '.join(notable)}]" if notable else "")


def _sentences(replay: RecordedHand) -> Iterator[Sentence]:
    speaker = Speaker(replay.names, detail=Detail.BRIEF)
    return narrate(language("en"), speaker, replay.events, reader=ABOVE)


def _print_hand(
    replay: RecordedHand, words: Language, speaker: Speaker, reader: Perspective, *, as_json: bool
) -> None:
    """The whole hand: a line for each step, or every sentence as a document."""
    lines: list[tuple[int, list[Sentence]]] = []
    state = EMPTY
    for step in replay.steps:
        sentences = list(narrate(words, speaker, step.events, reader=reader, state=state))
        lines.append((step.last, sentences))
        state = evolve(state, step.events)
    noted = {at: printable(note) for at, note in replay.notes(reader.seat).items()}
    if as_json:
        all_sentences = [sentence._asdict() for _, sentences in lines for sentence in sentences]
        said = {"language": words.code, "sentences": all_sentences}
        notes = [{"at": at, "note": note} for at, note in noted.items()]
        print_json({**_heading(replay), **said, **({"notes": notes} if notes else {})})
        return
    click.echo(f"{replay.hand}: round {replay.round}, hand {replay.number} of its table")
    if replay.void:
        click.echo(f"void: {replay.void}")
    for number, sentences in lines:
        text = words.between.join(sentence.text for sentence in sentences)
        if text:
            click.echo(f"{number:>4}  {text}")
        if number in noted:
            click.echo(f"      note: {noted[number]}")


def _print_position(
    replay: RecordedHand,
    words: Language,
    speaker: Speaker,
    reader: Perspective,
    *,
    moment: int,
    as_json: bool,
) -> None:
    """How the hand stood after one event."""
    state = replay.state_at(moment)
    lines = describe_position(words, speaker, replay.rules, state, reader=reader)
    if as_json:
        print_json({**_heading(replay), "language": words.code, "at": moment, "lines": lines})
        return
    for line in lines:
        click.echo(line)
