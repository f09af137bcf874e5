"""The rules, in the order in which findings of one severity are shown.

A rule `some-name` is the file `rules/some_name.py` with a constant `RULE`. `ORDER` has those whose
place matters; any other comes behind them.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from pkgutil import iter_modules

from busmark.findings import rules as rules_folder
from busmark.findings.rule import Rule

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

_FILES = sorted(each.name.replace("_", "-") for each in iter_modules(rules_folder.__path__))
RULES = (*ORDER, *(name for name in _FILES if name not in ORDER))


@cache
def load(rule_id: str) -> Rule:
    """The rule of this name."""
    module = import_module(f"busmark.findings.rules.{rule_id.replace('-', '_')}")
    rule = module.RULE
    if not isinstance(rule, Rule) or rule.id != rule_id:
        raise TypeError(f"{module.__name__}.RULE is not the rule {rule_id!r}")
    return rule


def rules() -> list[Rule]:
    """All rules, in the order of `RULES`."""
    return [load(rule_id) for rule_id in RULES]
