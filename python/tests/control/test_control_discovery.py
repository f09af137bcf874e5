"""Discovery: the middleware's event, an interval between two questions, or an upper limit."""

import pytest

from busmark.control.discoveries import UNKNOWN, Discovery, discovery
from busmark.control.protocol import Matched

READY_NS = 1_000_000_000
MS = 1_000_000


def match(after_ms: float | None, matched_ms: float, unknown: int = 0) -> Matched:
    """A worker's answer, in ms after the last endpoint was there."""
    return {
        "after_ns": None if after_ms is None else READY_NS + int(after_ms * MS),
        "matched_ns": READY_NS + int(matched_ms * MS),
        "unknown": unknown,
    }


def test_the_middlewares_event_is_the_value() -> None:
    found = discovery([match(20, 20), match(35, 35)], READY_NS)
    assert found == Discovery(pytest.approx(0.035), 0)


def test_between_two_questions_lies_the_resolution() -> None:
    found = discovery([match(249, 250.1)], READY_NS)
    assert found.seconds == pytest.approx(0.2501)
    assert found.resolution_s == pytest.approx(0.0011)


def test_what_the_first_question_finds_has_an_upper_limit_and_no_value() -> None:
    found = discovery([match(None, 0.07), match(None, 0.05)], READY_NS)
    assert found == Discovery(None, pytest.approx(0.00007))


def test_a_match_between_the_last_creation_and_the_second_question_is_no_value_either() -> None:
    # The first question came before the last endpoint was there: the 1.1 ms are the pause alone.
    found = discovery([match(-0.2, 1.1)], READY_NS)
    assert found == Discovery(None, pytest.approx(0.0011))


def test_an_event_before_the_last_creation_returned_is_a_limit() -> None:
    assert discovery([match(-3, -3)], READY_NS) == Discovery(None, 0)


def test_the_last_worker_decides_with_an_event_of_one_and_questions_of_the_other() -> None:
    found = discovery([match(30, 30), match(28, 29)], READY_NS)
    assert found == Discovery(pytest.approx(0.030), 0)


def test_one_endpoint_that_cannot_tell_makes_it_unknown() -> None:
    assert discovery([match(20, 20), match(None, 0, unknown=1)], READY_NS) is UNKNOWN
