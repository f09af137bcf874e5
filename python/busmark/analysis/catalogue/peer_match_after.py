"""Peer match, from the end of creation: as the document of 2008 states it."""

from busmark.analysis.catalogue.entry import Estimate, Heading

FIGURE = Estimate(
    key="peer_match_after",
    unit="ns",
    suffix="_ns",
    meaning="time from end of creation until the other endpoint had matched the new one; "
    "below 0: before",
    pick=lambda case: case.discovery.peer_match_after if case.discovery else None,
    tables={"discovery": Heading("Peer match − creation", minor=True)},
    summary="Peer match − creation",
)
