"""Rule vectors: from a line of the file to a state, its actions, and the facts that must follow.

The engine deals real cards only, so unknown cards become real ones here: those that the player is
going to play, then any others of the pack that nobody is known to hold.
"""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

from arena.errors import Refused
from arena.rules import EMPTY, Ruleset, State, decide, evolve
from arena.rules.admit import intended, refuses
from arena.rules.cards import CODES, IDS, JOKER_RANK, canonical, codes, parse, spread
from arena.rules.commands import Accept, Command, Discard, Give, Lots, Name, Pass, Play
from arena.rules.events import Cleared, Due, Ended, Event, Pending, Played
from arena.rules.melds import Meld
from arena.rules.play import NOTHING_DUE, apply_effects
from arena.rules.questions import form
from arena.rules.ruleset import compile_table, written_table
from arena.rules.state import Setup
from arena.wire.values import SUITS, read_rank, read_roles, write_suits

Vector = dict[str, Any]
UNKNOWN_CARDS = 5


def load(path: Path) -> list[Vector]:
    """The vectors of a file, with the number of the line in the error for a bad one."""
    vectors = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        if line.strip():
            try:
                vectors.append(json.loads(line))
            except ValueError as error:
                raise ValueError(f"{path}:{number}: {error}") from error
    return vectors


def ruleset_of(vector: Vector, players: int | None = None) -> Ruleset:
    """The ruleset of a vector; the number of players is that of its state.

    A vector may name options that do nothing in it; the engine would refuse them.
    """
    options = dict(vector.get("options", {}))
    if players is not None:
        options.setdefault("players", players)
    table = written_table({"preset": vector["preset"], "options": options})
    return compile_table(table)


