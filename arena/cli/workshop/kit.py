"""`arena kit`: the files of the kit for bots, to hand out to those who install no arena."""

from __future__ import annotations

from pathlib import Path

import click

from arena.cli.remote import json_option, print_outcome
from arena.errors import BadInput


@click.command(
    epilog="""Examples:

    arena kit --folder handout

    pip install handout/daifugo_kit-*.whl

A running arena has the same files below /kit, as its manual says.
"""
)
@click.option(
    "--folder",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path(),
    help="Where they go; made if it is missing.  [this folder]",
)
@json_option
def command(folder: Path, as_json: bool) -> None:
    """Write the kit for bots in Python as one file, and as a wheel for pip.

    Both need `requests` and nothing else: who writes bots need not install the arena. Files of the
    same names are replaced.
    """
    from arena.kit import SINGLE_FILE, WHEEL, single_file, wheel

    try:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / SINGLE_FILE).write_text(single_file(), encoding="utf-8")
        (folder / WHEEL).write_bytes(wheel())
    except OSError as error:
        raise BadInput("--folder", str(folder), f"a folder to write to ({error})") from error
    written = [str(folder / name) for name in (SINGLE_FILE, WHEEL)]
    print_outcome({"files": written}, f"Wrote {' and '.join(written)}.", as_json=as_json)
