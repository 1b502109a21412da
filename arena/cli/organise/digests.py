"""`arena session digest|proof`: what proves, later, that no hand was changed."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import quote

import click
from tabulate import tabulate

from arena.cli.remote import connected, json_option, print_json, url_option
from arena.client.endpoints import session_path
from arena.clock import instant
from arena.documents import Document
from arena.errors import Unavailable
from arena.proofs.canonical import canonical

save_option = click.option(
    "--save",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write it to a file; the same digest gives the same bytes.",
)


@click.command(
    epilog="""Examples:

    arena session digest spring-cup

    arena session digest spring-cup --save spring-cup-digest.json

More in the manual:  arena manual stamping
"""
)
@click.argument("session")
@save_option
@url_option
@json_option
def digest(session: str, save: Path | None, url: str, as_json: bool) -> None:
    """Show the signed digest of all hands at tables that are closed.

    Keep it, or have it stamped elsewhere: no hand that it covers can be changed from then on
    without everybody noticing. `arena proof` checks it, offline.
    """
    with connected(url) as client:
        document = client.request("GET", session_path(session, "digest"))
    _save(document, save)
    if as_json:
        print_json(document)
        return
    further = document["further"]
    rounds = f"rounds 1 to {document['rounds']}" if document["rounds"] else "no round yet"
    rows = [
        ("session", document["session"]),
        ("root", document["root"]),
        ("hands", f"{document['hands']} at {document['tables']} tables"),
        ("complete", rounds),
        *([("further", ", ".join(further))] if further else []),
        *([("last hand", instant(document["at_ms"]))] if document["hands"] else []),
        ("key", document["public_key"] or "none: not signed"),
        *([("signature", document["signature"])] if document["signature"] else []),
    ]
    click.echo(tabulate(rows, tablefmt="plain", disable_numparse=True))
    _show_saved(save)


@click.command(
    epilog="""Examples:

    arena session proof spring-cup-r01-t02-h003 --save hand.proof.json

    arena proof hand.proof.json

More in the manual:  arena manual stamping
"""
)
@click.argument("hand")
@save_option
@url_option
@json_option
def proof(hand: str, save: Path | None, url: str, as_json: bool) -> None:
    """Show the proof that a hand is in the digest of its session.

    As long as its table is played there is none.
    """
    with connected(url) as client:
        document = client.request("GET", f"/hands/{quote(hand, safe='')}/proof")
    _save(document, save)
    if as_json:
        print_json(document)
        return
    rows = [
        ("hand", document["hand"]),
        ("head", document["head"]),
        ("place", f"{document['index'] + 1} of {document['size']}"),
        *(("beside", each) for each in document["proof"]),
        ("root", document["digest"]["root"]),
        ("key", document["digest"]["public_key"] or "none: not signed"),
    ]
    click.echo(tabulate(rows, tablefmt="plain", disable_numparse=True))
    _show_saved(save)


def _save(document: Document, file: Path | None) -> None:
    """Write it in the form that is signed (RFC 8785): the same digest gives the same file."""
    if file is None:
        return
    try:
        file.write_bytes(canonical(document) + b"\n")
    except OSError as error:
        raise Unavailable(f"{file} cannot be written: {error.strerror}") from error


def _show_saved(file: Path | None) -> None:
    if file is not None:
        click.echo(f"\nSaved in {file}; `arena proof {file}` checks it, offline")


COMMANDS = (digest, proof)
