"""The page on notices names all kinds and types, and its way to check a signature is right."""

from __future__ import annotations

import re

import orjson

from arena import resources
from arena.notices.faults import MESSAGES as FAULTS
from arena.notices.outbox import WAITS_S
from arena.notices.posting import Letter, signature
from arena.notices.recording import ROUND_ENDED, TEST
from arena.organising.notifying import MESSAGES, TAKEN_OUT
from arena.session.notices import TEXTS
from arena.store.notice_rows import KEPT_NOTICES
from tests.manual.pages import ROOT, block, rows, section, text

PAGE = ROOT / "arena" / "manual" / "notices.md"
LETTER = Letter("msg_1", b'{"type":"test"}', "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")
AT_S = 1_700_000_000


def test_the_page_and_the_schema_list_all_kinds_of_notices() -> None:
    named = [
        row[0].strip("`") for row in rows(section(PAGE, "What does the owner of a bot learn?"))
    ]
    assert set(named) == set(TEXTS)
    schema = orjson.loads((resources.folder("schemas") / "notices.schema.json").read_bytes())
    kind = schema["properties"]["notices"]["items"]["properties"]["kind"]
    assert set(kind["enum"]) == set(TEXTS)
    assert f"{KEPT_NOTICES:,}" in text(PAGE)


def test_the_page_lists_all_types_of_messages() -> None:
    part = section(PAGE, "How do I get messages when something happens?")
    named = [kind for row in rows(part) for kind in re.findall(r"`([^`]+)`", row[0])]
    taken_out = [f"bot.{status}" for status in TAKEN_OUT]
    ended = ("session.ended", ROUND_ENDED, TEST)
    assert sorted(named) == sorted([*MESSAGES.values(), *FAULTS.values(), *taken_out, *ended])


def test_the_waits_are_those_of_the_outbox() -> None:
    words = "5 s, 30 s, 2 min, 10 min, 30 min, 1 h, 2 h, and then every 4 h"
    units = {"s": 1, "min": 60, "h": 3600}
    said = tuple(int(number) * units[unit] for number, unit in re.findall(r"(\d+) (\w+)", words))
    assert said == WAITS_S
    assert words in text(PAGE)


def test_the_example_takes_true_messages_and_no_others() -> None:
    space: dict[str, object] = {}
    exec(block(PAGE, "verify"), space)
    verify = space["verify"]
    assert callable(verify)
    headers = {
        "webhook-id": LETTER.id,
        "webhook-timestamp": str(AT_S),
        "webhook-signature": f"v1,AAAA {signature(LETTER, AT_S)}",
    }
    assert verify(LETTER.secret, headers, LETTER.body, now_s=AT_S + 299)
    assert not verify(LETTER.secret, headers, LETTER.body, now_s=AT_S + 301)
    assert not verify(LETTER.secret, headers, LETTER.body + b" ", now_s=AT_S)
    assert not verify("whsec_" + "A" * 32, headers, LETTER.body, now_s=AT_S)
    other = {**headers, "webhook-id": "msg_2"}
    assert not verify(LETTER.secret, other, LETTER.body, now_s=AT_S)
