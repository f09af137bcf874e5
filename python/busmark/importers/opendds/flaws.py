"""What is known to be wrong with the figures of OpenDDS Bench, from its sources."""

from __future__ import annotations

from busmark.importers.model import Flaw, Imported, Observed

CLOCKS = Flaw(
    "opendds-clocks", "warning", "One-way latency is a difference of wall clocks",
    "Both stamps are of the system's clock. Between hosts the difference of their clocks is in it, "
    "and a step of a clock leaks into round trips too.",
    "On several hosts use round trips; see that no clock was set during the run.",
)  # fmt: skip
LAST_THOUSAND = Flaw(
    "opendds-median", "warning", "Median and MAD are of the last samples only",
    "They are of the last thousand samples of each reader (unless set otherwise); mean, least and "
    "greatest are of all.",
    "Set a larger median buffer, or do not compare the median with the mean.",
)  # fmt: skip
RATE = Flaw(
    "opendds-throughput", "warning", "Throughput is a mean of running means",
    "With every sample the rate since the begin is entered, and their mean is printed: "
    "the start weighs most. Octets are of the data as it is in memory, not as it is sent.",
    "Do not compare it with goodput.",
)  # fmt: skip
PER_HOP = Flaw(
    "opendds-per-hop", "note", "Round trips are divided by their hops",
    "round_trip_latency is the round trip over the number of hops, which the file does not state. "
    "For one echo it is RTT/2.",
    "Where there was one echo, compare it with RTT/2 of others.",
)  # fmt: skip
DEVIATION = Flaw(
    "opendds-deviation", "note", "The deviation leaves differences between readers out",
    "The report parser adds up the variance inside readers only.",
    "Import the report of the test controller: from it all of the deviation is computed.",
)  # fmt: skip
MICROSECONDS = Flaw(
    "opendds-six-decimals", "note", "Times are whole microseconds",
    "The summary has six decimals of a second.",
    "Import the report of the test controller.",
)  # fmt: skip
NO_PERCENTILES = Flaw(
    "opendds-no-percentiles", "note", "There are no percentiles but the median",
    "OpenDDS Bench keeps moments, and its last samples.",
    "For a tail measure with a tool that keeps all samples.",
)  # fmt: skip

FLAWS = (CLOCKS, LAST_THOUSAND, RATE, PER_HOP, DEVIATION, MICROSECONDS, NO_PERCENTILES)


def observe(imported: Imported, form: str) -> None:
    """Those that the file shows."""
    found = imported.observed
    timed = [r for r in imported.runs if r.stated]
    one_way = [r for r in timed if r.params["test"] == "throughput"]
    round_trips = [r for r in timed if r.params["test"] == "latency"]
    if timed:
        found.append(Observed(CLOCKS, "the tool stamps with the system's clock", timed))
        found.append(Observed(NO_PERCENTILES, "no property of that kind", timed))
    for run in timed:
        counts = {s.statistic: s.count for s in run.stated if s.quantity in ("one_way", "per_hop")}
        kept, of = counts.get("percentile"), counts.get("mean")
        if kept and of and kept < of:
            found.append(Observed(LAST_THOUSAND, f"{kept} of {of} samples", [run]))
    if form == "report" and any("mbit_per_s" in r.values for r in one_way):
        found.append(Observed(RATE, "throughput_mean of each reader, added up", one_way))
    if round_trips:
        found.append(Observed(PER_HOP, "round_trip_latency", round_trips))
    if form != "report" and timed:
        found.append(Observed(DEVIATION, "a summary of all readers", timed))
    if form != "report" and timed:
        found.append(Observed(MICROSECONDS, "a summary of the report parser", timed))
