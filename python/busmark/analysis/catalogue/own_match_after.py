"""Own match, from the end of creation: as the document of 2008 states it."""

from busmark.analysis.catalogue.entry import Estimate, Heading

FIGURE = Estimate(
    key="own_match_after",
    unit="ns",
    suffix="_ns",
    meaning="time from end of creation until the new endpoint had matched; below 0: before",
    pick=lambda case: case.discovery.own_match_after if case.discovery else None,
    tables={"discovery": Heading("Own match − creation", minor=True)},
    summary="Own match − creation",
)
