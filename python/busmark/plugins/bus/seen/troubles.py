"""What goes wrong on a bus: troubles, refusals, failures."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

Message = dict[str, Any]


@dataclass(frozen=True)
class Trouble:
    """One of them."""

    at_ns: int
    """When it was reported, ns since 1970 by the clock of the participant's host."""
    app: int
    group: int | None
    instance: int
    what: str
    """malformed, foreign, stale, overflow, contradiction; refused; failed; gone."""
    text: str
    unreported: int = 0
    """Others of the same time that were not reported, for there were too many."""


def trouble(message: Message) -> Trouble | None:
    """The trouble that a message reports; None: none.

    Raises:
        LookupError, TypeError, ValueError, AttributeError: no participant has written it.
    """
    what, text = _text(message)
    if not what:
        return None
    group = message.get("group")
    return Trouble(
        int(message["at_realtime_ns"]), int(message["app"]), None if group is None else int(group),
        int(message["instance"]), what, text, int(message.get("untold") or 0),
    )  # fmt: skip


def _text(message: Message) -> tuple[str, str]:
    if "trouble" in message:
        return str(message["trouble"]), str(message["message"])
    news = message.get("news")
    if news == "answer" and not message["ok"]:
        return "refused", f"order {message['id']} of caller {message['caller']}: {_why(message)}"
    if news == "ended" and message.get("error"):
        return "failed", f"{message['kind']} {message['test']}: {_why(message)}"
    if news == "event" and message["event"]["event"] == "error":
        return "failed", f"{message['kind']} {message['test']}: {_why(message['event'])}"
    if news == "gone":
        return "gone", f"nothing was heard of it for {message['silent_s']:.0f} s"
    return "", ""


def _why(message: Message) -> str:
    return str(message["error"]["message"])
