"""Who reads the counters of what participants cost."""

from __future__ import annotations

READER = "counters"
"""The participant in the table `system` that reads the counters; no part of what is measured."""
