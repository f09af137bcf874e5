"""What the conformance suite found of an adapter: running it, keeping it, and what it shows.

Outcomes are kept under the digest of the library, in the user's cache: a library that was built
anew is another one, of which nothing is known. What is known goes into manifests.
"""

from __future__ import annotations

import datetime
import hashlib
import json
import os
from collections.abc import Mapping
from io import BufferedReader
from pathlib import Path
from typing import Any, Literal, cast

from busmark import files
from busmark.adapters.installed import CHECKER, checker, environment, not_startable
from busmark.errors import UserError
from busmark.launcher import DEVNULL, PIPE, Launched, PrintsWithoutEnd, Start
from busmark.model.parameters import CAPABILITIES, QOS
from busmark.processes import end_part

SECURITY = {
    "authentication": "participants prove who they are",
    "access_control": "and do only what their permissions allow",
    "discovery": "access control, and what is said of endpoints encrypted",
    "rtps_sign": "access control, and messages signed",
    "rtps_encrypt": "access control, and messages encrypted",
    "data_sign": "access control, and payloads signed",
    "data_encrypt": "access control, and payloads encrypted",
    "metadata_encrypt": "access control, and submessages encrypted",
    "all": "all of it encrypted",
    "tls": "TLS 1.3, both sides with certificates",
    "curve": "CURVE: both sides with key pairs of Curve25519",
}
"""The profiles of `matrix.security`."""


Outcome = Literal["proved", "accepted", "untested", "failed", "declared"]
"""proved: seen by its effect; accepted: not refused, and no effect could be seen on one host;
untested: could not be tested here; failed: seen not to hold; declared: the suite has no test of
it."""

CHECK_TIMEOUT_S = 1800.0
"""The suite ends tests that hang by itself; this is for one that does not."""

DETAIL_CHARACTERS = 300

CHANGES = ("c26_set_qos_takes_effect_while_traffic_flows",)
"""Tests of what can change at run time, all policies together."""

ACCEPTED_ONLY = ("c08_order_by_source_keeps_the_order_of_writing",)
"""Tests that see no effect that would not be there by chance."""

_PAYLOADS = (
    "c07_every_payload_kind_arrives_bit_for_bit",
    "c07_bodies_of_random_sizes_arrive_bit_for_bit",
    "c07_bodies_that_change_arrive_bit_for_bit",
    "c06_every_payload_kind_is_a_type_of_its_own",
)
_TIMES = ("c09_time_stamps_are_there_exactly_if_declared",)
_CARRIED = "c09_every_transport_carries_samples"
_TRANSPORTS = (_CARRIED, "c09_transports_use_the_sockets_of_their_carriers")
_SECURITY = (
    "c09_security_is_declared_with_its_profiles",
    "c38_secured_samples_arrive",
    "c38_documents_that_cannot_be_used_are_refused",
    "c38_a_plain_participant_exchanges_nothing",
    "c38_an_identity_of_another_authority_exchanges_nothing",
    "c38_a_topic_that_is_not_permitted_carries_nothing",
    "c38_bodies_can_be_read_on_the_wire_only_where_not_encrypted",
)
_WAITS = ("c09_every_wait_strategy_receives",)

