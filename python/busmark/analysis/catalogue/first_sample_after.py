"""First sample, from the end of creation: as the document of 2008 states it."""

from busmark.analysis.catalogue.entry import STUDENT, Estimate, Explained, Heading

FIGURE = Estimate(
    key="first_sample_after",
    unit="ns",
    suffix="_ns",
    meaning="time from end of creation until the first sample was received; below 0: before",
    pick=lambda case: case.discovery.first_sample_after if case.discovery else None,
    tables={"discovery": Heading("First sample − creation", minor=True)},
    summary="First sample − creation",
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
)  # fmt: skip
