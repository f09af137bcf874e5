"""The machine: what it is, what else it does, what its settings do to figures."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from busmark.facts import variables_of
from busmark.findings.rule import (
    Capabilities,
    CheckedFact,
    Observation,
    Profile,
    Rule,
    count,
    duration,
    listed,
    size,
    whole,
)
from busmark.host.condition import STEP_NS
from busmark.host.profile import acting, is_one_of, offered

if TYPE_CHECKING:
    import polars as pl

    from busmark.findings.view import CaseView
    from busmark.model.parameters import Parameters
    from busmark.store.result import Result


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


def machine_changed_in_campaign(result: Result) -> Iterator[Observation]:
    """Yield a note if the wall clock was set between two rounds; a step during a round is known
    already."""
    columns = ["case", "round", "started_utc", "wall_clock_offset_ns", "wall_clock_offset_end_ns"]
    rounds = result.cases.sort("order").select(columns).drop_nulls().iter_rows()
    steps = [
        (begin - before, case, number, started)
        for (*_, before), (case, number, started, begin, _) in pairwise(rounds)
        if abs(begin - before) >= STEP_NS
    ]
    if steps:
        step, case, number, started = max(steps, key=lambda each: abs(each[0]))
        times = f"; so {count(len(steps), 'time')}" if len(steps) > 1 else ""
        yield Observation(
            "note",
            f"by {step / 1e9:+.3f} s before round {number} of {case}, which began at "
            f"{started}{times}",
            title="The wall clock stepped between rounds, or the machine slept or restarted",
            cause="CLOCK_REALTIME moved against CLOCK_MONOTONIC. Latencies are differences of "
            "CLOCK_MONOTONIC and have no part of it; times of captured packets, stamps of the "
            "middleware and the times at which rounds began are on two scales.",
            remedy="Have the time service slew the clock, not step it, while a campaign runs.",
            concerns=("rounds",),
        )


MACHINE_CHANGED = Rule(
    id="machine-changed",
    title="The machine changed during rounds",
    cause="Affinity, clock source, governor, CPU quota or wall clock were not the same at begin "
    "and end of a round, so that its figures mix two settings. Such rounds are marked and left "
    "out; trials of a search count.",
    remedy="End what changes them (an administrator, a tuning daemon, a time service that steps "
    "the clock), then run again.",
    check_case=machine_changed,
    check_campaign=machine_changed_in_campaign,
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
    title="Variables of the environment change every participant",
    cause="The loader and the C library take them by themselves: a library in front of others, or "
    "another allocator, is part of every figure.",
    remedy="Unset them, or state them in the environment of a side of an `ab` comparison.",
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
    elif profile.get("virtualisation") not in (None, "none"):
        yield Observation(
            "note",
            f"no CPU shows a governor; virtual machine under {profile['virtualisation']}",
            title="The frequency governor cannot be seen",
            cause="The host of this virtual machine sets the frequency of its CPUs.",
            remedy="Ask for, or set, the governor `performance` on the host.",
        )


def cpu_governor_fact(profile: Profile) -> CheckedFact:
    governors: dict[str, str] | None = profile.get("governors")
    value = ", ".join(sorted(set(governors.values()))) if governors else None
    return CheckedFact("frequency governor", value, "the frequency does not follow the load")


CPU_GOVERNOR = Rule(
    id="cpu-governor",
    title="The frequency governor is not `performance`",
    cause="CPUs slow down when they have little to do and take up to milliseconds to speed up "
    "again, so that latencies at low rates come out longer than at high ones.",
    remedy="echo performance | sudo tee /sys/devices/system/cpu/cpu*/cpufreq/scaling_governor",
    check_host=cpu_governor_on_host,
    fact=cpu_governor_fact,
)


def turbo_on_host(profile: Profile) -> Iterator[Observation]:
    if profile.get("turbo"):
        yield Observation("note", "the kernel allows frequencies above the nominal one")


def turbo_fact(profile: Profile) -> CheckedFact:
    turbo = profile.get("turbo")
    value = None if turbo is None else "on" if turbo else "off"
    return CheckedFact("turbo", value, "the nominal frequency is never exceeded")


TURBO = Rule(
    id="turbo",
    title="Turbo is on",
    cause="The amount by which CPUs exceed their nominal frequency depends on temperature and on "
    "how many are busy, so results drift and rounds differ.",
    remedy="echo 1 | sudo tee /sys/devices/system/cpu/intel_pstate/no_turbo, or "
    "echo 0 | sudo tee /sys/devices/system/cpu/cpufreq/boost",
    check_host=turbo_on_host,
    fact=turbo_fact,
)


def smt_on_host(profile: Profile) -> Iterator[Observation]:
    if not profile.get("smt_active"):
        return
    cores = [core for core in profile.get("thread_siblings") or [] if len(core) > 1]
    pairs = listed(["+".join(map(str, core)) for core in cores])
    yield Observation("note", f"CPUs that share a core: {pairs or 'not known which'}")


def smt_fact(profile: Profile) -> CheckedFact:
    active = profile.get("smt_active")
    value = None if active is None else "on" if active else "off"
    return CheckedFact("simultaneous multithreading", value, "every CPU has a core to itself")


SMT = Rule(
    id="smt",
    title="CPUs share cores (simultaneous multithreading)",
    cause="Two participants on the two CPUs of one core compete for its units, and wake each "
    'other faster than across cores: "different CPUs" then has two meanings.',
    remedy="Name CPUs of different cores as placement, or switch it off: "
    "echo off | sudo tee /sys/devices/system/cpu/smt/control",
    check_host=smt_on_host,
    fact=smt_fact,
)


def virtual_machine_on_host(profile: Profile) -> Iterator[Observation]:
    name = profile.get("virtualisation")
    if name not in (None, "none"):
        yield Observation("note", f"running under {name}")


def virtual_machine_fact(profile: Profile) -> CheckedFact:
    return CheckedFact("virtualisation", profile.get("virtualisation"), "a physical machine")


VIRTUAL_MACHINE = Rule(
    id="virtual-machine",
    title="Virtual machine",
    cause="Waking another CPU goes through the hypervisor (tens of microseconds), and the host may "
    "stop a CPU at any moment.",
    remedy="Compare figures only within one run; for absolute figures use a physical machine.",
    check_host=virtual_machine_on_host,
    fact=virtual_machine_fact,
)


MAX_LOAD_PER_CPU = 0.25
"""Mean share of a CPU that other work may take. A participant woken at a random moment finds its
CPU taken in that share of cases: above a quarter, the upper quartile is other work's."""


