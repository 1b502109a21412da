"""Notices: the lines above and below standings: what was played, how it was rated, what marks mean.

Sentences only; they follow from the standings and are the same for every form.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from arena.tournament.components import ABOVE, BELOW
from arena.tournament.models import MODELS
from arena.tournament.reporting.markup import printable
from arena.tournament.standings import (
    PROVISIONAL,
    PROVISIONAL_BLOCKS,
    WITHDRAWN,
    Facts,
    Row,
    Standings,
)

ANCHOR_MARK, WITHDRAWN_MARK, DISQUALIFIED_MARK, BOUNDED_MARK = "*", "†", "‡", "!"


def marks(row: Row) -> str:
    """The marks behind a bot's name."""
    return (
        (ANCHOR_MARK if row.anchor else "")
        + _leaving_mark(row)
        + (BOUNDED_MARK if row.bound else "")
    )


def _leaving_mark(row: Row) -> str:
    if row.disqualified:
        return DISQUALIFIED_MARK
    return WITHDRAWN_MARK if row.withdrawn else ""


def header(standings: Standings, *, rated: bool = True) -> list[str]:
    """The lines above: session, ruleset, amount, schedule, seating, deals, model if it is rated."""
    facts = standings.facts
    amount = f"{_count(standings.hands, 'hand')} in {_count(standings.blocks, 'block')}"
    lines = [
        printable(facts.session),
        _division(facts),
        _listed(_ruleset(facts), f"{facts.seats} seats" if facts.seats else ""),
        _listed(amount, _schedule(facts)),
        _listed(_seating(facts), f"deals {facts.deals}" if facts.deals else ""),
        _listed(MODELS[standings.model], _anchor(standings)) if rated else "",
    ]
    return [line for line in lines if line]


def footer(standings: Standings, missing: Sequence[str] = (), *, rated: bool = True) -> list[str]:
    """The lines below: what errors and marks mean, warnings, commitment and version."""
    rows = [row for section in standings.sections for row in section.rows]
    errors = _errors(standings) if rated else ()
    lines = [*errors, *_legend(rows, rated=rated), *_people(rows), *_reasons(rows)]
    if missing:
        lines.append(f"left out for want of width: {', '.join(missing)}")
    lines += [f"Warning: {printable(warning)}" for warning in standings.warnings]
    if standings.facts.commitment:
        lines.append(f"seed commitment {printable(standings.facts.commitment)}")
    if standings.facts.version:
        lines.append(f"Daifugō Arena {printable(standings.facts.version)}")
    return lines


def _reasons(rows: Sequence[Row]) -> Iterator[str]:
    """Why bots were taken out, where that is told."""
    for row in rows:
        if row.reason:
            yield f"{_leaving_mark(row)} {printable(row.name)}: {printable(row.reason)}"


def _people(rows: Sequence[Row]) -> Iterator[str]:
    """Who is a person, and with how much time."""
    people = [f"{printable(row.name)} (clock {row.clock})" for row in rows if row.clock]
    if people:
        yield f"played by people: {', '.join(people)}"


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _listed(*parts: str) -> str:
    return "; ".join(part for part in parts if part)


def _ruleset(facts: Facts) -> str:
    if not facts.ruleset:
        return ""
    print_ = f" ({printable(facts.fingerprint)})" if facts.fingerprint else ""
    return f"ruleset {printable(facts.ruleset)}{print_}"


def _division(facts: Facts) -> str:
    part = facts.division
    if part is None:
        return ""
    return f"division {printable(part.name)}: {part.members} of {_count(part.listed, 'bot')}"


def _schedule(facts: Facts) -> str:
    if not facts.schedule:
        return ""
    text = f"schedule {printable(facts.schedule)}"
    if facts.rounds is not None:
        text += f", {_count(facts.rounds, 'round')}"
    if facts.meetings is None:
        return text
    least, most = facts.meetings
    return f"{text}, pairs meet {least if least == most else f'{least}-{most}'} times"


def _seating(facts: Facts) -> str:
    if facts.reseat_every is None:
        return ""
    if facts.reseat_every == 0:
        return "seats never change"
    every = "hand" if facts.reseat_every == 1 else f"{facts.reseat_every} hands"
    return f"new seats every {every}"


def _anchor(standings: Standings) -> str:
    names = [row.name for section in standings.sections for row in section.rows if row.anchor]
    part = standings.facts.division
    if not names and part is not None:
        return f"{printable(part.anchor)} = 1500" if part.anchor else "mean of all = 1500"
    return f"{printable(names[0])} = 1500" if names else "mean = 1500"


def _errors(standings: Standings) -> Iterator[str]:
    effects = [s.design_effect for s in standings.sections if s.design_effect is not None]
    if not effects:
        return
    sizes = ", ".join(f"{effect:.2f}" for effect in effects)
    yield f"+/- and range: 95 %, errors clustered by block, design effect {sizes}"


def _legend(rows: Sequence[Row], *, rated: bool) -> Iterator[str]:
    signs = (
        (f"{ANCHOR_MARK} anchor", any(row.anchor for row in rows)),
        (f"{WITHDRAWN_MARK} withdrawn", any(r.withdrawn and not r.disqualified for r in rows)),
        (f"{DISQUALIFIED_MARK} disqualified", any(row.disqualified for row in rows)),
        (
            f"{BOUNDED_MARK} always ahead ({ABOVE}) or behind ({BELOW})",
            any(row.bound for row in rows),
        ),
        (
            f"~ under {PROVISIONAL_BLOCKS} blocks",
            rated
            and any(
                row.status in (PROVISIONAL, WITHDRAWN) and row.blocks < PROVISIONAL_BLOCKS
                for row in rows
            ),
        ),
    )
    legend = _listed(*(text for text, used in signs if used))
    if legend:
        yield f"marks: {legend}"
