"""The machine: what it is, what else it does, what its settings do to figures."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from busmark.facts import variables_of
from busmark.findings.rule import (
    Capabilities,
    CheckedFact,
    Observation,
    Profile,
    Rule,
    Severity,
    count,
    duration,
    listed,
    size,
    whole,
)
from busmark.host.profile import acting, is_one_of, offered

if TYPE_CHECKING:
    import polars as pl

    from busmark.findings.view import CaseView
    from busmark.model.parameters import Parameters


def machine_changed(view: CaseView) -> Iterator[Observation]:
    changed = view.values("changed", only_ok=False)
    if changed:
        number, text = next(iter(changed.items()))
        yield Observation(
            "warning",
            f"{view.of_rounds(len(changed), view.finished['round'].to_list())}; round {number}: "
            f"{text}",
            weight=len(changed),
        )


MACHINE_CHANGED = Rule(
    id="machine-changed",
    check_case=machine_changed,
    of_trials=True,
    explains=("rounds-lost",),
    concerns=("rounds",),
)


CONFIG = "config"
"""The option that takes a file of the user's."""


def environment_on_host(profile: Profile) -> Iterator[Observation]:
    if named := _named(profile.get("environment") or {}, acting()):
        yield Observation("warning", listed(named))


def environment_planned(
    params: Parameters, profile: Profile, _capabilities: Capabilities
) -> Iterator[Observation]:
    around = profile.get("environment") or {}
    words = shlex.split(params.side_environment or "")
    own = dict(word.partition("=")[::2] for word in words)
    sides = ((params.adapter, params.settings), (params.peer or "", params.peer_settings))
    for adapter, settings in sides:
        of_adapter = variables_of(adapter)
        taken = of_adapter.config if (settings or {}).get(CONFIG) == "env" else ()
        for variables, severity in ((around, "note"), (own, "warning")):
            ignored = {
                name: value
                for name, value in variables.items()
                if not is_one_of(name, (*taken, *acting()))
            }
            if named := _named(ignored, (*of_adapter.own, *of_adapter.config)):
                yield Observation(
                    "warning" if severity == "warning" else "note",
                    listed(named),
                    group=f"{adapter} {severity}",
                    title=f"{adapter} does not read variables that are set",
                    cause="An adapter takes nothing from the environment unless it is asked to, so "
                    "that a campaign measures what its scenario says.",
                    remedy=_remedy(adapter),
                )
        if read := _named({**around, **own}, taken):
            yield Observation(
                "note",
                listed(read),
                group=f"{adapter} taken",
                title=f"{adapter} is configured by the user's environment",
                cause='The option config = "env" takes it; what the case and other options set '
                "takes precedence over it.",
                remedy="Keep these values, and the files they name, with the results.",
            )


def _remedy(adapter: str) -> str:
    if taken := variables_of(adapter).config:
        return (
            f'Set `{adapter}.config = "env"` in [matrix.option] to have '
            f"{'them' if len(taken) > 1 else taken[0]} read."
        )
    return "Unset them, or state the settings as options of the adapter."


def _named(variables: Mapping[str, str], patterns: Sequence[str]) -> list[str]:
    return [f"{name}={value}" for name, value in variables.items() if is_one_of(name, patterns)]


def environment_fact(profile: Profile) -> CheckedFact:
    variables: Mapping[str, str] | None = profile.get("environment")
    if variables is None:
        return CheckedFact("environment", None, "")
    named = _named(variables, (*acting(), *offered()))
    return CheckedFact(
        "environment",
        listed(named) if named else "nothing that acts on participants",
        "no variable acts on every participant",
    )


ENVIRONMENT = Rule(
    id="environment",
    check_host=environment_on_host,
    check_plan=environment_planned,
    fact=environment_fact,
)


BEST = "performance"


def cpu_governor_on_host(profile: Profile) -> Iterator[Observation]:
    governors: dict[str, str] | None = profile.get("governors")
    if governors:
        slow = {cpu: governor for cpu, governor in governors.items() if governor != BEST}
        if slow:
            named = listed([f"CPU {cpu}: {governor}" for cpu, governor in slow.items()])
            yield Observation("warning", f"{len(slow)} of {len(governors)} CPUs: {named}")


def cpu_governor_fact(profile: Profile) -> CheckedFact:
    governors: dict[str, str] | None = profile.get("governors")
    value = ", ".join(sorted(set(governors.values()))) if governors else None
    return CheckedFact("frequency governor", value, "the frequency does not follow the load")


CPU_GOVERNOR = Rule(
    id="cpu-governor",
    check_host=cpu_governor_on_host,
    fact=cpu_governor_fact,
)


ENOUGH = 3
"""CPUs: one for each of two participants and one for the controller, interrupts and everything
else."""


def usable(profile: Profile) -> int | None:
    """Return the number of CPUs that this process may use; None where that is not known."""
    allowed = profile.get("cpus_allowed")
    number: int | None = len(allowed) if allowed is not None else profile.get("cpus_online")
    return number