def load_average_on_host(profile: Profile) -> Iterator[Observation]:
    load, cpus = profile.get("load_average"), profile.get("cpus_online")
    if not load or not cpus or load[0] / cpus <= MAX_LOAD_PER_CPU:
        return
    yield Observation(
        "note",
        f"load average {load[0]:.2f} over the last minute on {cpus} CPUs, "
        f"{load[0] / cpus:.2f} for each",
    )


def load_average_fact(profile: Profile) -> CheckedFact:
    load = profile.get("load_average")
    value = " ".join(f"{part:.2f}" for part in load) if load else None
    return CheckedFact("load average", value, "little else is running")


LOAD_AVERAGE = Rule(
    id="load-average",
    title="The machine was not idle in the last minute",
    cause="Other tasks compete with the participants for CPUs and caches. The "
    "load average includes work that ended minutes ago, such as an earlier campaign; work "
    "of other processes during the rounds is reported as `other-load`.",
    remedy="End it, or wait a minute if it has just ended. See what it is: "
    "`ps -eo pcpu,pid,args --sort=-pcpu | head`.",
    check_host=load_average_on_host,
    fact=load_average_fact,
)


MAX_SHARE_OF_MEMORY = 0.01
"""Share of memory that may lie in swap: pages nobody has touched since boot are harmless; a
hundredth of memory means that it has been short."""


def swap_in_use_on_host(profile: Profile) -> Iterator[Observation]:
    used, memory = profile.get("swap_used_bytes"), profile.get("memory_bytes")
    if not used or not memory or used <= MAX_SHARE_OF_MEMORY * memory:
        return
    yield Observation(
        "warning",
        f"{size(used)} of {size(profile.get('swap_total_bytes') or used)} swap used; "
        f"memory {size(memory)}",
    )


def swap_in_use_fact(profile: Profile) -> CheckedFact:
    used = profile.get("swap_used_bytes")
    return CheckedFact(
        "swap in use", size(used) if used is not None else None, "memory has not been short"
    )


