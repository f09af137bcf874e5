"""A round of a discovery test."""

from __future__ import annotations

from busmark.model.figure import Frozen


class RoundDiscovery(Frozen):
    """Figures of a round of a discovery test: medians over its repetitions, from the start of
    creation."""

    creation_ns: float | None
    own_match_ns: float | None
    peer_match_ns: float | None
    lost_before: float | None
    """Samples per repetition that were sent before the first received one, and did not arrive."""
