"""The adapters on this machine, and the worker that loads them."""

from busmark.adapters.compliance import AdapterProperty, Compliance, compliance
from busmark.adapters.conformance import EVIDENCE, check, kept_form
from busmark.adapters.describe import (
    Adapter,
    available,
    describe,
    first_here,
    misnamed,
    resolve,
)
from busmark.adapters.installed import (
    BUS,
    bus,
    checker,
    environment,
    forwarder,
    libraries,
    not_startable,
    packets,
    search_path,
    worker,
)
from busmark.facts import Fault, adapter_facts

__all__ = [
    "BUS",
    "EVIDENCE",
    "Adapter",
    "AdapterProperty",
    "Compliance",
    "Fault",
    "adapter_facts",
    "available",
    "bus",
    "check",
    "checker",
    "compliance",
    "describe",
    "environment",
    "first_here",
    "forwarder",
    "kept_form",
    "libraries",
    "misnamed",
    "not_startable",
    "packets",
    "resolve",
    "search_path",
    "worker",
]
