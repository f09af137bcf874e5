// How participants over TCP learn of each other's ports.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace fastdds_adapter {

/// The library's TCP transport has no discovery of its own: a participant must be told whom to connect
/// to. Here each one leaves its port as the name of an empty file in the run directory, and whoever
/// comes later reads those. Two that come at once take turns, so that exactly one connects to the
/// other: where two call each other, the library mixes up the two connections.
class TcpTurn {
public:
    /// Waits for the turn, which lasts until this is destroyed.
    TcpTurn(const std::string &run_dir, uint32_t domain);
    ~TcpTurn();
    TcpTurn(const TcpTurn &) = delete;
    TcpTurn &operator=(const TcpTurn &) = delete;

    /// Ports of those that came before and live.
    std::vector<uint16_t> ports() const;

private:
    std::string run_dir_;
    uint32_t domain_;
    int lock_;
};

/// The file of one participant; gone with it.
class TcpEntry {
public:
    TcpEntry() = default;
    TcpEntry(const std::string &run_dir, uint32_t domain, uint16_t port);
    ~TcpEntry();
    TcpEntry(TcpEntry &&other) noexcept;
    TcpEntry &operator=(TcpEntry &&other) noexcept;

private:
    std::string path_;
};

/// A port of this address that nobody listens on.
uint16_t free_tcp_port(const std::string &address);

} // namespace fastdds_adapter
