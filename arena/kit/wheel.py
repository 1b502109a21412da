"""The kit as a wheel: the package `arena_client`, which pip installs with `requests` and no more.

The modules are those of `arena.client` under another name, so that it may be installed beside the
arena or without it. Two wheels of one version are equal to the byte.
"""

from __future__ import annotations

import re
from base64 import urlsafe_b64encode
from collections.abc import Iterator
from functools import cache
from hashlib import sha256
from io import BytesIO
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

import arena
from arena.kit.sources import ASYNCHRONOUS, PACKAGE, ROOT, sources

NAME = "arena_client"
DISTRIBUTION = "daifugo-kit"
INFO = f"daifugo_kit-{arena.__version__}.dist-info"
WHEEL = f"daifugo_kit-{arena.__version__}-py3-none-any.whl"
OUR_IMPORT = re.compile(rf"\bfrom {PACKAGE}(\.(client|text))?(?=[. ])")
THEN = (1980, 1, 1, 0, 0, 0)
FILE_MODE = 0o100644 << 16
REQUESTS = "requests>=2.31,<3"
AIOHTTP = "aiohttp>=3.10,<4"
METADATA = """\
Metadata-Version: 2.4
Name: {name}
Version: {version}
Summary: The kit for bots of Daifugō Arena (大富豪)
License-Expression: Apache-2.0
Requires-Python: >=3.11
Requires-Dist: {requests}
Provides-Extra: async
Requires-Dist: {aiohttp}; extra == "async"
Description-Content-Type: text/markdown

`from arena_client import Bot, run`: the kit of an arena, without the arena.
"""
TAGS = """\
Wheel-Version: 1.0
Generator: daifugo-arena {version}
Root-Is-Purelib: true
Tag: py3-none-any
"""


@cache
def wheel() -> bytes:
    """The bytes of the wheel, whose name is `WHEEL`."""
    packed = BytesIO()
    recorded = []
    with ZipFile(packed, "w", ZIP_DEFLATED) as archive:
        for name, text in _files():
            body = text.encode()
            archive.writestr(_entry(name), body)
            digest = urlsafe_b64encode(sha256(body).digest()).rstrip(b"=").decode()
            recorded.append(f"{name},sha256={digest},{len(body)}\n")
        record = f"{INFO}/RECORD"
        archive.writestr(_entry(record), "".join([*recorded, f"{record},,\n"]))
    return packed.getvalue()


def _files() -> Iterator[tuple[str, str]]:
    """Each file of the wheel but the record of them, with its text."""
    for source in sources(ASYNCHRONOUS):
        yield f"{NAME}/{_file_name(source.name)}", _renamed(source.text)
    version = arena.__version__
    yield f"{NAME}/py.typed", ""
    yield (
        f"{INFO}/METADATA",
        METADATA.format(name=DISTRIBUTION, version=version, requests=REQUESTS, aiohttp=AIOHTTP),
    )
    yield f"{INFO}/WHEEL", TAGS.format(version=version)


def _file_name(module: str) -> str:
    if module in (ROOT, ASYNCHRONOUS):
        return f"{module.removeprefix(ROOT).strip('.')}/__init__.py".lstrip("/")
    inner = module.removeprefix(f"{ROOT}.") if module.startswith(ROOT) else module.split(".")[-1]
    return f"{inner.replace('.', '/')}.py"


def _renamed(text: str) -> str:
    """A module that imports the others under their new names."""
    return OUR_IMPORT.sub(f"from {NAME}", text)


def _entry(name: str) -> ZipInfo:
    """A file of an archive, without the time at which it was packed."""
    entry = ZipInfo(name, THEN)
    entry.external_attr, entry.compress_type = FILE_MODE, ZIP_DEFLATED
    return entry
