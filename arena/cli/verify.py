"""`arena verify`: record files checked offline, with nothing but the files."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from arena.cli.documents import is_hex, opened, read_key
from arena.cli.remote import json_option

if TYPE_CHECKING:
    from arena.documents import Document
    from arena.records.verify import Closing, Digest, Finding, ReceiptFile

WORTH_BYTES = 4_000_000
"""Files that are smaller are checked sooner than another process has started."""


class VerifyRequest(NamedTuple):
    """What is known beside the files. roots: digests of which only the root is known."""

    key: str | None
    digests: tuple[Digest, ...]
    roots: tuple[str, ...]
    receipts: ReceiptFile
    jobs: int


@click.command(
    epilog="""Examples:

    arena verify arena-data/demo-1/demo.jsonl

    arena verify --key 8a88e3dd...2c75 --receipts receipts.jsonl cup.jsonl.gz

    arena verify --json *.jsonl
"""
)
@click.argument(
    "files",
    nargs=-1,
    required=True,
    type=click.Path(path_type=Path),
)
@click.option(
    "--key",
    metavar="HEX|FILE",
    help="The arena's public key: header and digest have to be signed with it.",
)
@click.option(
    "--digest",
    "digests",
    metavar="FILE|HEX",
    multiple=True,
    help="A digest that was published earlier, as a document or its root alone.",
)
@click.option(
    "--receipts",
    type=click.Path(path_type=Path),
    help="What the kit of a bot has kept: the record has to hold what it was sent.",
)
@click.option(
    "--jobs",
    type=click.IntRange(1, 256),
    help="How many processes check a large file.  [default: one for each core]",
)
@json_option
def command(
    files: tuple[Path, ...],
    key: str | None,
    digests: tuple[str, ...],
    receipts: Path | None,
    jobs: int | None,
    as_json: bool,
) -> None:
    """Check record files: deals, every move and result, hashes, completeness, signatures.

    Says in the end what is proved by the file and what is not. Ends with code 0 if nothing was
    found, with 1 if anything was. Files may be compressed by gzip.
    """
    asked = _asked(key, digests, receipts, jobs)
    reports = {}
    with ExitStack() as stack:
        executors = _executors(files, asked.jobs, stack)
        for file in files:
            reports[str(file)] = _checked(file, asked, executors, as_json=as_json)
    if as_json:
        click.echo(json.dumps(reports, ensure_ascii=False, indent=2))
    if not all(report["ok"] for report in reports.values()):
        raise SystemExit(1)


def _asked(
    key: str | None, digests: tuple[str, ...], receipts: Path | None, jobs: int | None
) -> VerifyRequest:
    """What was given beside the files. Raises BadInput."""
    from arena.records.digest_checks import read_digest
    from arena.records.reading import lines_of, read_line
    from arena.records.receipts import NONE, read_receipts

    roots = tuple(each.lower() for each in digests if is_hex(each))
    documents = [each for each in digests if not is_hex(each)]
    read = NONE
    if receipts is not None:
        with opened(receipts) as lines:
            read = read_receipts(lines_of(lines))
    return VerifyRequest(
        None if key is None else read_key(key),
        tuple(read_digest(read_line(_content(each).strip()), each) for each in documents),
        roots,
        read,
        jobs or os.cpu_count() or 1,
    )


def _content(file: str) -> bytes:
    with opened(Path(file)) as read:
        return read.read(1_000_000)


def _executors(files: Sequence[Path], jobs: int, stack: ExitStack) -> Sequence[Executor]:
    """Processes, if there are several to be had and the files are worth it."""
    from arena.match.workers import Workers

    size = sum(file.stat().st_size for file in files if file.is_file())
    if jobs == 1 or size < WORTH_BYTES:
        return ()
    return [stack.enter_context(Workers(1)) for _ in range(jobs)]


def _checked(
    file: Path, asked: VerifyRequest, executors: Sequence[Executor], *, as_json: bool
) -> Document:
    """What is said of a file, for a program; for people it is printed as it is found."""
    from arena.records.reading import lines_of
    from arena.records.verify import Verifier

    findings: list[Finding] = []
    with opened(file) as lines, _progress(file) as watch:
        verifier = Verifier(
            key=asked.key,
            digests=asked.digests,
            roots=asked.roots,
            receipts=asked.receipts,
            executors=executors,
            watch=watch,
        )
        for finding in verifier.check(lines_of(lines)):
            findings.append(finding)
            if not as_json:
                click.echo(f"{file}:{finding.line}: {finding.what}")
    report = verifier.report(tuple(findings))
    if not as_json:
        _print_closing(file, report.closing)
        deals = "deals recomputed" if report.secret else "secret not revealed yet"
        count = len(findings)
        found = f"{count or 'no'} finding{'s'[: count != 1]}"
        click.echo(f"{file}: {report.hands} hands, {deals}: {found}")
    return {
        "ok": report.ok,
        "hands": report.hands,
        "deals_recomputed": report.secret,
        "findings": [each._asdict() for each in findings],
        "not_checked": list(report.notes),
        "proved": list(report.closing.proved),
        "not_proved": list(report.closing.unproved),
    }


def _print_closing(file: Path, closing: Closing) -> None:
    for title, listed in (("proved", closing.proved), ("not proved", closing.unproved)):
        for what in listed:
            click.echo(f"{file}: {title}: {what}")


@contextmanager
def _progress(file: Path) -> Iterator[Callable[[int], None] | None]:
    """A count of lines on standard error, if that is a terminal."""
    if not sys.stderr.isatty():
        yield None
        return
    bar: Any = click.progressbar(
        length=_lines_about(file), label=file.name, show_pos=True, file=sys.stderr
    )
    with bar:
        yield lambda done: bar.update(done - bar.pos)


def _lines_about(file: Path) -> int:
    """About how many lines a file has, by its first ones; 0 if that is not known."""
    from arena.records.reading import GZIP

    with file.open("rb") as read:
        sample = read.read(1_000_000)
    lines = 0 if sample.startswith(GZIP) else sample.count(b"\n")
    return round(lines * file.stat().st_size / len(sample)) if sample and lines else 0
