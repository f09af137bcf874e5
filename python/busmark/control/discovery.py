"""When all endpoints had found each other, and how well that is known."""

from collections.abc import Sequence
from dataclasses import dataclass

from busmark.control.protocol import Matched

NS = 1e9


@dataclass(frozen=True, slots=True)
class Discovery:
    """From the last endpoint's creation until all had matched."""

    seconds: float | None
    """None if the middleware does not report it, or only the resolution is known."""
    resolution_s: float | None
    """It took at most `seconds`, and less by no more than this: 0 where the middleware's events
    told. Without `seconds`, an upper limit. None where nothing is known."""


UNKNOWN = Discovery(None, None)


def discovery(answers: Sequence[Matched], ready_ns: int) -> Discovery:
    """From what all workers say; the last match counts.

    A worker whose adapter has no events asks again and again: then the match lies between two
    questions. One that lies before the first question has an upper limit only, for a value would be
    the time that the question took."""
    if any(answer["unknown"] for answer in answers):
        return UNKNOWN
    most_ns = max(0, max(answer["matched_ns"] for answer in answers) - ready_ns)
    known = [after for answer in answers if (after := answer["after_ns"]) is not None]
    least_ns = max([0, *(after - ready_ns for after in known)])
    if least_ns == 0:
        return Discovery(None, most_ns / NS)
    return Discovery(most_ns / NS, (most_ns - least_ns) / NS)
