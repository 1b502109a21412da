"""Who is next: going out, clearing the table, skipping, and the end of a hand.

Only this module says whose move it is. Its functions take a state in which the play or answer has
been folded already and return the events that follow; they read no option but through the ruleset.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from arena.rules.events import (
    CLEARED,
    OUT,
    TO_MOVE,
    Cleared,
    Due,
    Ended,
    Event,
    Fouled,
    Freed,
    Out,
    Pending,
    Reversed,
    ToMove,
    Turned,
)
from arena.rules.evolve import evolve
from arena.rules.legal import has_play
from arena.rules.questions import ask_next
from arena.rules.ruleset import Ruleset
from arena.rules.state import State
from arena.rules.wiring import PlayRules


def finish_play(rules: Ruleset, s: State, due: Due) -> list[Event]:
    """Steps 5 to 7 of “The order of effects” in `RULES.md`: from the finishes to the next move."""
    events, s = _finishes(rules, s, due.seat, due.foul)
    if events:
        end = ending(rules, s, events)
        if end is not None:
            return [*events, end]
        by = due.clear or _cleared_by_finish(rules.play, due.seat, events)
        due = due._replace(clear=by) if by else due
    if due.turn:
        reversal = Turned(-s.direction, due.turn)
        events.append(reversal)
        s = evolve(s, [reversal])
    if due.clear:
        return events + clear(rules, s, due.clear, lead=s.owner)
    if due.skips:
        skipped = _skipped(rules, s, due)
        events += skipped
        s = evolve(s, skipped)
    if due.again and s.active >> due.seat & 1:
        return [*events, ToMove(due.seat, due.again)]
    return events + next_turn(rules, s, due.seat)


def _cleared_by_finish(play: PlayRules, seat: int, finished: Sequence[Event]) -> str:
    """The rule by which the player's own finish clears the table, "" for none (OR-68, OR-76)."""
    for event in finished:
        if isinstance(event, Out) and event.seat == seat:
            return play.going_out_clears
        if isinstance(event, Fouled) and event.seat == seat:
            return play.going_out_clears or play.foul_clears
    return ""


def next_turn(rules: Ruleset, s: State, seat: int) -> list[Event]:
    """The next move in a trick after `seat` has acted, or the clear if nobody may act any more."""
    owner, left = s.owner, eligible_seats(rules.play, s, 0)
    if rules.play.auto_clear and not any(
        has_play(rules, s, other) for other in range(s.players) if left >> other & 1
    ):
        if left and rules.play.sole_survivor and not s.active >> owner & 1:
            owner = rules.next_of(seat, left, -s.direction)  # the last to pass would lead (OR-69)
        return clear(rules, s, "auto_clear" if left else "", lead=owner)
    return next_turn_among(rules, s, seat, owner, left)


def eligible_seats(play: PlayRules, s: State, passed: int) -> int:
    """The seats that may still act in a trick, when those in `passed` pass too."""
    done = s.passed | s.barred | passed
    if play.one_lap:
        done |= s.acted
    elif not play.own_turn:
        done |= 1 << s.trick[-1].seat
    return s.active & ~done


def eligible_after(play: PlayRules, s: State, seat: int) -> int:
    """The seats that may still act in a trick once `seat` has played; `s`: before that."""
    if play.one_lap:
        return s.active & ~(s.barred | s.acted | 1 << seat)
    return s.active & ~(s.barred if play.own_turn else s.barred | 1 << seat)


def next_turn_among(
    rules: Ruleset, s: State, seat: int, owner: int, left: int, act: Event | None = None
) -> list[Event]:
    """The act of `seat`, if given, and the move after it, of the seats `left`; the clear if there
    is none.

    `s` may be the state before the act too, unless the ruleset looks ahead: all else that is read
    here does not change with it.
    """
    if not left:
        after = clear(rules, s, "", lead=owner)
    elif rules.play.sole_survivor and not s.active >> owner & 1 and left.bit_count() == 1:
        after = clear(rules, s, "", lead=left.bit_length() - 1)
    else:
        move = TO_MOVE[rules.next_seat[s.direction > 0][seat][left]]
        return [move] if act is None else [act, move]
    return after if act is None else [act, *after]


def clear(rules: Ruleset, s: State, by: str, *, lead: int) -> list[Event]:
    """Clear the table; a pending revolution comes into force; then the new lead.

    The lead goes to `lead`, or to the next to his left who still has cards (PG-43).
    """
    events: list[Event] = [CLEARED if not by else Cleared(by)]
    if s.pending:
        events.append(Reversed("hand", not s.revolution, "kakumei_timing"))
    if rules.play.turn_back and s.direction != rules.play.direction:
        events.append(Turned(rules.play.direction, "kyu_reverse"))
    for more in rules.after_clear:
        events += more(s)
    if not (rules.on_clear or rules.after_clear):  # who leads can be told without folding
        step = rules.play.direction if rules.play.turn_back else s.direction
        if not s.active >> lead & 1:
            lead = rules.next_of(lead, s.active, step)
        events.append(TO_MOVE[lead])
        return events
    queue = tuple(p for asks in rules.on_clear for p in asks(s))
    return events + resume(rules, evolve(s, events), queue, Due(lead, lead=True))


def resume(rules: Ruleset, s: State, queue: tuple[Pending, ...], due: Due) -> list[Event]:
    """Ask the next question that has to be asked, or go on with what is due after them."""
    if due.lead:
        return lead(rules, s, queue, due)
    asked = ask_next(rules, s, queue, due)
    return finish_play(rules, s, due) if asked is None else [asked]


