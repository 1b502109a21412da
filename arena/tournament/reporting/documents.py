"""Documents: standings as plain data, the JSON form (`schemas/standings.schema.json`).

Numbers are rounded here, far above the noise of floating point, so that any machine writes the
same bytes. It computes nothing and knows no layout.
"""

from __future__ import annotations

from arena.tournament.components import ABOVE, BELOW
from arena.tournament.ratings import ANCHOR_ELO, CONFIDENCE
from arena.tournament.standings import Row, Section, Standings

Value = str | int | float | bool | None
BOUNDS = {ABOVE: "lower", BELOW: "upper", "": None}


def standings_document(standings: Standings) -> dict[str, object]:
    """The whole standings as one JSON object; percentages from 0 to 100, Elo to 2 decimals."""
    facts = standings.facts
    least, most = facts.meetings or (None, None)
    return {
        "session": facts.session,
        "ruleset": facts.ruleset,
        "fingerprint": facts.fingerprint,
        "seats": facts.seats,
        "schedule": facts.schedule,
        "rounds": facts.rounds,
        "meetings_min": least,
        "meetings_max": most,
        "reseat_every": facts.reseat_every,
        "deals": facts.deals,
        "commitment": facts.commitment,
        "version": facts.version,
        "model": standings.model,
        "anchor_elo": ANCHOR_ELO,
        "confidence_percent": round(100 * CONFIDENCE, 2),
        "hands": standings.hands,
        "blocks": standings.blocks,
        "partial_blocks": facts.partial_blocks,
        "division": None if facts.division is None else facts.division.id,
        "divisions": [{"id": division, "name": name} for division, name in facts.divisions],
        "warnings": list(standings.warnings),
        **_reasons(standings),
        **_people(standings),
        "groups": [_group_document(section) for section in standings.sections],
    }


def _reasons(standings: Standings) -> dict[str, object]:
    """Why bots were taken out, if that is told of any."""
    rows = [row for section in standings.sections for row in section.rows if row.reason]
    listed = [{"bot": row.bot, "name": row.name, "reason": row.reason} for row in rows]
    return {"reasons": listed} if listed else {}


def _people(standings: Standings) -> dict[str, object]:
    """Who is a person, if anybody is."""
    rows = [row for section in standings.sections for row in section.rows if row.clock]
    listed = [{"bot": row.bot, "name": row.name, "clock": row.clock} for row in rows]
    return {"people": listed} if listed else {}


def _group_document(section: Section) -> dict[str, object]:
    return {
        "anchor": section.anchor,
        "design_effect": rounded(section.design_effect, 3),
        "rows": [row_document(row) for row in section.rows],
    }


def row_document(row: Row) -> dict[str, Value]:
    """One row as a flat JSON object."""
    low, high = row.ranks or (None, None)
    return {
        "position": row.position,
        "rank_low": low,
        "rank_high": high,
        "bot": row.bot,
        "name": row.name,
        "owner": row.owner,
        "division": row.division or None,
        "status": row.status,
        "anchor": row.anchor,
        "withdrawn": row.withdrawn,
        "disqualified": row.disqualified,
        "elo": rounded(row.elo, 2),
        "elo_error": rounded(row.error, 2),
        "bound": BOUNDS[row.bound],
        "bound_elo": rounded(row.bound_elo, 2),
        "ahead_percent": percent(row.ahead),
        "place": rounded(row.place, 3),
        "first_percent": percent(row.first),
        "last_percent": percent(row.last),
        "hands": row.hands,
        "blocks": row.blocks,
        "superiority_percent": percent(row.superiority),
        "points": rounded(row.points, 3),
        "opposition_elo": rounded(row.opposition, 2),
        "faults": row.faults,
        "forfeits": row.forfeits,
        "move_ms": rounded(row.move_ms, 1),
    }


def rounded(value: float | None, digits: int) -> float | None:
    """The value to that number of decimals, never minus zero."""
    return None if value is None else round(float(value), digits) + 0.0


def percent(share: float | None) -> float | None:
    """A share from 0 to 1 as a percentage to 2 decimals."""
    return None if share is None else rounded(100 * share, 2)
