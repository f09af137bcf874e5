"""Names of adapters and libraries."""

from __future__ import annotations

import pytest

from busmark.model.naming import short_names, short_title


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
