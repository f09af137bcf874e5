"""Where a node's traffic goes: its interface and that interface's address."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

METRIC = re.compile(r"[0-9]{1,10}")
NO_NET = "00000000"
"""Destination of the default route in /proc/net/route."""


@dataclass(frozen=True)
class Address:
    """An interface and its address; what is empty is not known, or left to the node."""

    interface: str = ""
    address: str = ""


ANY = Address()


def address_of(wanted: Address, interfaces: list[dict[str, Any]], routes: str) -> Address:
    """What is wanted, completed by what the node has.

    By default it is the interface of the default route, else the first that leads to other hosts,
    else the first of all. The address is the interface's first one, IPv4 before IPv6.

    Args:
        interfaces: every address of every interface that is up, as `busmark-worker interfaces`
            prints them: name, address, loopback.
        routes: lines of the node's /proc/net/route.

    Raises:
        LookupError: the node has no such interface or address.
    """
    found = sorted(interfaces, key=lambda each: ":" in each["address"])
    fitting = [each for each in found if _fits(each, wanted)]
    if not fitting:
        asked = f" {wanted.interface}" if wanted.interface else ""
        asked += f" with {wanted.address}" if wanted.address else ""
        known = ", ".join(f"{each['name']} with {each['address']}" for each in found) or "none"
        raise LookupError(f"it has no interface{asked}; those that are up: {known}")
    default = _default_interface(routes)
    best = min(fitting, key=lambda each: (each["name"] != default, each["loopback"]))
    return Address(best["name"], best["address"])


def _fits(each: dict[str, Any], wanted: Address) -> bool:
    return wanted.interface in ("", each["name"]) and wanted.address in ("", each["address"])


def _default_interface(routes: str) -> str | None:
    """That of the default route which is preferred: columns are interface, destination, gateway,
    flags, references, uses, metric, mask …"""
    words = [line.split() for line in routes.splitlines()]
    defaults = [
        (int(each[6]), each[0])
        for each in words
        if len(each) > 7 and each[1] == each[7] == NO_NET and METRIC.fullmatch(each[6])
    ]
    return min(defaults, default=(0, None))[1]
