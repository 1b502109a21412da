"""How an option is declared: its name, its values, its meaning, and the code that makes it true.

Every option is declared once, beside its code, in a file of `arena/rules/options/`. JSON Schema,
reference, help and validation are generated from here. This module knows no option by name.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from arena.errors import BadInput

if TYPE_CHECKING:
    from arena.rules.wiring import Wiring

Options = Mapping[str, Any]
OWN_WORD = "[a-z][a-z0-9_]{0,39}"
LONGEST_WORD = 40
"""Characters of a word that a pattern allows; no pattern needs more."""


class Switch(NamedTuple):
    """true or false."""

    def check(self, name: str, value: Any) -> Any:
        """The value, or `BadInput`."""
        if not isinstance(value, bool):
            raise BadInput(name, value, self.text())
        return value

    def text(self) -> str:
        """The values in words."""
        return "true or false"

    def schema(self) -> dict[str, Any]:
        """The values as JSON Schema."""
        return {"type": "boolean"}


class Choice(NamedTuple):
    """One of some words (or numbers)."""

    values: tuple[Any, ...]

    def check(self, name: str, value: Any) -> Any:
        """The value, or `BadInput`."""
        if not any(value == known and type(value) is type(known) for known in self.values):
            raise BadInput(name, value, self.text())
        return value

    def text(self) -> str:
        """The values in words."""
        return "one of " + ", ".join(str(v) for v in self.values)

    def schema(self) -> dict[str, Any]:
        """The values as JSON Schema."""
        return {"enum": list(self.values)}


class Whole(NamedTuple):
    """A whole number from least to most; auto: or the word "auto"."""

    least: int
    most: int
    auto: bool = False

    def check(self, name: str, value: Any) -> Any:
        """The value, or `BadInput`."""
        if self.auto and value == "auto":
            return value
        if not isinstance(value, int) or isinstance(value, bool):
            raise BadInput(name, value, self.text())
        if not self.least <= value <= self.most:
            raise BadInput(name, value, self.text())
        return value

    def text(self) -> str:
        """The values in words."""
        extra = ' or "auto"' if self.auto else ""
        return f"a whole number from {self.least} to {self.most}{extra}"

    def schema(self) -> dict[str, Any]:
        """The values as JSON Schema."""
        number = {"type": "integer", "minimum": self.least, "maximum": self.most}
        return {"anyOf": [number, {"const": "auto"}]} if self.auto else number


class Subset(NamedTuple):
    """A list of different words out of some, at least so many; kept in the order of the
    declaration."""

    values: tuple[str, ...]
    least: int = 0

    def check(self, name: str, value: Any) -> Any:
        """The value as a tuple in canonical order, or `BadInput`."""
        if not isinstance(value, list | tuple):
            raise BadInput(name, value, self.text())
        for item in value:
            if item not in self.values:
                raise BadInput(name, item, self.text())
        if len(value) < self.least:
            raise BadInput(name, value, self.text())
        return tuple(v for v in self.values if v in value)

    def text(self) -> str:
        """The values in words."""
        least = f" (at least {self.least})" if self.least else ""
        return "a list of some of " + ", ".join(self.values) + least

    def schema(self) -> dict[str, Any]:
        """The values as JSON Schema."""
        items, most = {"enum": list(self.values)}, len(self.values)
        array = {"type": "array", "items": items, "uniqueItems": True, "maxItems": most}
        return array | {"minItems": self.least} if self.least else array


class Words(NamedTuple):
    """A list of at most so many words of one's own: small letters, digits and underscores."""

    most: int

    def check(self, name: str, value: Any) -> Any:
        """The value as a tuple, or `BadInput`."""
        if not isinstance(value, list | tuple) or len(value) > self.most:
            raise BadInput(name, value, self.text())
        for word in value:
            if not isinstance(word, str) or not re.fullmatch(OWN_WORD, word):
                raise BadInput(name, word, self.text())
        return tuple(value)

    def text(self) -> str:
        """The values in words."""
        return f"a list of at most {self.most} words of small letters, digits and underscores"

    def schema(self) -> dict[str, Any]:
        """The values as JSON Schema."""
        word = {"type": "string", "pattern": f"^{OWN_WORD}$", "maxLength": LONGEST_WORD}
        return {"type": "array", "items": word, "maxItems": self.most}


class Numbers(NamedTuple):
    """A list of whole numbers."""

    least: int
    most: int
    length: int = 8
    fixed: bool = False  # exactly `length` of them, rising

    def check(self, name: str, value: Any) -> Any:
        """The value as a tuple, or `BadInput`."""
        one = Whole(self.least, self.most)
        if not isinstance(value, list | tuple) or len(value) > self.length:
            raise BadInput(name, value, self.text())
        numbers = tuple(one.check(name, item) for item in value)
        if self.fixed and (len(numbers) != self.length or list(numbers) != sorted(numbers)):
            raise BadInput(name, value, self.text())
        return numbers

    def text(self) -> str:
        """The values in words."""
        many = f"{self.length} rising" if self.fixed else f"up to {self.length}"
        return f"a list of {many} whole numbers from {self.least} to {self.most}"

    def schema(self) -> dict[str, Any]:
        """The values as JSON Schema."""
        items = Whole(self.least, self.most).schema()
        shortest = self.length if self.fixed else 0
        return {"type": "array", "items": items, "minItems": shortest, "maxItems": self.length}


