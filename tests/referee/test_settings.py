"""The settings: one frozen value, later sources win, unknown names are refused."""

from __future__ import annotations

from dataclasses import FrozenInstanceError
from pathlib import Path

import pytest

from arena.errors import BadInput
from arena.settings import Settings, read_settings


def test_defaults_listen_on_the_loopback_only() -> None:
    assert read_settings() == Settings()
    assert Settings().host == "127.0.0.1"


def test_flags_win_over_the_environment_and_that_over_the_file(tmp_path: Path) -> None:
    file = tmp_path / "arena.toml"
    file.write_text('port = 1\nhost = "0.0.0.0"\nworkers = 3\n')
    environ = {"ARENA_PORT": "2", "ARENA_HOST": "::1", "HOME": "/"}
    settings = read_settings(file, environ, {"port": 4, "host": None})
    assert (settings.port, settings.host, settings.workers) == (4, "::1", 3)


@pytest.mark.parametrize(
    ("environ", "said"),
    [
        ({"ARENA_PROT": "1"}, "'prot'"),
        ({"ARENA_PORT": "many"}, "whole number"),
        ({"ARENA_PORT": "70000"}, "65535"),
        ({"ARENA_REGISTRATION": "shut"}, "open, code, closed"),
        ({"ARENA_BOTS_PER_OWNER": "0"}, "1 or more"),
        ({"ARENA_REGISTRATIONS_PER_HOUR": "-1"}, "0 or more"),
        ({"ARENA_TRUSTED_PROXIES": "10.0.0.0/8, proxy"}, "10.0.0.0/8"),
        ({"ARENA_WORKERS": "0"}, "1 or more"),
        ({"ARENA_LEASE_MS": "499"}, "500 to 60000"),
        ({"ARENA_LEASE_MS": "60001"}, "500 to 60000"),
    ],
)
def test_what_does_not_fit_is_refused(environ: dict[str, str], said: str) -> None:
    with pytest.raises(BadInput, match=said):
        read_settings(environ=environ)


def test_a_file_is_toml_and_its_types_count(tmp_path: Path) -> None:
    file = tmp_path / "arena.toml"
    with pytest.raises(BadInput, match="readable"):
        read_settings(file)
    file.write_text("port = ")
    with pytest.raises(BadInput, match="TOML"):
        read_settings(file)
    file.write_text('port = "8000"\n[nested]\na = 1\n')
    with pytest.raises(BadInput):
        read_settings(file)


def test_settings_are_frozen() -> None:
    with pytest.raises(FrozenInstanceError):
        Settings().port = 1  # type: ignore[misc]
