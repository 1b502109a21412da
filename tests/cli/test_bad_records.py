"""`arena rate`, `grade` and `verify` on files that are none: one line each, never a traceback."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.shell import arena
from tests.cli.test_grade import write_records

pytestmark = pytest.mark.server

BAD: dict[str, tuple[bytes, str]] = {
    "empty": (b"", "empty"),
    "blank line": (b"\n", "one JSON object"),
    "half a line": (b'{"format":"daifugo-arena/hand/1","sess', "cut off?"),
    "no UTF-8": (b'\xff\xfe{\x00"\x00', "one JSON object"),
    "a byte order mark": (b"\xef\xbb\xbf{}\n", "one JSON object"),
    "a list": (b"[]\n", "a JSON object"),
    "another format": (b'{"format":"csv"}\n', "daifugo-arena/hand/2"),
    "a very long line": (b'{"format":"' + b"x" * 17_000_000 + b'"}\n', "at most"),
    "very deep": (b"[" * 100_000 + b"\n", "one JSON object"),
    "NaN": (b'{"format":NaN}\n', "one JSON object"),
    "a member twice": (b'{"format":"a","format":"b"}\n', "every name once"),
    "csv": (b"name,owner\na,b\n", "one JSON object"),
}


@pytest.mark.parametrize("name", list(BAD))
def test_what_is_no_record_is_refused_in_one_line(name: str, tmp_path: Path) -> None:
    content, said = BAD[name]
    file = tmp_path / "cup.jsonl"
    file.write_bytes(content)
    for command in (("rate",), ("grade", "--benchmark", "lowest")):
        done = arena(*command, str(file))
        assert done.returncode == 2, done
        (line,) = done.stderr.splitlines()
        assert str(file) in line
        assert said in line
    done = arena("verify", str(file))
    assert done.returncode == 1, done
    assert f"{file}:" in done.stdout
    assert "finding" in done.stdout.splitlines()[-1]
    assert done.stderr == ""


def test_what_is_no_file_is_refused_in_one_line(tmp_path: Path) -> None:
    for command in (("rate",), ("verify",), ("grade", "--benchmark", "lowest")):
        for path in (tmp_path, tmp_path / "nothing"):
            done = arena(*command, str(path))
            assert done.returncode == 2, done
            (line,) = done.stderr.splitlines()
            assert f"file is '{path}'; expected a file to read" in line


def test_names_of_any_kind_are_shown_on_their_own_line(tmp_path: Path) -> None:
    """Control characters, a name that turns the reading direction, wide ones, 200 characters."""
    names = ["a\x1b[31m\x00", "\u202egnp.exe", "שלום", "貧民" * 20, "n" * 200, "same", "same"]
    file = tmp_path / "cup.jsonl"
    write_records(file)
    lines = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    called = dict(zip([f"bot{n:02}" for n in range(8)], [*names, "lowest"], strict=True))
    for bot in lines[0]["bots"]:
        bot["name"] = called[bot["bot"]]
    for line in lines[1:]:
        line["players"] = [called[bot] for bot in line["bots"]]
    file.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    rated = arena("rate", str(file), "--los", "--cross", "--separation", "--alerts")
    assert rated.returncode == 0, rated.stderr
    assert not {"\x1b", "\x00", "\u202e"} & set(rated.stdout)
    assert "same bot05" in rated.stdout
    assert "same bot06" in rated.stdout
    graded = arena("grade", str(file), "--benchmark", "lowest", "--csv", str(tmp_path / "g.csv"))
    assert graded.returncode == 0, graded.stderr
    assert not {"\x1b", "\x00", "\u202e"} & set(graded.stdout)
    same = arena("rate", str(file), "--anchor", "same")
    assert "an id, several have this name" in same.stderr
