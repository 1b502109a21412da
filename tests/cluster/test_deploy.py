"""The files for operators say what the program understands."""

from __future__ import annotations

import fnmatch
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet

from arena.bench.cluster.postgres import programs
from arena.settings import PREFIX, Settings, read_settings
from arena.store import open_store
from arena.store.postgres_connections import READERS
from tests.cli.shell import ARENA, arena, environment
from tests.cluster.nginx import needed
from tests.cluster.upstream import Upstream, serving
from tests.postgres import Server, start_server

ROOT = Path(__file__).parents[2]
DEPLOY = ROOT / "arena" / "deploy"
UNIT = DEPLOY / "arena@.service"
UNITS = [path.name for path in sorted(DEPLOY.glob("*.service")) + sorted(DEPLOY.glob("*.timer"))]
MOST_EXPOSURE = 2.5


def unit(path: Path = UNIT) -> dict[str, dict[str, list[str]]]:
    """A systemd unit: section -> name -> values."""
    sections: dict[str, dict[str, list[str]]] = {}
    here: dict[str, list[str]] = {}
    for line in path.read_text(encoding="utf-8").splitlines():
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
    assert settings_of(environ).registration == "code"
    assert service["ExecStart"] == ["/opt/arena/bin/arena serve"]
    assert int(service["TimeoutStopSec"][0]) > Settings().drain_s


