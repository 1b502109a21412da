"""An organiser's life from the command line: freeze, embargo, publish, void, replay, the log."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner
from werkzeug.serving import make_server

from arena.cli.main import group
from arena.cli.organise.alerts import when_read
from arena.client import ArenaProblem
from arena.errors import BadInput, Forbidden
from tests.real import Real
from tests.web.api.test_results import play
from tests.web.conftest import with_token

pytestmark = pytest.mark.slow

MEMBERS = {"seats": 4, "schedule": {"rounds": 2}}


class Console:
    """A real arena behind a socket, and the commands of its organiser, of a bot, of anybody."""

    def __init__(self, real: Real, url: str) -> None:
        self.real = real
        self.url = url
        self.token = token_of(real.organiser)

    def run(self, *words: str, token: str | None = None) -> str:
        environ = {"ARENA_URL": self.url, "ARENA_ADMIN_TOKEN": token, "ARENA_TOKEN": None}
        done = CliRunner().invoke(group, words, env=environ)
        if done.exception is not None and not isinstance(done.exception, SystemExit):
            raise done.exception
        assert done.exit_code == 0, done.output
        return done.stdout

    def admin(self, *words: str) -> str:
        return self.run(*words, token=self.token)


def token_of(client: object) -> str:
    header: str = client.environ_base["HTTP_AUTHORIZATION"]  # type: ignore[attr-defined]
    return header.removeprefix("Bearer ")


@pytest.fixture
def console() -> Iterator[Console]:
    real = Real()
    real.session(5, **MEMBERS, board="pseudonymous")
    play(real, at_most=60)
    server = make_server("127.0.0.1", 0, real.app, threaded=True)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield Console(real, f"http://127.0.0.1:{server.server_port}")
    server.shutdown()
    thread.join(10)
    server.server_close()


def test_results_are_frozen_embargoed_and_published(console: Console) -> None:
    assert "results   frozen" in console.admin("session", "freeze", "cup")
    console.admin("session", "publish", "cup")
    until = "2027-06-30T18:00:00Z"
    told = console.admin("session", "embargo", "cup", "--until", until)
    assert "results   embargoed until 2027-06-30T18:00:00.000Z" in told
    with pytest.raises(ArenaProblem, match="embargoed until 2027-06-30"):
        console.run("standings", "cup")
    assert "Spring cup" in console.admin("standings", "cup")
    view = json.loads(console.admin("session", "publish", "cup", "--json"))
    assert view["publication"]["results"] == "live"
    assert "Spring cup" in console.run("standings", "cup")


def test_bots_are_put_into_divisions_and_ranked_there(console: Console) -> None:
    body = {"divisions": [{"id": "students", "name": "Students"}]}
    assert console.real.organiser.patch("/api/v1/sessions/cup", json=body).status_code == 200
    words = ("session", "divide", "cup")
    said = console.admin(*words, "bot-1", console.real.ids[1], "--division", "students")
    assert "2 bots of cup now in division students" in said
    text = console.admin("standings", "cup", "--division", "students")
    assert "division Students: 2 of 5 bots" in text
    assert "bot-3" not in text
    own = console.run("standings", "cup", "--division", "students")
    assert "2 of 5 bots" in own
    assert "bot-1" not in own
    assert "now in no division" in console.admin(*words, "bot-1", "--none")
    with pytest.raises(BadInput, match="--none instead"):
        console.admin(*words, "bot-1")
    with pytest.raises(ArenaProblem, match="expected one of students"):
        console.admin(*words, "bot-1", "--division", "guests")
    with pytest.raises(ArenaProblem, match="division is 'guests'; expected one of students"):
        console.run("standings", "cup", "--division", "guests")


def test_a_session_that_announces_a_public_source_is_started_with_its_value(
    console: Console, tmp_path: Path
) -> None:
    file = tmp_path / "lottery.toml"
    file.write_text(
        'name = "Lottery"\nslug = "lottery"\nseats = 4\npublic_chance = "the lottery"\n'
    )
    console.admin("session", "create", str(file), "--open")
    for bot in console.real.ids[:4]:
        console.admin("session", "add", "lottery", bot)
    start = ("session", "start", "lottery", "--anyway")
    with pytest.raises(ArenaProblem, match="expected the value of 'the lottery'"):
        console.admin(*start)
    assert "lottery" in console.admin(*start, "--public-chance", "07 13 21")
    view = json.loads(console.run("session", "status", "lottery", "--json"))
    assert (view["status"], view["public_value"]) == ("running", "07 13 21")
    page = console.real.anybody.get("/sessions/lottery", headers={"Accept": "text/html"}).text
    assert "the lottery" in page
    assert "<code>07 13 21</code>" in page


def test_a_table_is_made_void_and_played_again(console: Console) -> None:
    table = "cup-r01-t01"
    told = console.admin("session", "void", table, "--reason", "power cut", "--replay", "--yes")
    assert told == f"{table} is void\n{table} is played again as {table}b\n"
    listed = console.run("session", "tables", "cup")
    assert "power cut" in listed
    assert "bot-" not in listed
    assert "bot-1" in console.admin("session", "tables", "cup")
    statuses = {
        t["table"]: t["status"]
        for t in json.loads(console.run("session", "tables", "cup", "--json"))
    }
    assert statuses[table] == "void"
    console.admin("session", "void", f"{table}b", "--reason", "again", "--yes")
    assert console.admin("session", "replay", f"{table}b").endswith(f"as {table}c\n")


@pytest.mark.parametrize(
    "words", [("cancel", "cup"), ("void", "cup-r01-t01", "--reason", "power cut")]
)
def test_what_cannot_be_undone_is_asked_about(console: Console, words: tuple[str, ...]) -> None:
    with pytest.raises(Forbidden, match="this needs --yes"):
        console.admin("session", *words)
    assert console.real.referee.queries.session("cup")["status"] != "cancelled"


def test_who_is_there_is_seen_before_the_start_and_by_staff_later(console: Console) -> None:
    console.real.organiser.post("/api/v1/sessions", json={"name": "Next", "slug": "next"})
    for name in ("early", "late"):
        made = console.real.anybody.post("/api/v1/bots", json={"name": name, "owner": name}).json
        assert made is not None
        client = with_token(console.real.app, made["token"])
        console.admin("session", "open", "next") if name == "early" else None
        assert client.put("/api/v1/sessions/next/entry").status_code == 200
        if name == "early":
            client.get("/api/v1/turns", headers={"User-Agent": "my\x7fbot/2"})
    early, late = json.loads(console.run("session", "bots", "next", "--json"))
    assert (early["connected"], early["client"]) == (True, "my\ufffdbot/2")
    assert (late["connected"], late["last_seen"], late["client"]) == (False, None, None)
    lines = console.run("session", "bots", "next").splitlines()
    assert lines[2].split()[-4:-2] == ["entered", "yes"]
    assert lines[3].split()[-2:] == ["no", "never"]
    assert "1 of 2 connected now" in console.real.anybody.get("/sessions/next").text
    with pytest.raises(Forbidden, match="1 bot has never been here: late"):
        console.admin("session", "start", "next")


def test_who_is_there_is_told_to_nobody_else_while_hands_are_played(console: Console) -> None:
    everybody = json.loads(console.run("session", "bots", "cup", "--json"))
    staff = json.loads(console.admin("session", "bots", "cup", "--json"))
    assert all("last_seen" not in entry for entry in everybody)
    assert all("last_seen" in entry for entry in staff)


def test_the_next_step_stands_below_a_session_for_people_only(
    console: Console, tmp_path: Path
) -> None:
    (tmp_path / "next.json").write_text('{"name": "Next", "slug": "next"}')
    created = console.admin("session", "create", str(tmp_path / "next.json"))
    assert created.splitlines()[-1] == "Next: arena session open next   (lets bots enter)"
    opened = console.admin("session", "open", "next").splitlines()[-1]
    assert opened.startswith("Next: arena session start next   (when the bots are in; ")
    assert "Next:" not in console.admin("session", "close", "next", "--json")


def test_before_it_begins_a_session_says_how_long_and_how_exact_it_will_be(
    console: Console, tmp_path: Path
) -> None:
    text = '{"name": "Next", "slug": "next", "seats": 3, "anchor": "bot-1"}'
    (tmp_path / "next.json").write_text(text)
    console.admin("session", "create", str(tmp_path / "next.json"), "--open")
    for number in (1, 2, 3):
        console.admin("session", "add", "next", f"bot-{number}")
    expected = console.admin("session", "forecast", "next")
    assert "will take" in expected
    assert "ratings        ± " in expected
    assert "Warning: The anchor bot-1 will play 2 blocks" in expected
    document = json.loads(console.admin("session", "forecast", "next", "--json"))
    assert document["bots"] == 3
    started = console.admin("session", "start", "next", "--anyway")
    assert expected in started
    assert "running" in started


def test_the_audit_log_says_who_did_what_and_when(console: Console) -> None:
    console.admin("session", "freeze", "cup")
    console.admin("session", "void", "cup-r01-t01", "--reason", "power cut", "--yes")
    told = console.admin("session", "audit", "cup").splitlines()
    assert "table.void" in told[2]
    assert "reason power cut" in told[2]
    assert "results.freeze" in told[3]
    entries = json.loads(console.admin("session", "audit", "--json", "--limit", "2"))
    assert [entry["action"] for entry in entries] == ["table.void", "results.freeze"]
    with pytest.raises(ArenaProblem, match="no session 'none'"):
        console.admin("session", "audit", "none")
    (entry,) = json.loads(console.admin("session", "audit", "cup", "--json", "--limit", "1"))
    assert entry["action"] == "table.void"


def test_the_audit_log_says_in_words_what_was_changed_and_for_whom(console: Console) -> None:
    console.admin("session", "rename", "cup", "Summer cup")
    renamed = console.admin("session", "audit", "cup", "--limit", "1").splitlines()[2]
    assert renamed.endswith("session cup, name Spring cup -> Summer cup")
    assert "{" not in console.admin("session", "audit", "cup")


def test_the_audit_log_has_reasons_names_beside_ids_and_filters(console: Console) -> None:
    reason = ("--reason", "plays for two", "--yes")
    console.admin("session", "disqualify", "cup", "bot-2", *reason)
    console.admin("session", "cancel", "cup", "--reason", "fire alarm", "--yes")
    cancelled, disqualified = console.admin("session", "audit", "cup", "--limit", "2").splitlines()[
        2:
    ]
    assert cancelled.endswith("session cup, reason fire alarm")
    assert "organiser (b-" in disqualified
    assert "session cup, bot bot-2 (b-" in disqualified
    assert disqualified.endswith("reason plays for two")
    by_bots = json.loads(console.admin("session", "audit", "--by", "bots", "--json"))
    assert {entry["actor_kind"] for entry in by_bots} <= {"bot", "house"}
    entries = json.loads(console.admin("session", "audit", "--action", "entry.dis", "--json"))
    assert [entry["action"] for entry in entries] == ["entry.disqualified"]
    assert json.loads(console.admin("session", "audit", "--who", "nobody", "--json")) == []
    assert json.loads(console.admin("session", "audit", "--who", "organiser", "--json")) != []
    standings = console.admin("standings", "cup")
    assert "‡ disqualified" in standings


def test_the_audit_of_a_session_is_found_behind_that_of_others(console: Console) -> None:
    console.admin("session", "freeze", "cup")
    console.real.organiser.post("/api/v1/sessions", json={"name": "Other", "slug": "other"})
    (newest,) = json.loads(console.admin("session", "audit", "cup", "--json", "--limit", "1"))
    assert newest["action"] == "results.freeze"


def test_standings_come_with_further_tables_from_a_running_arena(console: Console) -> None:
    play(console.real)
    text = console.run("standings", "cup", "--cross", "--counts", "--los", "--separation")
    assert "complete: " in console.run("standings", "cup", "--history")
    assert "rounds" in json.loads(console.run("standings", "cup", "--history", "--json"))["history"]
    assert text.count("\n\n") >= 6
    assert "verdict" in text
    documents = json.loads(console.run("standings", "cup", "--json", "--cross", "--separation"))
    assert list(documents) == ["standings", "crosstable", "separations"]
    assert json.loads(console.run("standings", "cup", "--json"))["session"] == "Spring cup"
    with pytest.raises(ArenaProblem):
        console.run("standings", "cup", "--alerts")
    assert "not verdicts" in console.admin("standings", "cup", "--alerts")


def test_alerts_by_moves_are_printed_for_organisers(console: Console) -> None:
    play(console.real)
    text = console.admin("session", "alerts", "cup", "--wait")
    assert "moves that favour another bot: " in text
    told = json.loads(console.admin("session", "alerts", "cup", "--json"))
    assert (told["moves_hands"], told["moves_hands_unread"]) == (4, 0)
    with pytest.raises(ArenaProblem, match="scope 'view'"):
        console.run("session", "alerts", "cup", token=token_of(console.real.bots[0]))


def test_who_waits_for_moves_is_told_how_many_are_missing_and_not_kept_for_ever(
    capsys: pytest.CaptureFixture[str],
) -> None:
    def asked(*read: int) -> list[dict[str, int]]:
        return [{"moves_hands": hands, "moves_hands_unread": 5 - hands} for hands in read]

    answers = iter(asked(0, 2, 5))
    rests: list[float] = []
    assert when_read(next(answers), lambda: next(answers), rest=rests.append) == asked(5)[0]
    assert rests == [2.0, 2.0]
    assert "3 hands are still to be read" in capsys.readouterr().err
    stuck = when_read(asked(3)[0], lambda: asked(3)[0], rest=rests.append)
    assert stuck == asked(3)[0]
    assert len(rests) == 7


def test_each_sees_the_board_that_is_meant_for_it(console: Console, tmp_path: Path) -> None:
    play(console.real)
    own = console.real.bots[0].get("/api/v1/sessions/cup/standings").json
    assert own is not None
    mine = console.run("standings", "cup", token=token_of(console.real.bots[0]))
    assert f"Your bot is {own['own']}." in mine
    assert "bot-1" not in mine
    assert "bot-1" in console.admin("standings", "cup")
    assert "bot-1" not in console.admin("standings", "cup", "--public")
    console.run("standings", "cup", "--plot", str(tmp_path / "cup.svg"))
    assert own["own"] in (tmp_path / "cup.svg").read_text(encoding="utf-8")
    with pytest.raises(BadInput, match=r"\.svg; for \.png"):
        console.run("standings", "cup", "--plot", str(tmp_path / "cup.png"))


def test_staff_can_write_down_who_is_who(console: Console) -> None:
    lines = console.admin("roster", "export", "cup").splitlines()
    assert lines[0].endswith(",pseudonym")
    called = {line.split(",")[0]: line.split(",")[-1] for line in lines[1:]}
    own = console.real.bots[2].get("/api/v1/sessions/cup/standings").json
    assert own is not None
    assert called["bot-3"] == own["own"]
    public = console.run("roster", "export", "cup")
    assert "bot-" not in public
    assert "pseudonym" not in public


def test_records_of_either_board_give_its_standings(console: Console, tmp_path: Path) -> None:
    table = "cup-r01-t01"
    console.admin("session", "void", table, "--reason", "power cut", "--replay", "--yes")
    play(console.real)
    for token in (None, console.token):
        file = tmp_path / "cup.jsonl"
        if token:
            console.run("session", "records", "cup", "-o", str(file), token=token)
        else:
            file.write_bytes(console.real.anybody.get("/api/v1/sessions/cup/records").data)
        shown = console.run("standings", "cup", token=token)
        assert console.run("rate", str(file)) == re.sub(r"digest \w{64} over .*\n", "", shown)
        document = json.loads(console.run("standings", "cup", "--json", token=token))
        assert document.pop("digest")["hands"] > 0
        assert json.loads(console.run("rate", "--json", str(file))) == document
        assert "no findings" in console.run("verify", str(file))


def test_a_session_is_renamed_hidden_edited_and_deleted(console: Console, tmp_path: Path) -> None:
    file = tmp_path / "plate.toml"
    file.write_text('name = "Plate"\nslug = "plate"\nseats = 4\n', encoding="utf-8")
    console.admin("session", "create", str(file), "--open")
    assert console.admin("session", "rename", "plate", "Bowl") == "plate is called Bowl\n"
    file.write_text('name = "Bowl"\nseats = 5\n[clock]\nmove_ms = 900\n', encoding="utf-8")
    assert "seats" in console.admin("session", "edit", "plate", str(file))
    assert console.admin("session", "edit", "plate", str(file)) == "plate: nothing has changed\n"
    assert "no public list" in console.admin("session", "hide", "plate")
    assert "plate" not in console.run("session", "list")
    assert "open, hidden" in console.admin("session", "list")
    assert "open, hidden" in console.run("session", "status", "plate")
    assert "listed for everybody" in console.admin("session", "unhide", "plate")
    assert "plate" in console.run("session", "list")
    with pytest.raises(ArenaProblem, match="cancel it"):
        console.admin("session", "delete", "cup", "--yes")
    with pytest.raises(Forbidden, match="--yes"):
        console.admin("session", "delete", "plate")
    assert console.admin("session", "delete", "plate", "--yes") == "plate is deleted\n"
    assert "plate" not in console.admin("session", "list")
    assert "session.delete" in console.admin("session", "audit", "plate")


def test_times_are_read_from_a_file_moved_and_counted_down(
    console: Console, tmp_path: Path
) -> None:
    file = tmp_path / "plate.toml"
    file.write_text('name = "Plate"\nslug = "plate"\nopens = 2097-06-30T18:00:00\n')
    with pytest.raises(ArenaProblem, match=r"opens is '2097-06-30T18:00:00'.*with its offset"):
        console.admin("session", "create", str(file))
    file.write_text('name = "Plate"\nslug = "plate"\nopens = 2097-06-30T18:00:00+02:00\n')
    result = console.admin("session", "create", str(file))
    assert re.search(r"opens +2097-06-30T16:00:00.000Z  \(in \d+ days \d+ h\)", result)
    assert re.search(r"plate +created +opens in \d+ days", console.run("session", "list"))
    moved = console.admin("session", "times", "plate", "--starts", "2098-01-01T00:00:00Z")
    assert moved == "plate starts 2098-01-01T00:00:00.000Z\n"
    assert "not by itself" in console.admin("session", "times", "plate", "--opens", "never")
    view = json.loads(console.run("session", "status", "plate", "--json"))
    assert (view["opens"], [each["what"] for each in view["times"]]) == (None, ["starts"])
    with pytest.raises(BadInput, match="--freezes"):
        console.admin("session", "times", "plate")
