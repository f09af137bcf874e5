"""What `busmark doctor` shows: everything that was checked, and what to fix."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from busmark.findings.registry import rules
from busmark.findings.rule import Capabilities, Observation, Profile, count, duration, size
from busmark.findings.rules.host import usable
from busmark.findings.run import combine, host_findings
from busmark.host.needs import HERE_TOO
from busmark.plugin import SWITCH, InstalledPlugin

if TYPE_CHECKING:
    from busmark.store.manifest import Finding

UNKNOWN = "not known"

IN_CHECKOUT = (
    " Adapters in C++ are built in a checkout of the repository by `make adapters`; name its "
    "target/release in BUSMARK_ADAPTER_PATH."
)
"""Further remedy where a wheel is installed."""


@dataclass(frozen=True, slots=True)
class Fact:
    """One fact of the machine that was examined.

    `ok` is True when it is in order, False when a finding of severity error or warning says
    otherwise, None when it could not be seen, is only a note, or there is no right or wrong.
    """

    name: str
    value: str
    ok: bool | None
    why: str


def diagnose(
    profile: Profile,
    adapters: dict[str, Capabilities] | None = None,
    missing: dict[str, str] | None = None,
    plugins: Sequence[InstalledPlugin] = (),
) -> list[Finding]:
    """Return what is wrong with this machine for measuring.

    `adapters` are the usable ones with their capabilities, `missing` the others with the reason;
    None: not looked at.
    """
    return combine(
        lacking(),
        host_findings(profile),
        _adapter_findings(adapters, missing),
        _plugin_findings(plugins),
    )


def facts(profile: Profile) -> list[Fact]:
    """Return what was checked and its value, those in order too, then what is merely good to
    know."""
    checked = []
    for rule in rules().values():
        if rule.fact is None or rule.check_host is None:
            continue
        fact = rule.fact(profile)
        found = list(rule.check_host(profile))
        wrong = [seen for seen in found if seen.severity != "note"]
        if fact.value is None:
            ok, why = None, "not available"
        elif found:
            worst: Observation = (wrong or found)[0]
            ok, why = (False if wrong else None), worst.title or rule.title
        else:
            ok, why = True, fact.fine
        checked.append(Fact(fact.name, fact.value or UNKNOWN, ok, why))
    return checked + [
        Fact(name, show(profile) or UNKNOWN, None, why) for name, show, why in INFORMATION
    ]


def needed() -> list[Fact]:
    """Return what every plan asks of this machine for its cases, looked at now."""
    states = [(need, *need.state()) for need in HERE_TOO]
    return [
        Fact(need.name, seen, problem is None, need.fine if problem is None else "see below")
        for need, seen, problem in states
    ]


def lacking() -> list[Finding]:
    """Return what this machine would have to have before cases can run on it."""
    from busmark.store.manifest import Finding

    states = [(need, need.state()[1]) for need in HERE_TOO]
    return [
        Finding(
            id="machine-lacks",
            severity="error",
            title=f"This machine lacks {need.name}",
            cause="Cases that need it are unsupported here: a plan says so before anything runs.",
            evidence=problem.partition(": ")[0],
            remedy=problem.partition(": ")[2],
        )
        for need, problem in states
        if problem
    ]


def _plain(key: str) -> Callable[[Profile], str | None]:
    def show(profile: Profile) -> str | None:
        value = profile.get(key)
        return None if value is None else str(value)

    return show


def _isolated(profile: Profile) -> str | None:
    cpus = profile.get("isolated_cpus")
    return None if cpus is None else ", ".join(map(str, cpus)) or "none"


def _clock(profile: Profile) -> str | None:
    """Return what synchronises the time of day, and how well."""
    sync = profile.get("clock_sync") or {}
    if chrony := sync.get("chrony"):
        return f"chrony, from {chrony['reference']}, within {duration(chrony['bound_ns'])}"
    if ptp := sync.get("ptp"):
        return f"PTP, {ptp['port_state'].lower()}"
    if sync.get("synchronised") is None:
        return None
    return "yes" if sync["synchronised"] else "no"


def _switch(key: str) -> Callable[[Profile], str | None]:
    def show(profile: Profile) -> str | None:
        value = profile.get(key)
        return None if value is None else "on" if value else "off"

    return show


def _bytes(key: str) -> Callable[[Profile], str | None]:
    def show(profile: Profile) -> str | None:
        octets = profile.get(key)
        return None if octets is None else size(octets)

    return show


def _usable(profile: Profile) -> str | None:
    cpus = usable(profile)
    return None if cpus is None else str(cpus)


def _load(profile: Profile) -> str | None:
    load = profile.get("load_average")
    return " ".join(f"{part:.2f}" for part in load) if load else None


INFORMATION: tuple[tuple[str, Callable[[Profile], str | None], str], ...] = (
    ("operating system", _plain("os"), ""),
    ("kernel", _plain("kernel"), ""),
    ("processor", _plain("cpu_model"), ""),
    ("usable CPUs", _usable, "two participants and the rest of the system need three"),
    ("simultaneous multithreading", _switch("smt_active"), "two CPUs of one core share its units"),
    ("turbo", _switch("turbo"), "the frequency depends on temperature and on the busy CPUs"),
    ("virtualisation", _plain("virtualisation"), "the host may stop a CPU at any moment"),
    ("memory", _bytes("memory_bytes"), ""),
    ("swap in use", _bytes("swap_used_bytes"), "memory has been short if this is much of it"),
    ("load average", _load, "work of the last minutes, which may last into a measurement"),
    ("largest UDP receive buffer", _bytes("rmem_max"), "what a middleware may ask for"),
    ("NUMA nodes", _plain("numa_nodes"), "memory of another node is slower to reach"),
    ("isolated CPUs", _isolated, "CPUs that the scheduler leaves to pinned participants"),
    ("transparent huge pages", _plain("transparent_hugepage"), ""),
    ("clock synchronised", _clock, "matters between machines only"),
    ("loopback MTU", _plain("loopback_mtu"), "larger datagrams are cut into fragments"),
    ("Python", _plain("python_version"), ""),
)


def _adapter_findings(
    adapters: dict[str, Capabilities] | None, missing: dict[str, str] | None
) -> list[Finding]:
    from busmark.facts import WHEEL
    from busmark.store.manifest import Finding

    found = []
    if adapters is not None and not adapters:
        found.append(
            Finding(
                id="no-adapter",
                severity="error",
                title="No adapter can be used",
                cause="Busmark measures through adapters, and none was found on this machine.",
                evidence="0 usable adapters",
                remedy="Run `make adapters`, then `busmark adapters`.",
            )
        )
    if missing:
        # The reason of one that is not built begins with its name, too.
        reasons = "; ".join(
            f"{name}: {why.removeprefix(f'{name} is ')}" for name, why in sorted(missing.items())
        )
        found.append(
            Finding(
                id="adapter-missing",
                severity="note",
                title=f"{count(len(missing), 'adapter')} cannot be used here",
                cause="The middleware, a server or a licence is missing, or the adapter is not "
                + ("in the wheel, which has those in Rust only." if WHEEL.is_dir() else "built."),
                evidence=reasons,
                remedy="Run `busmark adapters`: it names the command that installs each."
                + (IN_CHECKOUT if WHEEL.is_dir() else ""),
            )
        )
    return found


def _plugin_findings(plugins: Sequence[InstalledPlugin]) -> list[Finding]:
    from busmark.store.manifest import Finding

    faulty = [each for each in plugins if each.fault]
    if not faulty:
        return []
    return [
        Finding(
            id="plugin-faulty",
            severity="warning",
            title=f"{count(len(faulty), 'plug-in')} cannot be used",
            cause="An installed distribution declares a plug-in that cannot be imported, or that "
            "is not one. Everything else works without it.",
            evidence="; ".join(f"{each.name} of {each.where}: {each.fault}" for each in faulty),
            remedy="Repair, update or remove the distribution, or switch the plug-in off: "
            f"{SWITCH}={','.join(f'-{each.name}' for each in faulty)}.",
        )
    ]
