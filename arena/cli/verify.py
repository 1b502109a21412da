"""`arena verify`: record files checked offline, with nothing but the files."""

from __future__ import annotations

import json
from pathlib import Path

import click

from arena.cli.documents import opened
from arena.cli.remote import json_option


@click.command(
    epilog="""Examples:

    arena verify arena-data/demo-1/demo.jsonl

    arena verify --json *.jsonl
"""
)
@click.argument(
    "files",
    nargs=-1,
    required=True,
    type=click.Path(path_type=Path),
)
@json_option
def command(files: tuple[Path, ...], as_json: bool) -> None:
    """Check record files: deals, commitments, every move and every result.

    Ends with code 0 if all is as it should be, with 1 if anything is not. A note says what could
    not be checked: the public record of a session with pseudonyms does not tell which bots share
    an owner, and with that its line-ups follow from the secret only in the organiser's record.
    """
    from arena.records.reading import lines_of
    from arena.records.verify import verify

    reports = {}
    for file in files:
        with opened(file) as lines:
            reports[str(file)] = verify(lines_of(lines))
    if as_json:
        output = {
            name: {
                "ok": report.ok,
                "hands": report.hands,
                "deals_recomputed": report.secret,
                "findings": [f._asdict() for f in report.findings],
                "not_checked": list(report.notes),
            }
            for name, report in reports.items()
        }
        click.echo(json.dumps(output, ensure_ascii=False, indent=2))
    else:
        for name, report in reports.items():
            for finding in report.findings:
                click.echo(f"{name}:{finding.line}: {finding.what}")
            for note in report.notes:
                click.echo(f"{name}: note: {note}")
            deals = "deals recomputed" if report.secret else "secret not revealed yet"
            count = len(report.findings)
            good = "all good" if report.ok else f"{count} finding{'s'[: count > 1]}"
            click.echo(f"{name}: {report.hands} hands, {deals}: {good}")
    if not all(report.ok for report in reports.values()):
        raise SystemExit(1)
