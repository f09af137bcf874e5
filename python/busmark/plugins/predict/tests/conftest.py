"""Where the makers of results are."""

from __future__ import annotations