@pytest.mark.server
@pytest.mark.parametrize("name", UNITS)
def test_systemd_reads_the_units(tmp_path: Path, name: str) -> None:
    program = needed("systemd-analyze")
    for file in UNITS:
        text = (DEPLOY / file).read_text(encoding="utf-8").replace("User=arena", "User=root")
        (tmp_path / file).write_text(text.replace("/opt/arena/bin/arena serve", "/bin/true"))
    told = subprocess.run(
        [program, "verify", "--man=no", str(tmp_path / name)],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert "arena" not in told.stderr, told.stderr


@pytest.mark.server
def test_a_referee_that_is_taken_over_can_do_little_to_its_machine(tmp_path: Path) -> None:
    """The exposure that systemd reckons, without looking at this machine."""
    copy = tmp_path / UNIT.name
    copy.write_text(UNIT.read_text(encoding="utf-8"))
    told = subprocess.run(
        [needed("systemd-analyze"), "security", "--offline=true", "--no-pager", str(copy)],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    found = re.search(r"Overall exposure level .*: ([\d.]+) ", told.stdout)
    assert found, told.stderr
    assert float(found.group(1)) <= MOST_EXPOSURE


@pytest.mark.server
@pytest.mark.skipif(sys.platform != "linux", reason="system calls of Linux")
def test_a_referee_plays_under_the_system_calls_that_its_unit_allows(tmp_path: Path) -> None:
    """A whole demo, referee and bots, with the filter that systemd would make of the unit."""
    allowed = allowed_system_calls(unit()["Service"]["SystemCallFilter"])
    (tmp_path / "allowed").write_text("\n".join(sorted(allowed)))
    confined = [sys.executable, "-m", "tests.cluster.confined", str(tmp_path / "allowed")]
    demo = [*ARENA, "demo", "--hands", "1", "--rounds", "1", "--folder", "d"]
    done = subprocess.run(
        [*confined, *demo],
        cwd=tmp_path,
        env=environment(),
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    if "no libseccomp" in done.stderr:
        pytest.skip(done.stderr)
    assert done.returncode == 0, done.stderr
    assert "heuristic-1" in done.stdout
    refused = [*confined, sys.executable, "-c", "import os; os.sched_setaffinity(0, {0})"]
    said = subprocess.run(
        refused, cwd=tmp_path, env=environment(), capture_output=True, text=True, check=False
    )
    assert "PermissionError" in said.stderr  # the filter is there


def allowed_system_calls(filters: list[str]) -> set[str]:
    """What is left after each line of a unit has added its sets, or taken them away."""
    allowed: set[str] = set()
    for line in filters:
        names = {name for each in line.removeprefix("~").split() for name in members(each)}
        allowed = allowed - names if line.startswith("~") else allowed | names
    return allowed | members("@default")


def members(name: str) -> set[str]:
    """The system calls of a set of systemd's, or the one of that name."""
    if not name.startswith("@"):
        return {name}
    done = subprocess.run(
        [needed("systemd-analyze"), "syscall-filter", name],
        capture_output=True,
        text=True,
        check=True,
    )
    lines = (line.strip() for line in done.stdout.splitlines()[1:])
    return {one for line in lines if line and line[0] != "#" for one in members(line)}


@pytest.mark.server
def test_the_backup_unit_makes_copies_that_can_be_restored(tmp_path: Path) -> None:
    """Its commands, as they are, but for the place of the program."""
    database = f"sqlite:///{(tmp_path / 'arena.db').as_posix()}"
    with open_store(database):
        pass
    steps = unit(DEPLOY / "arena-backup.service")["Service"]["ExecStart"]
    program = tmp_path / "arena"
    program.write_text(f'#!/bin/sh\nexec {" ".join(ARENA)} "$@"\n')
    program.chmod(0o755)
    for step in steps:
        command = step.replace("/opt/arena/bin/arena", str(program)).replace("%%", "%")
        env = environment(ARENA_DATABASE=database)
        subprocess.run(["/bin/sh", "-ec", command], cwd=tmp_path, env=env, check=True)
    (copy,) = (tmp_path / "backups").glob("arena-*.db")
    done = arena("restore", str(copy), "--database", database, "--force")
    assert done.returncode == 0, done.stderr


@pytest.mark.server
def test_the_backup_unit_of_postgresql_makes_dumps(tmp_path: Path, postgres: Server) -> None:
    url = postgres.create()
    with open_store(url):
        pass
    steps = unit(DEPLOY / "arena-backup-postgresql.service")["Service"]["ExecStart"]
    found = programs()
    assert found is not None
    env = environment(ARENA_DATABASE=url, PATH=f"{found}:{os.environ['PATH']}")
    for step in steps:
        command = ["/bin/sh", "-ec", step.replace("%%", "%")]
        subprocess.run(command, cwd=tmp_path, env=env, check=True)
    (copy,) = (tmp_path / "backups").iterdir()
    assert re.fullmatch(r"arena-[0-9]{8}-[0-9]{6}\.dump", copy.name)
    listed = subprocess.run(
        [str(found / "pg_restore"), "--list", str(copy)], capture_output=True, text=True, check=True
    )
    assert "TABLE DATA" in listed.stdout
    assert "leases" in listed.stdout


def composed(name: str) -> dict[str, Any]:
    """A file of Compose; what replaces a value (`!override`) is read as that value."""
    yaml: Any = pytest.importorskip("yaml")

    class Loader(yaml.SafeLoader):  # type: ignore[misc]
        pass

    Loader.add_constructor("!override", lambda loader, node: loader.construct_sequence(node))
    found: dict[str, Any] = yaml.load((DEPLOY / name).read_text(encoding="utf-8"), Loader)
    return found


def services(name: str) -> dict[str, Any]:
    found: dict[str, Any] = composed(name)["services"]
    return found


def dockerfile() -> dict[str, list[str]]:
    """The instructions of the last stage: name -> arguments, lines joined."""
    text = (DEPLOY / "Dockerfile").read_text(encoding="utf-8").replace("\\\n", " ")
    found: dict[str, list[str]] = {}
    for line in text.splitlines():
        name, _, more = line.partition(" ")
        if name == "FROM":
            found = {}
        if name.isupper():
            found.setdefault(name, []).append(more.strip())
    return found


def image_environment() -> dict[str, str]:
    return dict(each.split("=", 1) for each in dockerfile()["ENV"][0].split())


def referees(name: str) -> dict[str, Any]:
    return {key: value for key, value in services(name).items() if key.startswith("referee")}


def given(variable: re.Match[str]) -> str:
    """What stands for a variable: its default, or something where it has to be set."""
    return "x" * 32 if ":?" in variable.group() else variable.group(1)


@pytest.mark.parametrize(
    ("file", "count", "database"),
    [
        ("compose.yaml", 1, "sqlite:////var/lib/arena/arena.db"),
        ("compose.cluster.yaml", 2, "postgresql://arena@database/arena"),
    ],
)
def test_the_compose_files_give_settings_that_are_known(
    file: str, count: int, database: str
) -> None:
    found = referees(file)
    assert len(found) == count
    for service in found.values():
        told = {
            name: re.sub(r"\$\{\w+:[-?]([^}]+)\}", given, str(value))
            for name, value in service["environment"].items()
        }
        known = settings_of(image_environment() | told)
        assert (known.database, known.registration) == (database, "code")
        assert (known.host, known.port) == ("0.0.0.0", 8000)
        assert (DEPLOY / service["build"]["context"] / service["build"]["dockerfile"]).is_file()


def test_the_image_runs_as_nobody_in_particular_and_can_write_its_database() -> None:
    image = dockerfile()
    (user,) = image["USER"]
    assert re.fullmatch(r"[1-9]\d*:[1-9]\d*", user)
    (volume,) = image["VOLUME"]
    assert image["WORKDIR"] == [volume]
    owner = f"-o {user.replace(':', ' -g ')}"
    assert any(f"install -d {owner}" in run and volume in run for run in image["RUN"])
    assert settings_of(image_environment()).database == f"sqlite:///{volume}/arena.db"
    assert settings_of(image_environment()).registration == "code"
    assert image["CMD"] == ['["arena", "serve"]']


def test_base_images_are_fixed_to_a_patch_version() -> None:
    images = re.findall(r"^(?:ARG PYTHON=|FROM )([^$\s]\S+)", read("Dockerfile"), re.MULTILINE)
    assert images
    for file in (*BALANCERS, "compose.yaml"):
        images += re.findall(r"^ +image: (\S+)", read(file), re.MULTILINE)
    for image in images:
        assert re.search(r":\d+\.\d+(\.\d+)?", image), image


def read(name: str) -> str:
    return (DEPLOY / name).read_text(encoding="utf-8")


@pytest.mark.server
def test_the_health_check_of_the_image_says_whether_it_serves() -> None:
    words = json.loads(dockerfile()["HEALTHCHECK"][0].partition("CMD ")[2])
    assert words[0] == "python"

    def check(port: str) -> int:
        env = environment(ARENA_PORT=port, http_proxy="http://127.0.0.1:9")
        done = subprocess.run(
            [sys.executable, *words[1:]], env=env, capture_output=True, timeout=60
        )
        return done.returncode

    upstream = Upstream()
    with serving(upstream) as url:
        port = url.rpartition(":")[2]
        assert check(port) == 0
        assert upstream.paths() == ["/healthz"]
    assert check(port) != 0


@pytest.mark.server
def test_the_image_gets_what_a_wheel_needs_and_nothing_else() -> None:
    """The ignore file in Docker's order: the last line that fits decides."""
    lines = [line for line in read("Dockerfile.dockerignore").splitlines() if line[:1] not in "#"]
    tools = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    needed_files = {tools["project"]["readme"], *tools["project"]["license-files"]}
    folders = tools["tool"]["setuptools"]["package-dir"].values()
    roots = {"arena", *(folder.partition("/")[0] for folder in folders), "pyproject.toml"}
    assert lines[0] == "*"
    assert {line[1:] for line in lines if line[0] == "!"} == needed_files | roots
    excluded = [line.removeprefix("**/") for line in lines[1:] if line[0] != "!"]
    tracked = subprocess.run(
        ["git", "ls-files", *sorted(needed_files | roots)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    ).stdout.splitlines()
    for file in tracked:
        names = Path(file).parts
        assert not any(fnmatch.fnmatch(name, each) for name in names for each in excluded), file


def test_every_balancer_names_the_referees_of_the_compose_file() -> None:
    port = image_environment()["ARENA_PORT"]
    for name, service in referees("compose.cluster.yaml").items():
        assert service["environment"]["ARENA_CLUSTER_NAME"] == name
        assert f"    {name} arena-{name};" in read("nginx.conf")
        for upstream in ("arena", *(f"arena-{each}" for each in referees("compose.cluster.yaml"))):
            block = read("nginx.conf").partition(f"upstream {upstream} {{")[2].partition("}")[0]
            assert f"server {name}:{port} " in block
        assert f"server {name} {name}:{port} cookie {name}\n" in read("haproxy.cfg")
        assert f"arena_route={name} " in read("traefik-arena.yaml")
        rules = traefik_services()
        assert rules[name]["failover"] == {"service": f"only-{name}", "fallback": "arena"}
        (only,) = rules[f"only-{name}"]["loadBalancer"]["servers"]
        assert only == {"url": f"http://{name}:{port}"}
        assert only in rules["arena"]["loadBalancer"]["servers"]


def traefik_services() -> dict[str, Any]:
    found: dict[str, Any] = composed("traefik-arena.yaml")["http"]["services"]
    return found


BALANCERS = ("compose.cluster.yaml", "compose.haproxy.yaml", "compose.traefik.yaml")


@pytest.mark.parametrize("file", [*BALANCERS, "compose.yaml"])
def test_what_compose_mounts_is_there(file: str) -> None:
    for service in services(file).values():
        for volume in service.get("volumes", ()):
            if volume.startswith("./"):
                assert (DEPLOY / volume.partition(":")[0]).is_file()


def test_what_is_published_is_listened_to() -> None:
    published = services("compose.cluster.yaml")["balancer"]["ports"]
    ports = [port.rpartition(":")[2] for port in published]
    assert ports == ["80", "443"]
    for port in ports:
        assert re.search(rf"listen {port}( ssl)?;", read("nginx.conf"))
        assert re.search(rf"bind :{port}( ssl .*)?\n", read("haproxy.cfg"))
        assert f'address: ":{port}"' in read("traefik.yaml")
    port = image_environment()["ARENA_PORT"]
    assert services("compose.yaml")["caddy"]["environment"]["ARENA_REFEREE"] == f"referee:{port}"


def test_referees_reach_each_other_where_nobody_comes_in() -> None:
    """The balancer is in another network, and no port of a referee or the database is published."""
    document = composed("compose.cluster.yaml")
    assert document["networks"]["inside"] == {"internal": True}
    assert document["services"]["balancer"]["networks"] == ["front"]
    (config,) = document["networks"]["front"]["ipam"]["config"]
    assert document["x-settings"]["ARENA_TRUSTED_PROXIES"] == config["subnet"]
    assert document["services"]["database"]["networks"] == ["inside"]
    for name, service in referees("compose.cluster.yaml").items():
        assert set(service["networks"]) == {"inside", "front"}
        assert "ports" not in service
        environment = service["environment"]
        port = environment["ARENA_CLUSTER_PORT"]
        assert environment["ARENA_CLUSTER_ADDRESS"] == f"http://{name}:{port}"
        assert str(port) != image_environment()["ARENA_PORT"]
        assert str(port) not in read("nginx.conf") + read("haproxy.cfg") + read(
            "traefik-arena.yaml"
        )
    assert "ports" not in document["services"]["database"]


@pytest.mark.server
def test_postgresql_starts_with_our_settings_and_an_arena_opens_it() -> None:
    """Durable, and with connections for a dozen referees."""
    asked = ("fsync", "full_page_writes", "synchronous_commit", "autovacuum")
    place = Path(tempfile.mkdtemp(prefix="arena-conf-"))
    place.chmod(0o755)  # the server is another user
    (place / "arena.conf").write_text(read("postgresql.conf"))
    server = start_server(settings=(f"config_file={place / 'arena.conf'}",))
    try:
        with server:
            with open_store(server.create()) as store:
                assert store.shared
            for name in asked:
                assert server.execute(f"SHOW {name}") == [("on",)]
            connections = int(server.execute("SHOW max_connections")[0][0])
            assert connections >= 12 * (READERS + 4) + 20
            unset = server.execute("SELECT name FROM pg_settings WHERE pending_restart")
            assert unset == []
            wrong = server.execute("SELECT name FROM pg_file_settings WHERE error IS NOT NULL")
            assert wrong == []
    finally:
        for folder in (server.folder, place):
            shutil.rmtree(folder, ignore_errors=True)


def test_no_proxy_compresses_what_the_referee_does_not() -> None:
    assert re.findall(r"^\s*gzip\w* .*$", read("nginx.conf"), re.MULTILINE) == ["    gzip off;"]
    assert not re.search(r"^\s*encode\b", read("Caddyfile"), re.MULTILINE)
    assert "compress" not in read("haproxy.cfg") + read("traefik.yaml") + read("traefik-arena.yaml")


def test_polls_and_bodies_fit_through_the_site() -> None:
    site = read("nginx.conf")
    assert f"client_max_body_size {Settings().max_body_bytes // 1024}k;" in site
    assert str(Settings().max_body_bytes) in site
    (waits,) = [line for line in site.splitlines() if "proxy_read_timeout" in line]
    assert int(waits.split()[1].rstrip("s;")) > 2 * Settings().max_wait_ms // 1000
    found = re.search(r"response_header_timeout (\d+)s", read("Caddyfile"))
    assert found
    assert int(found.group(1)) > 2 * Settings().max_wait_ms // 1000
    for file, name in (
        ("haproxy.cfg", "timeout server"),
        ("traefik-arena.yaml", "responseHeaderTimeout:"),
    ):
        found = re.search(rf"{name} (\d+)s", read(file))
        assert found
        assert int(found.group(1)) > 2 * Settings().max_wait_ms // 1000
    assert f"gt {Settings().max_body_bytes} }}" in read("haproxy.cfg")
    assert {"host", "port", "database"} <= {field.name for field in fields(Settings)}


def constraints() -> dict[str, list[tuple[str, str]]]:
    """What a host installs: name -> versions with their markers."""
    found: dict[str, list[tuple[str, str]]] = {}
    text = re.sub(r"^#.*\n", "", read("constraints.txt"), flags=re.MULTILINE)
    for entry in text.replace("\\\n", " ").splitlines():
        pin, *hashes = entry.split(" --hash=")
        requirement = Requirement(pin.strip())
        assert re.fullmatch(r"==[\w.!+]+", str(requirement.specifier)), entry
        assert hashes, f"{pin} has no hash"
        assert all(re.fullmatch(r"sha256:[0-9a-f]{64} *", each) for each in hashes)
        version = str(requirement.specifier).removeprefix("==")
        found.setdefault(requirement.name, []).append((version, str(requirement.marker or "")))
    return found


def test_the_constraints_are_versions_and_hashes_of_all_that_a_host_needs() -> None:
    """If this fails after a bound has changed: renew the file (its head says how)."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    asked = [*project["project"]["dependencies"], *project["build-system"]["requires"]]
    asked += project["project"]["optional-dependencies"]["postgres"]
    pinned = constraints()
    for each in map(Requirement, asked):
        assert each.name in pinned
        for version, _ in pinned[each.name]:
            assert SpecifierSet(str(each.specifier)).contains(version), each
    assert "psycopg-binary" in pinned
    assert "://" not in read("constraints.txt")
    options = [line for line in read("constraints.txt").splitlines() if line.startswith("-")]
    assert options == []
