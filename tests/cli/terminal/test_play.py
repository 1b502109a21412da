"""`arena play`: a person at a table, who reads and types."""

from __future__ import annotations

import io
import re
import signal
import subprocess
import sys
from pathlib import Path
from random import Random
from random import seed as seed_all
from unittest import mock

import click
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.cli.terminal.console import Console
from arena.cli.terminal.person import Person
from arena.cli.terminal.play import line_up, next_record
from arena.errors import BadInput, Refused
from arena.match.tables import SeatView, TableSetup
from arena.narration.language import Detail
from arena.narration.sentences import LANGUAGES
from arena.records.hands import hands_in
from arena.records.verify import verify
from arena.rules import EMPTY, Ruleset, decide, evolve
from arena.rules.commands import Command, Deal
from arena.rules.events import Event
from arena.rules.presets import PRESETS
from arena.tournament.reporting.markup import width_of
from tests.cli.shell import ARENA, PATIENCE_S, environment
from tests.cli.terminal.table import Reader, play, taking_listed, typing
from tests.narration.golden import NAMES
from tests.rules.dealing import play_out
from tests.rules.strategies import rulesets
from tests.rules.test_leaks import TELLING, hidden_pairs, in_other_world

LOWEST = ("--against", "lowest")
EVERY_QUESTION = (
    "pagat+kakumei,kakumei_optional=true,jack_back=trick,jack_back_optional=true,ten_discard=on_play,"
    "q_bomber=rank,nana_watashi=may,janken_mode=interactive,exchange_pick=asked,players=3"
)
"""Under these rules a seat is asked everything that a seat can be asked."""
ASKED = {
    "give": "Aki may give",
    "ask": "Aki may ask",
    "discard": "Aki may discard",
    "name": "Aki is to name",
    "throw": "Aki is to choose rock, paper or scissors",
    "accept": "Aki is to accept or decline",
}


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the command is called, and may write what it likes."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    return tmp_path


@pytest.mark.parametrize("preset", PRESETS)
def test_two_hands_of_every_preset_can_be_played_by_reading_only(
    preset: str, tmp_path: Path
) -> None:
    """rests: FO-01"""
    file = tmp_path / "hands.jsonl"
    options = ("--ruleset", preset, "--hands", "2", "--name", "Aki", "--record", str(file))
    played = play(taking_listed(1), *LOWEST, *options, "--seed", "7")
    assert played.code == 0
    assert played.text.count("The hand ends: 1st") == 2
    came = re.findall(r"Your place: (\d) of \d(?:, [a-zō ]+)?\.", played.text)
    assert len(came) == 2
    assert f"Your places, hand by hand: {', '.join(came)}." in played.text
    assert "Not allowed" not in played.text
    verified = verify(file.read_bytes().splitlines())
    assert (verified.hands, verified.findings) == (2, ())
    assert all(hand["rated"] is False for hand in hands_in(file.read_bytes().splitlines()))


def test_every_kind_of_question_is_asked_and_answered_from_the_list() -> None:
    text = ""
    for seed in range(200):
        seed_all(seed)  # bots throw rock, paper or scissors as it comes
        options = ("--ruleset", EVERY_QUESTION, "--name", "Aki", "--hands", "3")
        text += play(taking_listed(seed), *LOWEST, *options, "--seed", str(seed)).text
        if all(question in text for question in ASKED.values()):
            break
    assert {kind for kind, question in ASKED.items() if question not in text} == set()


def test_a_hand_is_played_in_japanese_too() -> None:
    options = ("--ruleset", "japan_league", "--language", "ja", "--name", "あき", "--hands", "2")
    played = play(taking_listed(2), *LOWEST, *options, "--seed", "1")
    assert played.code == 0
    assert "あなたの番です。" in played.text
    assert played.text.count("終了：1位") == 2
    assert len(re.findall(r"4人中\d位、大?[富貧][豪民]でした。", played.text)) == 2
    assert not re.search(r"\b(plays|passes|Your|cards)\b", played.text)


def test_it_goes_on_asking_after_a_refused_move_and_says_which_rule_refuses() -> None:
    """The seat leads, so it may not pass; then it plays cards that it does not hold."""
    ruleset = ("--ruleset", "pagat,players=3,first_lead=holder:D3,first_lead_show=true")
    wrong = ("pass", "JK JK", "S3 S4 S5 H6", "zz", "999", "as", "play")
    first, lines = leading_seed(*ruleset), (*wrong, "D3")
    text = play(typing(*lines), *LOWEST, *ruleset, "--name", "Aki", "--seed", first).text
    for expected in (
        "Not allowed: ",
        "It rests on ",
        "That was not understood: card is 'zz'; expected ",
        "There is no answer 999; the last one is ",
        "That was not understood: answer is 'nothing'; expected cards such as S4 H4, or pass.",
        "Aki plays the three of diamonds.",
    ):
        assert expected in text


