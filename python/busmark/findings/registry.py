"""The rules, in the order in which findings of one severity are shown.

A rule is a constant in a file of `rules`, or in a module of a plug-in, which is of one subject; its
checks stand before it.
`ORDER` has the rules whose place matters; any other comes behind them.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from pkgutil import iter_modules
from types import ModuleType

from busmark.findings import rules as folder
from busmark.findings.rule import Rule
from busmark.plugin import parts

ORDER = (
    "machine-changed",
    "participant-stopped",
    "rounds-lost",
    "server-lost",
    "samples-unreadable",
    "loss-under-reliable",
    "overwritten",
    "loss-in-latency",
    "loop-stood-still",
    "corrupted",
    "bytes-on-wire",
    "clock-order",
    "placement-impossible",
    "realtime-limits",
    "recorder-full",
    "late-delayed-ack",
    "nagle-delayed-ack",
    "bimodal",
    "non-stationary",
    "rounds-disagree",
    "order-effects",
    "dependent-rounds",
    "other-load",
    "several-hosts",
    "rate-not-held",
    "beside-missed",
    "several-phases",
    "unacknowledged-batches",
    "load-missed",
    "companion-trouble",
    "handshake-in-measurement",
    "link-loss",
    "fragments-lost",
    "udp-drops",
    "tcp-retransmits",
    "late-kernel-drop",
    "late-lab-link",
    "late-tcp-retransmission",
    "late-tcp-window",
    "late-heartbeat-wait",
    "late-rtps-retransmission",
    "late-xrce-retransmission",
    "late-xrce-unrepeated",
    "late-fragments",
    "late-reordering",
    "late-before-match",
    "late-in-relay",
    "late-not-examined",
    "late-elsewhere",
    "late-discovery",
    "late-unexplained",
    "packets-dropped",
    "capture-dropped",
    "socket-buffers",
    "small-fragments",
    "saturated-core",
    "writers-waited",
    "cpu-limit",
    "swapped",
    "steal-time",
    "unpinned",
    "duplicates-or-reorder",
    "foreign-traffic",
    "target-missed",
    "too-few-rounds",
    "too-few-samples",
    "capture-nothing",
    "no-aes-instructions",
    "environment",
    "cpu-governor",
    "clock-undisciplined",
    "clock-source",
    "load-average",
    "few-cpus",
    "smt",
    "turbo",
    "swap-in-use",
    "virtual-machine",
)


@cache
def by_subject() -> dict[ModuleType, list[Rule]]:
    """Return the rules of each subject, as they stand in its file; plug-ins come last."""
    subjects = [
        import_module(f"{folder.__name__}.{each.name}") for each in iter_modules(folder.__path__)
    ]
    subjects += [module for _, module in parts(lambda plugin: plugin.findings)]
    return {
        subject: [each for each in vars(subject).values() if isinstance(each, Rule)]
        for subject in subjects
    }


@cache
def rules() -> dict[str, Rule]:
    """Return all rules by their names, in the order of `ORDER`; any other comes last."""
    found = {rule.id: rule for own in by_subject().values() for rule in own}
    return {name: found[name] for name in (*ORDER, *found) if name in found}
