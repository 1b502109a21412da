"""The program that checks records: it is served as it stands, and browsers get its functions."""

from __future__ import annotations

from arena.resources import SAMPLE_BOTS, folder
from arena.web.pages.assets import PROOFS
from arena.web.pages.verifier import PROGRAM_BEGINS, VERIFIER
from tests.real import Real


def test_anybody_may_download_the_program() -> None:
    reply = Real().anybody.get(f"/kit/{VERIFIER}")
    assert reply.data == (folder(SAMPLE_BOTS) / VERIFIER).read_bytes()
    assert reply.content_type == "text/javascript; charset=utf-8"


def test_browsers_get_its_functions_without_what_needs_node() -> None:
    program = (folder(SAMPLE_BOTS) / VERIFIER).read_bytes()
    assert program.count(PROGRAM_BEGINS) == 1
    functions = PROOFS.body.decode()
    assert "import " not in functions
    assert "//" not in functions
    for name in ("commitmentOf", "chainFault", "keyOf", "drawn", "provenRoot", "isSignedDocument"):
        assert f" function {name}(" in functions
