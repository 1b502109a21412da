"""An examination for people, for programs, and as JUnit XML."""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Callable, Iterator
from xml.etree import ElementTree

from arena.doctor.checks import LAYERS, BotCheck
from arena.doctor.examination import Diagnosis
from arena.doctor.verdicts import CheckOutcome, CheckVerdict, answer_lines, request_lines
from arena.documents import Document
from arena.tournament.reporting.markup import printable

WIDTH = 80
NAME_WIDTH = 18
Paint = Callable[[str, CheckOutcome], str]


def plain(text: str, outcome: CheckOutcome) -> str:
    """A text without a colour."""
    return text


def text_lines(examined: Diagnosis, paint: Paint = plain) -> Iterator[str]:
    """The report for people, at 80 columns."""
    layer = ""
    for check, verdict in examined.verdicts:
        if check.layer != layer:
            layer = check.layer
            yield f"{layer}  {LAYERS[layer]}"
        yield from _check_lines(check, verdict, paint)
    counts = Counter(verdict.outcome for _, verdict in examined.verdicts)
    yield ", ".join(f"{counts[outcome]} {outcome.value}" for outcome in CheckOutcome)
    yield from _timing_lines(examined)


def _check_lines(check: BotCheck, verdict: CheckVerdict, paint: Paint) -> Iterator[str]:
    head = f"  {check.name:<{NAME_WIDTH}}{verdict.outcome.value:<8}"
    first, *more = _wrapped(verdict.why, WIDTH - len(head) - 1) or [""]
    yield f"{paint(head, verdict.outcome)} {first}".rstrip()
    yield from (" " * (len(head) + 1) + line for line in more)
    if verdict.outcome is not CheckOutcome.FAILED:
        return
    if verdict.exchange is not None:
        yield from _labelled("request", request_lines(verdict.exchange))
        yield from _labelled("answer", answer_lines(verdict.exchange))
    if verdict.lines:
        yield from _labelled("it said", list(verdict.lines))
    yield from _labelled("change", [check.advice])


def _labelled(label: str, lines: list[str]) -> Iterator[str]:
    """Lines behind a label, broken at 80 columns."""
    indent = " " * 13
    broken = [part for line in lines for part in _wrapped(line, WIDTH - len(indent))]
    for number, line in enumerate(broken):
        yield f"    {label:<9}{line}" if number == 0 else indent + line


def _wrapped(text: str, width: int) -> list[str]:
    return textwrap.wrap(printable(text), width, break_on_hyphens=False)


def _timing_lines(examined: Diagnosis) -> Iterator[str]:
    spent = examined.timing
    if spent is None:
        return
    yield (
        f"{spent.turns} turns: half within {spent.p50_ms} ms, 99 % within {spent.p99_ms} ms, "
        f"longest {spent.longest_ms} ms"
    )
    left = f"{spent.spare_ms} ms before the move time was spent"
    over = f"{-spent.spare_ms} ms of the bank"
    yield f"clock: {spent.allowed_ms} ms a move; " + (left if spent.spare_ms >= 0 else over)


def json_document(examined: Diagnosis) -> Document:
    """The report for programs."""
    spent = examined.timing
    return {
        "command": examined.command,
        "healthy": examined.healthy,
        "checks": [_entry(check, verdict) for check, verdict in examined.verdicts],
        "timing": None if spent is None else spent._asdict(),
    }


def _entry(check: BotCheck, verdict: CheckVerdict) -> Document:
    entry: Document = {
        "name": check.name,
        "layer": check.layer,
        "asks": check.asks,
        "outcome": verdict.outcome.value,
        "why": verdict.why,
    }
    if verdict.outcome is CheckOutcome.FAILED:
        exchange = verdict.exchange
        entry["request"] = None if exchange is None else request_lines(exchange)
        entry["answer"] = None if exchange is None else answer_lines(exchange)
        entry["output"] = list(verdict.lines)
        entry["change"] = check.advice
    return entry


def junit(examined: Diagnosis) -> bytes:
    """The report as JUnit XML: a suite for each layer."""
    root = ElementTree.Element("testsuites", name="arena doctor")
    for layer in LAYERS:
        own = [(c, v) for c, v in examined.verdicts if c.layer == layer]
        if not own:
            continue
        counts = Counter(verdict.outcome for _, verdict in own)
        suite = ElementTree.SubElement(
            root,
            "testsuite",
            name=f"{layer} {LAYERS[layer]}",
            tests=str(len(own)),
            failures=str(counts[CheckOutcome.FAILED]),
            skipped=str(counts[CheckOutcome.SKIPPED]),
        )
        for check, verdict in own:
            case = ElementTree.SubElement(
                suite, "testcase", classname=f"doctor.{layer}", name=check.name
            )
            if verdict.outcome is CheckOutcome.SKIPPED:
                ElementTree.SubElement(case, "skipped", message=printable(verdict.why))
            if verdict.outcome is CheckOutcome.FAILED:
                failure = ElementTree.SubElement(case, "failure", message=printable(verdict.why))
                failure.text = "\n".join(map(str.rstrip, _check_lines(check, verdict, plain)))
    ElementTree.indent(root)
    written: bytes = ElementTree.tostring(root, encoding="utf-8", xml_declaration=True)
    return written + b"\n"
