"""nginx in front of several referees, with the site file that we ship."""

from __future__ import annotations

import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.ports import free_port
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


class Site(NamedTuple):
    """A running nginx: the site over TLS, the same over plain HTTP (for tests that need no TLS),
    the site that only redirects, and the certificate to trust."""

    secure: str
    plain: str
    redirecting: str
    certificate: Path


@contextmanager
def balancer(urls: Sequence[str]) -> Iterator[str]:
    """nginx before referees; its URL without TLS."""
    with serving_site(urls) as site:
        yield site.plain


@contextmanager
def serving_site(urls: Sequence[str]) -> Iterator[Site]:
    """nginx before referees. Skips where it is not installed (Debian: nginx-light, openssl)."""
    program = needed("nginx")
    folder = Path(tempfile.mkdtemp(prefix="arena-nginx-"))
    ports = [free_port() for _ in range(3)]
    certificate = make_certificate(folder)
    (folder / "site").write_text(site(urls, ports, folder))
    (folder / "main").write_text(MAIN.format(folder=folder))
    command = [program, "-p", str(folder), "-e", str(folder / "errors"), "-c", str(folder / "main")]
    process = subprocess.Popen(command)
    try:
        for port in ports:
            wait_for(port, process)
        secure, plain, redirecting = ports
        yield Site(
            f"https://localhost:{secure}",
            f"http://127.0.0.1:{plain}",
            f"http://127.0.0.1:{redirecting}",
            certificate,
        )
    finally:
        process.terminate()
        process.wait()
        shutil.rmtree(folder, ignore_errors=True)


def needed(name: str) -> str:
    """Where a program is; skips the test without it, or fails it where servers are a must."""
    beside = Path(sys.executable).parent  # what a package of Python's registry brought
    places = (None, "/usr/sbin", str(beside))
    program = next(filter(None, (shutil.which(name, path=place) for place in places)), None)
    if program is None:
        if os.environ.get(NEEDED):
            pytest.fail(f"needs {name}")
        pytest.skip(f"needs {name}")
    return program


def make_certificate(folder: Path) -> Path:
    """A key and a certificate for `localhost` that nobody else trusts."""
    key, certificate = folder / "privkey.pem", folder / "fullchain.pem"
    command = [needed("openssl"), "req", "-x509", "-newkey", "ec", "-nodes", "-days", "2"]
    command += ["-pkeyopt", "ec_paramgen_curve:prime256v1", "-subj", "/CN=localhost"]
    command += ["-addext", "subjectAltName=DNS:localhost"]
    command += ["-keyout", str(key), "-out", str(certificate)]
    subprocess.run(command, check=True, capture_output=True)
    return certificate


def site(urls: Sequence[str], ports: Sequence[int], folder: Path) -> str:
    """Our site file with these referees in place of its examples, on free ports."""
    secure, plain, redirecting = ports
    text = at(SITE.read_text(encoding="utf-8"), urls)
    text = re.sub(r"^ *listen \[::\].*\n", "", text, flags=re.MULTILINE)
    both = f"listen 127.0.0.1:{secure} ssl; listen 127.0.0.1:{plain};"
    text = text.replace("listen 443 ssl;", both).replace("/etc/nginx/tls", str(folder))
    return text.replace("listen 80;", f"listen 127.0.0.1:{redirecting};")


def at(text: str, urls: Sequence[str]) -> str:
    """One of our files with these referees in place of the two that it names; both may be one."""
    first, last = urls[0], urls[-1]
    assert len(urls) <= 2
    for number, url in ((1, first), (2, last)):
        assert f"referee-{number}:8000" in text
        text = text.replace(f"referee-{number}:8000", url.removeprefix("http://"))
    return text


def wait_for(port: int, process: subprocess.Popen[Any]) -> None:
    """Until something listens on a port of this machine."""
    until_s = time.monotonic() + 60
    while time.monotonic() < until_s:
        assert process.poll() is None, "it did not start"
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.02)
    raise AssertionError("it does not listen")
