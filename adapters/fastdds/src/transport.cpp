#include "transport.hpp"

#include "series.hpp"

#if BUSMARK_FASTDDS_SERIES == 3
#include <fastdds/rtps/transport/TCPv4TransportDescriptor.hpp>
#include <fastdds/rtps/transport/TransportInterface.hpp>
#include <fastdds/rtps/transport/UDPv4TransportDescriptor.hpp>
#include <fastdds/rtps/transport/shared_mem/SharedMemTransportDescriptor.hpp>
#include <fastdds/utils/IPLocator.hpp>
#else
#include <fastdds/rtps/transport/TCPv4TransportDescriptor.h>
#include <fastdds/rtps/transport/TransportInterface.h>
#include <fastdds/rtps/transport/UDPv4TransportDescriptor.h>
#include <fastdds/rtps/transport/shared_mem/SharedMemTransportDescriptor.h>
#include <fastrtps/utils/IPLocator.h>
#endif

#include <algorithm>
#include <iterator>
#include <memory>

namespace fastdds_adapter {

namespace {

using eprosima::fastdds::dds::DomainParticipantQos;
using eprosima::fastdds::rtps::Locator;
using eprosima::fastdds::rtps::LocatorList;
using eprosima::fastdds::rtps::SharedMemTransportDescriptor;
using eprosima::fastdds::rtps::SocketTransportDescriptor;
using eprosima::fastdds::rtps::TCPv4TransportDescriptor;
using eprosima::fastdds::rtps::TransportInterface;
using eprosima::fastdds::rtps::UDPv4TransportDescriptor;
using rtps::IPLocator;

// RTPS 9.6.2.3: PB + DG · domain + d, then PG · participant, which the library adds.
constexpr uint32_t port_base = 7400;
constexpr uint32_t domain_gain = 250;
constexpr uint32_t user_multicast_offset = 1;
constexpr uint32_t metatraffic_unicast_offset = 10;
constexpr uint32_t user_unicast_offset = 11;
constexpr uint32_t tcp_announcements = 30; // ten per second
constexpr const char *discovery_group = "239.255.0.1";
constexpr const char *data_group = "239.255.0.2"; // not the same, to keep data away from discovery

void apply_sockets(const TransportSettings &settings, SocketTransportDescriptor &transport) {
    transport.interfaceWhiteList.push_back(settings.address);
    transport.maxInitialPeersRange = settings.max_participants;
    if (settings.socket_buffer_bytes) {
        transport.sendBufferSize = *settings.socket_buffer_bytes;
        transport.receiveBufferSize = *settings.socket_buffer_bytes;
    }
    if (settings.max_message_bytes) transport.maxMessageSize = *settings.max_message_bytes;
}

std::shared_ptr<SocketTransportDescriptor> udp(const TransportSettings &settings) {
    auto transport = std::make_shared<UDPv4TransportDescriptor>();
    apply_sockets(settings, *transport);
    return transport;
}

std::shared_ptr<SocketTransportDescriptor> tcp(const TransportSettings &settings, uint16_t port) {
    auto transport = std::make_shared<TCPv4TransportDescriptor>();
    apply_sockets(settings, *transport);
    transport->listening_ports.push_back(port);
    transport->enable_tcp_nodelay = settings.tcp_no_delay;
    transport->calculate_crc = settings.tcp_crc;
    transport->check_crc = settings.tcp_crc;
    return transport;
}

std::shared_ptr<SharedMemTransportDescriptor> shared_memory(const TransportSettings &settings) {
    auto transport = std::make_shared<SharedMemTransportDescriptor>();
    if (settings.shm_segment_bytes) transport->segment_size(*settings.shm_segment_bytes);
    if (settings.shm_queue_messages) transport->port_queue_capacity(*settings.shm_queue_messages);
    if (settings.max_message_bytes) transport->max_message_size(*settings.max_message_bytes);
    return transport;
}

Locator locator(int32_t kind, const std::string &address) {
    Locator result;
    result.kind = kind;
    result.port = 0; // the library asks or takes the ports of the domain
    IPLocator::setIPv4(result, address);
    return result;
}

/// The library would number the participants of a process for ever and take ports by that number,
/// until they reach another domain's. Given the domain's first ports, it takes the next free ones.
void listen_over_udp(const TransportSettings &settings, DomainParticipantQos &qos) {
    Locator own = locator(LOCATOR_KIND_UDPv4, settings.address);
    own.port = first_port(settings.domain) + metatraffic_unicast_offset;
    qos.wire_protocol().builtin.metatrafficUnicastLocatorList.push_back(own);
    own.port = first_port(settings.domain) + user_unicast_offset;
    qos.wire_protocol().default_unicast_locator_list.push_back(own);
}

/// Up to 255 as the library's own tool `fast-discovery-server` has it.
rtps::GuidPrefix_t server_prefix(uint16_t id) {
    constexpr uint8_t vendor[] = {0x44, 0x53, 0, 0x5f, 0x45, 0x50, 0x52, 0x4f, 0x53, 0x49, 0x4d, 0x41};
    rtps::GuidPrefix_t prefix;
    std::copy(std::begin(vendor), std::end(vendor), prefix.value);
    prefix.value[2] = static_cast<uint8_t>(id);
    if (id > UINT8_MAX) prefix.value[11] = static_cast<uint8_t>(id >> 8);
    return prefix;
}

#if BUSMARK_FASTDDS_SERIES == 3
using DiscoveryProtocol = rtps::DiscoveryProtocol;
void add_server(rtps::DiscoverySettings &settings, const Locator &where, const rtps::GuidPrefix_t &) {
    settings.m_DiscoveryServers.push_back(where);
}
#else
using DiscoveryProtocol = rtps::DiscoveryProtocol_t;
void add_server(rtps::DiscoverySettings &settings, const Locator &where, const rtps::GuidPrefix_t &prefix) {
    eprosima::fastdds::rtps::RemoteServerAttributes server;
    server.guidPrefix = prefix;
    server.metatrafficUnicastLocatorList.push_back(where);
    settings.m_DiscoveryServers.push_back(server);
}
#endif

/// By a server, by multicast, or own address and peers are asked at the ports of all participants of the domain.
void discover_over_udp(const TransportSettings &settings, DomainParticipantQos &qos) {
    auto &builtin = qos.wire_protocol().builtin;
    if (settings.discovery == Discovery::server) {
        if (!settings.server)
            throw busmark::Error(BUSMARK_INVALID, "option discovery: with server, the option server names one");
        Locator there = locator(LOCATOR_KIND_UDPv4, settings.server->address);
        there.port = settings.server->port;
        builtin.discovery_config.discoveryProtocol = DiscoveryProtocol::CLIENT;
        add_server(builtin.discovery_config, there, server_prefix(settings.server->id));
        return;
    }
    if (settings.discovery == Discovery::multicast) {
        builtin.metatrafficMulticastLocatorList.push_back(
            locator(LOCATOR_KIND_UDPv4, discovery_group));
        return;
    }
    builtin.initialPeersList.push_back(locator(LOCATOR_KIND_UDPv4, settings.address));
    for (const std::string &peer : settings.peers)
        builtin.initialPeersList.push_back(locator(LOCATOR_KIND_UDPv4, peer));
}

/// As `listen_over_udp`. What a locator of shared memory looks like, only the library knows.
void listen_in_shared_memory(const TransportSettings &settings, const SharedMemTransportDescriptor &transport,
                             DomainParticipantQos &qos) {
    const std::unique_ptr<TransportInterface> example(transport.create_transport());
    const uint32_t port = first_port(settings.domain);
    auto &protocol = qos.wire_protocol();
    LocatorList locators;
    example->getDefaultMetatrafficMulticastLocators(locators, port);
    // Participants find each other through a port that all of a domain read.
    protocol.builtin.metatrafficMulticastLocatorList.push_back(*locators.begin());
    locators.clear();
    example->getDefaultMetatrafficUnicastLocators(locators, port + metatraffic_unicast_offset);
    protocol.builtin.metatrafficUnicastLocatorList.push_back(*locators.begin());
    locators.clear();
    example->getDefaultUnicastLocators(locators, port + user_unicast_offset);
    protocol.default_unicast_locator_list.push_back(*locators.begin());
}

Locator tcp_locator(const std::string &address, uint16_t port, uint32_t logical_port) {
    Locator result = locator(LOCATOR_KIND_TCPv4, address);
    IPLocator::setPhysicalPort(result, port);
    IPLocator::setLogicalPort(result, static_cast<uint16_t>(logical_port));
    return result;
}

/// Within a connection, the library tells ports apart by a logical number: here that which the first
/// participant of the domain has over UDP. Data has the same one as discovery: the library may forget to
/// open a second one (see NOTES.md), and once participants have found each other this one is open.
void discover_over_tcp(const TransportSettings &settings, const TcpPorts &ports, DomainParticipantQos &qos) {
    const uint32_t logical = first_port(settings.domain) + metatraffic_unicast_offset;
    const Locator own = tcp_locator(settings.address, ports.own, logical);
    auto &protocol = qos.wire_protocol();
    protocol.builtin.metatrafficUnicastLocatorList.push_back(own);
    protocol.default_unicast_locator_list.push_back(own);
    // The first announcements are lost while a connection is set up, which takes the library some
    // tenths of a second for each; as shipped, the sixth would come after three seconds.
    protocol.builtin.discovery_config.initial_announcements.count = tcp_announcements;
    for (const TcpPeer &peer : ports.others)
        protocol.builtin.initialPeersList.push_back(tcp_locator(peer.address, peer.port, logical));
}

} // namespace

uint16_t first_port(uint32_t domain) {
    return static_cast<uint16_t>(port_base + domain_gain * domain);
}

Locator multicast_locator(const TransportSettings &settings) {
    Locator result = locator(LOCATOR_KIND_UDPv4, data_group);
    result.port = first_port(settings.domain) + user_multicast_offset;
    return result;
}

void forget_transport(DomainParticipantQos &qos) {
    const DomainParticipantQos shipped;
    qos.transport() = shipped.transport();
    auto &protocol = qos.wire_protocol();
    protocol.builtin = shipped.wire_protocol().builtin;
    protocol.default_unicast_locator_list.clear();
    protocol.default_multicast_locator_list.clear();
    protocol.participant_id = shipped.wire_protocol().participant_id;
    protocol.port = shipped.wire_protocol().port;
}

void serve_discovery(const TransportSettings &settings, const ServerAddress &own, DomainParticipantQos &qos) {
    qos.transport().use_builtin_transports = false;
    qos.transport().user_transports.push_back(udp(settings));
    Locator here = locator(LOCATOR_KIND_UDPv4, own.address);
    here.port = own.port;
    auto &protocol = qos.wire_protocol();
    protocol.builtin.metatrafficUnicastLocatorList.push_back(here);
    protocol.builtin.discovery_config.discoveryProtocol = DiscoveryProtocol::SERVER;
    protocol.prefix = server_prefix(own.id);
}

void apply_transport(const TransportSettings &settings, const TcpPorts &ports, DomainParticipantQos &qos) {
    qos.transport().use_builtin_transports = false;
    auto &transports = qos.transport().user_transports;
    switch (settings.transport) {
    case Transport::udp:
    case Transport::multicast:
        transports.push_back(udp(settings));
        listen_over_udp(settings, qos);
        discover_over_udp(settings, qos);
        break;
    case Transport::tcp:
        transports.push_back(tcp(settings, ports.own));
        discover_over_tcp(settings, ports, qos);
        break;
    case Transport::shm: {
        const auto transport = shared_memory(settings);
        transports.push_back(transport);
        listen_in_shared_memory(settings, *transport, qos);
        break;
    }
    }
}

} // namespace fastdds_adapter
