// Transports and discovery of a participant.
#pragma once

#include "transport_settings.hpp"
#include "tcp_peers.hpp"

#include <fastdds/dds/domain/qos/DomainParticipantQos.hpp>

namespace fastdds_adapter {

/// Participants over TCP: the port where this one listens, and those that it connects to.
struct TcpPorts {
    uint16_t own = 0;
    std::vector<TcpPeer> others;
};

/// Takes back what the user's profiles say of transports, discovery and addresses.
void forget_transport(eprosima::fastdds::dds::DomainParticipantQos &qos);

/// Replaces the built-in transports by the one asked for, on the named interface alone. `ports` are
/// for TCP only.
void apply_transport(const TransportSettings &settings, const TcpPorts &ports,
                     eprosima::fastdds::dds::DomainParticipantQos &qos);

/// Makes a participant a discovery server, on the named interface alone.
void serve_discovery(const TransportSettings &settings, const ServerAddress &own,
                     eprosima::fastdds::dds::DomainParticipantQos &qos);

/// First of the ports that RTPS gives to the participants of a domain.
uint16_t first_port(uint32_t domain);

/// Where readers of the transport "multicast" listen.
eprosima::fastdds::rtps::Locator multicast_locator(const TransportSettings &settings);

} // namespace fastdds_adapter
