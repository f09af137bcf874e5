// Options and what follows from them.
#ifndef BUSMARK_MICROXRCEDDS_SETTINGS_HPP
#define BUSMARK_MICROXRCEDDS_SETTINGS_HPP

#include "client.hpp"

#include <busmark_adapter.hpp>

#include <algorithm>
#include <chrono>

namespace microxrcedds_adapter {

extern const busmark_option_t options[];

/// Messages of a reliable stream in flight, at most: an acknowledgement has a map of 16 bits.
constexpr uint16_t most_history = 16;
/// The largest of what the library's transports were built with.
constexpr uint16_t built_mtu = std::max<uint16_t>(
    {UXR_CONFIG_UDP_TRANSPORT_MTU, UXR_CONFIG_TCP_TRANSPORT_MTU, UXR_CONFIG_SERIAL_TRANSPORT_MTU});
/// Heads of message and submessage, with room for the client's key.
constexpr uint64_t heads = 12;
/// The rest of what a sample has beside its body: request and object, header, discriminator, length.
constexpr uint64_t around_body = 8 + sizeof(busmark_header_t) + 8;

/// The largest body that so many messages carry.
constexpr uint64_t body_within(uint64_t mtu, uint64_t messages) {
    const uint64_t room = messages * (mtu > heads ? mtu - heads : 0);
    return room > around_body ? room - around_body : 0;
}

/// Fragments of a sample say in 16 bits how long it is.
constexpr uint64_t largest_body =
    body_within(built_mtu, most_history) < 64000 ? body_within(built_mtu, most_history) : 64000;

/// Between client and agent.
enum class Transport { udp, tcp, serial };
Transport transport_of(const busmark::ParticipantConfig &config);

/// Serial lines of an agent that the run starts.
uint16_t lines_of(const busmark::ParticipantConfig &config);

struct Settings {
    explicit Settings(const busmark::ParticipantConfig &config);

    Transport transport;
    std::string agent;      ///< HOST:PORT, or the path that leads to a serial line
    std::string host, port; ///< of the agent; the host is an address of IPv4. Empty for a serial line
    uint16_t mtu, history;
    uint32_t key;
    bool nodelay;
    std::chrono::milliseconds settle;
    uint16_t domain;

private:
    void read_address(const std::string &server);
};

} // namespace microxrcedds_adapter

#endif
