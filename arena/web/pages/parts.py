"""The parts of a page that are kept up to date while somebody reads it.

A template marks an element as a part by `data-part` and by a comment behind its end. The bytes of a
page are all that is read here, so what is sent of a part is what stands on the page.
"""

from __future__ import annotations

import re
from hashlib import blake2b

PART = re.compile(r'data-part="([a-z]+)"[^>]*>(.*?)</[a-z]+><!--/part-->', re.DOTALL)
"""Names and texts are escaped, so neither of the marks can stand in one."""
VERSION = b'data-version=""'
VERSION_BYTES = 6


def parts_of(body: bytes) -> dict[str, str]:
    """The HTML within each part of a page, by its name."""
    return dict(PART.findall(body.decode()))


def version_of(body: bytes) -> int:
    """A number by which the state of all parts of a page is known."""
    digest = blake2b(digest_size=VERSION_BYTES)
    for name, html in sorted(parts_of(body).items()):
        digest.update(f"{name}\0{html}\0".encode())
    return int.from_bytes(digest.digest())


def with_version(body: bytes) -> bytes:
    """A page with the version of its parts, where it has a place for that."""
    if VERSION not in body:
        return body
    return body.replace(VERSION, b'data-version="%d"' % version_of(body), 1)
