"""The catalogue of readings: every id that is used is defined once, and the options are theirs."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from arena.reference.coverage import claims_of_options
from arena.reference.inventory import STATEMENTS
from arena.rules.wiring import Stage
from tests.manual.pages import ROOT, RULES, named, rows, section, text

READING = r"(?:AM|OR)-\d\d|C-\d+|XV-[a-z]\w+"
ID = re.compile(rf"\b(?:{READING}|(?:PG|DX|FO|RU)-\d+)\b")
USERS = ("arena", "tests", "schemas", "sample_bots")
TABLE = [row for row in rows(text(RULES)) if re.fullmatch(READING, row[0])]
CLAIMS = claims_of_options()


def used(folder: str) -> Iterator[tuple[str, Path]]:
    """The ids in the files of a folder, with the file; the catalogue itself is no user of them."""
    for path in sorted((ROOT / folder).rglob("*")):
        if path.suffix in {".py", ".md", ".json", ".jsonl", ".html", ".txt"} and path != RULES:
            yield from ((id_, path) for id_ in ID.findall(path.read_text(encoding="utf-8")))


def test_no_id_is_defined_twice() -> None:
    defined = Counter([row[0] for row in TABLE] + list(STATEMENTS))
    assert [id_ for id_, times in defined.items() if times > 1] == []


def test_every_id_that_is_used_is_defined_and_every_reading_is_used() -> None:
    found = [(id_, named(path)) for folder in USERS for id_, path in used(folder)]
    defined = {*STATEMENTS, *(row[0] for row in TABLE)}
    assert sorted({pair for pair in found if pair[0] not in defined}) == []
    assert sorted({row[0] for row in TABLE} - {id_ for id_, _ in found}) == []


def test_a_reading_names_the_options_that_rest_on_it_or_the_module_that_has_it() -> None:
    for id_, says, where in TABLE:
        assert says.endswith("."), id_
        if id_ in CLAIMS:
            assert where == ", ".join(f"`{name}`" for name in CLAIMS[id_]), id_
        else:
            module = ROOT / where.strip("`")
            assert module.is_file(), f"no option rests on {id_}"
            assert id_ in text(module), id_


def test_the_stages_are_named_in_their_order() -> None:
    order = section(RULES, "The order of effects")
    assert re.findall(r"\b[A-Z]{4,}\b", order) == [stage.name for stage in Stage]


def test_the_kinds_of_ids_are_those_that_there_are() -> None:
    kinds = " ".join(row[0] for row in rows(text(RULES).split("\n## ")[0]))
    found = {id_.partition("-")[0] for folder in USERS for id_, _ in used(folder)}
    assert set(re.findall("[A-Z]+", kinds)) == found
