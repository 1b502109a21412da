"""nginx in front of several referees, with the site file that we ship."""

from __future__ import annotations

import os
import re
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.postgres import NEEDED

SITE = Path(__file__).parents[2] / "arena" / "deploy" / "nginx.conf"
MAIN = """
daemon off;
pid {folder}/pid;
error_log {folder}/errors;
worker_processes 1;
events {{ worker_connections 512; }}
http {{
    access_log off;
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    include {folder}/site;
}}
"""


@contextmanager
def balancer(urls: Sequence[str]) -> Iterator[str]:
    """nginx before referees; its URL. Skips where it is not installed (Debian: nginx-light)."""
    program = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin")
    if program is None:
        if os.environ.get(NEEDED):
            pytest.fail("needs nginx")
        pytest.skip("needs nginx (Debian: apt-get install nginx-light)")
    folder = Path(tempfile.mkdtemp(prefix="arena-nginx-"))
    port = _free_port()
    (folder / "site").write_text(site(urls, port))
    (folder / "main").write_text(MAIN.format(folder=folder))
    command = [program, "-p", str(folder), "-e", str(folder / "errors"), "-c", str(folder / "main")]
    process = subprocess.Popen(command)
    try:
        _wait_for(port, process)
        yield f"http://127.0.0.1:{port}"
    finally:
        process.terminate()
        process.wait()
        shutil.rmtree(folder, ignore_errors=True)


def site(urls: Sequence[str], port: int) -> str:
    """Our site file with the addresses of these referees in place of its examples."""
    text = SITE.read_text(encoding="utf-8")
    example = re.compile(r"^ *server (referee-\d+:8000)(.*;)$", re.MULTILINE)
    options = example.findall(text)[0][1]
    named = [f"    server {url.removeprefix('http://')}{options}" for url in urls]
    text = example.sub("", text).replace(
        "upstream arena {", "upstream arena {\n" + "\n".join(named)
    )
    return text.replace("listen 8080;", f"listen 127.0.0.1:{port};")


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _wait_for(port: int, process: subprocess.Popen[bytes]) -> None:
    until_s = time.monotonic() + 10
    while time.monotonic() < until_s:
        assert process.poll() is None, "nginx did not start"
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.02)
    raise AssertionError("nginx does not listen")
