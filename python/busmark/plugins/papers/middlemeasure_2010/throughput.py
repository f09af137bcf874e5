"""What MiddleMeasure states of throughput."""

from __future__ import annotations

from busmark.plugins.papers.along import Bend
from busmark.plugins.papers.checks import Convergence, Ratio, Trend, delivered
from busmark.plugins.papers.claim import ABOVE, ALL, BELOW, alike
from busmark.plugins.papers.document import Statement
from busmark.plugins.papers.middlemeasure_2010.selections import (
    BEST_EFFORT_ALL_FINITE,
    BEST_EFFORT_LAST,
    INTERCOM,
    NDDS,
    RELIABLE_ALL,
    RELIABLE_ALL_FINITE,
    TAO,
    WHATEVER_QOS,
    excepted,
    from_1_kib,
    not_excepted,
    throughput,
)

_ONE = {"load": None}
_FIVE = {"placement": "free"}
_EXPECTED = tuple(
    entry
    for place, adapter in (("NDDS's place", NDDS), ("InterCOM's place", INTERCOM))
    for entry in (
        ("one receiver", 1, f"TAO's place over {place}", TAO, _ONE, adapter, BEST_EFFORT_LAST),
        ("five receivers", 5, f"{place} over TAO's", adapter, {**BEST_EFFORT_ALL_FINITE, **_FIVE},
         TAO, _FIVE),
    )
)  # fmt: skip
"""What the thesis expects of DDS against CORBA, in its Chapter 5."""

