"""The files for operators say what the program understands."""

from __future__ import annotations

import os
import shutil
import subprocess
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

from arena.settings import PREFIX, Settings, read_settings
from tests.postgres import NEEDED

DEPLOY = Path(__file__).parents[2] / "arena" / "deploy"
UNIT = DEPLOY / "arena@.service"


def unit() -> dict[str, dict[str, list[str]]]:
    """A systemd unit: section -> name -> values."""
    sections: dict[str, dict[str, list[str]]] = {}
    here: dict[str, list[str]] = {}
    for line in UNIT.read_text(encoding="utf-8").splitlines():
        if line.startswith("["):
            here = sections.setdefault(line.strip("[]"), {})
        elif line and not line.startswith("#"):
            name, _, value = line.partition("=")
            here.setdefault(name, []).append(value)
    return sections


def settings_of(environ: dict[str, str]) -> Settings:
    """The settings that an environment gives; unknown names are refused."""
    return read_settings(environ={k: v for k, v in environ.items() if k.startswith(PREFIX)})


def test_the_unit_starts_a_referee_on_the_port_in_its_name() -> None:
    service = unit()["Service"]
    environ = dict(each.replace("%i", "8001").split("=", 1) for each in service["Environment"])
    assert settings_of(environ).port == 8001
    assert service["ExecStart"] == ["/opt/arena/bin/arena serve"]
    assert int(service["TimeoutStopSec"][0]) > Settings().drain_s


def test_systemd_reads_the_unit(tmp_path: Path) -> None:
    if shutil.which("systemd-analyze") is None:
        reason = "needs systemd-analyze (Debian: apt-get install systemd)"
        if os.environ.get(NEEDED):
            pytest.fail(reason)
        pytest.skip(reason)
    text = UNIT.read_text(encoding="utf-8").replace("/opt/arena/bin/arena serve", "/bin/true")
    copy = tmp_path / UNIT.name
    copy.write_text(text.replace("User=arena", "User=root"))
    told = subprocess.run(
        ["systemd-analyze", "verify", "--man=no", str(copy)],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert "arena@" not in told.stderr, told.stderr


def test_the_compose_file_gives_settings_that_are_known() -> None:
    yaml: Any = pytest.importorskip("yaml")
    services = yaml.safe_load((DEPLOY / "compose.yaml").read_text(encoding="utf-8"))["services"]
    referees = [service for name, service in services.items() if name.startswith("referee")]
    assert len(referees) == 2
    for service in referees:
        known = settings_of(service["environment"])
        assert known.database == "postgresql://arena@database/arena"
        assert known.host == "0.0.0.0"
        assert (DEPLOY / service["build"]["context"] / service["build"]["dockerfile"]).is_file()


def test_the_site_names_the_referees_of_the_compose_file() -> None:
    yaml: Any = pytest.importorskip("yaml")
    services = yaml.safe_load((DEPLOY / "compose.yaml").read_text(encoding="utf-8"))["services"]
    site = (DEPLOY / "nginx.conf").read_text(encoding="utf-8")
    for name in services:
        if name.startswith("referee"):
            assert f"server {name}:{services[name]['environment']['ARENA_PORT']} " in site
    assert f"{services['balancer']['ports'][0].rpartition(':')[2]};" in site


def test_polls_and_bodies_fit_through_the_site() -> None:
    site = (DEPLOY / "nginx.conf").read_text(encoding="utf-8")
    assert f"client_max_body_size {Settings().max_body_bytes // 1024}k;" in site
    (read,) = [line for line in site.splitlines() if "proxy_read_timeout" in line]
    assert int(read.split()[1].rstrip("s;")) > 2 * Settings().max_wait_ms // 1000
    assert {"host", "port", "database"} <= {field.name for field in fields(Settings)}
