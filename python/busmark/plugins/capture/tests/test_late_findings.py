"""Sentences about late samples are true of the counts beside them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import cast

import polars as pl
import pytest
from late_tables import BACK, MS, THERE, acknack, data, sample, samples
from seams import reviewed

from busmark.cli.documents import show
from busmark.findings.registry import rules
from busmark.findings.view import CaseView
from busmark.plugins.capture.findings import evidence
from busmark.plugins.capture.late.blocks import document
from busmark.plugins.capture.late.explaining import of_round, together
from busmark.plugins.capture.late.model import CAUSES, LateSamples, PacketShown, RoundLeft
from busmark.plugins.capture.late.trace import Counters, choose
from busmark.plugins.capture.late.wire import File, Flow, Wire

FLOWS = [Flow(0, "udp", THERE, BACK), Flow(0, "udp", BACK, THERE)]


def explained(rows: list[dict[str, object]], latency_ms: float | None = 50.0) -> LateSamples:
    wire = Wire.from_rows(rows, FLOWS, [File("it.pcapng", None, "lo")])
    found = of_round(4, choose(4, samples(latency_ms)), wire, Counters(socket_drops=7))
    return together("a", [found], [], 10)


def test_a_late_sample_is_counted_with_its_wait_and_its_packets() -> None:
    rows = [data(11, 0.05), acknack(12, 1.1, 500), data(13, 45, repeated=True)]
    found = explained(rows)
    text = evidence(found, found.causes)
    assert text.startswith(
        "1 of 1 late sample (late: above 100 µs, the 99th percentile of round 4), 0.50 % of all "
        "samples; latency 50.0 ms"
    )
    assert "Sample 150 of writer 1 in round 4, latency 50.0 ms, waited 45.0 ms" in text
    assert text.endswith("(packets 11, 12, 13 of it.pcapng)")


@pytest.mark.parametrize("one_in", [2, 3, 4, 20, 100])
def test_what_is_usual_in_a_round_is_not_late(one_in: int) -> None:
    slow = pl.when(pl.col("seq") % one_in == 0).then(5 * MS + pl.col("seq") * 1000).otherwise(0)
    table = samples().with_columns(read_ns=pl.col("read_ns") + slow.cast(pl.Int64))
    chosen = choose(0, table)
    assert 0 < chosen.late <= 0.05 * chosen.samples


def test_a_lost_sample_has_no_latency() -> None:
    found = explained([sample(1, 0.05)], None)
    (share,) = [each for each in found.causes if each.lost]
    text = evidence(found, [share])
    assert text.startswith("1 of 1 lost sample; never read")
    assert "dropped 7 datagrams" in text and "latency" not in text


def test_parts_of_the_way_are_counted_apart() -> None:
    found = explained([sample(1, 0.05)])
    text = evidence(found, found.causes)
    assert "at least half of the delay: of 1 from the wire to the reading" in text
    assert found.causes[0].least_ns == 50 * MS


OF_A_FILE = {
    "dropped-at-sender",
    "dropped-at-receiver",
    "dropped-by-agent",
    "overwritten",
    "behind-retransmission",
    "not-in-capture",
}
"""Causes that `capture explain FILE` names; rounds have stamps of the processes, which say more."""


SILENT = {"kernel-drop", "lab-link", "unexplained", "none late", "as much as usual"}
"""What no finding of late samples is about: drops of sockets and of links have findings of their
own, and packets that explain nothing accuse nobody."""


@dataclass
class Seen:
    """A case of which this is known."""

    known: LateSamples

    def once(self, _: object) -> LateSamples:
        return self.known


def planted() -> Iterator[tuple[str, LateSamples]]:
    """Yield late samples of each cause, and those that no cause is named for."""
    found = explained([data(11, 0.05), acknack(12, 1.1, 500), data(13, 45, repeated=True)])
    (share,) = found.causes
    for cause in CAUSES:
        if cause not in OF_A_FILE:
            own = [share.model_copy(update={"cause": cause})]
            yield cause, found.model_copy(update={"causes": own, "worst": []})
    bare = found.model_copy(update={"causes": [], "worst": []})
    yield "none late", bare
    left = RoundLeft(round=2, late=7, why="the capture lost 3 packets")
    yield "a round left out", bare.model_copy(update={"left": [left]})
    packet = PacketShown(file="it.pcapng", packet=9, at_ns=5, what="SPDP")
    for name, ordinary in (("more discovery than usual", 1), ("as much as usual", 10)):
        yield (
            name,
            bare.model_copy(
                update={
                    "unproved": 4,
                    "discovery_late": 4,
                    "ordinary": 10,
                    "discovery_ordinary": ordinary,
                    "discovery_packet": packet,
                }
            ),
        )


def test_findings_of_late_samples_are_as_reviewed() -> None:
    """A cause has one finding at most, and no other rule takes it for its own."""
    text = ""
    for name, known in planted():
        view = cast("CaseView", Seen(known))
        seen = [
            f"  {one.severity} {rule.id}: {rule.title}: {one.evidence}\n"
            for rule in rules().values()
            if rule.id.startswith("late-") and rule.check_case
            for one in rule.check_case(view)
        ]
        assert len(seen) == (name not in SILENT), (name, seen)
        text += f"{name}:\n" + ("".join(seen) or "  nothing\n")
    reviewed(Path(__file__).parent / "golden" / "late-findings.txt", text)


def test_late_samples_of_a_case_are_shown_as_reviewed(
    capsys: pytest.CaptureFixture[str],
) -> None:
    found = explained([data(11, 0.05), acknack(12, 1.1, 500), data(13, 45, repeated=True)])
    show(document(found))
    reviewed(Path(__file__).parent / "golden" / "late-document.txt", capsys.readouterr().out)