def leading_seed(*ruleset: str) -> str:
    """A seed with which the person has the lead of the first hand."""
    for seed in map(str, range(50)):
        text = play(typing(), *LOWEST, *ruleset, "--name", "Aki", "--seed", seed).text
        if "Aki leads." in text and "Aki plays" not in text:
            return seed
    raise AssertionError(ruleset)


def test_what_may_be_asked_of_the_program_is_answered_without_a_move() -> None:
    ruleset = ("--ruleset", "pagat+kakumei,first_lead=holder:S3,players=4")
    lines = (
        "?",
        "hand",
        "trick",
        "table",
        "counts",
        "rules",
        "rules kakumei",
        "rules no_such_rule",
    )
    seed = leading_seed(*ruleset)
    more = ("last", "last 2", "last x", "moves", "")
    played = play(typing(*lines, *more), *LOWEST, *ruleset, "--name", "Aki", "--seed", seed)
    for expected in (
        "Type the cards you play",
        "S3 three of spades",
        "Nothing yet.",
        "The table is empty.",
        "\nAki: 13 cards.\nlowest-1: 13 cards.\n",
        "kakumei = true: Four of a kind",
        "革命",
        "no_such_rule",
        "Aki leads.",
        "last is 'x'; expected a number of sentences",
    ):
        assert expected in played.text, expected
    assert "Aki plays" not in played.text


@pytest.mark.parametrize(
    ("reader", "code", "says"),
    [
        (typing("quit"), 0, "You have left the table."),
        (typing(), 1, "The input has ended, so the hand stays unfinished."),
    ],
)
def test_quit_and_the_end_of_the_input_end_it_politely(
    reader: Reader, code: int, says: str, tmp_path: Path
) -> None:
    file = tmp_path / "hands.jsonl"
    played = play(reader, *LOWEST, "--seed", "1", "--record", str(file))
    assert played.code == code
    assert played.text.splitlines()[-2:] == [says, "Same cards again: --seed 1"]
    assert not file.exists(), "no hand has ended"


def test_hands_that_ended_are_kept_when_somebody_leaves(tmp_path: Path) -> None:
    file = tmp_path / "hands.jsonl"
    taking = taking_listed(1)

    def reader(fresh: str) -> str:
        return "quit\n" if "Hand 2 of 3." in fresh else taking(fresh)

    played = play(reader, *LOWEST, "--hands", "3", "--seed", "1", "--record", str(file))
    assert played.code == 0
    assert f"arena show {file} --hand 1" in played.text
    assert f"arena replay {file} --hand 1" in played.text
    assert len(file.read_text(encoding="utf-8").splitlines()) == 1


