"""Closing: what a verification has proved and what it has not, in words for people and programs.

Nothing is "good" here: each sentence says what of, how much and by what, and whatever could not be
looked at has a sentence of its own.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

from arena.proofs.chance import RoundKeys
from arena.records.digest_checks import Digest
from arena.records.headings import KnownSession
from arena.statuses import OVER


class Closing(NamedTuple):
    """Sentences, each of what was proved or of what was not."""

    proved: tuple[str, ...] = ()
    unproved: tuple[str, ...] = ()


class GivenDigest(NamedTuple):
    """A digest that somebody has given beside the file, and that fits it. hands: that it covers;
    key: that it is signed with, empty without one."""

    source: str
    hands: int
    key: str


class SessionFacts(NamedTuple):
    """What is known of a session when its last line has been checked.

    known: its header, None without one; done: what was checked, counted; complete: could it be held
    to its schedule, and is nothing missing? tables: how many came; unknown: those of which cannot
    be said whether they are complete. given: digests from elsewhere that fit; heads: of how many
    hands there is a hash; digest: the one in the header, if it fits; key: that signed it; trusted:
    is that the key that was asked for? drawn: were rounds drawn from results, and were these
    checked? notes: of the schedule.
    """

    known: KnownSession | None
    done: Counter[str]
    complete: bool
    tables: int
    unknown: int
    scheduled: bool
    given: tuple[GivenDigest, ...]
    heads: int
    digest: Digest | None
    digest_is_wrong: bool
    header_signed: bool
    key: str
    trusted: bool
    drawn: str
    notes: tuple[str, ...]
    version: int
    with_receipts: bool


def closing_of(facts: SessionFacts) -> Closing:
    """The closing list of a session."""
    return Closing(tuple(_proved(facts)), tuple(_unproved(facts)))


def _many(count: int, what: str) -> str:
    return f"{count:,} {what}{'' if count == 1 else 's'}"


def _from_whom(keys: RoundKeys, known: KnownSession) -> str:
    """What the deals follow from."""
    if keys.mixed is None:
        return "the arena's secret alone"
    house = 0 if known.schedule is None else known.schedule.programme.made.house
    entered = len(keys.given) - house
    given = sum(each is not None for each in keys.given[:entered])
    return f"the secret and what {given} of {_many(entered, 'bot')} gave"


def _from_secret(keys: RoundKeys) -> bool:
    """Did nobody but the organiser have a part in the deals?"""
    return keys.public is None and not any(keys.given)


def _proved(facts: SessionFacts) -> Iterator[str]:
    done, known = facts.done, facts.known
    if done["followed"]:
        moves, hands = _many(done["moves"], "move"), _many(done["followed"], "hand")
        yield f"{moves} in {hands} follow the rules, and the results follow from them"
    if known is not None and known.keys is not None and done["deals"]:
        by = _from_whom(known.keys, known)
        yield f"{_many(done['deals'], 'deal')} and the seatings follow from {by}"
        if known.keys.public is not None:
            value, source = known.keys.public, known.plan.public_chance
            yield f"the public value {value!r} is mixed into all deals; compare it with {source}"
        if facts.scheduled:
            yield "who met whom follows from the same, the document and the roster"
    if facts.drawn == "checked":
        yield "the rounds that were drawn from results follow from the results in this file"
    if done["clocked"] and known is not None and known.version > 1:
        yield f"the time charged in {_many(done['clocked'], 'hand')} follows from the clocks"
    if done["chained"]:
        yield f"the hashes of {_many(done['chained'], 'log')} fit the logs"
    if facts.complete:
        yield _complete(facts)
    if facts.digest is not None:
        digest = facts.digest
        covered = f"{_many(digest.hands, 'hand')} at {_many(digest.tables, 'table')}"
        by = f", signed with key {facts.key}" if facts.key else ""
        yield f"the digest covers {covered} as they stand here{by}"
    for given in facts.given:
        by = f", and is signed with key {given.key}" if given.key else ""
        yield f"{given.source} is that of {_many(given.hands, 'hand')} as they stand here{by}"
    if facts.header_signed:
        yield f"the header is as it was signed with key {facts.key}"
    if facts.trusted:
        yield "that is the key that was asked for"
    if done["receipts"]:
        answers = f"{_many(done['answers'], 'answer')} compared"
        agree = "agrees" if done["receipts"] == 1 else "agree"
        yield f"{_many(done['receipts'], 'receipt')} of bots {agree} with the record, {answers}"


def _complete(facts: SessionFacts) -> str:
    """That nothing is missing, as far as the header goes."""
    known = facts.known
    assert known is not None
    begun, rounds = known.begun or 0, _rounds(known)
    of = f" of the {_many(begun, 'round')} that {_were(begun)} begun" if begun < rounds else ""
    but = ", but at those cut short or void" if known.aborted or known.voids else ""
    there = f"{_many(facts.tables, 'table')} of the schedule {_are(facts.tables)} there"
    return f"nothing is missing{of}: {there}, with every hand that the rules ask for{but}"


def _rounds(known: KnownSession) -> int:
    """How many rounds the schedule has."""
    return 0 if known.schedule is None else len(known.schedule.programme.made.rounds)


def _unproved(facts: SessionFacts) -> Iterator[str]:
    yield from _outside(facts)
    yield from _lacking(facts)
    yield from facts.notes


def _outside(facts: SessionFacts) -> Iterator[str]:
    """What no record can prove, or this one could with more."""
    done, known = facts.done, facts.known
    yield "who the bots' programs were, and that the clock of the arena went right"
    if facts.version == 1:
        yield (
            "that the moves are those that were made, and that no hand or table was taken out: "
            "version 1 of the format has no hashes and no digest"
        )
    else:
        yield from _replaceable(facts)
    if facts.version > 1 and not facts.with_receipts and done["hands"]:
        yield "that bots were sent what the record says: no receipts were given"
    if known is not None and known.keys is not None and known.keys.public is not None:
        yield "that its source gave the public value, and only after the last bot had entered"
    if known is not None and known.keys is not None and _from_secret(known.keys):
        yield "that the organiser did not know the deals beforehand: no bot's bytes are in them"


def _replaceable(facts: SessionFacts) -> Iterator[str]:
    """What whoever has changed the file could have put in the place of the truth."""
    digest, but = facts.digest, ""
    if facts.done["receipts"]:
        but = ", but up to where the receipts go"
    known = max((given.hands for given in facts.given), default=0)
    if digest is not None and facts.key:
        if not facts.trusted:
            yield (
                f"that key {facts.key} is the arena's: ask for it elsewhere and give it with --key"
            )
        known = max(known, digest.hands)
    if known:
        yield from _beyond(facts.heads - known)
    elif digest is None:
        why = "this file has no digest"
        if facts.digest_is_wrong:
            why = "the digest in the header is not that of these hands"
        yield f"that the moves are those that were made{but}: {why}; other legal moves would pass"
    else:
        yield (
            f"that the moves are those that were made{but}: the digest in the header has no "
            "signature, so whoever changes the file can compute it anew; compare its root "
            f"{digest.root} with one that was published before"
        )
    if facts.known is not None and not facts.header_signed:
        yield (
            "that the header is the arena's, as it is not signed: settings, rounds begun, and "
            "tables cut short or void are as it says"
        )


def _beyond(hands: int) -> Iterator[str]:
    if hands > 0:
        moves = f"that the moves of {_many(hands, 'hand')} are those that were made"
        yield f"{moves}: the digest does not cover {'it' if hands == 1 else 'them'}"


def _lacking(facts: SessionFacts) -> Iterator[str]:
    """What this file does not have."""
    done, known = facts.done, facts.known
    if known is None:
        yield "the deals, the schedule and that nothing is missing: there is no header"
    elif known.keys is None:
        yield "that the deals follow from the secret: it is not public yet"
    if done["withheld"]:
        number = done["withheld"]
        yield f"the moves of {_many(number, 'hand')} that {_are(number)} not in this file"
    if done["called off"]:
        number = done["called off"]
        yield f"the moves of {_many(number, 'hand')} that {_were(number)} called off"
    if known is not None and known.version > 1:
        yield from _not_complete(facts, known)
    if facts.drawn == "unknown":
        yield "what rounds were drawn from: not all hands before them are in this file and count"
    if done["answers elsewise"]:
        number = done["answers elsewise"]
        yield (
            f"that {_many(number, 'answer')} in receipts {_are(number)} in the log: not compared, "
            "as what was sent is written otherwise there"
        )
    if done["receipts not checked"]:
        number = done["receipts not checked"]
        yield (
            f"what {_many(number, 'receipt')} {_say(number)}: the hands are not shown, or have "
            "nothing to compare"
        )
    if done["receipts without events"]:
        number = done["receipts without events"]
        yield f"what was shown in {_many(number, 'hand')} to a bot that began in the middle"


def _not_complete(facts: SessionFacts, known: KnownSession) -> Iterator[str]:
    if known.status not in OVER:
        yield f"that nothing is missing: the session is {known.status}"
    if facts.unknown:
        count = _many(facts.unknown, "table")
        yield f"that {count} had no more hands: the rules end them by time or points"
    rounds = _rounds(known)
    if known.begun is not None and known.status in OVER and known.begun < rounds:
        left = rounds - known.begun
        rounds_left = f"{_many(left, 'round')} of the schedule {_were(left)}"
        yield f"that {rounds_left} not begun: only the header says so"
    if known.aborted:
        yield f"why {_many(len(known.aborted), 'table')} {_were(len(known.aborted))} cut short"
    if known.voids:
        yield f"why {_many(len(known.voids), 'table')} {_were(len(known.voids))} made void"


def _are(count: int) -> str:
    return "is" if count == 1 else "are"


def _were(count: int) -> str:
    return "was" if count == 1 else "were"


def _say(count: int) -> str:
    return "says" if count == 1 else "say"
