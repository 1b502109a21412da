"""Which form of an answer a client had rather have: HTML or another type, gzip or plain bytes.

RFC 9110, 12.4 and 12.5: each name may have a weight between 0 and 1. What cannot be read counts for
nothing. This module may not touch a request.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

GZIP = ("gzip", "x-gzip")
HTML = "text/html"
LONGEST = 4_096
"""What is read of a field."""
WEIGHT = re.compile(r"(0(?:\.[0-9]{0,3})?|1(?:\.0{0,3})?)", re.ASCII)


def takes_gzip(environ: Mapping[str, Any]) -> bool:
    """Does the client say that it reads gzip, and not that it had rather have the bytes as they
    are? Who takes anything (`*`) has not said so."""
    known = weights(str(environ.get("HTTP_ACCEPT_ENCODING", "")))
    zipped = max((known[coding] for coding in GZIP if coding in known), default=0.0)
    return zipped > 0 and zipped >= known.get("identity", 0.0)


def wants_page(accept: str, *others: str) -> bool:
    """Does a client ask for HTML by name, and for none of the others more? Browsers do, programs
    that take anything do not."""
    return prefers(accept, HTML, *others)


def prefers(accept: str, media: str, *others: str) -> bool:
    """Does a client ask for a media type by name, and for none of the others more?"""
    known = weights(accept)
    wanted = known.get(media, 0.0)
    return wanted > 0 and all(known.get(other, 0.0) <= wanted for other in others)


def weights(field: str) -> Mapping[str, float]:
    """The names in a field, in lower case, each with its weight."""
    known = {}
    for each in field[:LONGEST].lower().split(","):
        name, *parameters = (part.strip() for part in each.split(";"))
        known[name] = _weight(parameters)
    return known


def _weight(parameters: list[str]) -> float:
    """The weight among the parameters of a name; 0 if it cannot be read."""
    for parameter in parameters:
        name, _, value = parameter.partition("=")
        if name.strip() == "q":
            return float(value) if WEIGHT.fullmatch(value.strip()) else 0.0
    return 1.0