class Scene:
    """A vector's state, ready to play on."""

    def __init__(self, vector: Vector) -> None:
        self.given = vector["state"]
        self.names: list[str] = self.given["players"]
        self.rules = ruleset_of(vector, len(self.names))
        self.do = vector.get("do", [])
        self.asked_for: tuple[Pending, ...] = ()
        self.state = self._state()
        self.cleared = 0
        self.overturned = False

    def seat(self, name: str) -> int:
        """The seat of a player."""
        return self.names.index(name)

    def seats(self, names: list[str]) -> tuple[int, ...]:
        """The seats of some players."""
        return tuple(self.seat(name) for name in names)

    def act(self, action: dict[str, Any]) -> None:
        """Do one action; an illegal one has to be refused for its reason and change nothing."""
        command = self._command(action)
        if "illegal" in action:
            assert self._refusal(command) == action["illegal"], action
            return
        events = decide(self.rules, self.state, command)
        self.cleared += sum(isinstance(e, Cleared) for e in events)
        self.overturned |= any(isinstance(e, Ended) and e.by == "gekokujo" for e in events)
        self.state = evolve(self.state, events)

    def _refusal(self, command: Command) -> str | None:
        """Why a command is refused, None if it is not; a refusal changes nothing."""
        before = State(self.state)
        try:
            decide(self.rules, self.state, command)
        except Refused as refusal:
            assert self.state == before
            return str(refusal.reason)
        return None

    def fact(self, name: str) -> Any:
        """What holds now, in the form of a vector's `then`."""
        s = self.state
        facts: dict[str, Any] = {
            "turn": self._turn(),
            "cleared": self.cleared,
            "revolution": s.revolution,
            "pending": s.pending,
            "jack": s.jack,
            "lock": write_suits(s.trick_marks.get("suit_lock", 0)),
            "number_lock": bool(s.trick_marks.get("number_lock", 0)),
            "direction": "cw" if s.direction > 0 else "ccw",
            "choice": self._choice(),
            "out": [self.names[p] for p in s.out],
            "fouled": [self.names[p] for p in s.fouled],
            "fallen": self.names[s.fallen[0]] if s.fallen else None,
            "ended": s.over,
            "places": [self.names[p] for p in s.places],
            "gekokujo": self.overturned,
        }
        return facts[name]

    def agrees(self, name: str, expected: Any) -> bool:
        """Does what holds now agree with a fact of a vector's `then`?"""
        fact = self.fact(name)
        if name == "lock" and isinstance(expected, list):
            expected = dict(Counter(expected)) or None
        if name == "choice" and fact is not None and expected is not None:
            return all(fact.get(key) == value for key, value in expected.items())
        return bool(fact == expected)

    def hand(self, name: str, form: Any) -> Any:
        """A player's cards as sorted names or as a number, whichever the vector gives."""
        held = canonical(self.state.held[self.seat(name)])
        return held.bit_count() if isinstance(form, int) else sorted(codes(held))

    def _turn(self) -> str | None:
        if self.state.questions:
            return self.names[self.state.questions[0].seat]
        return self.names[self.state.to_move] if self.state.to_move >= 0 else None

    def _choice(self) -> dict[str, Any] | None:
        if not self.state.questions:
            return None
        q = self.state.questions[0]
        return {"by": self.names[q.seat], "kind": q.kind, "min": q.least, "max": q.most}

    def _command(self, action: dict[str, Any]) -> Any:
        seat = self.seat(action["by"])
        if "pass" in action:
            return Pass(seat)
        if "accept" in action:
            return Accept(seat, action["accept"])
        if "play" in action:
            roles = read_roles(action["as"]) if "as" in action else None
            return Play(seat, parse(action["play"]), roles)
        if "discard" in action:
            return Discard(seat, parse(action["discard"]))
        if "give" in action:
            return Give(seat, parse(action["give"]))
        ranks = (JOKER_RANK if rank == "JK" else read_rank(rank) for rank in action["name"])
        return Name(seat, tuple(ranks))

    def _state(self) -> State:
        """The state that the vector describes."""
        given, players = self.given, len(self.names)
        everybody = tuple(range(players))
        gone = [*given.get("out", []), *given.get("fouled", [])]
        held = self._hands(gone)
        fallen = given.get("fallen_before")
        active = [p for p in everybody if held[p]]
        state = EMPTY.changed(
            held=held,
            active=sum(1 << p for p in active),
            setup=Setup(
                dealer=0,
                before=self._before(),
                titles=(None,) * players,
                lots=Lots(everybody, everybody, everybody, everybody, ()),
            ),
            revolution=given.get("revolution", False),
            direction={"cw": 1, "ccw": -1}[given["direction"]]
            if "direction" in given
            else self.rules.play.direction,
            out=self.seats(given.get("out", [])),
            fouled=self.seats(given.get("fouled", [])),
            fallen=(self.seat(fallen),) if fallen else (),
        )
        if given.get("must_show"):
            state = state.changed(hand_marks={"must_show": IDS[given["must_show"]] + 1})
        return self._at_turn(*self._with_table(state))

    def _with_table(self, s: State) -> tuple[State, Due]:
        """The plays on the table, laid in their order, and what is due after the last of them.

        What the vector says is in force now, after those plays; with which order of the ranks the
        trick began follows from it. A revolution that is not named is not in force, unless the
        plays could not lie there then; a jack and a pending revolution that are not named follow
        from the plays.
        """
        said = {name: self.given[name] for name in ("pending", "jack") if name in self.given}
        said["revolution"] = s.revolution
        laid, due, legal = self._laid(s)
        other = {name: not getattr(s, name) for name in said if getattr(laid, name) != said[name]}
        if other:
            again, due_again, legal_again = self._laid(s.changed(**other))
            if "revolution" in self.given or legal_again >= legal:
                laid, due = again.changed(**said), due_again
        return laid, due

    def _laid(self, s: State) -> tuple[State, Due, int]:
        """The plays on the table laid from a state; what is due; how many of them were legal."""
        due, legal = Due(-1, lead=True), 0
        for laid in self.given.get("table", []):
            legal += refuses(self.rules, s, -1, self._meld(s, laid)) is None
            s, due = self._lay(s, laid)
        return s, due, legal

    def _at_turn(self, s: State, due: Due) -> State:
        """Whose turn it is, who has passed, what else is in force, and a waiting choice."""
        given = self.given
        turn = self.seat(given["turn"])
        barred = self._mask(given.get("locked_out", []))
        passed = self._mask(given.get("passed", []))
        if self.rules.play.lockout:
            barred |= passed | self._mask(given.get("lead_passes", []))
        marks = dict(s.trick_marks)
        if "lock" in given:
            lock = given["lock"]
            suits = lock if isinstance(lock, dict) else Counter(lock or [])
            marks["suit_lock"] = sum(n << 4 * SUITS.index(suit) for suit, n in suits.items())
        if "number_lock" in given:
            marks["number_lock"] = int(given["number_lock"])
        s = s.changed(
            seq=1,
            to_move=turn,
            since=1,
            passed=passed | barred,
            barred=barred,
            acted=self._acted(s, turn),
            trick_marks=marks,
            lead_passes=self.seats(given.get("lead_passes", [])),
            idle=given.get(
                "idle_passes", len(given.get("passed", [])) + len(given.get("lead_passes", []))
            ),
        )
        return self._with_choice(s, due) if given.get("choice") else s

    def _with_choice(self, s: State, due: Due) -> State:
        """A choice that waits after the last play on the table, and what comes after it."""
        choice = self.given["choice"]
        seat = self.seat(choice["by"])
        rule = {"discard": "ten_discard", "give": "nana_watashi", "name": "q_bomber"}
        pick = "any" if choice["min"] else "up_to"
        to = next(
            p
            for d in range(1, s.players + 1)
            if s.active >> (p := (seat + d * s.direction) % s.players) & 1
        )
        pending = Pending(seat, choice["kind"], rule[choice["kind"]], choice["max"], to, pick)
        question = form(self.rules, s, pending)
        assert question is not None
        questions = (question._replace(since=1),)
        due = due._replace(seat=seat) if due.seat < 0 else due
        return s.changed(to_move=-1, questions=questions, due=due, queue=self._queue(choice))

    def _queue(self, choice: dict[str, Any]) -> tuple[Pending, ...]:
        """The choices of the last play that come after the one that waits."""
        kinds = ["give", "discard", "name"]
        later = kinds[kinds.index(choice["kind"]) + 1 :]
        return tuple(pending for pending in self.asked_for if pending.kind in later)

    def _acted(self, s: State, turn: int) -> int:
        """With one lap, everybody from the leader up to the turn has had his."""
        acted = sum(1 << p for p in {laid.seat for laid in s.trick})
        if s.trick:
            seat = s.trick[0].seat
            while seat != turn:
                acted |= 1 << seat
                seat = (seat + s.direction) % s.players
        return acted

    def _lay(self, s: State, laid: dict[str, Any]) -> tuple[State, Due]:
        """A play that lies on the table already, with the locks and reversals that it brought."""
        meld, seat = self._meld(s, laid), self.seat(laid["by"])
        brought: list[Event] = []
        effects = [e for effect in self.rules.effects_of[meld] for e in effect(s, seat, meld)]
        due, self.asked_for = apply_effects(s, NOTHING_DUE[seat], effects, brought)
        after = evolve(s, [Played(seat, meld), *brought])
        return after.changed(held=s.held, table=s.table | meld.cards), due

    def _meld(self, s: State, laid: dict[str, Any]) -> Meld:
        """The meld that a play on the table means."""
        roles = read_roles(laid["as"]) if "as" in laid else None
        readings = intended(self.rules, s.pile, parse(laid["cards"]), roles)
        strongest = sorted(readings, key=lambda m: m.strength_in(s.order_reversed))
        legal = [m for m in strongest if refuses(self.rules, s, -1, m) is None] or strongest
        return legal[-1]

    def _mask(self, names: list[str]) -> int:
        return sum(1 << seat for seat in self.seats(names))

    def _before(self) -> tuple[int, ...]:
        """Places of the hand before, as far as the vector tells them."""
        given = self.given
        if "prev_places" in given:
            return self.seats(given["prev_places"])
        first, last = given.get("prev_daifugo"), given.get("prev_last")
        if first is None and last is None:
            return ()
        ends = {first, last}
        rest = [name for name in self.names if name not in ends]
        first = first or rest.pop(0)
        if last is None:  # somebody, but nobody knows who: no seat
            return (*self.seats([first, *rest[1:]]), -1)
        return self.seats([first, *rest, last])

    def _hands(self, gone: list[str]) -> tuple[int, ...]:
        """Real cards for everybody; no copy of a card is in two hands."""
        given = self.given.get("hands", {})
        dropped = self._dropped()
        given = {n: cards for n, cards in given.items() if n not in dropped}
        gone = [*gone, *dropped]
        hands = {n: list(c) for n, c in given.items() if isinstance(c, list)}
        hands |= {n: [] for n in gone if n not in given}
        laid = [c for laid in self.given.get("table", []) for c in laid["cards"]]
        stock = Counter(CODES[card] for card in self.rules.deck)
        stock.subtract([*laid, *(c for cards in hands.values() for c in cards)])
        unknown = [n for n in self.names if n not in hands]
        hands |= self._planned(unknown, hands, stock)
        spare = self._spare(stock)
        for name in unknown:
            wanted = max(given.get(name, UNKNOWN_CARDS), len(hands[name]))
            if isinstance(given.get(name), int):
                wanted = given[name]
            del hands[name][wanted:]
            while len(hands[name]) < wanted:
                hands[name].append(spare.pop(len(spare) // 2))
        return spread(parse(hands[name]) for name in self.names)

    def _dropped(self) -> list[str]:
        """Who has fallen and holds no cards any more, whatever the vector says that he holds."""
        falls = (self.rules.options[name] for name in ("miyako_ochi", "kyo_ochi"))
        fallen = self.given.get("fallen_before")
        return [fallen] if fallen and "drop" in falls else []

    def _spare(self, stock: Counter[str]) -> list[str]:
        """Cards that nobody needs: no jokers, and none of a rank that somebody will name."""
        named = {rank for action in self.do for rank in action.get("name", [])}
        free = [card for card in stock.elements() if card != "JK"]
        return [card for card in free if card[1] not in named] or free

    def _planned(
        self, unknown: list[str], known: dict[str, list[str]], stock: Counter[str]
    ) -> dict[str, list[str]]:
        """What unknown hands must hold: the cards they play, give or throw away, but for those that
        they can only have been given."""
        planned: dict[str, list[str]] = {name: [] for name in unknown}
        spent: dict[str, Counter[str]] = {name: Counter() for name in unknown}
        for action in self.do:
            name = action["by"]
            if name not in planned or action.get("illegal") == "not_in_hand":
                continue
            cards = [c for kind in ("play", "discard", "give") for c in action.get(kind, [])]
            free = Counter(planned[name]) - spent[name]
            for card in (Counter(cards) - free).elements():
                if stock[card] > 0:
                    stock[card] -= 1
                    planned[name].append(card)
            if "illegal" not in action:
                spent[name].update(cards)
        return planned
