"""Rules about secured cases."""

from __future__ import annotations

from typing import Any

import pytest
from planted import ADAPTERS, params

from busmark.findings import plan_findings
from busmark.store import Case


def planned(security: str, **host: Any) -> list[str]:
    case = Case(id="a", params=params("cyclonedds", security=security), status="planned")
    return [each.id for each in plan_findings([case], host, ADAPTERS)]


@pytest.mark.parametrize("security", ["rtps_encrypt", "data_encrypt", "tls"])
def test_encryption_without_instructions_for_it_is_reported_before_the_run(security: str) -> None:
    assert planned(security, aes_instructions=False) == ["no-aes-instructions"]
    assert planned(security, aes_instructions=True) == []
    assert planned(security) == []


@pytest.mark.parametrize("security", ["none", "authentication"])
def test_where_no_sample_is_protected_they_are_not_missed(security: str) -> None:
    assert planned(security, aes_instructions=False) == []