EVIDENCE: dict[str, tuple[str, ...]] = {
    **{f"qos.{each.name}": each.tests for each in CAPABILITIES},
    "payloads.type": ("c30_a_value_arrives_bit_for_bit",),
    "waits.listener": (*_WAITS, "c20_every_sample_is_announced_without_overlap"),
    "waits.waitset": (
        *_WAITS,
        "c23_wait_returns_with_data_and_times_out_without",
        "c23_wait_wakes_for_a_late_sample",
        "c23_wait_sleeps",
    ),
    "waits.poll": (*_WAITS, "c19_take_gives_at_most_max_and_in_order"),
    "reach.process": (_CARRIED,),
    "reach.host": ("c09_samples_cross_processes_where_declared",),
    "features.write_in_listener": ("c21_write_works_from_within_on_data",),
    "features.keep_all_in_listener": ("c21_reliable_keep_all_writes_work_from_within_on_data",),
    "features.keys": (
        "c27_samples_of_every_instance_arrive",
        "c27_keep_last_holds_samples_of_each_instance",
    ),
    "features.content_filter": (
        "c28_a_filter_gives_its_instances_only",
        "c28_a_filter_leaves_other_readers_alone",
    ),
    "features.source_time": (*_TIMES, "c09_source_time_is_the_writers"),
    "features.batching": ("c09_flush_matters_where_batching_is_declared",),
    "features.security": _SECURITY,
    **{f"security.{name}": _SECURITY for name in SECURITY},
    "features.reception_time": _TIMES,
    "features.matched": (
        "c24_matched_rises_and_falls",
        "c24_a_reliable_sample_after_matching_is_not_lost",
    ),
    "features.match_events": ("c33_a_match_carries_the_time_of_its_event",),
    "features.write_many": ("c34_many_writes_are_as_single_ones",),
    "features.loans": ("c35_what_was_lent_arrives_bit_for_bit", "c35_one_loan_at_a_time"),
    "features.locators": ("c25_locators_connect", "c25_a_wrong_locator_is_refused"),
    "features.writer_locators": (
        "c36_writer_locators_connect",
        "c36_each_reader_hears_the_writers_that_it_was_connected_to",
        "c36_a_wrong_locator_is_refused",
    ),
    "features.entities": (
        "c37_entities_are_listed_with_topic_type_and_qos",
        "c37_what_has_gone_is_not_listed",
        "c37_looking_changes_nothing",
    ),
    "features.server": (
        "c29_the_server_serves_and_is_gone_after_destroy",
        "c29_two_servers_stand_side_by_side",
    ),
    "features.services": (
        "c39_a_request_reaches_the_server_and_its_response_the_client",
        "c39_requests_cross_processes_where_declared",
        "c40_requests_and_responses_of_any_size_arrive_bit_for_bit",
        "c40_each_of_ten_clients_gets_its_own_responses",
        "c40_clients_whose_headers_are_equal_get_their_own_responses",
        "c40_a_client_that_goes_disturbs_nobody",
        "c40_a_handle_is_good_for_one_response",
        "c41_what_is_forgotten_is_given_back",
        "c41_a_server_that_is_made_again_is_used_again",
        "c42_requests_wait_for_a_slow_server_or_are_refused",
        "c43_a_request_after_the_match_is_answered",
        "c44_several_threads_answer_while_one_sends_and_one_takes",
    ),
    "features.faults": ("c09_injected_faults_are_counted_exactly",),
    "disclosures.all_interfaces": ("c11_sockets_receive_on_the_named_interface_only",),
    "disclosures.runtime_stays": ("c15_nothing_is_left_after_the_last_destroy",),
    "disclosures.grows_by_endpoint": ("c15_memory_does_not_grow_with_endpoints",),
    "disclosures.grows_by_sample": ("c15_memory_does_not_grow_with_samples",),
    "disclosures.allocates": ("c18_write_does_not_allocate", "c42_send_does_not_allocate"),
    "disclosures.loses": (
        "c08_best_effort_delivers",
        "c08_reliable_delivers_every_sample_in_order",
        "c08_reliable_loses_nothing_on_a_lossy_network",
    ),
    "disclosures.slow": ("c17_four_writers_and_two_readers_share_a_topic",),
}
"""Tests that show a property by its effect. One that is not here has no test of its own."""

BY_KIND = {"payloads": _PAYLOADS, "transports": _TRANSPORTS}
"""Tests that go through all values of a kind."""


def evidence(name: str) -> tuple[str, ...]:
    """Return the tests of a property, such as qos.reliable."""
    return EVIDENCE.get(name) or BY_KIND.get(name.partition(".")[0], ())


def outcome_of_change(policy: str, report: Mapping[str, Any]) -> tuple[Outcome, str]:
    """Return what a kept report shows of a policy that is declared to change on an endpoint in use.
    The suite goes through all of them in one test, which ends at the first that fails."""
    (test,) = CHANGES
    found: Mapping[str, list[str]] = report["results"]
    if test not in found:
        return "declared", "the conformance suite has no test of its own for this"
    outcome, text = found[test]
    if outcome == "failed":
        named = text.partition(": ")[0]
        other = named != policy and f"qos.{named}" in EVIDENCE
        return ("untested", f"another policy failed: {text}") if other else ("failed", text)
    if outcome == "skipped" or f"{policy} not tested" in text:
        return "untested", text
    shown = [each.needs for each in QOS if each.change_shows]
    return ("proved" if policy in shown else "accepted"), text