SWAP_IN_USE = Rule(
    id="swap-in-use",
    title="Swap is in use",
    cause="Memory has been short; a participant that touches a page on disk waits milliseconds.",
    remedy="End what fills the memory, then `sudo swapoff -a && sudo swapon -a`.",
    check_host=swap_in_use_on_host,
    fact=swap_in_use_fact,
)


def swapped(view: CaseView) -> Iterator[Observation]:
    came, went = view.system("swap_in_pages"), view.system("swap_out_pages")
    total = sum(came.values()) + sum(went.values())
    if total <= 0:
        return
    evidence = (
        f"{whole(sum(came.values()))} pages came from swap and {whole(sum(went.values()))} went "
        f"there in {count(len(came.keys() | went.keys()), 'round')}"
    )
    waited = view.major_faults
    if waited is None:
        yield Observation("warning", evidence, weight=total)
    elif waited:
        evidence += f"; participants waited for a disk {whole(waited)} times"
        yield Observation("warning", evidence, weight=total)
    else:
        evidence += "; no participant waited for a disk"
        yield Observation("note", evidence, weight=total, title=OTHERS, cause=OTHERS_CAUSE)


OTHERS = "Memory of other processes was swapped during the measurement"
OTHERS_CAUSE = (
    "Memory is short (pswpin and pswpout of /proc/vmstat). Participants had no major page fault; "
    "the disk's interrupts and the kernel's search for pages took time of the CPUs."
)


SWAPPED = Rule(
    id="swapped",
    title="Memory was swapped during the measurement",
    cause="Memory is short (pswpin and pswpout of /proc/vmstat): a thread that touches a page on "
    "disk waits milliseconds.",
    remedy="End what fills the memory, then `sudo swapoff -a && sudo swapon -a`; or measure with "
    "`run.lock_memory = true`.",
    check_case=swapped,
    explains=(
        "rate-not-held",
        "rounds-disagree",
        "bimodal",
        "non-stationary",
        "target-missed",
        "udp-drops",
        "loss-under-reliable",
    ),
    concerns=("tail",),
)


LEAST_GROWTH = 4 << 20
"""Bytes in the second half of a round: allocators take memory from the system in pieces of up to
1 MiB, and a participant has several threads with an arena each."""

LEAST_SHARE = 0.1
"""A share of the memory in the middle of the round."""

FEWEST_READINGS = 4
"""In the second half."""


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
    title="Memory of a participant grows throughout the measurement",
    cause="Samples pile up in a queue that has no limit (keep-all history, or a reader that is "
    "behind), or the library keeps what it has sent: a longer run would need more memory.",
    remedy="Measure longer (`measure.duration_s`) to see whether it ends; limit the queue "
    '(`qos.history = "keep_last"`, `qos.max_samples`) or the rate.',
    check_case=memory_grows,
    concerns=("memory_mib", "memory_per_endpoint_mib"),
)


MIN_MEMLOCK_BYTES = 256 << 20
"""What a participant with its recorder needs locked; a page fault costs what real time gains."""


def realtime_limits_planned(
    params: Parameters, profile: Profile, _capabilities: Capabilities
) -> Iterator[Observation]:
    priority = max(params.fifo or 0, params.peer_fifo or 0)
    if priority <= 0 or profile.get("effective_uid") in (None, 0):
        return
    rtprio, memlock = profile.get("rtprio"), profile.get("memlock_bytes")
    if isinstance(rtprio, int) and rtprio < priority:
        yield Observation(
            "error", f"`fifo` asks for priority {priority}; the limit rtprio is {rtprio}"
        )
    if isinstance(memlock, int) and memlock < MIN_MEMLOCK_BYTES:
        yield Observation(
            "warning",
            f"limit memlock is {size(memlock)}, below {size(MIN_MEMLOCK_BYTES)}",
            title="Memory cannot be locked",
            cause="Pages that are not locked may be taken away; a real-time participant then "
            "waits for them.",
            remedy="Add `USER - memlock unlimited` to /etc/security/limits.conf; log in again.",
        )


REALTIME_LIMITS = Rule(
    id="realtime-limits",
    title="Real-time scheduling is not permitted",
    cause="The limit rtprio forbids SCHED_FIFO at the priority asked for.",
    remedy="Add `USER - rtprio 99` to /etc/security/limits.conf and log in again, or run as root.",
    check_plan=realtime_limits_planned,
)
