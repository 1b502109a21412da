"""Alerts as text and as plain data. It tests nothing (see `alerts`)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType

from arena.tournament.alerts import (
    FALSE_ALERTS,
    Alerts,
    CountTest,
    Finding,
    Help,
    SeatEffect,
    raised,
)
from arena.tournament.moves import GIFTS, PASSES, SPENDING, Habit
from arena.tournament.ratings import Ratings
from arena.tournament.reporting.documents import percent, rounded
from arena.tournament.reporting.markup import escaped, paragraph, printable, safe_form, table

Shown = Callable[[str], str]
MOST_LISTED = 20
TREATMENT: Mapping[str, str] = MappingProxyType(
    {
        PASSES: "passes on its plays",
        SPENDING: "beats it cheaply",
        GIFTS: "gives it good cards",
    }
)


def alerts_text(
    found: Alerts,
    names: Mapping[str, str],
    *,
    form: str = "plain",
    ratings: Ratings | None = None,
) -> str:
    """What is out of the ordinary, and how much was tested; ends with a newline.

    `names`: displayed for bots; their identity for those that have none. `ratings`: to
    list bots that never met.
    """
    safe = safe_form(form)

    def name_of(bot: str) -> str:
        return escaped(printable(names.get(bot, bot)), safe)

    parts = [
        *_help_part(found.helps, name_of, safe),
        *_habit_part(found, name_of, safe),
        *_count_part("seats", found.seats, name_of, safe),
        *_count_part("neighbours", found.neighbours, name_of, safe),
        *_effect_part(found.effects, safe),
        *_partial_part(found, safe),
        *_apart_part(_apart(ratings), name_of, safe),
    ]
    level = (
        "Adjusted: by Benjamini and Hochberg, and for all kinds of tests together; an alert is "
        f"{FALSE_ALERTS:.0%} or less."
    )
    last = paragraph([level, "These are alerts, not verdicts."], safe)
    return "\n\n".join(part for part in [*parts, last] if part) + "\n"


def _said(what: str, alerts: int, tested: int, safe: str) -> str:
    return paragraph([f"{what}: {alerts} of {tested} tested stand out"], safe)


def _help_part(helps: Sequence[Help], name_of: Shown, safe: str) -> list[str]:
    loud = [help_ for help_ in helps if raised(help_)]
    rows = [
        [
            name_of(h.helper),
            name_of(h.helped),
            f"{100 * h.residual_with:+.1f}",
            f"{100 * h.residual_without:+.1f}",
            f"{100 * h.gap:+.1f}",
            f"{100 * h.error:.1f}",
            f"{h.blocks_with}/{h.blocks_without}",
            _level(h.adjusted),
        ]
        for h in loud[:MOST_LISTED]
    ]
    heads = ("helper", "helped", "with %", "without %", "gap", "se", "blocks", "adjusted")
    summary = _said("pairs that help each other", len(loud), len(helps), safe)
    return [summary, table(rows, heads, right=(False, False, *[True] * 6), form=safe)]


def _habit_part(found: Alerts, name_of: Shown, safe: str) -> list[str]:
    if not found.hands_read:
        return [paragraph([f"moves: none read, of {found.hands_unread} hands"], safe)]
    loud = [habit for habit in found.habits if raised(habit)]
    rows = [
        [
            name_of(h.bot),
            name_of(h.other),
            TREATMENT[h.kind],
            f"{h.gap:+.2f}",
            f"{h.error:.2f}",
            str(h.moves),
            str(h.hands),
            _level(h.adjusted),
        ]
        for h in loud[:MOST_LISTED]
    ]
    heads = ("bot", "towards", "what it does", "gap", "se", "moves", "hands", "adjusted")
    tested = len(found.habits)
    said = [f"moves that favour another bot: {len(loud)} of {tested} tested stand out"]
    if found.hands_unread:
        said.append(f"read: {found.hands_read} hands, unread: {found.hands_unread}")
    summary = paragraph(["; ".join(said)], safe)
    return [summary, table(rows, heads, right=(*[False] * 3, *[True] * 5), form=safe)]


def _count_part(what: str, counts: Sequence[CountTest], name_of: Shown, safe: str) -> list[str]:
    loud = [count for count in counts if raised(count)]
    rows = [
        [
            name_of(c.bot),
            name_of(c.other) if c.other else "-",
            " ".join(map(str, c.counted)),
            f"{c.expected:.1f}",
            f"{c.statistic:.1f}",
            str(c.freedom),
            _level(c.adjusted),
        ]
        for c in loud[:MOST_LISTED]
    ]
    heads = ("bot", "acts after", "counted", "expected", "chi2", "df", "adjusted")
    right = (False, False, False, True, True, True, True)
    return [_said(what, len(loud), len(counts), safe), table(rows, heads, right=right, form=safe)]


def _effect_part(effects: Sequence[SeatEffect], safe: str) -> list[str]:
    loud = [effect for effect in effects if raised(effect)]
    rows = [
        [
            str(e.seat),
            f"{100 * e.residual:+.1f}",
            f"{100 * e.error:.1f}",
            str(e.blocks),
            _level(e.adjusted),
        ]
        for e in loud
    ]
    heads = ("seat", "worth %", "se", "blocks", "adjusted")
    summary = _said("seats that pay", len(loud), len(effects), safe)
    return [summary, table(rows, heads, right=[True] * 5, form=safe)]


def _partial_part(found: Alerts, safe: str) -> list[str]:
    if not found.partial:
        return []
    rows = [
        [escaped(printable(p.block), safe), str(p.hands), str(p.due)]
        for p in found.partial[:MOST_LISTED]
    ]
    summary = paragraph([f"partial blocks: {len(found.partial)}"], safe)
    return [summary, table(rows, ("block", "hands", "due"), right=(False, True, True), form=safe)]


def _apart(ratings: Ratings | None) -> list[list[str]]:
    """The bots of each group, if there are several that never met, not even by way of others."""
    groups = [] if ratings is None else ratings.groups
    return [list(group.bots) for group in groups] if len(groups) > 1 else []


def _apart_part(groups: Sequence[Sequence[str]], name_of: Shown, safe: str) -> list[str]:
    if not groups:
        return []
    rows = [[str(n), ", ".join(map(name_of, bots))] for n, bots in enumerate(groups, start=1)]
    summary = paragraph([f"disconnected: {len(groups)} groups never met"], safe)
    return [summary, table(rows, ("group", "bots"), right=(True, False), form=safe)]


def _level(chance: float) -> str:
    return "<0.0001" if chance < 0.0001 else f"{chance:.4f}"


def alerts_document(found: Alerts, ratings: Ratings | None = None) -> dict[str, object]:
    """Everything that was tested, as one JSON object; shares in per cent.

    `ratings`: to list bots that never met.
    """
    return {
        "false_alerts_percent": percent(FALSE_ALERTS),
        "helps": [_help_document(help_) for help_ in found.helps],
        "moves_hands": found.hands_read,
        "moves_hands_unread": found.hands_unread,
        "moves": [_habit_document(habit) for habit in found.habits],
        "seats": [_count_document(count) for count in found.seats],
        "neighbours": [_count_document(count) for count in found.neighbours],
        "seat_effects": [_effect_document(effect) for effect in found.effects],
        "partial_blocks": [partial._asdict() for partial in found.partial],
        "disconnected": _apart(ratings),
    }


def _help_document(help_: Help) -> dict[str, object]:
    return {
        "alert": raised(help_),
        "helper": help_.helper,
        "helped": help_.helped,
        "residual_with_percent": percent(help_.residual_with),
        "residual_without_percent": percent(help_.residual_without),
        "gap_percent": percent(help_.gap),
        "error_percent": percent(help_.error),
        "blocks_with": help_.blocks_with,
        "blocks_without": help_.blocks_without,
        **_levels(help_),
    }


def _habit_document(habit: Habit) -> dict[str, object]:
    return {
        "alert": raised(habit),
        "kind": habit.kind,
        "bot": habit.bot,
        "towards": habit.other,
        "gap": rounded(habit.gap, 4),
        "error": rounded(habit.error, 4),
        "moves": habit.moves,
        "hands": habit.hands,
        **_levels(habit),
    }


def _count_document(count: CountTest) -> dict[str, object]:
    return {
        "alert": raised(count),
        "bot": count.bot,
        "acts_after": count.other or None,
        "counted": list(count.counted),
        "expected": rounded(count.expected, 2),
        "chi_square": rounded(count.statistic, 3),
        "freedom": count.freedom,
        **_levels(count),
    }


def _effect_document(effect: SeatEffect) -> dict[str, object]:
    return {
        "alert": raised(effect),
        "seat": effect.seat,
        "residual_percent": percent(effect.residual),
        "error_percent": percent(effect.error),
        "blocks": effect.blocks,
        **_levels(effect),
    }


def _levels(finding: Finding) -> dict[str, object]:
    return {"chance": rounded(finding.chance, 6), "adjusted": rounded(finding.adjusted, 6)}
