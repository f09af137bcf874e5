// What a participant's configuration says of transports and discovery, checked.
#pragma once

#include <busmark_adapter.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace fastdds_adapter {

enum class Transport { udp, tcp, shm, multicast };

/// How participants find each other over UDP; over other transports there is one way only.
enum class Discovery { unicast, multicast, server };

/// Where a discovery server listens: ADDRESS:PORT/ID.
struct ServerAddress {
    std::string address;
    uint16_t port;
    /// Makes its GUID prefix; up to 255 as the library's own tool makes it.
    uint16_t id;
};

/// An empty value leaves it to the library.
struct TransportSettings {
    explicit TransportSettings(const busmark::ParticipantConfig &config);

    uint32_t domain;
    std::string address;
    Transport transport;
    Discovery discovery;
    /// Where participants announce themselves, and nowhere else.
    std::optional<ServerAddress> server;
    /// Other hosts, as IPv4 addresses.
    std::vector<std::string> peers;
    /// Participants of one domain on one host that can find each other without multicast.
    uint32_t max_participants;

    std::optional<uint32_t> socket_buffer_bytes;
    std::optional<uint32_t> max_message_bytes;
    std::optional<uint32_t> shm_segment_bytes;
    std::optional<uint32_t> shm_queue_messages;
    /// Adapters without TCP leave these.
    bool tcp_no_delay = false;
    bool tcp_crc = true;
};

/// A number of an option that leaves its choice to the library where it is empty.
template <class Value>
std::optional<Value> optional_number(const busmark::ParticipantConfig &config, const char *key) {
    if (config.option(key).empty()) return std::nullopt;
    return config.number<Value>(key);
}

} // namespace fastdds_adapter
