"""The adapters on this machine, and the worker that loads them."""

from busmark.adapters.compliance import Compliance, compliance
from busmark.adapters.conformance import check
from busmark.adapters.describe import Adapter, available, describe, resolve
from busmark.adapters.ending import end_group, signal_name
from busmark.adapters.known import known
from busmark.adapters.locate import (
    checker,
    environment,
    forwarder,
    libraries,
    not_startable,
    search_path,
    worker,
)

__all__ = [
    "Adapter",
    "Compliance",
    "available",
    "check",
    "checker",
    "compliance",
    "describe",
    "end_group",
    "environment",
    "forwarder",
    "known",
    "libraries",
    "not_startable",
    "resolve",
    "search_path",
    "signal_name",
    "worker",
]
