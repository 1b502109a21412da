"""One signed request within limits, as Standard Webhooks say, to the address that was looked at."""

from __future__ import annotations

import shutil
import ssl
import subprocess
import threading
from pathlib import Path
from socket import create_server

import pytest

from arena.notices.posting import Letter, post, signature
from arena.session.notify_config import PostAddress
from tests.notices.receiver import receiver
from tests.ports import free_port

SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
LETTER = Letter("msg_p5jXN8AQM9LWM0D4loKWxJek", b'{"test": 2432232314}', SECRET)
AT_S = 1_614_265_330


def test_the_signature_is_that_of_the_published_example() -> None:
    assert signature(LETTER, AT_S) == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="


def test_a_letter_is_posted_with_its_three_headers_and_its_very_bytes() -> None:
    with receiver() as other:
        target = PostAddress("http", "hooks.example.org", other.port, "/arena?class=3")
        assert post(target, "127.0.0.1", LETTER, at_s=AT_S) == 204
    head, _, body = other.requests[0].partition(b"\r\n\r\n")
    lines = head.decode().split("\r\n")
    assert lines[0] == "POST /arena?class=3 HTTP/1.1"
    assert f"Host: hooks.example.org:{other.port}" in lines
    assert "webhook-id: msg_p5jXN8AQM9LWM0D4loKWxJek" in lines
    assert "webhook-timestamp: 1614265330" in lines
    assert f"webhook-signature: {signature(LETTER, AT_S)}" in lines
    assert body == LETTER.body


def test_a_redirect_is_an_answer_and_is_not_followed() -> None:
    with receiver() as inside:
        away = f"HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:{inside.port}/\r\n\r\n".encode()
        with receiver(away) as other:
            target = PostAddress("http", "127.0.0.1", other.port, "/")
            assert post(target, "127.0.0.1", LETTER, at_s=AT_S) == 302
        assert inside.requests == []


@pytest.mark.parametrize(
    "reply",
    [
        b"",
        b"SSH-2.0-OpenSSH_9.6\r\n",
        b"HTTP/1.1 20",
        b"HTTP/1.1\r\n\r\n",
        b"HTTP/1.1 OK 200\r\n",
        b"HTTP/1.1 200" + b"x" * 100_000,
    ],
)
def test_what_is_no_answer_in_http_is_a_failure(reply: bytes) -> None:
    with receiver(reply) as other:
        target = PostAddress("http", "127.0.0.1", other.port, "/")
        with pytest.raises(OSError, match=r"answer|reset|pipe"):
            post(target, "127.0.0.1", LETTER, at_s=AT_S)


def test_who_does_not_answer_costs_no_more_than_the_limit() -> None:
    with receiver(None) as other:
        target = PostAddress("http", "127.0.0.1", other.port, "/")
        with pytest.raises(OSError, match=r"timed out|no answer"):
            post(target, "127.0.0.1", LETTER, at_s=AT_S, limit_s=0.2)


def test_nobody_there_is_a_failure() -> None:
    with pytest.raises(OSError, match="refused"):
        post(PostAddress("http", "127.0.0.1", free_port(), "/"), "127.0.0.1", LETTER, at_s=AT_S)


@pytest.mark.server
@pytest.mark.skipif(shutil.which("openssl") is None, reason="needs openssl to make a certificate")
def test_the_certificate_must_be_of_the_host_that_was_named(tmp_path: Path) -> None:
    subprocess.run(
        [
            *("openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256"),
            *("-nodes", "-keyout", "key.pem", "-out", "cert.pem", "-days", "2"),
            *("-subj", "/CN=hooks", "-addext", "subjectAltName=DNS:hooks.example.org"),
        ],
        cwd=tmp_path,
        check=True,
        capture_output=True,
    )
    own = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    own.load_cert_chain(tmp_path / "cert.pem", tmp_path / "key.pem")
    trust = ssl.create_default_context(cafile=str(tmp_path / "cert.pem"))

    with create_server(("127.0.0.1", 0)) as listener:

        def serve() -> None:
            for _ in range(2):
                connection, _ = listener.accept()
                with connection:
                    try:
                        with own.wrap_socket(connection, server_side=True) as secured:
                            secured.recv(65_536)
                            secured.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
                    except OSError:
                        continue  # the other side has turned the certificate down

        thread = threading.Thread(target=serve)
        thread.start()
        port = listener.getsockname()[1]
        named = PostAddress("https", "hooks.example.org", port, "/")
        assert post(named, "127.0.0.1", LETTER, at_s=AT_S, context=trust) == 200
        other = named._replace(host="other.example.org")
        with pytest.raises(ssl.SSLCertVerificationError):
            post(other, "127.0.0.1", LETTER, at_s=AT_S, context=trust)
        thread.join()
