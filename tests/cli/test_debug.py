"""`arena debug`: recorded turns, asked again."""

from __future__ import annotations

import json

import pytest

from arena.cli.workshop.debug import command
from arena.errors import BadInput
from arena.match.local import Match, MatchTerms, play_block
from tests.cli.shell import arena

LOWEST = "sample_bots.lowest:Lowest"
HEURISTIC = "sample_bots.heuristic:Heuristic"


@pytest.fixture(scope="module")
def record(tmp_path_factory):
    """Hands of the lowest bot (A) against the heuristic one (B)."""
    terms = MatchTerms(ruleset={"preset": "pagat"}, hands_per_table=2, deals="fresh")
    block = play_block(Match(LOWEST, HEURISTIC, (), terms, record=True), 1)
    file = tmp_path_factory.mktemp("records") / "match.jsonl"
    file.write_text("".join(f"{line.rstrip()}\n" for line in block.records))
    return file


def debugged(capsys, record, *flags, bot=LOWEST, hand="2", seat="A"):
    """Exit code and output of the command for a class of this process."""
    words = [str(record), "--hand", hand, "--seat", seat, "--bot", bot, "--local", *flags]
    code = command.main(words, standalone_mode=False)
    return code, capsys.readouterr().out


def test_a_bot_that_has_not_changed_answers_as_recorded(capsys, record):
    code, out = debugged(capsys, record)
    assert code == 0
    *turns, last = out.splitlines()
    assert all(line.endswith("as recorded") for line in turns)
    assert last == f"{len(turns)} of {len(turns)} turns as recorded"


def test_another_bot_is_stopped_where_it_answers_otherwise(capsys, record):
    code, out = debugged(capsys, record, bot=HEURISTIC)
    assert code == 1
    assert "You are A." in out
    assert "\nrecorded  " in out
    assert "\nanswered  " in out
    assert "\nposition  daifugo/1 pagat seat=" in out
    assert "not asked, see --all" in out


def test_the_position_that_is_shown_can_be_read_again(capsys, record):
    from arena.game import Position

    _, out = debugged(capsys, record, "--json", bot=HEURISTIC)
    last = json.loads(out)[-1]
    assert not last["same"]
    position = Position.parse(last["position"])
    assert position.seat == position.asked == last["document"]["seat"]
    legal = [entry.get("cards", "pass") for entry in last["document"]["legal"]]
    assert [last["answered"].split(), last["recorded"].split()] != [None, None]
    assert any(last["answered"] in (" ".join(cards), cards) for cards in legal)


def test_with_all_every_turn_is_asked(capsys, record):
    code, out = debugged(capsys, record, "--all", "--json", bot=HEURISTIC)
    turns = json.loads(out)
    assert code == 1
    assert [turn["turn"] for turn in turns] == list(range(1, len(turns) + 1))
    assert {turn["same"] for turn in turns} == {True, False}


def test_one_turn_alone_comes_with_all_that_was_before_it(capsys, record):
    code, out = debugged(capsys, record, "--at", "3", "--json")
    [turn] = json.loads(out)
    assert (code, turn["turn"]) == (0, 3)
    assert turn["document"]["events_from"] == 0
    assert turn["document"]["events"][0]["type"] == "dealt"


def test_a_bot_is_shown_its_own_cards_only(capsys, record):
    _, out = debugged(capsys, record, "--at", "1", "--json")
    [turn] = json.loads(out)
    [dealt] = [event for event in turn["document"]["events"] if event["type"] == "dealt"]
    shown = [cards for cards in dealt["hands"] if cards]
    assert len(shown) == 1


def test_no_answer_and_one_that_is_refused_are_other_answers(capsys, record):
    code, out = debugged(capsys, record, bot="tests.asking.bots:Silent")
    assert (code, "answered  it left the turn to the clock" in out) == (1, True)
    code, out = debugged(capsys, record, bot="tests.asking.bots:Cheat")
    assert (code, 'answered  refused {"cards": ["S5"]}: ' in out) == (1, True)


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        ({"seat": "nobody"}, "--seat is 'nobody'; expected one of"),
        ({"hand": "9"}, "--hand is '9'; expected a number from 1 to 2"),
        ({"bot": "no_such_module:Bot"}, "no_such_module"),
    ],
)
def test_a_wrong_call_says_what_was_expected(capsys, record, flags, message):
    with pytest.raises(BadInput, match=message):
        debugged(capsys, record, **flags)


def test_a_turn_that_there_is_not_is_refused(capsys, record):
    with pytest.raises(BadInput, match=r"--at is 99; expected a turn of A, 1 to \d+"):
        debugged(capsys, record, "--at", "99")


def test_whose_turns_has_to_be_said(record):
    words = [str(record), "--hand", "1", "--bot", LOWEST, "--local"]
    with pytest.raises(BadInput, match="--seat is not given; expected the bot whose turns"):
        command.main(words, standalone_mode=False)


def test_a_broken_line_is_named(capsys, record, tmp_path):
    broken = tmp_path / "broken.jsonl"
    first, *_ = record.read_text().splitlines()
    broken.write_text(f"{first}\n{{\n")
    with pytest.raises(BadInput, match="line 2"):
        debugged(capsys, broken)


@pytest.mark.server
def test_a_command_is_asked_over_http(record):
    bot = "python -m sample_bots.lowest"
    asked = ["--hand", "1", "--seat", "A", "--bot", bot, "--sandbox", "never"]
    done = arena("debug", str(record), *asked)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1].endswith("turns as recorded")
    gone = arena("debug", str(record), *asked[:5], "python -c pass", *asked[6:])
    assert gone.returncode == 2
    assert len(gone.stderr.splitlines()) == 1
