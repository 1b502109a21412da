"""`arena uecda client` as the owner of a bot starts it: sessions, servers that end them, Ctrl-C."""

from __future__ import annotations

import json
import re
import signal
import socket
import subprocess
import threading

import pytest

from tests.cli.shell import ARENA, PATIENCE_S, arena, environment
from tests.cli.test_uecda import LOWEST, serving

pytestmark = pytest.mark.server


def playing(address, *flags):
    """The client command on a server that listens there."""
    host, port = address
    bot = "sample_bots.lowest:Lowest"
    return arena("uecda", "client", bot, "--host", host, "--port", str(port), *flags)


def test_a_bot_plays_a_session_on_a_server_and_sums_it_up():
    with serving("--hands", "2", "--seed", "3", "--fill", LOWEST) as (process, address):
        done = playing(address, "--name", "guest", "--json")
        out, _ = process.communicate(timeout=PATIENCE_S)
    assert done.returncode == 0, done.stderr
    printed = json.loads(done.stdout)
    assert (printed["name"], printed["player"], printed["ended"]) == ("guest", 0, True)
    assert (printed["hands"], printed["refused"], printed["resynchronised"]) == (2, 0, 0)
    (own,) = [player for player in printed["players"] if player["player"] == 0]
    assert re.search(rf"guest +{own['points']} ", out)
    assert "guest is player 0" in done.stderr


def test_a_session_that_breaks_off_is_one_line_and_exit_code_1():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = threading.Thread(target=lambda: listener.accept()[0].close(), daemon=True)
        thread.start()
        done = playing(listener.getsockname(), "--quiet")
        thread.join(PATIENCE_S)
    assert done.returncode == 1
    assert done.stdout == "No hand was played to its end.\n"
    (line,) = done.stderr.splitlines()
    assert re.match("arena: the (server has closed|connection to the server)", line)


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        (("--name", "大富豪"), "--name is '大富豪'; expected 1 to 15 printable characters"),
        (("--name", "sixteen-letters-"), "expected 1 to 15 printable characters"),
        ((), "expected one that answers"),
    ],
)
def test_what_cannot_begin_is_one_line_and_exit_code_2(flags, said):
    with socket.create_server(("127.0.0.1", 0)) as listener:
        address = listener.getsockname()
    done = playing(address, *flags)
    assert done.returncode == 2
    (line,) = done.stderr.splitlines()
    assert said in line


def test_ctrl_c_sums_up_what_was_played_and_exits_with_130():
    waits = threading.Event()

    def wait(listener):
        peer, _ = listener.accept()
        with peer:
            waits.wait(PATIENCE_S)

    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = threading.Thread(target=wait, args=(listener,), daemon=True)
        thread.start()
        port = str(listener.getsockname()[1])
        process = subprocess.Popen(
            [*ARENA, "uecda", "client", "sample_bots.lowest:Lowest", "--port", port],
            env=environment(),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert "is connected to" in process.stderr.readline()
        process.send_signal(signal.SIGINT)
        out, said = process.communicate(timeout=PATIENCE_S)
        waits.set()
        thread.join(PATIENCE_S)
    assert process.returncode == 130
    assert out == "No hand was played to its end.\n"
    assert said == "arena: stopped\n"
