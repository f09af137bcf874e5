"""Whether dumpcap can capture: asked before anything is measured."""

from __future__ import annotations

import os
import re
import shlex
import shutil

from busmark.errors import UserError
from busmark.launcher import DEVNULL, STDOUT, Launched, Start
from busmark.plugins.capture.dumpcap.taking import complaint

PATIENCE_S = 20.0
INSTALL = "Run: apt-get install wireshark-common"
ALLOW = (
    "Run the command with sudo; or allow dumpcap to do so: sudo setcap "
    "cap_net_raw,cap_net_admin=eip $(command -v dumpcap); or, on Debian, sudo dpkg-reconfigure "
    "wireshark-common, and join the group wireshark."
)
MISSING = "busmark: no dumpcap"
COMPILED = "(000) "
"""How the filter begins when it is compiled for the interface."""
SYNTAX = re.compile(
    r"valid capture filter \((?:can't parse filter expression: )?([^\n]*)\)\.$", re.M
)
MOST_SAID = 300
REFUSED = ("permission", "not permitted", "Permission denied")


def question(interface: str, pattern: str) -> str:
    """Return commands of a shell whose output `refusal` understands. dumpcap opens the interface,
    prints what becomes of the filter, and ends."""
    tried = shlex.join(_words(interface, pattern))
    return f"{{ command -v dumpcap >/dev/null && {tried} 2>&1; }} || echo {shlex.quote(MISSING)}"


def check(interface: str, pattern: str, where: str = "capture") -> None:
    """Ask dumpcap on this machine.

    Raises:
        UserError: it cannot; what to install or to set.
    """
    if shutil.which("dumpcap") is None:
        there = shutil.which("dumpcap", mode=os.F_OK)
        raise _denied(interface, where) if there else _missing(where)
    with Launched(Start(_words(interface, pattern)), "round", stdin=DEVNULL, stderr=STDOUT) as tool:
        try:
            said, _ = tool.complete(PATIENCE_S)
        except TimeoutError:
            said = f"dumpcap: no answer within {PATIENCE_S:g} s"
    if reason := refusal(said, interface, pattern, where):
        raise reason


def refusal(said: str, interface: str, pattern: str, where: str = "capture") -> UserError | None:
    """Return why dumpcap cannot capture, by what it said to `question`; None if it can."""
    if MISSING in said:
        return _missing(where)
    if any(word in said for word in REFUSED):
        return _denied(interface, where)
    reason = complaint(said)
    if not reason and COMPILED in said:
        return None
    if reason.startswith("Invalid capture filter"):
        why = SYNTAX.search(said)
        return UserError(
            f"not a capture filter: {pattern!r}{f' ({why[1]})' if why else ''}",
            where=f"{where}.filter" if where == "capture" else where,
            remedy="Write it as pcap-filter(7) says, such as: udp portrange 7400-7500",
        )
    return UserError(
        f"dumpcap cannot capture on interface {interface}: {reason or said.strip()[:MOST_SAID]}",
        where=where,
        remedy="Name one of the interfaces that `dumpcap -D` lists.",
    )


def _words(interface: str, pattern: str) -> list[str]:
    return ["dumpcap", "-d", "-i", interface, *(["-f", pattern] if pattern else [])]


def _missing(where: str) -> UserError:
    return UserError("a capture needs dumpcap, which is not installed", where=where, remedy=INSTALL)


def _denied(interface: str, where: str) -> UserError:
    return UserError(
        f"dumpcap has no permission to capture on interface {interface}", where=where, remedy=ALLOW
    )
