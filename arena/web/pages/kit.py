"""Files to download, of the version that this arena speaks: the kit for bots in Python, as one file
and as a wheel, and the program that checks records."""

from __future__ import annotations

from functools import cache

from arena.errors import NotFound
from arena.kit import SINGLE_FILE, WHEEL, single_file, wheel
from arena.web.api.documents import ServedDocument, document_of
from arena.web.api.endpoints import Endpoint, Reply
from arena.web.api.limits import rate_cost_of_document
from arena.web.api.problems import Code
from arena.web.api.services import Call
from arena.web.pages.verifier import VERIFIER, verifier

PYTHON, ZIP, SCRIPT = "text/x-python", "application/zip", "text/javascript"


def show_kit(call: Call) -> Reply:
    """Get the kit for bots in Python, a file or a wheel, or the program that checks records."""
    files = kit_files()
    if call.path["file"] not in files:
        raise NotFound(call.path["file"], f"no such file; there are {', '.join(files)}")
    document = files[call.path["file"]]
    cost = rate_cost_of_document(len(document.body))
    return Reply(document.body, media=document.media, etag=document.etag, credit=-cost)


@cache
def kit_files() -> dict[str, ServedDocument]:
    """The files, by name. Making them takes a tenth of a second, once."""
    return {
        SINGLE_FILE: document_of(single_file().encode(), f"{PYTHON}; charset=utf-8"),
        WHEEL: document_of(wheel(), ZIP),
        VERIFIER: document_of(verifier(), f"{SCRIPT}; charset=utf-8"),
    }


def endpoints() -> tuple[Endpoint, ...]:
    """The route of these files."""
    codes, medias = (Code.NOT_FOUND,), (PYTHON, SCRIPT, ZIP)
    return (Endpoint("GET", "/kit/{file}", show_kit, codes=codes, medias=medias, further=(304,)),)