class Pattern(NamedTuple):
    """One of some words, or a word of a pattern such as ``hands:10``."""

    words: tuple[str, ...]
    pattern: str
    form: str

    def check(self, name: str, value: Any) -> Any:
        """The value, or `BadInput`."""
        known = isinstance(value, str) and (
            value in self.words or re.fullmatch(self.pattern, value) is not None
        )
        if not known:
            raise BadInput(name, value, self.text())
        return value

    def text(self) -> str:
        """The values in words."""
        return "one of " + ", ".join((*self.words, self.form))

    def schema(self) -> dict[str, Any]:
        """The values as JSON Schema."""
        words = "|".join(self.words)
        pattern = f"^(?:{words}|{self.pattern})$"
        return {"type": "string", "pattern": pattern, "maxLength": LONGEST_WORD}


class Program(NamedTuple):
    """A named exchange program, or a list of steps ``[giver, receiver, number, pick]``."""

    names: tuple[str, ...]
    roles: tuple[str, ...]
    picks: tuple[str, ...]

    def check(self, name: str, value: Any) -> Any:
        """The value (steps as tuples), or `BadInput`."""
        if isinstance(value, str):
            if value not in self.names:
                raise BadInput(name, value, self.text())
            return value
        if not isinstance(value, list | tuple) or len(value) > 16:
            raise BadInput(name, value, self.text())
        return tuple(self._step(name, step) for step in value)

    def _step(self, name: str, step: Any) -> tuple[Any, ...]:
        """One checked step."""
        good = (
            isinstance(step, list | tuple)
            and len(step) == 4
            and step[0] in self.roles
            and step[1] in self.roles
            and step[0] != step[1]
            and isinstance(step[2], int)
            and not isinstance(step[2], bool)
            and 1 <= step[2] <= 13
            and step[3] in self.picks
        )
        if not good:
            raise BadInput(name, step, self.text())
        return tuple(step)

    def text(self) -> str:
        """The values in words."""
        return (
            f"one of {', '.join(self.names)}, or a list of steps [giver, receiver, 1-13, pick] of "
            f"different roles {', '.join(self.roles)} and pick {' or '.join(self.picks)}"
        )

    def schema(self) -> dict[str, Any]:
        """The values as JSON Schema."""
        role = {"enum": list(self.roles)}
        step = {
            "type": "array",
            "prefixItems": [
                role,
                role,
                {"type": "integer", "minimum": 1, "maximum": 13},
                {"enum": list(self.picks)},
            ],
            "items": False,
            "minItems": 4,
            "maxItems": 4,
        }
        steps = {"type": "array", "items": step, "maxItems": 16}
        return {"anyOf": [{"enum": list(self.names)}, steps]}


Values = Switch | Choice | Whole | Subset | Words | Numbers | Pattern | Program
SWITCH = Switch()


class Need(NamedTuple):
    """What an option needs beside it to do anything; a ruleset in which it is missing is refused.

    others: the options that it is about; holds: the test of a full table, asked where the option is
    off its default; says: what is needed; else_: what would follow without it, "" if nothing would.
    """

    others: tuple[str, ...]
    holds: Callable[[Options], bool]
    says: str
    else_: str = ""


class Option(NamedTuple):
    """One named option of the rules.

    says: one sentence; rests: statement, ambiguity or variant ids that it rests on (`RULES.md`);
    kanji, reading: the rule's Japanese name where it has one; also: other names that people use;
    later: it came after rulesets had been fingerprinted, so at its default it is left out of
    fingerprints, and old ones stay true; needs: without which it would do nothing; same_as: of
    values that play alike in a full table, the one that the fingerprint takes; by_rank: a card of
    some rank triggers it, a joker in that role too (AM-19); text: only a word for people, no switch
    (OR-67).
    """

    name: str
    default: Any
    values: Values
    says: str
    rests: tuple[str, ...]
    kanji: str = ""
    reading: str = ""
    also: tuple[str, ...] = ()
    later: bool = False
    needs: tuple[Need, ...] = ()
    same_as: Callable[[Options], Any] | None = None
    by_rank: bool = False
    text: bool = False


class Patch(NamedTuple):
    """A named variation of a ruleset. says: one sentence; options: what it changes; kanji, reading:
    its name in Japanese where it has one; also: other names that people use."""

    says: str
    options: Options
    kanji: str = ""
    reading: str = ""
    also: tuple[str, ...] = ()


class Rule(NamedTuple):
    """Some options and the function that hangs their effects on the wiring, called once."""

    options: tuple[Option, ...]
    wire: Callable[[Wiring, Options], None]


def rule(*options: Option) -> Callable[[Callable[[Wiring, Options], None]], Rule]:
    """Declare options together with the function that wires them."""
    return lambda wire: Rule(options, wire)
