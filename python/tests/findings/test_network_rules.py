"""Rules that look at the sockets of a case and at what TCP sends again."""

from __future__ import annotations

import re

import pytest
from planted import CAPABILITIES, LATENCY, THROUGHPUT, Planted, params


def test_fragments_that_were_never_put_together_are_named(campaign: Planted) -> None:
    counted = {"ip_fragmented": 2000, "ip_reassembled": [1400, 0, 0]}
    campaign.case("a", params=THROUGHPUT, rows=3, lost=[600, 2000, 2000],
                  ip_reassembly_fails=[0, 20_000, 20_000], **counted)  # fmt: skip
    (finding,) = campaign.found("fragments-lost")
    text = finding.evidence.replace("\N{NARROW NO-BREAK SPACE}", "")
    assert "6000 datagrams sent in fragments, 1400 put together" in text
    assert "4600 samples lost" in text and "40000 times" in text


def test_fragments_that_all_arrived_are_no_finding(campaign: Planted) -> None:
    whole = {"ip_fragmented": 2000, "ip_reassembled": 2000, "ip_reassembly_fails": 0}
    campaign.case("a", params=THROUGHPUT, rows=3, lost=5, **whole)
    # Several receivers of one datagram put it together each.
    campaign.case("b", params=THROUGHPUT, rows=3, lost=5, **{**whole, "ip_reassembled": 6000})
    campaign.case("c", params=THROUGHPUT, rows=3, lost=0, **{**whole, "ip_reassembled": 1999})
    assert campaign.found("fragments-lost") == []


class TestUdpDrops:
    @pytest.mark.parametrize("adapter", ["tcp", "uds", "null", "udp"])
    def test_what_others_lost_accuses_nobody(self, campaign: Planted, adapter: str) -> None:
        """26,927 datagrams dropped in the namespace, beside a case over something else."""
        case = params(adapter, test="throughput")
        campaign.case("a", params=case, rows=3, udp_rcvbuf_errors=26_927, udp_socket_drops=0)
        assert campaign.found("udp-drops") == []

    def test_without_a_look_at_sockets_own_loss_over_udp_is_needed(self, campaign: Planted) -> None:
        campaign.case("a", params=THROUGHPUT, rows=3, udp_rcvbuf_errors=[9, 9, 9], lost=[0, 4, 0])
        campaign.case("b", params=THROUGHPUT, rows=3, udp_rcvbuf_errors=9)
        stream = params("tcp", test="throughput")
        campaign.case("c", params=stream, rows=3, udp_rcvbuf_errors=9, lost=1)
        (finding,) = campaign.found("udp-drops")
        assert finding.cases == ["a"]
        assert "9 datagrams dropped at all sockets of the network namespace in 1 of 1 round" in (
            finding.evidence
        )

    def test_best_effort_that_lost_no_sample_is_a_note(self, campaign: Planted) -> None:
        campaign.case("a", params=THROUGHPUT, rows=1, udp_socket_drops=2, lost=0)
        assert campaign.found("udp-drops")[0].severity == "note"

    def test_an_explicit_size_is_not_mended_by_sysctl(self, campaign: Planted) -> None:
        campaign.adapters["udp"] = CAPABILITIES["udp"]
        campaign.hosts[""] = {"rmem_max": 8 << 20}
        case = {**THROUGHPUT, "settings": {"receive_buffer_bytes": "16384"}}
        campaign.case("a", params=case, rows=1, udp_socket_drops=71_900, lost=71_900)
        (finding,) = campaign.found("udp-drops")
        assert "asks for a receive buffer of 16 KiB by `udp.receive_buffer_bytes`" in (
            finding.remedy
        )
        assert "set `udp.receive_buffer_bytes = 4194304` in [matrix.option]" in finding.remedy
        assert "sysctl" not in finding.remedy

    def test_an_option_needs_the_kernels_leave(self, campaign: Planted) -> None:
        campaign.adapters["udp"] = CAPABILITIES["udp"]
        campaign.hosts[""] = {"rmem_max": 212_992}
        campaign.case("a", params=THROUGHPUT, rows=1, udp_socket_drops=5, lost=5,
                      udp_buffer_bytes=212_992)  # fmt: skip
        (finding,) = campaign.found("udp-drops")
        assert "`udp.receive_buffer_bytes = 4194304`" in finding.remedy
        assert "after `sudo sysctl -w net.core.rmem_max=4194304`" in finding.remedy

    @pytest.mark.parametrize(
        ("default", "limit", "effective", "text"),
        [
            (212_992, 8 << 20, 212_992, "net.core.rmem_default="),
            (212_992, 212_992, 425_984, "net.core.rmem_max="),
            (212_992, 8 << 20, 12 << 20, "6 MiB itself"),
            (16 << 20, 16 << 20, 16 << 20, "net.core.rmem_default="),
            (212_992, 8 << 20, None, ""),
        ],
    )
    def test_a_remedy_is_larger_than_what_the_socket_had(
        self, campaign: Planted, default: int, limit: int, effective: int | None, text: str
    ) -> None:
        campaign.hosts[""] = {"rmem_default": default, "rmem_max": limit}
        case = params("cyclonedds", test="throughput", qos={"reliability": "best_effort"})
        campaign.case("a", params=case, rows=2, udp_socket_drops=[1, 5], lost=5,
                      udp_buffer_bytes=[1, effective])  # fmt: skip
        (finding,) = campaign.found("udp-drops")
        assert text in finding.remedy and (
            "KiB" in finding.evidence or "MiB" in finding.evidence
        ) == (effective is not None)
        sizes = [int(each) for each in re.findall(r"=(\d+)", finding.remedy)]
        assert all(each > (effective or 0) for each in sizes) and bool(sizes) == ("core" in text)

    def test_a_socket_that_nobody_asked_is_given_no_size(self, campaign: Planted) -> None:
        campaign.adapters["udp"] = CAPABILITIES["udp"]
        campaign.hosts[""] = {"rmem_default": 212_992, "rmem_max": 212_992}
        campaign.case("a", params=THROUGHPUT, rows=1, udp_rcvbuf_errors=5, lost=5)
        assert not re.search(r"\d", campaign.found("udp-drops")[0].remedy)

    def test_an_option_is_set_to_more_than_the_socket_had(self, campaign: Planted) -> None:
        campaign.adapters["udp"] = CAPABILITIES["udp"]
        campaign.case("a", params=THROUGHPUT, rows=1, udp_socket_drops=5, lost=5,
                      udp_buffer_bytes=8 << 20)  # fmt: skip
        assert f"`udp.receive_buffer_bytes = {16 << 20}`" in campaign.found("udp-drops")[0].remedy

    def test_it_explains_what_was_lost(self, campaign: Planted) -> None:
        case = params("cyclonedds", test="throughput", qos={"history": "keep_last"})
        campaign.case("a", params=case, rows=1, udp_socket_drops=5, lost=5)
        first, second, *_ = campaign.findings()
        assert (first.id, second.id) == ("udp-drops", "loss-under-reliable")
        assert first.explains == [second.title]


