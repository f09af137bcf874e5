// A participant's configuration, checked.
#pragma once

#include <busmark_adapter.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace fastdds_adapter {

enum class Transport { udp, tcp, shm, multicast };
enum class DataSharing { automatic, on, off };
/// How a body comes into memory that the library lends; none: it lends none.
enum class Loan { none, copy, in_place };
enum class Memory { preallocated, preallocated_with_realloc, dynamic, dynamic_reusable };
enum class Intraprocess { full, user_data_only, off };

/// Limits the rate of writers; absent: they send as fast as they can.
struct FlowLimit {
    int32_t bytes_per_period;
    uint64_t period_ms;
};

/// What the options and the profile come to. An empty value leaves it to the library.
struct Settings {
    explicit Settings(const busmark::ParticipantConfig &config);

    uint32_t domain;
    std::string address;
    Transport transport;
    /// Whether participants find each other by multicast.
    bool multicast_discovery;
    /// Other hosts, as IPv4 addresses.
    std::vector<std::string> peers;
    /// Participants of one domain on one host that can find each other without multicast.
    uint32_t max_participants;

    /// File with the user's XML profiles; empty: none.
    std::string config;
    bool asynchronous;
    DataSharing data_sharing;
    Loan loan;
    Memory memory;
    Intraprocess intraprocess;
    std::optional<FlowLimit> flow;
    /// Documents that were checked.
    std::optional<busmark::Security> security;

    std::optional<uint32_t> socket_buffer_bytes;
    std::optional<uint32_t> max_message_bytes;
    std::optional<int64_t> heartbeat_period_ns;
    bool tcp_no_delay;
    bool tcp_crc;
    std::optional<uint32_t> shm_segment_bytes;
    std::optional<uint32_t> shm_queue_messages;
};

} // namespace fastdds_adapter
