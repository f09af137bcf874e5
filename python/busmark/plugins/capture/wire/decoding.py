"""How `busmark-packets` is called for a capture of a round, and what it found."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from busmark.adapters import packets as program


class Undecodable(Exception):
    """A capture cannot be decoded; says why."""


@dataclass(frozen=True, slots=True)
class Capture:
    """A file of packets of a round."""

    path: Path
    interface: str
    node: str | None
    """Node on which it was captured; None: this machine."""
    offset_ns: int | None
    """CLOCK_REALTIME minus CLOCK_MONOTONIC there, in this round; None: not known."""


@dataclass(frozen=True, slots=True)
class Decoded:
    """What is known of it."""

    capture: Capture
    table: Path
    """Rows that carry samples, as Arrow IPC."""
    summary: dict[str, Any]

    @property
    def fault(self) -> str | None:
        """Why reading ended before the end of the file."""
        found = self.summary["fault"]
        return f"{found['what']} (at byte {found['offset']})" if found else None


def command(
    capture: Capture, table: Path, cookie: int, window: tuple[int, int],
    sample_bytes: Mapping[int, int],
) -> list[str]:  # fmt: skip
    """What decodes it.

    Args:
        window: times by CLOCK_REALTIME for which costs are counted apart.
        sample_bytes: header and body of all samples of a writer, where they are all alike.
    """
    sizes = [
        word for writer, length in sample_bytes.items()
        for word in ("--sample-bytes", f"{writer}:{length}")
    ]  # fmt: skip
    return [
        str(program()), "--cookie", f"{cookie:016x}", "--window", f"{window[0]}:{window[1]}",
        *sizes, "--samples-only", "--table", str(table), "--", str(capture.path),
    ]  # fmt: skip


def decoded(capture: Capture, table: Path, returncode: int, said: str, errors: str) -> Decoded:
    """What the command has found.

    Raises:
        Undecodable: it has failed.
    """
    if returncode != 0:
        last = errors.strip().splitlines()[-1:] or [f"it ended with {returncode}"]
        raise Undecodable(last[0].removeprefix("busmark-packets: "))
    try:
        summary = json.loads(said)
    except ValueError:
        raise Undecodable("what it printed is no summary") from None
    return Decoded(capture, table, summary)