THROUGHPUT = (
    Statement(
        "§6.2.1, Figure 14",
        "Throughput of the ORB is mostly stable but dips at 1024 bytes.",
        (
            Bend(
                "throughput at 1 KiB over that at half and twice the size, TAO's place",
                throughput(TAO, payload="struct", load=None),
                1024,
                BELOW,
            ),
        ),
        untold="Laid there to a default of Windows XP for datagrams (FastSendDatagramThreshold), "
        "which Linux does not have.",
    ),
    Statement(
        "§6.2.1, Figure 14",
        "Disk load lowers the ORB's throughput at sizes 512 and 4096, and hardly changes it at "
        "the others.",
        (
            Ratio(
                "throughput with disk load over without, at 512 and 4096, TAO's place",
                throughput(TAO, payload="struct", load="disk 20MB", where=excepted),
                throughput(TAO, payload="struct", load=None),
                BELOW,
            ),
            Ratio(
                "throughput with disk load over without, at other sizes, TAO's place",
                throughput(TAO, payload="struct", load="disk 20MB", where=not_excepted),
                throughput(TAO, payload="struct", load=None),
                alike(),
            ),
        ),
    ),
    Statement(
        "Appendix B",
        "In 20 runs of 4000 structures the ORB lost none.",
        (
            delivered(
                "samples received over sent, TAO's place",
                throughput(TAO, payload="struct", load=None),
                ALL,
            ),
        ),
    ),
    Statement(
        "§6.2.1, Figure 15",
        "With best effort, keep last, infinite lifespan both DDS carry more than CORBA at larger "
        "sizes.",
        tuple(
            Ratio(
                f"throughput from 1 KiB on, {place} over TAO's",
                throughput(adapter, **BEST_EFFORT_LAST, where=from_1_kib),
                throughput(TAO, load=None),
                ABOVE,
                alike_in=WHATEVER_QOS,
            )
            for place, adapter in (("NDDS's place", NDDS), ("InterCOM's place", INTERCOM))
        ),
    ),
    Statement(
        "§7.1, of Figure 15",
        "With few subscribers InterCOM has the greatest throughput of all.",
        tuple(
            Ratio(
                f"throughput, InterCOM's place over {place}",
                throughput(INTERCOM, **BEST_EFFORT_LAST),
                throughput(adapter, **asked),
                ABOVE,
                alike_in=WHATEVER_QOS,
            )
            for place, adapter, asked in (
                ("NDDS's", NDDS, BEST_EFFORT_LAST),
                ("TAO's", TAO, {"load": None}),
            )
        ),
        untold="The curves of Figure 15 itself are not described in words but for larger sizes.",
    ),
    Statement(
        "§6.2.2, Figure 20",
        "With several publishers (reliable, keep all, infinite) InterCOM carries more than NDDS, "
        "at larger payloads, both with three and with five; its advantage is with fewer "
        "publishers.",
        (
            *(
                Ratio(
                    f"throughput of {n} publishers from 1 KiB on, InterCOM's place over NDDS's",
                    throughput(INTERCOM, publishers=n, **RELIABLE_ALL, where=from_1_kib),
                    throughput(NDDS, publishers=n, **RELIABLE_ALL),
                    ABOVE,
                )
                for n in (3, 5)
            ),
            Trend(
                "InterCOM's place over NDDS's from 1 KiB on, at three publishers over at five",
                throughput(INTERCOM, publishers=(3, 5), **RELIABLE_ALL, where=from_1_kib),
                throughput(NDDS, publishers=(3, 5), **RELIABLE_ALL),
                "publishers",
                ABOVE,
            ),
        ),
    ),
    Statement(
        "§6.2.2, Figures 21 and 22",
        "With reliable, keep all, finite lifespan InterCOM carries more than NDDS to few "
        "receivers.",
        (
            Ratio(
                "throughput to one receiver, InterCOM's place over NDDS's",
                throughput(INTERCOM, placement="free", **RELIABLE_ALL_FINITE),
                throughput(NDDS, placement="free", **RELIABLE_ALL_FINITE),
                ABOVE,
            ),
        ),
    ),
    Statement(
        "§6.2.2, Figures 21 and 22",
        "That lead narrows as receivers are added.",
        (
            Convergence(
                "lead of InterCOM's place over NDDS's, to one receiver over to five",
                throughput(INTERCOM, subscribers=(1, 5), placement="free", **RELIABLE_ALL_FINITE),
                throughput(NDDS, subscribers=(1, 5), placement="free", **RELIABLE_ALL_FINITE),
                "subscribers",
                ABOVE,
                lead=True,
            ),
        ),
    ),
    Statement(
        "§6.2.2, Figure 23",
        "Throughput to several receivers is almost identical with best effort.",
        tuple(
            Ratio(
                f"throughput, best effort over reliable, {place}",
                throughput(
                    adapter, subscribers=(1, 2, 3, 4, 5), placement="free", **BEST_EFFORT_ALL_FINITE
                ),
                throughput(
                    adapter, subscribers=(1, 2, 3, 4, 5), placement="free", **RELIABLE_ALL_FINITE
                ),
                alike(),
            )
            for place, adapter in (("NDDS's place", NDDS), ("InterCOM's place", INTERCOM))
        ),
    ),
    Statement(
        "§6.2.3, Figure 27",
        "TCP carries more than UDP to a single receiver, against what was expected.",
        (
            Ratio(
                "throughput, TCP over UDP",
                throughput("tcp"),
                throughput("udp"),
                ABOVE,
                alike_in=WHATEVER_QOS,
            ),
        ),
        untold="Explained there by Nagle's algorithm, among others. Busmark's TCP sockets have "
        "TCP_NODELAY set, so what is measured here is not that.",
    ),
    Statement(
        "§5.3.2, expected there",
        "With several receivers and best effort NDDS is ahead of InterCOM, with reliable InterCOM.",
        tuple(
            Ratio(
                f"throughput to five receivers, {name}, {ahead} place over {behind}",
                throughput(first, subscribers=5, placement="free", **asked),
                throughput(second, subscribers=5, placement="free", **asked),
                ABOVE,
            )
            for name, ahead, first, behind, second, asked in (
                ("best effort", "NDDS's", NDDS, "InterCOM's", INTERCOM, BEST_EFFORT_ALL_FINITE),
                ("reliable", "InterCOM's", INTERCOM, "NDDS's", NDDS, RELIABLE_ALL_FINITE),
            )
        ),
    ),
    Statement(
        "§5.3.3, expected there",
        "CORBA is ahead of DDS from one sender to one receiver, DDS with several receivers.",
        tuple(
            Ratio(
                f"throughput to {name}, {over}",
                throughput(first, subscribers=count, **asked_first),
                throughput(second, subscribers=count, **asked_second),
                ABOVE,
                alike_in=WHATEVER_QOS,
            )
            for name, count, over, first, asked_first, second, asked_second in _EXPECTED
        ),
        untold="The thesis's own Figure 15 shows otherwise for one receiver, at larger sizes.",
    ),
)
