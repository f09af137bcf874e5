"""Times of discovery: endpoints that are made again and again, and the endpoints of a stream."""

from __future__ import annotations

from pydantic import Field

from busmark.model.figure import Figure, Frozen


class Discovery(Frozen):
    """Figures of a discovery test. Times are of a typical round: the median over rounds of the
    median over a round's repetitions; they begin with the first call that creates something, or,
    where it is said, with the return of the last. What is below 0 came before that."""

    new: str
    """writer or reader."""
    creates: str
    """entity: the endpoint alone; participant: with its participant."""
    existing: int
    """Endpoints of a further participant that were there already."""
    repetitions: int
    """Repetitions in the rounds that count."""
    undiscovered: int
    """Repetitions in which no sample was received in time."""
    creation: Figure | None
    """Time of the calls that create the endpoint, and the participant where one is created."""
    attach: Figure | None
    """Part of `creation` in which the participant is created; null where none is."""
    own_match: Figure | None
    """Until the new endpoint had matched; null where the middleware does not report it, or only an
    upper limit is known."""
    peer_match: Figure | None
    """Until the existing endpoint had matched the new one; null where the middleware does not
    report it, where only an upper limit is known, and where there is not one clock."""
    first_sample: Figure | None
    """Until the first sample was received."""
    own_match_after: Figure | None = Field(description="From the end of creation; may be below 0.")
    peer_match_after: Figure | None
    first_sample_after: Figure | None
    lost_before: Figure | None
    """Samples per repetition that were sent after creation, before the first received one, and did
    not arrive; the mean."""


class Meeting(Frozen):
    """Times of a typical round, from the moment when its last endpoint was there; below 0: before.
    An endpoint counts once it has matched all that there are to match for it."""

    endpoints: int
    """Endpoints in one round whose time is known."""
    unknown: int
    """Endpoints, in all counted rounds, whose matches the adapter cannot count."""
    limits: int
    """Endpoints, in all counted rounds, with only an upper limit."""
    first: Figure | None
    """Until the first endpoint had found all of its own."""
    half: Figure | None
    last: Figure | None
    t_ns: list[float] = Field(description="When this many had: the median over rounds.")
    found: list[int]
    """Number of endpoints that had found all of their own at each of `t_ns`; at most 200 are
    listed, always including the first and the last."""


class RoundDiscovery(Frozen):
    """Figures of a round of a discovery test: medians over its repetitions, from the start of
    creation."""

    creation_ns: float | None
    own_match_ns: float | None
    peer_match_ns: float | None
    lost_before: float | None
    """Samples per repetition that were sent before the first received one, and did not arrive."""
