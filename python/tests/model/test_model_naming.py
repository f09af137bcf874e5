"""Names of adapters and libraries."""

from __future__ import annotations

from typing import Any

import pytest

from busmark.model.naming import name_cases, named_workloads, short_names, short_title


@pytest.mark.parametrize(
    ("adapters", "names"),
    [
        (["udp", "tcp"], ["udp", "tcp"]),
        (["./a/libbusmark_udp.so", "/b/libbusmark_tcp.so"], ["udp", "tcp"]),
        (["./a/libbusmark_udp.so", "./b/libbusmark_udp.so"], ["a/udp", "b/udp"]),
        (["/x/a/rel/libbusmark_udp.so", "/x/b/rel/libbusmark_udp.so"], ["a/udp", "b/udp"]),
        (["udp", "./b/libbusmark_udp.so"], ["udp", "b/udp"]),
        (["/a/x/libm.so", "/a/y/libm.so", "/b/x/libm.so"], ["/a/x/m", "y/m", "b/m"]),
    ],
)
def test_libraries_of_one_file_name_are_named_by_what_their_paths_differ_in(
    adapters: list[str], names: list[str]
) -> None:
    assert list(short_names(adapters).values()) == names


def test_titles_of_libraries_that_declare_one_are_set_apart() -> None:
    declared = {
        name: {"title": "UDP socket"} for name in ("udp", "./a/libbusmark_udp.so", "./udp2.so")
    }
    titles = [short_title(name, declared) for name in declared]
    assert titles == ["UDP socket", "UDP socket (a)", "UDP socket (udp2)"]


def stream(adapter: str, workload: str, size: int, rate_hz: float, **more: object) -> Any:
    return {"test": "throughput", "adapter": adapter, "workload": workload, "size": size,
            "rate_hz": rate_hz, "placement": "different", **more}  # fmt: skip


ADAPTERS = {
    name: {"name": name, "title": name.upper(), "middleware_version": version}
    for name, version in (("rmw", "rmw 7.8.2, rmw_fastrtps_cpp 9.3.3"), ("rmw-jazzy", "rmw 7.3.1"))
}


def test_the_name_of_a_workload_stands_for_whatever_its_cases_have_in_common() -> None:
    cases = {
        str(place): stream(adapter, name, size, rate, **{"qos.reliability": reliability})
        for place, (adapter, (name, size, rate, reliability)) in enumerate(
            (adapter, of)
            for adapter in ("rmw", "rmw-jazzy")
            for of in (("Imu", 324, 200.0, "best_effort"), ("Image", 4096, 30.0, "reliable"))
        )
    }
    named = name_cases(cases, ADAPTERS)
    assert [each.label for each in named.values()] == ["RMW", "RMW", "RMW-JAZZY", "RMW-JAZZY"]
    assert [each.workload for each in named.values()] == 2 * [
        {"workload": "Imu"},
        {"workload": "Image"},
    ]
    assert not any(each.choices for each in named.values())
    assert named_workloads(cases.values()) == {
        "Imu": "324 B, rate 200 /s, best effort",
        "Image": "4 KiB, rate 30 /s, reliable",
    }


def test_what_differs_within_a_workload_is_in_no_description_of_it() -> None:
    cases = {
        str(topics): stream("rmw", "Imu", 324, 200.0, topics=topics, transport=transport)
        for topics, transport in ((1, "udp"), (2, "shm"))
    }
    named = name_cases(cases, ADAPTERS)
    assert [each.label for each in named.values()] == ["udp", "shm"]
    assert named["2"].workload == {"workload": "Imu", "topics": "2"}
    assert named_workloads(cases.values()) == {"Imu": "324 B, rate 200 /s"}


def test_an_option_that_users_know_the_middleware_by_is_its_name() -> None:
    known = {"settings.implementation": "rmw_zenoh_cpp"}
    cases = {
        "0": stream("rmw", "Imu", 324, 200.0, **known),
        "1": stream("rmw-jazzy", "Imu", 324, 200.0, **known),
        "2": stream("rmw", "Imu", 324, 200.0),
    }
    labels = [each.label for each in name_cases(cases, ADAPTERS).values()]
    assert labels == ["rmw_zenoh_cpp (Kilted)", "rmw_zenoh_cpp (Jazzy)", "RMW"]