def lead(rules: Ruleset, s: State, queue: tuple[Pending, ...], due: Due) -> list[Event]:
    """The seat that is due leads, or the next after it who still has cards.

    Before that the questions of the clear are asked; who throws his last card is out at once
    (AM-29).
    """
    events, s = _finishes(rules, s, due.seat, "")
    if events:
        end = ending(rules, s, events)
        if end is not None:
            return [*events, end]
    asked = ask_next(rules, s, queue, due)
    if asked is not None:
        return [*events, asked]
    if s.active >> due.seat & 1:
        return [*events, ToMove(due.seat)]
    return [*events, ToMove(rules.next_of(due.seat, s.active, s.direction))]


def pass_lead(rules: Ruleset, s: State, seat: int) -> list[Event]:
    """What follows a pass on the empty table (AM-24, OR-01, OR-02)."""
    stuck = not rules.play.lead_pass
    if stuck and all(s.active >> p & 1 == 0 or p in s.lead_passes for p in range(s.players)):
        first = next(p for p in s.lead_passes if s.active >> p & 1)
        return _ended_by_passes(rules, s, _by_cards(s, first), "lead_pass")
    return pass_lead_on(rules, s, seat, barred=s.barred)


def pass_lead_on(rules: Ruleset, s: State, seat: int, *, barred: int) -> list[Event]:
    """The lead goes to the next who is not barred; if all are, nobody is any more.

    `s` may be the state before the pass too.
    """
    left = s.active & ~barred
    if left:
        return [TO_MOVE[rules.next_of(seat, left, s.direction)]]
    return [Freed("pass_lockout"), TO_MOVE[rules.next_of(seat, s.active, s.direction)]]


def idle_end(rules: Ruleset, s: State, seat: int) -> list[Event]:
    """The end of a hand in which too many have passed in a row, the last of them `seat` (C-2)."""
    if rules.play.idle_by_lot:
        rest = [p for p in s.setup.lots.idle if s.active >> p & 1]
        return _ended_by_passes(rules, s, rest, "max_idle_passes")
    following = (next_turn if s.trick else pass_lead)(rules, s, seat)
    moves = (e.seat for e in following if isinstance(e, ToMove))
    start = next(moves, rules.next_of(seat, s.active, s.direction))
    return _ended_by_passes(rules, s, _by_cards(s, start), "max_idle_passes")


def _ended_by_passes(rules: Ruleset, s: State, holding: Sequence[int], by: str) -> list[Event]:
    """The end of a hand after too many passes, and the falls that it brings about (OR-65)."""
    places = _places(s, holding)
    fallen = [event for falls in rules.on_passes for event in falls(s, places)]
    return [*fallen, Ended(_places(evolve(s, fallen), holding), by)]


def ending(rules: Ruleset, s: State, finished: Sequence[Event]) -> Ended | None:
    """The end of the hand, if it has come with these finishes."""
    last = s.setup.before[-1:]
    if rules.play.overturn and last and last == s.out[:1] and Out(*last) in finished:
        return Ended(tuple(reversed(s.setup.before)), "gekokujo")
    if rules.play.first_out and s.out:
        return Ended(placing(s, start=s.out[0]), "hand_end")
    if s.active.bit_count() > 1:
        return None
    return Ended(placing(s, start=0))


def placing(s: State, *, start: int) -> tuple[int, ...]:
    """Places, best to last: finished, then who still holds cards, the fallen, the offenders.

    Those with cards rank by fewest cards, equals in turn order from `start`; the first offender is
    last of all (AM-46, AM-48, AM-53).
    """
    return _places(s, _by_cards(s, start))


def _by_cards(s: State, start: int) -> list[int]:
    """Who still holds cards, by fewest cards, equals in turn order from `start` (OR-70)."""

    def order(seat: int) -> tuple[int, int]:
        return s.held[seat].bit_count(), (seat - start) * s.direction % s.players

    return sorted((p for p in range(s.players) if s.active >> p & 1), key=order)


def _places(s: State, holding: Iterable[int]) -> tuple[int, ...]:
    """Places with the order of those who still hold cards given."""
    fallen = tuple(p for p in s.fallen if p not in s.fouled)
    done = (*s.out, *holding)
    lawful = tuple(p for p in done if p not in fallen)
    return (*lawful, *reversed(fallen), *reversed(s.fouled))


def _out(seat: int, foul: str) -> Event:
    """A seat is out: lawfully, or by a forbidden last play."""
    return Fouled(seat, foul, "forbidden_finish") if foul else OUT[seat]


def _finishes(rules: Ruleset, s: State, seat: int, foul: str) -> tuple[list[Event], State]:
    """Those who have run out of cards, in turn order from `seat`, with what that brings about; and
    the state after it."""
    events: list[Event] = []
    empty = [p for p, cards in enumerate(s.held) if not cards and s.active >> p & 1]
    if len(empty) > 1:
        empty.sort(key=lambda p: (p - seat) * s.direction % s.players)
    for player in empty:
        if not s.active >> player & 1:
            continue  # it has fallen with a finish just before its own
        finish = _out(player, foul if player == seat else "")
        s = evolve(s, [finish])
        events.append(finish)
        if rules.on_out and type(finish) is Out:
            more = [event for consequence in rules.on_out for event in consequence(s, player)]
            s = evolve(s, more) if more else s
            events += more
    return events, s


def _skipped(rules: Ruleset, s: State, due: Due) -> list[Event]:
    """The seats that lose a turn: the next ones who may still act, the player himself never."""
    left = eligible_seats(rules.play, s, 1 << due.seat)
    seats: list[int] = []
    while left and len(seats) < due.skips:
        seats.append(rules.next_of(seats[-1] if seats else due.seat, left, s.direction))
        left &= ~(1 << seats[-1])
    return [rules.play.skipping(tuple(seats), due.skip_rule)] if seats else []
