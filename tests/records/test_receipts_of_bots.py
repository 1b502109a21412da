"""Receipts that kit bots kept while they played over HTTP, against the record of their session."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

import orjson
import pytest

from arena.client import Bot, Client, Runner, Turn
from arena.client.receipts import Receipts
from arena.loopback.host import LocalArena
from arena.proofs.canonical import canonical
from arena.records.receipts import read_receipts
from arena.records.verify import Verifier, verify
from arena.settings import Settings
from tests.records.mutations import rehashed, unsigned

pytestmark = pytest.mark.server
HAND = "cup-r01-t01-h001"
CUP = {
    "name": "Cup",
    "slug": "cup",
    "seats": 3,
    "hands_per_table": 3,
    "schedule": {"rounds": 1},
    "ruleset": "pagat",
    "seed": "00" * 31 + "07",
}


class Played(NamedTuple):
    """A session: its record, and the receipts of two of its bots by line."""

    record: list[bytes]
    receipts: list[dict[str, Any]]


class Choosing(Bot):
    """Answers with a choice, and a note."""

    def play(self, turn: Turn) -> Any:
        return {"choice": len(turn.legal) - 1, "note": "the last one"}


class Writing(Bot):
    """Answers with cards."""

    def play(self, turn: Turn) -> Any:
        return turn.lowest() or turn.pass_()


def play(url: str, token: str, bot: Bot, receipts: Path) -> None:
    with Client(url, token) as client, Receipts(receipts, url) as kept:
        Runner(client, bot, sessions=["cup"], receipts=kept).run()


@pytest.fixture(scope="module")
def game(tmp_path_factory: pytest.TempPathFactory) -> Played:
    files = [tmp_path_factory.mktemp("receipts") / f"{number}.jsonl" for number in range(3)]
    with LocalArena(Settings(registration="closed")) as arena:
        referee, url = arena.referee, arena.listen().url
        referee.create_session(CUP, "admin")
        referee.set_session("cup", "open", "admin")
        bots = [referee.register(f"bot-{number}", None) for number in range(3)]
        for bot, _ in bots:
            referee.enter("cup", bot["id"])
        referee.set_session("cup", "start", "admin")
        with ThreadPoolExecutor(3) as threads:
            for done in [
                threads.submit(play, url, token, program, file)
                for (_, token), program, file in zip(
                    bots, (Choosing(), Writing(), Choosing()), files, strict=True
                )
            ]:
                done.result()
        record = unsigned(referee.queries.records("cup"))
    kept = [line for file in files[:2] for line in file.read_bytes().splitlines()]
    return Played(list(record), list(map(orjson.loads, kept)))


def checked(record: Sequence[bytes], *receipts: dict[str, Any]) -> tuple[list[str], Verifier]:
    verifier = Verifier(receipts=read_receipts(map(orjson.dumps, receipts)))
    return [finding.what for finding in verifier.check(record)], verifier


def first(game: Played) -> dict[str, Any]:
    """What the choosing bot has of the first hand."""
    return next(each for each in game.receipts if each["hand"] == HAND)


def first_hand(game: Played) -> dict[str, Any]:
    hand: dict[str, Any] = orjson.loads(game.record[1])
    return hand


def hashed(answer: Any) -> str:
    return hashlib.sha256(canonical(answer)).hexdigest()


def test_record_and_receipts_agree_and_it_is_said_how_much_was_compared(game: Played) -> None:
    said, verifier = checked(game.record, *game.receipts)
    assert said == []
    answers = sum(len(receipt["answers"]) for receipt in game.receipts)
    expected = f"6 receipts of bots agree with the record, {answers} answers compared"
    assert expected in verifier.closing.proved
    assert not any("in receipts" in what for what in verifier.closing.unproved)
    assert any("but up to where the receipts go" in what for what in verifier.closing.unproved)


def test_a_receipt_that_was_kept_in_the_middle_of_the_hand_agrees_too(game: Played) -> None:
    step = first_hand(game)["steps"][4]
    log = {"seq": step["seq"] + len(step["events"]), "hash": step["hash"]}
    old = {**first(game), "log": log, "seen": None, "answers": {}}
    said, verifier = checked(game.record, first(game), old)
    assert said == []
    assert any("2 receipts of bots agree" in what for what in verifier.closing.proved)
    assert any(
        what == "what was shown in 1 hand to a bot that began in the middle"
        for what in verifier.closing.unproved
    )


def test_a_forged_hash_names_hand_step_and_bot(game: Played) -> None:
    forged = {**first(game), "log": {**first(game)["log"], "hash": "ab" * 32}}
    (what,) = checked(game.record, forged)[0]
    ends = [step["seq"] + len(step["events"]) for step in first_hand(game)["steps"]]
    last = ends.index(first(game)["log"]["seq"])
    assert what.startswith(f"receipt of line 1, hand {HAND}, seat {first(game)['seat']} (bot-0)")
    assert f"step {last}: the arena gave the bot hash abababababababab..., the record has" in what


def test_events_that_the_bot_was_not_shown_are_named(game: Played) -> None:
    (what,) = checked(game.record, {**first(game), "seen": "ab" * 32})[0]
    assert "the events that the bot was shown up to here are not those of the record" in what


def test_an_answer_that_the_log_does_not_have_is_named_with_what_it_has(game: Played) -> None:
    steps = first_hand(game)["steps"]
    number, step = next(
        (number, step)
        for number, step in enumerate(steps)
        if step["turn"] in first(game)["answers"]
        and (step["command"]["type"], steps[number - 1]["command"]["type"]) == ("play", "play")
    )
    answers = {**first(game)["answers"], step["turn"]: hashed({"pass": True})}
    (what,) = checked(game.record, {**first(game), "answers": answers})[0]
    cards = step["command"]["cards"]
    assert f'step {number}: the bot answered {{"pass":true}}, and this was accepted' in what
    assert f'the record has {{"cards":["{cards[0]}"' in what
    answers = {**first(game)["answers"], step["turn"]: hashed({"text": "the nine"})}
    said, verifier = checked(game.record, {**first(game), "answers": answers})
    assert said == []
    assert any(
        "1 answer in receipts is in the log: not compared" in each
        for each in verifier.closing.unproved
    )
    seat = first(game)["seat"]
    other = {f"{HAND}.9999.{seat}": hashed({"pass": True})}
    (what,) = checked(game.record, {**first(game), "answers": other})[0]
    assert f"the answer to turn {HAND}.9999.{seat} was accepted, and is not in the log" in what


def test_cards_that_were_sent_in_another_order_are_the_same_answer(game: Played) -> None:
    steps = {step["turn"]: step["command"] for step in first_hand(game)["steps"]}
    answers = dict(first(game)["answers"])
    turned = [turn for turn in answers if len(steps[turn].get("cards", ())) in (2, 3, 4)]
    for turn in turned:
        command = {name: each for name, each in steps[turn].items() if name not in ("type", "seat")}
        answers[turn] = hashed({**command, "cards": command["cards"][::-1]})
    assert turned
    said, verifier = checked(game.record, {**first(game), "answers": answers})
    assert said == []
    assert f"{len(answers)} answers compared" in str(verifier.closing.proved)


def test_receipts_of_other_hands_sessions_and_arenas_are_named(game: Played) -> None:
    own = first(game)
    gone = own["hand"].replace("h001", "h009")
    (what,) = checked(game.record, {**own, "hand": gone})[0]
    assert f"hand {gone} of session cup is not in the record" in what
    assert own["arena"] in what
    (what,) = checked(game.record, {**own, "session": "league"})[0]
    assert "it is of session 'league', the record of 'cup'" in what
    elsewhere = {**own, "arena": "http://elsewhere", "log": {**own["log"], "hash": "cd" * 32}}
    (what,) = checked(game.record, elsewhere)[0]
    assert "from http://elsewhere: step" in what
    assert "or the receipt is forged or of another arena" in what


def test_a_hand_that_was_changed_in_the_record_contradicts_the_receipt(game: Played) -> None:
    """A bot's remarks are no part of the game, but they are part of the log."""
    hand = first_hand(game)
    changed = next(step for step in hand["steps"] if "remarks" in step)
    changed["remarks"] = "00" * 32
    record = [game.record[0], orjson.dumps(rehashed(hand)) + b"\n", *game.record[2:]]
    assert not verify(record).findings
    said = checked(record, *game.receipts)[0]
    assert len(said) == 2
    assert all(f"hand {HAND}, seat " in what for what in said)
    assert all("the record tells another game" in what for what in said)


def test_a_hand_with_another_move_at_its_end_contradicts_the_answer_too(game: Played) -> None:
    """The last answers of the hand are taken out of the log, all hashes are computed anew."""
    hand = first_hand(game)
    own = [
        number
        for number, step in enumerate(hand["steps"])
        if step["turn"] in first(game)["answers"]
    ]
    gone = hand["steps"][own[-1]]["turn"]
    shorter = {**hand, "steps": hand["steps"][: own[-1]]}
    record = [game.record[0], orjson.dumps(rehashed(shorter)) + b"\n", *game.record[2:]]
    said = checked(record, first(game))[0]
    assert any(f"the answer to turn {gone} was accepted, and is not in the log" in w for w in said)
