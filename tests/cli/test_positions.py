"""`arena positions`: files of positions, a bot's answers in them, refusals and exit codes."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

from arena.cli.main import group
from arena.cli.workshop.position_files import read_exercises
from arena.errors import BadInput

PACK = "daifugo/1 pagat,players=2,suits=S,jokers=0 seat=0 move=0"
BEAT = f"{PACK} held=S3S6SA/2 trick=1:SK gone=S4S8STSQS5S7S9 dealer=1"
LEAD = f"{PACK} held=S3S2/1 gone=S4S8STSQS5S7S9SJSKSA dealer=1"


def entry(position=BEAT, **members):
    """An entry of a file."""
    given = {"id": "ace", "position": position, **members}
    lines = [f"{name} = {json.dumps(value)}" for name, value in given.items()]
    return "\n".join(["[[position]]", *lines, ""])


GOOD = entry(legal=["pass", "SA"], theme="rule") + entry(
    LEAD, id="two", best=["S2"], theme="sure win", why="The 2 wins the trick."
)


@pytest.fixture
def called(tmp_path):
    """Runs the command on a file of this text: the exit code and what it printed."""

    def call(text, *arguments):
        file = tmp_path / "positions.toml"
        file.write_text(text)
        done = CliRunner().invoke(
            group, ["positions", str(file), *arguments], standalone_mode=False
        )
        return done.return_value if done.exception is None else done.exception, done.output

    return call


def test_a_file_is_checked_without_a_bot(called):
    assert called(GOOD, "--check") == (0, "2 positions, the engine agrees with every entry\n")


def test_a_class_is_asked_and_what_is_wrong_is_told_with_the_reason(called):
    code, said = called(GOOD, "tests.asking.bots:Lowest", "--local")
    assert code == 1
    rows = [line.split() for line in said.splitlines()]
    assert rows[1][:3] == ["ace", "SA", "right"]
    assert rows[2][:3] == ["two", "S3", "wrong"]
    assert "two: best S2: The 2 wins the trick." in said
    assert said.endswith("1 of 2 positions right\n")


def test_only_what_is_chosen_is_asked_and_all_right_is_code_0(called):
    code, said = called(GOOD, "tests.asking.bots:Lowest", "--local", "--theme", "rule", "--json")
    told = json.loads(said)
    assert code == 0
    assert (told["right"], told["of"]) == (1, 1)
    assert told["positions"][0]["answer"] == "SA"


@pytest.mark.parametrize(
    ("bot", "verdict"), [("Broken", "no answer"), ("Cheat", "refused"), ("Silent", "no answer")]
)
def test_errors_and_refused_answers_have_verdicts_of_their_own(bot, verdict, called):
    code, said = called(GOOD, f"tests.asking.bots:{bot}", "--local", "--json")
    assert code == 1
    assert {each["verdict"] for each in json.loads(said)["positions"]} == {verdict}


def test_avoid_is_right_for_everything_else(called):
    assert called(entry(avoid=["SA"]), "tests.asking.bots:Lowest", "--local")[0] == 1
    assert called(entry(LEAD, avoid=["S2"]), "tests.asking.bots:Lowest", "--local")[0] == 0


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "one or more"),
        ("[[position]", "TOML"),
        (entry(), "exactly one of best, avoid, legal"),
        (entry(best=["SA"], avoid=["pass"]), "exactly one of"),
        (entry(best=["S6"]), "does not beat SK"),
        (entry(best=[]), "one or more"),
        (entry(best=["SA", "pass"]), "not every answer"),
        (entry(legal=["pass"]), "is missing"),
        (entry(best=["SA"], colour="red"), "'colour'"),
        (entry(best=["SA"], place="first"), "place is 'first'; expected a whole number"),
        (entry(legal=["pass", "SA"], place=1), "best or avoid beside it, not legal"),
        (entry("daifugo/1 pagat seat=0", best=["SA"]), "an entry that works"),
        (entry(best=["SA"]) * 2, "f.toml:5: id is 'ace'"),
    ],
)
def test_a_mistake_in_a_file_is_told_with_its_place(text, message):
    with pytest.raises(BadInput) as caught:
        read_exercises(text, "f.toml")
    assert message in str(caught.value)
    assert str(caught.value).startswith(("f.toml:", "file of positions"))


def test_what_cannot_be_chosen_is_refused(called):
    assert "--theme" in str(called(GOOD, "x", "--theme", "luck")[0])
    assert "--only" in str(called(GOOD, "x", "--only", "king")[0])
    assert "COMMAND" in str(called(GOOD)[0])


def test_a_place_is_proved_by_search(called):
    text = entry(LEAD, id="two", best=["S2"], place=1) + entry(LEAD, avoid=["S3"], place=1)
    said = "2 positions, the engine agrees with every entry; 2 places proved by search\n"
    assert called(text, "--check") == (0, said)
    first, second = json.loads(called(text, "--check", "--json")[1])
    assert (first["place"], first["worlds"], first["steps"]) == (1, 1, 7)
    assert second["kind"] == "avoid"


@pytest.mark.parametrize(
    ("members", "message"),
    [
        ({"best": ["S3"]}, "best is 'S3'; expected the answers that are sure of place 1: S2"),
        ({"avoid": ["S2"]}, "avoid is 'S2'; expected the answers that are not sure of place 1: S3"),
        ({"best": ["S2"], "place": 2}, "the answers that are sure of place 2: S3, S2"),
        ({"best": ["S2"], "place": 3}, "place is 3; expected a number from 1 to 2"),
    ],
)
def test_a_place_that_is_not_sure_is_refused_with_what_is(members, message, called):
    error = str(called(entry(LEAD, **{"place": 1, **members}), "--check")[0])
    assert "positions.toml:1 (ace)" in error
    assert message in error


@pytest.mark.slow
def test_the_shipped_positions_are_listed_and_asked_without_a_file():
    def shipped(*words):
        call = ["positions", "--shipped", *words]
        return CliRunner().invoke(group, call, standalone_mode=False)

    listed = json.loads(shipped("--list", "--json").output)
    assert len(listed) == 60
    done = shipped("tests.asking.bots:Lowest", "--local", "--only", listed[0]["id"])
    assert done.output.splitlines()[1].startswith(listed[0]["id"])
    assert "not both" in str(shipped("a.toml", "bot").exception)
    assert "or give --shipped" in str(
        CliRunner().invoke(group, ["positions"], standalone_mode=False).exception
    )


@pytest.mark.server
def test_a_process_is_asked_and_one_that_ends_is_started_again(called):
    assert called(GOOD, "python -m sample_bots.lowest")[0] == 1
    code, said = called(GOOD, "python -m sample_bots.misbehave --how vanish --after 1", "--json")
    assert code == 1
    assert [each["verdict"] for each in json.loads(said)["positions"]] == ["right", "no answer"]
