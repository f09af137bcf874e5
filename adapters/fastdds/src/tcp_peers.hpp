// How participants over TCP learn of each other's addresses and ports.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace fastdds_adapter {

/// Where a participant listens.
struct TcpPeer {
    std::string address; // IPv4
    uint16_t port = 0;
};

/// The library's TCP transport has no discovery: a participant needs addresses to connect to. Here
/// each one leaves its address and port as the name of an empty file in the run directory, and
/// whoever comes later reads those. Addresses may differ: a host has several in an emulated
/// network. Two that come at once take turns, so that exactly one connects to the other: where two
/// call each other, the library mixes up the two connections.
class TcpTurn {
public:
    /// Waits for the turn, which lasts until this is destroyed.
    TcpTurn(const std::string &run_dir, uint32_t domain);
    ~TcpTurn();
    TcpTurn(const TcpTurn &) = delete;
    TcpTurn &operator=(const TcpTurn &) = delete;

    /// Those that came before and live.
    std::vector<TcpPeer> peers() const;

private:
    std::string run_dir_;
    uint32_t domain_;
    int lock_;
};

/// The file of one participant; gone with it.
class TcpEntry {
public:
    TcpEntry() = default;
    TcpEntry(const std::string &run_dir, uint32_t domain, const TcpPeer &own);
    ~TcpEntry();
    TcpEntry(TcpEntry &&other) noexcept;
    TcpEntry &operator=(TcpEntry &&other) noexcept;

private:
    std::string path_;
};

/// A port of this address that nobody listens on.
uint16_t free_tcp_port(const std::string &address);

} // namespace fastdds_adapter
