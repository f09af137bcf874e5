"""How long it takes until endpoints know each other."""

from __future__ import annotations

from typing import TYPE_CHECKING

from busmark.model.entry import (
    STREAMS,
    STUDENT,
    Compared,
    EstimatedQuantity,
    Explained,
    Number,
    PartQuantity,
    Row,
)

if TYPE_CHECKING:
    from busmark.model.parameters import Parameters

S_TO_NS = 1e9


def _compared(name: str, word: str) -> Compared:
    """Return how a time of the repetitions of a discovery test is compared."""
    return Compared(
        name=name,
        word=word,
        tests=("discovery",),
        more="slower",
        less="faster",
        otherwise="no round has one",
        of_round=lambda row, params: row.get(f"{name}_ns"),
    )


def _discovery_of_round(row: Row, params: Parameters) -> float | None:
    value = row.get("discovery_s")
    return None if value is None else value * S_TO_NS


DISCOVERY = EstimatedQuantity(
    key="discovery",
    of_cases=False,
    also=("matching",),
    tests=("latency", *STREAMS),
    unit="ns",
    suffix="_ns",
    meaning="time from the last endpoint's creation until all had matched",
    compared=Compared(
        name="discovery",
        word="discovery",
        tests=("latency", *STREAMS),
        more="slower",
        less="faster",
        otherwise="no round has a discovery time of more than its resolution",
        of_round=_discovery_of_round,
    ),
)

CREATION_TIME = EstimatedQuantity(
    key="creation",
    unit="ns",
    suffix="_ns",
    meaning="time of the calls that create what is new",
    tests=("discovery",),
    compared=_compared("creation", "creation"),
    explained=(
        Explained(
            "Discovery",
            ("creation", "attach", "own_match", "peer_match", "first_sample"),
            "How long a new endpoint takes to be made, and until it is discovered: by a match on "
            "its own side and on the other, and by the first sample that a reader receives.",
            "From just before the first call that creates something; the median of the repetitions "
            "of each round. " + STUDENT,
            "`discoveries`",
            "A match without the middleware's event lies between two questions; found by the first "
            "question, it has no value.",
            section="Discovery",
        ),
    ),
)

OWN_MATCH = EstimatedQuantity(
    key="own_match",
    unit="ns",
    suffix="_ns",
    meaning="time from start of creation until the new endpoint had matched",
    tests=("discovery",),
    compared=_compared("own_match", "own match"),
)

PEER_MATCH = EstimatedQuantity(
    key="peer_match",
    unit="ns",
    suffix="_ns",
    meaning="time from start of creation until the endpoint that was there had matched the new one",
    tests=("discovery",),
    compared=_compared("peer_match", "peer match"),
)

FIRST_SAMPLE = EstimatedQuantity(
    key="first_sample",
    unit="ns",
    suffix="_ns",
    meaning="time from start of creation until the first sample was received",
    tests=("discovery",),
    compared=_compared("first_sample", "first sample"),
)

OWN_MATCH_AFTER = EstimatedQuantity(
    key="own_match_after",
    unit="ns",
    suffix="_ns",
    meaning="time from end of creation until the new endpoint had matched; below 0: before",
    tests=("discovery",),
)

PEER_MATCH_AFTER = EstimatedQuantity(
    key="peer_match_after",
    unit="ns",
    suffix="_ns",
    meaning="time from end of creation until the other endpoint had matched the new one; "
    "below 0: before",
    tests=("discovery",),
)

FIRST_SAMPLE_AFTER = EstimatedQuantity(
    key="first_sample_after",
    unit="ns",
    suffix="_ns",
    meaning="time from end of creation until the first sample was received; below 0: before",
    tests=("discovery",),
    explained=(
        Explained(
            "Discovery from the end of creation",
            ("own_match_after", "peer_match_after", "first_sample_after"),
            "The same from the return of the last call that creates something. Below 0: it was "
            "discovered before its creation was finished.",
            "Time minus creation in each repetition; the median of each round. " + STUDENT,
            "`discoveries`",
            "A difference of two medians: it is the median of differences.",
            section="Discovery",
        ),
    ),
)

LOST_BEFORE = EstimatedQuantity(
    key="lost_before",
    statistic="mean",
    unit="",
    meaning="samples per repetition that were sent after creation, before the first received one, "
    "and did not arrive",
    tests=("discovery",),
    explained=(
        Explained(
            "Lost before discovered",
            ("lost_before",),
            "A new writer's own first samples, or samples of the writer that was there, which the "
            "new reader did not get though it had been created.",
            "Mean of the repetitions of a round, then over rounds, with Student's interval.",
            "`discoveries`",
            "Samples that came after the first are not looked at.",
            section="Discovery",
        ),
    ),
)


ATTACH = PartQuantity(
    "attach",
    "creation of the participant",
    "part of the creation in which the participant is created",
    "ns",
)
UNDISCOVERED = PartQuantity(
    "undiscovered",
    "not discovered in time",
    "repetitions in which no sample came in time",
    "",
    "count",
)


REPETITIONS = Number(
    key="repetitions",
    meaning="repetitions of a discovery test; null for every other test",
    tests=("discovery",),
    explained=(
        Explained(
            "Repetitions",
            ("new", "creates", "existing", "repetitions", "undiscovered"),
            "What is new, what is created with it, how many endpoints were there, how often it was "
            "repeated in the rounds that count, and how often no sample came in time.",
            "",
            "`discoveries`; the parameters of the case",
            "Repetitions of the warm-up are in none.",
            section="Discovery",
        ),
    ),
)

OF_CASES = (
    DISCOVERY,
    CREATION_TIME,
    OWN_MATCH,
    PEER_MATCH,
    FIRST_SAMPLE,
    OWN_MATCH_AFTER,
    PEER_MATCH_AFTER,
    FIRST_SAMPLE_AFTER,
    LOST_BEFORE,
    REPETITIONS,
)
"""Quantities in the order of tables."""