def outcome_of(name: str, report: Mapping[str, Any]) -> tuple[Outcome, str]:
    """Return what a kept report shows of a property that is declared, and its evidence."""
    found: Mapping[str, list[str]] = report["results"]
    tests = [test for test in evidence(name) if test in found]
    if not tests:
        return "declared", "the conformance suite has no test of its own for this"
    said = {
        outcome: [found[test][1] for test in tests if found[test][0] == outcome]
        for outcome in ("failed", "passed", "skipped")
    }
    if said["failed"]:
        return "failed", "; ".join(said["failed"])
    if name.startswith("disclosures."):
        return _of_disclosure(said["passed"], said["skipped"])
    skipped = [f"not tested here: {reason}" for reason in said["skipped"]]
    if not said["passed"]:
        return "untested", "; ".join(said["skipped"])
    proof = any(found[t][0] == "passed" for t in tests if t not in ACCEPTED_ONLY)
    return "proved" if proof else "accepted", "; ".join([*said["passed"], *skipped])


def _of_disclosure(passed: list[str], skipped: list[str]) -> tuple[Outcome, str]:
    """Judge its test: skipped with what was seen against the clause, passed where nothing was."""
    seen = [text for text in skipped if "BUSMARK_DISCLOSE_" in text]
    if seen:
        return "proved", "; ".join(text.partition("; BUSMARK_DISCLOSE_")[0] for text in seen)
    return "untested", "; ".join([*(f"not seen here: {text}" for text in passed), *skipped])


def check(path: Path, folder: Path | None = None) -> dict[str, Any]:
    """Run the suite over one library, and keep and return its report. The suite makes its own
    folder in `folder`, else in the system's for temporary files.

    Raises `UserError` where the suite did not come to an end.
    """
    sha256 = digest(path)
    report = kept_form(_run(path, folder))
    _keep(sha256, report)
    return report


def digest(path: Path) -> str | None:
    """Return a library's SHA-256; None if it cannot be read: the adapter's reason says why."""
    try:
        with files.opened(path) as file:
            return hashlib.file_digest(cast(BufferedReader, file), "sha256").hexdigest()
    except OSError:
        return None


def _run(path: Path, folder: Path | None) -> dict[str, Any]:
    program = checker()
    own = {"TMPDIR": str(folder)} if folder else {}
    try:
        start = Start([str(program), str(path), "--json"], {**environment(), **own})
        process = Launched(start, "round", stdin=DEVNULL, stderr=PIPE)
    except OSError as error:
        raise not_startable(program, error, CHECKER) from None
    try:
        with process:
            answer, errors = process.complete(CHECK_TIMEOUT_S)
    except PrintsWithoutEnd as error:
        raise UserError(f"the conformance suite: {error.message}", where=str(path)) from None
    except TimeoutError:
        raise UserError(
            f"the conformance suite did not end within {CHECK_TIMEOUT_S:g} s", where=str(path)
        ) from None
    finally:
        end_part("round")
    try:
        report: dict[str, Any] = json.loads(answer)
    except ValueError:
        said = errors.strip().splitlines()
        raise UserError(
            said[-1] if said else f"ended with {process.returncode} and no report", where=str(path)
        ) from None
    if not report["passed"] and not report["failed"]:
        reason = report.get("unusable") or "every test was skipped"
        raise UserError(f"the conformance suite tested nothing: {reason}", where=str(path))
    return report


def kept_form(report: Mapping[str, Any]) -> dict[str, Any]:
    """Reduce a report of the suite to what is kept: tests that are evidence, and failed ones."""
    named = {test for tests in (*EVIDENCE.values(), *BY_KIND.values(), CHANGES) for test in tests}
    return {
        "checked_utc": datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        **{key: report[key] for key in ("passed", "failed", "skipped")},
        "results": {
            r["test"]: [r["outcome"], r["detail"][:DETAIL_CHARACTERS]]
            for r in report["results"]
            if r["test"] in named or r["outcome"] == "failed"
        },
    }


def remembered(sha256: str | None) -> dict[str, Any] | None:
    """Return what was kept of the library with this digest; None if nothing was, or it is
    damaged."""
    place = _place(sha256)
    if place is None:
        return None
    try:
        kept: dict[str, Any] = json.loads(files.content(place))
        if all(key in kept for key in ("checked_utc", "passed", "failed", "skipped", "results")):
            return kept
    except (OSError, ValueError, TypeError):
        pass
    return None


def _place(sha256: str | None) -> Path | None:
    """Return the file of a library; None where there is no place for it."""
    named = os.environ.get("XDG_CACHE_HOME")
    try:
        cache = Path(named) if named else Path.home() / ".cache"
    except RuntimeError:
        return None
    return cache / "busmark" / "conformance" / f"{sha256}.json" if sha256 else None


def _keep(sha256: str | None, report: Mapping[str, Any]) -> None:
    """Store the report where possible: without a place to write to, it is shown and forgotten."""
    place = _place(sha256)
    if place is None:
        return
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        files.write(place, json.dumps(report))
    except OSError:
        return
