"""Faults of middleware are named only where they can occur, each with a program that shows it."""

from __future__ import annotations

from pathlib import Path

import pytest

from busmark.adapters import Fault, adapter_facts

ROOT = Path(__file__).resolve().parents[3]
FAULTS = [fault for adapter in adapter_facts().values() for fault in adapter.faults]


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.program)
def test_a_fault_has_a_program_and_says_how_a_worker_ends(fault: Fault) -> None:
    assert (ROOT / fault.program).is_file()
    assert fault.text.startswith(f"{fault.middleware} ") and fault.text.endswith(fault.what)
    assert fault.occurs(fault.transport or "udp", fault.participants, dict(fault.options))


def test_a_fault_between_participants_of_a_process_is_not_named_elsewhere() -> None:
    fault = Fault(
        middleware="m", what="w", program="p", participants=2, options={"intraprocess": "full"}
    )
    assert fault.occurs("udp", 2, {}) and fault.occurs("shm", 3, {"intraprocess": "full"})
    assert not fault.occurs("udp", 1, {}) and not fault.occurs("udp", 2, {"intraprocess": "off"})
    assert not Fault(middleware="m", what="w", program="p", transport="tcp").occurs("udp", 1, {})
