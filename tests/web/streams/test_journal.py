"""What a stream says: frames by their numbers, read by any number of readers."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from arena.web.streams.journal import MOST_BYTES, Journal, frame


def written(sizes: list[int]) -> tuple[Journal, list[bytes]]:
    """A journal of frames with these sizes, numbered 2, 4, 6 ..."""
    journal = Journal()
    frames = [bytes([65 + number % 26]) * size for number, size in enumerate(sizes)]
    for number, text in enumerate(frames, 1):
        journal.add(2 * number, text)
    return journal, frames


def read(journal: Journal, after: int) -> bytes:
    """All pieces from a number on."""
    pieces = []
    while piece := journal.piece(after):
        after, text = piece
        if not text:
            return b"".join(pieces)
        pieces.append(text)
    raise AssertionError("a journal ends")


def test_a_frame_is_a_server_sent_event_on_lines_of_its_own() -> None:
    text = frame("events", {"hand": "h", "text": "a\nb"}, name="h.3")
    assert text == b'id: h.3\nevent: events\ndata: {"hand":"h","text":"a\\nb"}\n\n'
    assert frame("over", {}) == b"event: over\ndata: {}\n\n"


@given(st.lists(st.integers(1, 40_000), max_size=12), st.data())
def test_whoever_resumes_gets_what_follows_and_nothing_twice(
    sizes: list[int], data: st.DataObject
) -> None:
    journal, frames = written(sizes)
    known = data.draw(st.integers(0, len(sizes)))
    assert read(journal, 2 * known) == b"".join(frames[known:])


def test_a_number_within_a_frame_gets_that_frame() -> None:
    journal, frames = written([3, 3, 3])
    assert read(journal, 3) == b"".join(frames[1:])


@given(st.lists(st.integers(1, 2 * MOST_BYTES), min_size=1, max_size=8))
def test_a_piece_is_bounded_unless_one_frame_is_longer(sizes: list[int]) -> None:
    journal, _ = written(sizes)
    after, text = journal.piece(0)
    assert len(text) <= max(MOST_BYTES, sizes[0])
    assert after >= 2


def test_those_who_are_equally_far_are_sent_the_same_bytes() -> None:
    journal, _ = written([10, 20, 30])
    assert journal.piece(2)[1] is journal.piece(2)[1]
    first = journal.piece(2)[1]
    journal.replace([(8, b"x")])
    journal.add(10, b"y")
    assert journal.piece(2)[1] == b"xy" != first


def test_what_is_put_makes_worthless_what_was_before() -> None:
    journal, _ = written([10, 20])
    journal.replace([(6, b"now")])
    assert [journal.piece(after) for after in (0, 2, 6)] == [(6, b"now"), (6, b"now"), (6, b"")]


def test_what_ends_it_is_read_by_everybody_wherever_they_are() -> None:
    journal, _ = written([10, 20])
    journal.close(b"withheld")
    assert journal.finished
    assert [read(journal, after) for after in (0, 2, 4, 99)] == [b"withheld"] * 4


def test_a_hand_of_10_000_events_is_handed_over_in_bounded_pieces() -> None:
    journal = Journal()
    for number in range(1, 10_001):
        journal.add(number, frame("events", {"events": [{"type": "passed"}]}, name=f"h.{number}"))
    after, pieces = 0, 0
    while (piece := journal.piece(after))[1]:
        after, text = piece
        assert len(text) <= MOST_BYTES
        pieces += 1
    assert (after, pieces) == (10_000, 10)