def test_on_a_terminal_cards_are_signs_in_four_colours_and_places_are_side_by_side(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("arena.cli.terminal.play.console", lambda **_: Console(False, signs=True))
    monkeypatch.setenv("COLUMNS", "60")
    ruleset, colours = ("--ruleset", "pagat+kakumei"), ("31", "94", "32")
    with mock.patch("click.utils.should_strip_ansi", return_value=False):
        text = play(taking_listed(1), *LOWEST, *ruleset, "--hands", "1", "--seed", "2").text
    for colour, sign in zip(colours, "♥♦♣", strict=True):
        assert f"\x1b[{colour}m{sign}" in text
    assert "♠" in text
    assert re.search(r"1: \S+   2: \S+", click.unstyle(text))
    assert max(map(width_of, re.findall(r"^\d+: .*", click.unstyle(text), re.MULTILINE))) <= 60


def test_the_same_seed_gives_the_same_table(tmp_path: Path) -> None:
    def once(name: str) -> str:
        options = ("--hands", "1", "--name", "Aki", "--seed", "5", "--record", str(tmp_path / name))
        return play(taking_listed(3), *LOWEST, *options).text.replace(name, "")

    assert once("one.jsonl") == once("two.jsonl")


def test_nothing_is_written_over(tmp_path: Path) -> None:
    file = tmp_path / "hands.jsonl"
    file.write_text("mine", encoding="utf-8")
    with pytest.raises(BadInput, match=r"--record is .* a new file"):
        play(typing(), *LOWEST, "--record", str(file))
    assert file.read_text(encoding="utf-8") == "mine"
    (tmp_path / "play-1.jsonl").touch()
    assert next_record(tmp_path) == tmp_path / "play-2.jsonl"


@pytest.mark.parametrize(
    ("options", "why"),
    [
        (("--against", "nobody"), "--against is 'nobody'; expected heuristic, lowest, random"),
        (("--against", "lowest,,random"), "1 to 3 bots"),
        (("--against", "lowest,lowest,lowest,lowest"), "1 to 3 bots, for 4 seats"),
        (("--against", "no.such:Bot"), "a bot that Python can import"),
        (("--hands", "0"), "--hands is 0; expected 1 to 1000"),
        (("--ruleset", "pagat,session_end=minutes:1"), "no clock runs at this table"),
        (("--name", "\x1b[31mred"), "name is"),
        (("--name", ""), "name is ''"),
    ],
)
def test_what_cannot_be_played_is_refused_in_one_line(
    options: tuple[str, ...], why: str, tmp_path: Path
) -> None:
    with pytest.raises(BadInput) as refused:
        play(typing(), *options)
    assert why in str(refused.value)
    assert "\x1b" not in str(refused.value)
    assert list(tmp_path.iterdir()) == []


def test_everybody_at_the_table_has_a_name_of_their_own() -> None:
    assert list(line_up("lowest", "lowest,random", 4)) == [
        "lowest",
        "lowest-1",
        "random",
        "lowest-2",
    ]
    assert list(line_up("lowest-1", "lowest", 3)) == ["lowest-1", "lowest-2", "lowest-3"]
    own = line_up("Aki", "tests.match.players:Lowest --shy", 3)
    assert list(own) == ["Aki", "lowest-1", "lowest-2"]
    assert own["Aki"] is None


@pytest.mark.server
def test_a_whole_hand_through_pipes_is_one_sentence_a_line() -> None:
    """What a program or a screen reader gets: no colour, nothing that is drawn over."""
    options = ("--hands", "1", "--seed", "2", "--name", "Aki", *LOWEST)
    here = play(taking_listed(4), *options, "--record", "here.jsonl")
    typed = "".join(f"{line}\n" for line in here.typed)
    command = [*ARENA, "play", *options, "--record", "there.jsonl"]
    done = subprocess.run(
        command, input=typed, env=environment(), capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == here.text.replace("here.jsonl", "there.jsonl")
    assert not re.search(r"[\x00-\x09\x0b-\x1f]", done.stdout)


@pytest.mark.server
def test_ctrl_c_ends_it_with_the_code_of_all_commands() -> None:
    command = [*ARENA, "play", *LOWEST, "--seed", "1"]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen(command, env=environment(), text=True, **pipes) as process:
        assert process.stdout is not None
        for line in process.stdout:
            if line.startswith("Your answer"):
                break
        process.send_signal(signal.SIGINT)
        rest, wrong = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 130
    assert rest.splitlines()[-1] == "Same cards again: --seed 1"
    assert wrong.strip() == "Stopped."
    assert list(Path("arena-data").iterdir()) == [], "no hand has ended"


def shown(rules: Ruleset, commands: list[Command], seat: int) -> str | None:
    """All that a person at a seat reads in a hand, who asks for everything at every question; None
    if the actions are not possible."""
    output = io.StringIO()
    setting = TableSetup(rules, "b", "p", NAMES[: rules.players], 1, 1, "s", "t")
    person = Person(Console(), LANGUAGES["en"], Detail.FULL)
    state, events = EMPTY, list[Event]()
    with mock.patch.object(sys, "stdout", output):
        for command in commands:
            look = SeatView(setting, 1, tuple(range(rules.players)), seat, state, events)
            if not isinstance(command, Deal) and command.seat == seat:
                asking = "hand\ntable\ncounts\ntrick\nlast 99\nmoves\nS3\n1\n"
                with mock.patch.object(sys, "stdin", io.StringIO(asking)):
                    person.answer(look, None)
            try:
                new = decide(rules, state, command)
            except Refused:
                return None
            state = evolve(state, new)
            events += new
    return output.getvalue()


@given(rulesets(decks=1, **TELLING), st.integers(0, 10**9))
@settings(max_examples=30)
def test_cards_that_a_seat_cannot_know_change_nothing_that_the_person_reads(
    rules: Ruleset, seed: int
) -> None:
    random = Random(seed)
    _, steps = play_out(rules, seed)
    steps = steps[: random.randrange(1, len(steps) + 1)]
    commands = [command for command, _ in steps]
    seat = random.randrange(rules.players)
    swap = hidden_pairs(rules, steps, seat, random)
    other = shown(rules, [in_other_world(command, swap) for command in commands], seat)
    if swap and other is not None:
        assert other == shown(rules, commands, seat)
