"""Clocks: sources, steps, and how well the clocks of several hosts agree."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from busmark.findings.rule import CheckedFact, Observation, Profile, Rule, count, duration, whole
from busmark.host.profile import differences

if TYPE_CHECKING:
    from busmark.findings.view import CaseView
    from busmark.store.result import Result


def clock_order(view: CaseView) -> Iterator[Observation]:
    before = samples = 0
    least = 0.0
    for series in view.latencies.values():
        before += int((series < 0.0).sum())
        samples += int(series.size)
        least = min(least, float(series.min()))
    if before:
        yield Observation(
            "error",
            f"{whole(before)} of {whole(samples)} samples; {view.quantity} down to "
            f"{duration(least)}",
            weight=-least,
        )


CLOCK_ORDER = Rule(
    id="clock-order",
    check_case=clock_order,
    of_trials=True,
    concerns=("latency",),
)


IN_USER_SPACE = {"tsc", "arch_sys_counter", "riscv_clocksource", "timebase", "tod"}
"""Counters of the CPU itself, read without a system call in about 20 ns."""

PARAVIRTUAL = {"kvm-clock", "hyperv_clocksource_tsc_page"}
"""Read without a system call too, but scaled by figures of the host: some 10 ns more."""

SYSFS = "/sys/devices/system/clocksource/clocksource0/current_clocksource"


def clock_source_on_host(profile: Profile) -> Iterator[Observation]:
    current = profile.get("clocksource")
    if current is None or current in IN_USER_SPACE:
        return
    available = profile.get("clocksources_available") or []
    evidence = f"current: {current}; available: {', '.join(available) or 'not known'}"
    if current in PARAVIRTUAL:
        cause = (
            "The clock is the hypervisor's: read without a system call, some 10 ns slower than "
            "the CPU's own counter, and it may step when the machine is moved."
        )
        yield Observation("note", evidence, cause=cause, remedy=_remedy(available))
    else:
        yield Observation("warning", evidence, remedy=_remedy(available))


def _remedy(available: list[str]) -> str:
    if "tsc" in available:
        return f"echo tsc | sudo tee {SYSFS}"
    return (
        "The kernel does not trust the TSC of this machine. See why with `dmesg | grep -i tsc`; "
        "boot with `tsc=reliable` only if the hardware's maker vouches for it."
    )


def clock_source_fact(profile: Profile) -> CheckedFact:
    return CheckedFact(
        "clock source", profile.get("clocksource"), "read in user space, about 20 ns"
    )


CLOCK_SOURCE = Rule(
    id="clock-source",
    remedy=f"echo tsc | sudo tee {SYSFS}",
    check_host=clock_source_on_host,
    fact=clock_source_fact,
)


BY_TIME_OF_DAY = {
    "lifespan_s": "lifespan",
    "destination_order": "destination order by source time stamp",
}
"""QoS that compares time stamps of two hosts, and how it is called."""


def clock_undisciplined_in_campaign(result: Result) -> Iterator[Observation]:
    nodes = {name: host for name, host in result.manifest.hosts.items() if host.get("clock_id")}
    if len({host["clock_id"] for host in nodes.values()}) < 2:
        return
    free = {name: host["clock_sync"] for name, host in nodes.items() if _runs_free(host)}
    if not free:
        return
    asked = _asked(result)
    evidence = f"{count(len(free), 'node')} of {len(nodes)}: " + "; ".join(
        f"{name} ({', '.join(sync.get('daemons') or []) or 'no daemon for it runs'})"
        for name, sync in free.items()
    )
    if asked:
        evidence += f"; cases ask for {' and '.join(asked)}"
    cause = OF_TIME_OF_DAY if asked else ""
    yield Observation("warning" if asked else "note", evidence, cause=cause)


OF_TIME_OF_DAY = (
    "These policies compare stamps of one host's time of day with another's, and nothing "
    "disciplines the clocks of these nodes."
)


def _runs_free(host: dict[str, Any]) -> bool:
    sync = host.get("clock_sync")
    return sync is not None and sync.get("synchronised") is False


def _asked(result: Result) -> list[str]:
    """Return the policies of planned cases that compare times of day of two nodes."""
    found = []
    for case in result.manifest.cases:
        params = case.params
        if case.status == "planned" and params.network == "nodes":
            if params.policy("lifespan_s"):
                found.append(BY_TIME_OF_DAY["lifespan_s"])
            if params.policy("destination_order") == "source":
                found.append(BY_TIME_OF_DAY["destination_order"])
    return list(dict.fromkeys(found))


CLOCK_UNDISCIPLINED = Rule(
    id="clock-undisciplined",
    check_campaign=clock_undisciplined_in_campaign,
)


def several_hosts_in_campaign(result: Result) -> Iterator[Observation]:
    later = result.manifest.resumptions
    if not later or "" not in result.manifest.hosts:
        return
    names = dict.fromkeys(name for resumption in later for name in resumption.nodes)
    lines = []
    for name in ("", *names):
        parts = _parts(result, name)
        differing: dict[str, tuple[object, object]] = {}
        for (host, _), (following, _) in pairwise(parts):
            differing |= differences(host, following)
        if differing:
            shares = ", then ".join(
                f"{count(rounds, 'round')} on {host.get('hostname') or 'a host without a name'}"
                for host, rounds in parts
            )
            facts = "; ".join(
                f"{fact}: {old}, then {new}" for fact, (old, new) in differing.items()
            )
            of = f"node {name}: " if name else ""
            lines.append(f"{of}{shares}; they differ in {facts}")
    if lines:
        yield Observation("warning", "; ".join(lines))


def _parts(result: Result, name: str) -> list[tuple[Profile, int]]:
    """Return the hosts that stood for a node, or on which the campaign ran (""), each with the
    number of rounds that it measured; hosts without rounds are left out."""
    import polars as pl

    hosts = [(0, result.manifest.hosts.get(name))]
    for resumption in result.manifest.resumptions:
        host = resumption.nodes.get(name) if name else resumption.host
        if host is not None:
            hosts.append((resumption.first_order, host))
    measured = result.cases.filter(pl.col("status") != "failed")
    if name:
        measured = measured.filter(pl.col("nodes").str.split(";").list.contains(name))
    ends = [*(begin for begin, _ in hosts[1:]), 2**31]
    parts = [
        (host, int(measured["order"].is_between(begin, end, closed="left").sum()))
        for (begin, host), end in zip(hosts, ends, strict=True)
        if host is not None
    ]
    return [(host, rounds) for host, rounds in parts if rounds]


SEVERAL_HOSTS = Rule(
    id="several-hosts",
    check_campaign=several_hosts_in_campaign,
)