def machine_on_host(profile: Profile) -> Iterator[Observation]:
    limits = []
    cpus = usable(profile)
    if cpus is not None and cpus < ENOUGH:
        limits.append(count(cpus, "usable CPU"))
    if (hypervisor := profile.get("virtualisation")) not in (None, "none"):
        limits.append(f"virtual machine ({hypervisor})")
    if profile.get("smt_active"):
        shared = [core for core in profile.get("thread_siblings") or [] if len(core) > 1]
        cores = listed(["+".join(map(str, core)) for core in shared])
        limits.append(f"shared cores ({cores})" if cores else "shared cores")
    if profile.get("turbo"):
        limits.append("turbo")
    if limits:
        yield Observation("note", ", ".join(limits))


MACHINE = Rule(
    id="machine",
    check_host=machine_on_host,
)


def swapped(view: CaseView) -> Iterator[Observation]:
    came, went = view.system("swap_in_pages"), view.system("swap_out_pages")
    total = sum(came.values()) + sum(went.values())
    waited = view.major_faults
    # Memory of other processes that was swapped made no participant wait.
    if total > 0 and waited != 0:
        times = f"; participants waited for a disk {whole(waited)} times" if waited else ""
        yield Observation(
            "warning",
            f"{whole(sum(came.values()))} pages came from swap and {whole(sum(went.values()))} "
            f"went there in {count(len(came.keys() | went.keys()), 'round')}{times}",
            weight=total,
        )


SWAPPED = Rule(
    id="swapped",
    check_case=swapped,
    explains=(
        "rate-not-held",
        "rounds-disagree",
        "bimodal",
        "non-stationary",
        "target-missed",
        "udp-drops",
        "loss-under-reliable",
        "overwritten",
    ),
    concerns=("tail",),
)


LEAST_GROWTH = 4 << 20
"""Bytes in the second half of a round: allocators take memory from the system in pieces of up to
1 MiB, and a participant has several threads with an arena each."""

LEAST_SHARE = 0.1
"""A share of the memory in the middle of the round."""

FEWEST_READINGS = 4
"""Readings in the second half at least."""


def memory_grows(view: CaseView) -> Iterator[Observation]:
    import polars as pl

    grown: list[dict[str, tuple[int, int, int]]] = []
    lengths = view.values("measured_s")
    for number, table in view.system_tables():
        if length := lengths.get(number):
            half_ns = length * 1e9 / 2
            end = pl.col("start_ns") + pl.col("duration_ns")
            within = table.filter(end >= half_ns, end <= 2 * half_ns, scope="process")
            grown.append(dict(_grown(within.sort("interval"))))
    # What grows in every round is no chance of one.
    names = set.intersection(*map(set, grown)) if len(grown) > 1 else set()
    if not names:
        return
    name, growth = max(
        ((n, one[n]) for one in grown for n in names), key=lambda found: found[1][1] - found[1][0]
    )
    begin, end_bytes, length_ns = growth
    evidence = (
        f"{name} grew by {size(end_bytes - begin)}, from {size(begin)}, in the last "
        f"{duration(length_ns)} of a round, and in the second half of all "
        f"{count(len(grown), 'round')}"
    )
    yield Observation("note", evidence, weight=end_bytes - begin)


def _grown(rows: pl.DataFrame) -> Iterator[tuple[str, tuple[int, int, int]]]:
    """Yield growing participants: memory at first and at last, and the time between, ns."""
    import polars as pl

    from busmark.model.resources import READER

    known = rows.filter(pl.col("participant") != READER).drop_nulls(["participant", "rss_bytes"])
    for (name,), own in known.group_by("participant", maintain_order=True):
        memory = own.group_by("interval", maintain_order=True).agg(
            (pl.col("rss_bytes") - pl.col("recorder_bytes").fill_null(0)).sum(),
            pl.col("start_ns").min() + pl.col("duration_ns").max(),
        )
        if memory.height < FEWEST_READINGS:
            continue
        first, last = memory["rss_bytes"][0], memory["rss_bytes"][-1]
        # Steadily: not one large piece, which a queue takes once.
        steps = (memory["rss_bytes"].diff().drop_nulls() > 0).mean()
        growth = last - first
        if growth >= max(LEAST_GROWTH, LEAST_SHARE * first) and (steps or 0) > 0.5:  # type: ignore[operator]
            yield str(name), (first, last, memory["start_ns"][-1] - memory["start_ns"][0])


MEMORY_GROWS = Rule(
    id="memory-grows",
    check_case=memory_grows,
    concerns=("memory_mib", "memory_per_endpoint_mib"),
)


MIN_MEMLOCK_BYTES = 256 << 20
"""Memory that a participant with its recorder must be able to lock; a page fault costs what real
time gains."""


def realtime_limits_planned(
    params: Parameters, profile: Profile, _capabilities: Capabilities
) -> Iterator[Observation]:
    priority = max(params.fifo or 0, params.peer_fifo or 0)
    if priority <= 0 or profile.get("effective_uid") in (None, 0):
        return
    limits: tuple[tuple[str, Severity, int], ...] = (
        ("rtprio", "error", priority),
        ("memlock_bytes", "warning", MIN_MEMLOCK_BYTES),
    )
    for key, severity, needed in limits:
        limit = profile.get(key)
        if isinstance(limit, int) and limit < needed:
            yield Observation(severity, f"limit {key} is {whole(limit)}, below {whole(needed)}")


REALTIME_LIMITS = Rule(
    id="realtime-limits",
    check_plan=realtime_limits_planned,
)
