"""What cases are called, and what the sentences claim."""

from __future__ import annotations

from typing import Any

from busmark.model.naming import labels, meant, name_cases
from hypothesis import given
from hypothesis import strategies as st

from busmark.model import naming as dim
from busmark.model.parameters import Parameters

TITLES = {"udp": {"title": "UDP socket"}, "cyclonedds": {"title": "Cyclone DDS"}}


def flat(**params: object) -> dim.Flat:
    return dim.flatten(
        Parameters.model_validate({"test": "latency", "size": 64, "placement": "same"} | params)
    )


def test_a_choice_within_an_adapter_is_in_the_label_and_one_between_adapters_is_not() -> None:
    named = name_cases(
        {
            "a": flat(adapter="udp", transport="udp"),
            "b": flat(adapter="cyclonedds", transport="shm", qos='{"reliability":"reliable"}'),
            "c": flat(adapter="cyclonedds", transport="shm", qos={"reliability": "best_effort"}),
        },
        TITLES,
    )
    assert [n.label for n in named.values()] == [
        "UDP socket", "Cyclone DDS · reliable", "Cyclone DDS · best effort",
    ]  # fmt: skip
    assert named["a"].choices == {"transport": "udp"}


def test_what_varies_in_the_workload_is_not_in_the_label() -> None:
    named = name_cases(
        {"a": flat(adapter="udp", rate_hz=100.0), "b": flat(adapter="udp", rate_hz=1000.0)}, TITLES
    )
    assert {n.label for n in named.values()} == {"UDP socket"}
    assert named["b"].workload == {"rate": "1\u202f000 /s"}


def test_cases_that_look_the_same_are_told_apart_by_their_identifier() -> None:
    named = name_cases({"a": flat(adapter="udp"), "b": flat(adapter="udp", samples=5)}, TITLES)
    assert [n.label for n in named.values()] == ["a", "b"]


def test_what_all_have_in_common_is_not_in_the_label() -> None:
    cases = {
        name: flat(adapter="cyclonedds", transport="udp", qos={"reliability": name})
        for name in ("reliable", "best_effort")
    }
    cases["floor"] = flat(adapter="null", transport="memory")
    named = name_cases(cases, TITLES)
    assert [n.label for n in named.values()] == ["reliable", "best effort", "floor (null adapter)"]
    assert {n.title for name, n in named.items() if name != "floor"} == {"Reliability"}
    assert named["reliable"].parts == {"Middleware": "Cyclone DDS", "reliability": "reliable"}


def test_the_middleware_is_named_where_one_test_has_nothing_else_to_tell() -> None:
    named = name_cases(
        {
            "a": flat(adapter="udp", qos={"reliability": "reliable"}),
            "b": flat(adapter="udp", qos={"reliability": "best_effort"}),
            "c": flat(adapter="udp", test="throughput", qos={"reliability": "reliable"}),
        },
        TITLES,
    )
    assert [n.label for n in named.values()] == ["reliable", "best effort", "UDP socket"]
    assert [n.title for n in named.values()] == ["Reliability", "Reliability", "Middleware"]


def test_history_and_depth_are_one_choice() -> None:
    named = name_cases(
        {
            "a": flat(adapter="udp", qos={"history": "keep_last", "depth": 1}),
            "b": flat(adapter="udp", qos={"history": "keep_last", "depth": 8}),
            "c": flat(adapter="udp", qos={"history": "keep_all"}),
        },
        TITLES,
    )
    assert [n.label for n in named.values()] == ["keep last 1", "keep last 8", "keep all"]
    assert {n.title for n in named.values()} == {"History"}


VALUES = {
    "adapter": ["udp", "cyclonedds", "null"],
    "transport": ["udp", "shm", "tcp"],
    "profile": ["default", "tuned"],
    "qos.reliability": ["reliable", "best_effort", "none"],
    "qos.history": ["keep_last", "keep_all"],
    "qos.depth": [1, 10],
    "placement": ["same", "different"],
    "size": [64, 1024],
    "rate_hz": [None, 1000.0],
}
CAMPAIGN = st.lists(
    st.fixed_dictionaries({name: st.sampled_from(of) for name, of in VALUES.items()}),
    min_size=1, max_size=12, unique_by=lambda case: tuple(case.values()),
)  # fmt: skip


@given(CAMPAIGN)
def test_labels_are_unique_and_tell_only_what_varies(drawn: list[dict[str, Any]]) -> None:
    flats = {f"case {n}": {"test": "latency", **case} for n, case in enumerate(drawn)}
    flats = {case: {k: v for k, v in each.items() if v is not None} for case, each in flats.items()}
    named = name_cases(flats, TITLES)
    real = [case for case in flats if not named[case].is_floor]
    places = [(flats[c]["placement"], flats[c]["size"], *named[c].workload.items()) for c in real]
    told = list(zip((named[case].label for case in real), places, strict=True))
    assert len(set(told)) == len(told)
    for name in VALUES:
        values = {str(flats[case].get(name)) for case in real}
        shown = {dim.choice_text(name, flats[case][name]) for case in real if name in flats[case]}
        if name == "adapter":
            shown = {named[case].parts["Middleware"] for case in real}
        if len(values) == 1 and len({named[case].label for case in real}) > 1:
            assert not [c for c in real if shown & set(named[c].label.split(" · "))], name


def test_a_campaign_of_the_null_adapter_only_is_no_floor() -> None:
    named = name_cases({"a": flat(adapter="null")}, TITLES)
    assert not named["a"].is_floor


def test_variants_of_an_adapter_are_numbered_and_floors_are_not() -> None:
    made = labels(
        [("x · 1", "x", False), ("y", "y", False), ("x · 2", "x", False), ("f", "n", True)]
    )
    assert [label.variant for label in made] == [0, 0, 1, 0]


def test_a_case_is_meant_by_its_name_its_number_or_a_pattern() -> None:
    names = ["000-latency-udp-64B", "001-latency-udp-1000Hz", "002-latency-tcp-64B"]
    assert meant(names, names[1]) == [names[1]]
    assert meant(names, "000") == [names[0]], "not every name that has these digits"
    assert meant(names, "*-64B") == [names[0], names[2]]
    assert meant(names, "003") == meant(names, "udp") == []
