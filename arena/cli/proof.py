"""`arena proof`: a digest or the proof of a hand that was kept, checked offline."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from arena.cli.remote import json_option, print_json
from arena.errors import BadInput

EXPECTED = "a JSON file that `arena session digest --save` or `arena session proof --save` wrote"


@click.command(
    epilog="""Examples:

    arena proof cup-digest.json --key 5b1e...  (what GET /api/v1 and arena serve say)

    arena proof cup-r01-t02-h003.proof.json --record cup-r01-t02-h003.json
"""
)
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--key", metavar="HEX|FILE", help="The public key that you know to be the arena's.")
@click.option(
    "--record",
    type=click.Path(path_type=Path),
    help="The record of the hand, from GET /api/v1/hands/HAND/record.",
)
@json_option
def command(file: Path, key: str | None, record: Path | None, as_json: bool) -> None:
    """Check a digest, or the proof that a hand is in one, offline.

    FILE has what `arena session digest` and `arena session proof` save. With --record also that the
    moves in it are those that the proof is of. Ends with code 0 if it holds, with 1 if not, and
    says what was not looked at.
    """
    from arena.cli.documents import read_json, read_key
    from arena.records.proofs import check_digest, check_proof
    from arena.session.record_format import DIGEST

    document = read_json(file)
    known = None if key is None else read_key(key)
    is_proof = "proof" in document
    if not is_proof and document.get("format") != DIGEST:
        raise BadInput("file", str(file), EXPECTED)
    if record is not None and not is_proof:
        raise BadInput("--record", str(record), "the proof of a hand, not a digest")
    moves = None if record is None else read_json(record)
    wrong = None
    try:
        if is_proof:
            check_proof(document, known, record=moves)
        else:
            check_digest(document, known)
    except BadInput as error:
        wrong = str(error)
    _show(file, document, wrong, not_checked(document, known, moves), as_json=as_json)
    if wrong is not None:
        raise SystemExit(1)


def not_checked(document: Any, key: str | None, record: Any) -> list[str]:
    """What cannot be known from what was given, in sentences."""
    missing = []
    if key is None:
        missing.append("whose key that is: give the one that you know with --key")
    if "proof" in document and record is None:
        missing.append("which moves the hand has: give its record with --record")
    if "proof" not in document:
        missing.append("which hands the root covers: arena verify of the record says that")
    return missing


def _show(
    file: Path, document: Any, wrong: str | None, missing: list[str], *, as_json: bool
) -> None:
    if as_json:
        print_json({"ok": wrong is None, "wrong": wrong, "not_checked": missing})
        return
    if wrong is not None:
        click.echo(f"{file}: {wrong}")
        return
    digest = document.get("digest", document)
    if "proof" in document:
        place = f"hand {document['index'] + 1} of {document['size']}"
        click.echo(f"{file}: {document['hand']} is {place} in the digest of {digest['session']}")
    click.echo(f"{file}: root {digest['root']}, signed by {digest['public_key']}")
    for each in missing:
        click.echo(f"{file}: not checked: {each}")
