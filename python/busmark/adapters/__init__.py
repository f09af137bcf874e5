"""The adapters on this machine, and the worker that loads them."""

from busmark.adapters.compliance import Cell, Compliance, compliance
from busmark.adapters.conformance import EVIDENCE, check, kept_form
from busmark.adapters.describe import (
    Adapter,
    available,
    describe,
    first_here,
    misnamed,
    resolve,
)
from busmark.adapters.known import (
    Fault,
    checker,
    environment,
    forwarder,
    known,
    libraries,
    not_startable,
    packets,
    search_path,
    worker,
)

__all__ = [
    "EVIDENCE",
    "Adapter",
    "Cell",
    "Compliance",
    "Fault",
    "available",
    "check",
    "checker",
    "compliance",
    "describe",
    "environment",
    "first_here",
    "forwarder",
    "kept_form",
    "known",
    "libraries",
    "misnamed",
    "not_startable",
    "packets",
    "resolve",
    "search_path",
    "worker",
]
