"""An episode: some hands in a row at one table, played by actions. It knows no library of anybody.

Players are numbers 0 to k-1 and keep them; where the ruleset moves them, their seats change from
hand to hand. The deals follow from a seed: the same seed gives the same bytes.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from arena import sitting
from arena.envs.actions import actions_of
from arena.envs.layout import ObservationLayout
from arena.envs.observing import AnswerProgress, HandObserver, answer_progress
from arena.envs.parts import answer_of, cards_of, next_parts, ranks_of
from arena.errors import BadInput
from arena.match.tables import shuffle
from arena.rules import EMPTY, Ruleset, State, decide, evolve, legal
from arena.rules.commands import Answer
from arena.rules.events import Event


class Episode:
    """Hands in a row. Nothing is dealt before `begin`.

    actions, layout: of the ruleset; hands: at most so many, by the ruleset too; hand: the number of
    the one being played, from 1; seating: player by seat; state, events: of the hand; latest: the
    first event of the last answer; seat: who is asked now, -1 when the episode is over; chosen: the
    actions of its answer so far.
    """

    def __init__(self, rules: Ruleset, *, hands: int = 1) -> None:
        if hands < 1:
            raise BadInput("hands", hands, "1 or more")
        self.rules = rules
        kind, _, number = rules.table.session_end.partition(":")
        self.hands = min(hands, int(number)) if kind == "hands" else hands
        self.actions = actions_of(rules)
        self.layout = ObservationLayout(rules)
        self.hand = 0
        self.seat = -1
        self.seating: tuple[int, ...] = tuple(range(rules.players))
        self.state: State = EMPTY
        self.events: list[Event] = []
        self.latest = 0
        self.chosen: list[int] = []
        self._seed, self._shuffles = 0, ""
        self._janken = "janken" in (rules.options["first_lead"], rules.options["next_lead"])
        self._carried = sitting.start(rules)
        self._legal: list[int] | None = None
        self._observer = HandObserver(rules, self.layout)
        self._nothing_chosen = self._progress(0, 0, 0)

    def begin(self, seed: int, number: int = 0) -> Sequence[tuple[int, ...]]:
        """Deal the first hand of a new episode. number: of the episode, so that one seed gives
        any number of them.

        -> as `step`: by some rules a hand may be over with the deal.
        """
        self._seed, self._shuffles = seed, f"envs-{number}"
        self._carried = sitting.start(self.rules)
        self.hand = 0
        self._deal()
        return self._ended() if self.state.places else ()

    @property
    def player(self) -> int:
        """Who is asked now; -1 when the episode is over."""
        return self.seating[self.seat] if self.seat >= 0 else -1

    @property
    def points(self) -> tuple[int, ...]:
        """By player: the points of the ruleset so far."""
        return self._carried.points

    def legal(self) -> list[int]:
        """The actions that are legal now, rising; none when the episode is over."""
        if self._legal is None:
            if self.seat < 0:
                return []
            state, seat = self.state, self.seat
            question = state.question_for(seat) if state.questions else None
            if question is None:
                self._legal = self.actions.of_menu(legal(self.rules, state, seat))
            else:
                self._legal = next_parts(self.actions, question, self.chosen)
        return self._legal

    def observed(self, player: int) -> dict[str, NDArray[np.int8]]:
        """Both together: `observation` and `action_mask`."""
        seat = self.seat
        if seat < 0 or self.chosen or self.seating[seat] != player:
            return {"observation": self.observe(player), "action_mask": self.mask(player)}
        mask = bytearray(self.actions.size)
        for action in self._legal or self.legal():
            mask[action] = 1
        return {
            "observation": self._observer.observe(self.state, seat, self._nothing_chosen),
            "action_mask": np.frombuffer(mask, np.int8),
        }

    def mask(self, player: int) -> NDArray[np.int8]:
        """A new array with 1 for each legal action of a player who is asked, else zeros."""
        mask = bytearray(self.actions.size)
        if player == self.player:
            for action in self.legal():
                mask[action] = 1
        return np.frombuffer(mask, np.int8)

    def observe(self, player: int) -> NDArray[np.int8]:
        """What a player may know: see `arena.envs.layout`."""
        seat = self.seating.index(player)
        chosen = self.chosen
        if seat != self.seat or not chosen:
            return self._observer.observe(self.state, seat, self._nothing_chosen)
        question = self.state.question_for(seat)
        wishes = question is not None and question.kind == "ask"  # for any number of one card
        cards = cards_of(self.actions, dict.fromkeys(chosen) if wishes else chosen)
        progress = self._progress(cards, ranks_of(self.actions, chosen), len(chosen))
        return self._observer.observe(self.state, seat, progress)

    def _progress(self, cards: int, ranks: int, parts: int) -> AnswerProgress:
        """What an observation says of the answer so far."""
        plane, left = self._observer.plane(cards), self.hands - self.hand
        return answer_progress(plane, ranks=ranks, parts=parts, hand=self.hand, left=left)

    def step(self, action: int) -> Sequence[tuple[int, ...]]:
        """Take an action of the player who is asked.

        -> for each hand that has ended by it the players from best to last. Raises BadInput for
        an action that is not legal; then nothing has changed.
        """
        if action not in self.legal():
            raise self.illegal(action)
        return self.apply(action)

    def illegal(self, action: int) -> BadInput:
        """The error that says why an action may not be taken."""
        if self.seat < 0:
            return BadInput("action", action, "none, for the episode is over")
        names = self.actions.names
        name = f"{action} ({names[action]})" if 0 <= action < len(names) else str(action)
        return BadInput("action", name, "one that the action mask allows")

    def apply(self, action: int) -> Sequence[tuple[int, ...]]:
        """The same for an action that is known to be legal."""
        state, seat = self.state, self.seat
        question = state.question_for(seat) if state.questions else None
        if question is None:
            return self._answer(self.actions.play(action, seat))
        self._legal = None
        if action != self.actions.done:
            self.chosen.append(action)
            if next_parts(self.actions, question, self.chosen):
                return ()
        return self._answer(answer_of(self.actions, question, self.chosen))

    def _answer(self, answer: Answer) -> Sequence[tuple[int, ...]]:
        return self.take(decide(self.rules, self.state, answer))

    def take(self, events: Sequence[Event]) -> Sequence[tuple[int, ...]]:
        """The same for an answer that was decided already, by the events that it has brought."""
        self._fold(events)
        return self._ended() if self.state.places else ()

    def _ended(self) -> list[tuple[int, ...]]:
        """Settle a hand that is over and deal the next one, which may be over at once."""
        ended = []
        while self.state.places:
            seating = self.seating
            ended.append(tuple(seating[seat] for seat in self.state.places))
            self._carried = sitting.after_hand(self.rules, self._carried, seating, self.state)
            over = sitting.is_over(self.rules, self._carried, hands=self.hands)
            if over or self.hand >= self.hands:
                self.seat = -1
                break
            self._deal()
        return ended

    def _fold(self, events: Sequence[Event]) -> None:
        """Fold what has happened."""
        state = self.state = evolve(self.state, events)
        self.latest = len(self.events)
        self.events += events
        self._observer.follow(events)
        self._legal = None
        if self.chosen:
            self.chosen = []
        self.seat = state.to_move
        if self.seat < 0 and state.questions:
            self.seat = state.questions[0].seat

    def _deal(self) -> None:
        """Deal the next hand."""
        rules, carried = self.rules, self._carried
        self.hand += 1
        self.seating = sitting.seating_for(rules, carried, tuple(range(rules.players)))
        seed, word = self._seed, self._shuffles
        deck, lots = shuffle(rules, seed, word, self.hand, throws=self._janken)
        deal = sitting.next_deal(rules, carried, self.seating, deck=deck, lots=lots)
        self.state, self.events = EMPTY, []
        self._observer.new_hand()
        self._nothing_chosen = self._progress(0, 0, 0)
        self._fold(decide(rules, EMPTY, deal))
