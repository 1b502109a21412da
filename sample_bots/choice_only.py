"""Choice only: answers with a number, the place of an entry in the list of legal answers.

    python -m sample_bots.choice_only --url http://127.0.0.1:8000 --session spring-cup

The protocol's shortest answer is {"choice": n}. A bot that uses nothing else needs to know no
cards, which is handy in a language without much of a JSON library. What to change first:

- The list is sorted by number of cards, then by suit: its last play is one with the most cards.
- Choose among the plays by something you can see without cards: who holds how many?
"""

from arena.client import Bot, Turn, run


class ChoiceOnly(Bot):
    """Takes the first play of the list, by its number."""

    def play(self, turn: Turn) -> object:
        pass_first = turn.can_pass and len(turn.legal) > 1
        return {"choice": 1 if pass_first else 0}

    def other(self, turn: Turn) -> object:
        return {"choice": 0}

    give = discard = ask = name = throw = other


if __name__ == "__main__":
    run(ChoiceOnly())
