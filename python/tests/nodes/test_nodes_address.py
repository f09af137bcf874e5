"""Where a node's traffic goes."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from busmark.nodes.site import Address, address_of


def entry(name: str, address: str) -> dict[str, Any]:
    return {"name": name, "address": address, "loopback": name == "lo"}


HOST = [
    entry("lo", "127.0.0.1"), entry("lo", "::1"), entry("eth0", "fe80::1"),
    entry("eth0", "192.0.2.2"), entry("eth1", "10.0.0.2"), entry("eth1", "10.0.0.3"),
]  # fmt: skip
HEAD = "Iface Destination Gateway Flags RefCnt Use Metric Mask MTU Window IRTT\n"
ROUTES = HEAD + (
    "eth1\t00000000\t0100000A\t0003\t0\t0\t100\t00000000\t0\t0\t0\n"
    "eth0\t00000000\t010200C0\t0003\t0\t0\t200\t00000000\t0\t0\t0\n"
    "eth0\t000200C0\t00000000\t0001\t0\t0\t0\t00FFFFFF\t0\t0\t0\n"
)


@pytest.mark.parametrize(
    ("wanted", "routes", "expected"),
    [
        (Address(), ROUTES, Address("eth1", "10.0.0.2")),
        (Address(), HEAD, Address("eth0", "192.0.2.2")),
        (Address(), "cat: /proc/net/route: No such file", Address("eth0", "192.0.2.2")),
        (Address(interface="eth0"), ROUTES, Address("eth0", "192.0.2.2")),
        (Address(address="10.0.0.3"), ROUTES, Address("eth1", "10.0.0.3")),
        (Address(address="127.0.0.1"), ROUTES, Address("lo", "127.0.0.1")),
        (Address("eth0", "fe80::1"), ROUTES, Address("eth0", "fe80::1")),
    ],
)
def test_what_is_not_said_is_taken_from_the_node(
    wanted: Address, routes: str, expected: Address
) -> None:
    assert address_of(wanted, HOST, routes) == expected


@pytest.mark.parametrize(
    ("wanted", "says"),
    [
        (Address(interface="eth7"), "no interface eth7; those that are up: lo with 127.0.0.1"),
        (Address(address="10.9.9.9"), "no interface with 10.9.9.9"),
        (Address("eth0", "10.0.0.2"), "no interface eth0 with 10.0.0.2"),
    ],
)
def test_what_the_node_does_not_have_is_told(wanted: Address, says: str) -> None:
    with pytest.raises(LookupError, match=says.replace(".", r"\.")):
        address_of(wanted, HOST, ROUTES)


def test_a_node_without_a_network_is_told() -> None:
    with pytest.raises(LookupError, match="no interface; those that are up: none"):
        address_of(Address(), [], HEAD)


@given(st.lists(st.sampled_from(HOST), min_size=1), st.text(max_size=80))
def test_whatever_the_routes_say_it_is_one_of_the_node(
    interfaces: list[dict[str, Any]], routes: str
) -> None:
    found = address_of(Address(), interfaces, routes)
    assert (found.interface, found.address) in {(e["name"], e["address"]) for e in interfaces}
