"""A match, and what came of one of its blocks, as documents between a host and its workers.

Both sides check what they read: the other one is another machine.
"""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import sha256
from typing import Any

import orjson

from arena import CORE
from arena.documents import Document
from arena.errors import BadInput, Unavailable
from arena.match.attempts import Failed
from arena.match.block_documents import read_block, write_block
from arena.match.local import Block, Match, MatchTerms
from arena.match.match_identity import identity

FORMAT = "arena work 1"
PLAYED, FAILED, LOST = "played", "failed", "lost"
LONGEST_DETAIL = 2_000
MEMBERS = {"first": str, "second": str, "record": bool}
TERMS = {"ruleset": dict, "hands_per_table": int, "deals": str, "reseat_every": int, "seed": str}


def write_match(match: Match) -> Document:
    """A match as plain data, with what a worker must have in common with its host."""
    terms = match.terms
    return {
        "format": FORMAT,
        **{name: getattr(match, name) for name in MEMBERS},
        "others": list(match.others),
        **{name: getattr(terms, name) for name in TERMS},
        "seed": str(terms.seed),
        "identity": work_identity(match),
    }


def read_match(document: Mapping[str, Any]) -> Match:
    """The match again. Raises BadInput for what is none, or of another version."""
    if document.get("format") != FORMAT:
        raise BadInput("match of the host", document.get("format"), f"{FORMAT!r}")
    for name, kind in {**MEMBERS, **TERMS}.items():
        if type(document.get(name)) is not kind:
            raise BadInput(f"match of the host: {name}", document.get(name), kind.__name__)
    others = document.get("others")
    if not isinstance(others, list) or not all(isinstance(each, str) for each in others):
        raise BadInput("match of the host: others", others, "a list of bots")
    try:
        seed = int(document["seed"])
    except ValueError as error:
        raise BadInput("match of the host: seed", document["seed"], "a number") from error
    terms = MatchTerms(**{**{name: document[name] for name in TERMS}, "seed": seed})
    named = {name: document[name] for name in MEMBERS}
    return Match(others=tuple(others), terms=terms, **named)


def work_identity(match: Match) -> Document:
    """What host and worker must have in common: the match, the code of its bots, the core."""
    return {**identity(match), "core": CORE.name}


def identity_digest(document: Mapping[str, Any]) -> str:
    """An identity in a few characters."""
    return sha256(orjson.dumps(document, option=orjson.OPT_SORT_KEYS)).hexdigest()


def write_result(number: int, result: Block | Failed) -> Document:
    """What came of a block: it was played, or it fails wherever it is played."""
    if isinstance(result, Failed):
        return {FAILED: str(result.error)[:LONGEST_DETAIL]}
    return {PLAYED: write_block(number, result)}


def read_result(match: Match, number: int, document: Mapping[str, Any]) -> Block | Failed:
    """The same again. Raises BadInput for what is no result of that block."""
    if PLAYED in document:
        return read_block(match, number, document[PLAYED])
    return Failed(Unavailable(read_detail(document.get(FAILED), FAILED)))


def read_detail(value: Any, name: str) -> str:
    """A sentence of a worker. Raises BadInput for what is none."""
    if not isinstance(value, str) or not 1 <= len(value) <= LONGEST_DETAIL:
        expected = f"a text of 1 to {LONGEST_DETAIL} characters"
        raise BadInput(name, value, f"{expected}, or the member {PLAYED} instead")
    return value