class TestRetransmits:
    LATE = {"median_ns": 40e3, "max_ns": 205e6}  # noqa: RUF012

    def test_tail_loss_probes_and_duplicates_are_no_loss(self, campaign: Planted) -> None:
        campaign.case("a", params=LATENCY, rows=3, tcp_retransmits=8, tcp_needless=8, **self.LATE)
        assert campaign.found("tcp-retransmits") == []

    def test_the_rest_is_named(self, campaign: Planted) -> None:
        campaign.case("a", params=LATENCY, rows=2, tcp_retransmits=[8, 10], tcp_needless=[8, 3],
                      **self.LATE)  # fmt: skip
        (finding,) = campaign.found("tcp-retransmits")
        assert "7 segments sent again in 1 of 2 rounds; 3 more of which nothing had been lost" in (
            finding.evidence
        )
        assert "205 ms" in finding.evidence

    @pytest.mark.parametrize(
        ("sent", "timeouts", "max_ns", "lost", "fires"),
        [
            (200, 0, 3e6, 0, True),
            (200, 0, 0.9e6, 0, False),
            (200_000, 1, 205e6, 0, True),
            (200_000, 1, 90e6, 0, False),
            (200_000, 0, 205e6, 0, False),
            (200_000, 1, 0.9e6, 1, True),
        ],
        ids=["many", "many and nothing late", "a timer", "a timer of somebody else",
             "few that were repaired at once", "one never came back"],
    )  # fmt: skip
    def test_it_speaks_where_something_was_as_late_as_a_repair_makes_it(
        self, campaign: Planted, sent: int, timeouts: int, max_ns: float, lost: int, fires: bool
    ) -> None:
        campaign.case("a", params=LATENCY, rows=1, tcp_retransmits=1, tcp_needless=0,
                      tcp_segments=sent, tcp_timeouts=timeouts, median_ns=40e3, max_ns=max_ns,
                      lost=lost)  # fmt: skip
        found = campaign.found("tcp-retransmits")
        assert [each.severity for each in found] == ["warning"] * fires
        assert all(("timer ran out 1 time" in f.evidence) == bool(timeouts) for f in found)


LOSSY = {**THROUGHPUT, "network": "lab", "writer_on": "a", "reader_on": "b", "link_loss": "2%"}


class TestLinkLoss:
    def test_it_is_named_with_what_was_lost_and_explains_it(self, campaign: Planted) -> None:
        campaign.case("a", params=LOSSY, rows=1, lost=45, expected=2000, status="marked",
                      reason="lost 2.25% of samples")  # fmt: skip
        first, second, *_ = campaign.findings()
        assert (first.id, second.id) == ("link-loss", "rounds-lost")
        assert "lose 2% of packets; 45 of 2\N{NARROW NO-BREAK SPACE}000 samples lost (2.25 %)" in (
            first.evidence
        )
        assert first.explains == ["No round is usable"]

    def test_what_the_middleware_repaired_is_a_note(self, campaign: Planted) -> None:
        campaign.case("a", params=LOSSY, rows=1, lost=0, expected=2000)
        assert campaign.found("link-loss")[0].severity == "note"

    def test_a_link_that_loses_nothing_is_silent(self, campaign: Planted) -> None:
        campaign.case("a", params={**LOSSY, "link_loss": None}, rows=1, lost=5)
        assert campaign.found("link-loss") == []
