"""Rules that look at the sockets of a case and at what TCP sends again."""

from __future__ import annotations

import re

import pytest
from planted import CAPABILITIES, LATENCY, THROUGHPUT, Planted, Planting, finds, params

LATE = {"median_ns": 40e3, "max_ns": 205e6}
WHOLE = {"ip_fragmented": 2000, "ip_reassembled": 2000, "ip_reassembly_fails": 0}
FRAGMENTS, DROPS, AGAIN, LINK = "fragments-lost", "udp-drops", "tcp-retransmits", "link-loss"
LOSSY = {**THROUGHPUT, "network": "lab", "writer_on": "a", "reader_on": "b", "link_loss": "2%"}

PLANTED: dict[str, Planting] = {
    "fragments that were never put together": (
        FRAGMENTS, THROUGHPUT,
        {"ip_fragmented": 2000, "ip_reassembled": [1400, 0, 0], "lost": [600, 2000, 2000],
         "ip_reassembly_fails": [0, 20_000, 20_000]}, "warning",
        "6 000 datagrams sent in fragments, 1 400 put together|4 600 samples lost|40 000 times"),
    "fragments that were all put together": (
        FRAGMENTS, THROUGHPUT, {**WHOLE, "lost": 5}, None, ""),
    "several receivers put each datagram together": (
        FRAGMENTS, THROUGHPUT, {**WHOLE, "lost": 5, "ip_reassembled": 6000}, None, ""),
    "a fragment that nobody missed": (
        FRAGMENTS, THROUGHPUT, {**WHOLE, "lost": 0, "ip_reassembled": 1999}, None, ""),
    # 26,927 datagrams dropped in the namespace, beside a case over something else.
    **{f"what others lost accuses nobody: {name}": (
        DROPS, params(name, test="throughput"),
        {"udp_rcvbuf_errors": 26_927, "udp_socket_drops": 0}, None, "")
       for name in ("tcp", "uds", "null", "udp")},
    "best effort that lost no sample": (
        DROPS, THROUGHPUT, {"udp_socket_drops": 2, "lost": 0}, "note", ""),
    "tail-loss probes and duplicates are no loss": (
        AGAIN, LATENCY, {"tcp_retransmits": 8, "tcp_needless": 8, **LATE}, None, ""),
    "segments that were lost, and others": (
        AGAIN, LATENCY, {"tcp_retransmits": [8, 10, 8], "tcp_needless": [8, 3, 8], **LATE},
        "warning", "7 segments sent again in 1 of 3 rounds; 3 more of which nothing had been lost"
        "|205 ms"),
    "segments of which nothing is known to be needless": (
        AGAIN, LATENCY, {"tcp_retransmits": [0, 4, 1], "median_ns": 40e3, "max_ns": 3e6},
        "warning", "5 segments sent again in 2 of 3 rounds"),
    "segments of others": (AGAIN, THROUGHPUT, {"tcp_retransmits": 4}, None, ""),
    "segments that links lose on purpose": (
        AGAIN, {**LATENCY, "link_loss": "1%"}, {"tcp_retransmits": 4}, None, ""),
    "a link that loses what the middleware repairs": (
        LINK, LOSSY, {"lost": 0, "expected": 2000}, "note", "lose 2 % of packets"),
    "a link that loses nothing": (LINK, {**LOSSY, "link_loss": None}, {"lost": 5}, None, ""),
}  # fmt: skip


@pytest.mark.parametrize("name", PLANTED)
def test_a_rule_finds_what_is_planted_and_nothing_else(campaign: Planted, name: str) -> None:
    finds(campaign, PLANTED[name])


class TestUdpDrops:
    def test_without_a_look_at_sockets_own_loss_over_udp_is_needed(self, campaign: Planted) -> None:
        campaign.case("a", params=THROUGHPUT, rows=3, udp_rcvbuf_errors=[9, 9, 9], lost=[0, 4, 0])
        campaign.case("b", params=THROUGHPUT, rows=3, udp_rcvbuf_errors=9)
        stream = params("tcp", test="throughput")
        campaign.case("c", params=stream, rows=3, udp_rcvbuf_errors=9, lost=1)
        (finding,) = campaign.findings_of("udp-drops")
        assert finding.cases == ["a"]
        assert "9 datagrams dropped at all sockets of the network namespace in 1 of 1 round" in (
            finding.evidence
        )

    def test_an_explicit_size_is_not_mended_by_sysctl(self, campaign: Planted) -> None:
        campaign.adapters["udp"] = CAPABILITIES["udp"]
        campaign.hosts[""] = {"rmem_max": 8 << 20}
        case = {**THROUGHPUT, "settings": {"receive_buffer_bytes": "16384"}}
        campaign.case("a", params=case, rows=1, udp_socket_drops=71_900, lost=71_900)
        (finding,) = campaign.findings_of("udp-drops")
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
        (finding,) = campaign.findings_of("udp-drops")
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
        (finding,) = campaign.findings_of("udp-drops")
        assert text in finding.remedy and (
            "KiB" in finding.evidence or "MiB" in finding.evidence
        ) == (effective is not None)
        sizes = [int(each) for each in re.findall(r"=(\d+)", finding.remedy)]
        assert all(each > (effective or 0) for each in sizes) and bool(sizes) == ("core" in text)

    def test_a_socket_that_nobody_asked_is_given_no_size(self, campaign: Planted) -> None:
        campaign.adapters["udp"] = CAPABILITIES["udp"]
        campaign.hosts[""] = {"rmem_default": 212_992, "rmem_max": 212_992}
        campaign.case("a", params=THROUGHPUT, rows=1, udp_rcvbuf_errors=5, lost=5)
        assert not re.search(r"\d", campaign.findings_of("udp-drops")[0].remedy)

    def test_an_option_is_set_to_more_than_the_socket_had(self, campaign: Planted) -> None:
        campaign.adapters["udp"] = CAPABILITIES["udp"]
        campaign.case("a", params=THROUGHPUT, rows=1, udp_socket_drops=5, lost=5,
                      udp_buffer_bytes=8 << 20)  # fmt: skip
        assert (
            f"`udp.receive_buffer_bytes = {16 << 20}`"
            in campaign.findings_of("udp-drops")[0].remedy
        )

    def test_it_explains_what_was_lost(self, campaign: Planted) -> None:
        case = params("cyclonedds", test="throughput", qos={"history": "keep_last"})
        campaign.case("a", params=case, rows=1, udp_socket_drops=5, lost=5)
        first, second, *_ = campaign.findings()
        assert (first.id, second.id) == ("udp-drops", "overwritten")
        assert first.explains == [second.title]


class TestRetransmits:
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
        found = campaign.findings_of("tcp-retransmits")
        assert [each.severity for each in found] == ["warning"] * fires
        assert all(("timer ran out 1 time" in f.evidence) == bool(timeouts) for f in found)


class TestLinkLoss:
    def test_it_is_named_with_what_was_lost_and_explains_it(self, campaign: Planted) -> None:
        campaign.case("a", params=LOSSY, rows=1, lost=45, expected=2000, status="marked",
                      reason="lost 2.25% of samples")  # fmt: skip
        first, second, *_ = campaign.findings()
        assert (first.id, second.id) == ("link-loss", "rounds-lost")
        assert "lose 2 % of packets; 45 of 2\N{NARROW NO-BREAK SPACE}000 samples lost (2.2 %)" in (
            first.evidence
        )
        assert first.explains == ["No round is usable"]
