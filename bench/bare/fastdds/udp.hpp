// Fast DDS over UDP on loopback, as Busmark's adapters set it up: the second series and the third.
#pragma once

#include <bare.hpp>

#include <fastdds/dds/domain/qos/DomainParticipantQos.hpp>
#if __has_include(<fastdds/config.hpp>)
#include <fastdds/dds/core/ReturnCode.hpp>
#include <fastdds/rtps/attributes/WriterAttributes.hpp>
#include <fastdds/rtps/transport/UDPv4TransportDescriptor.hpp>
#include <fastdds/utils/IPLocator.hpp>
#else
#include <fastdds/rtps/attributes/WriterAttributes.h>
#include <fastdds/rtps/transport/UDPv4TransportDescriptor.h>
#include <fastrtps/types/TypesBase.h>
#include <fastrtps/utils/IPLocator.h>
#endif

#include <memory>

namespace bare {

#if __has_include(<fastdds/config.hpp>)
using eprosima::fastdds::rtps::IPLocator;
inline const auto ok = eprosima::fastdds::dds::RETCODE_OK;
inline auto &heartbeat_period(eprosima::fastdds::rtps::WriterTimes &times) { return times.heartbeat_period; }
#else
using eprosima::fastrtps::rtps::IPLocator;
inline const eprosima::fastrtps::types::ReturnCode_t ok =
    eprosima::fastrtps::types::ReturnCode_t::RETCODE_OK;
inline auto &heartbeat_period(eprosima::fastrtps::rtps::WriterTimes &times) { return times.heartbeatPeriod; }
#endif

constexpr const char *loopback = "127.0.0.1";
constexpr uint32_t participants = 120;
constexpr uint32_t stream_buffer_bytes = 4 << 20;

template <class Entity> Entity *made(Entity *entity, const char *what) {
    if (entity == nullptr) throw std::runtime_error(std::string(what) + " was not made");
    return entity;
}

inline eprosima::fastdds::rtps::Locator locator(uint32_t port) {
    eprosima::fastdds::rtps::Locator result;
    result.kind = LOCATOR_KIND_UDPv4;
    result.port = port;
    IPLocator::setIPv4(result, loopback);
    return result;
}

/// Discovery by unicast among the domain's ports (RTPS 9.6.2.3).
inline void use_loopback(const Options &options, uint32_t domain,
                         eprosima::fastdds::dds::DomainParticipantQos &qos) {
    auto udp = std::make_shared<eprosima::fastdds::rtps::UDPv4TransportDescriptor>();
    udp->interfaceWhiteList.push_back(loopback);
    udp->maxInitialPeersRange = participants;
    // A stream overruns the system's default.
    if (options.is_stream()) udp->sendBufferSize = udp->receiveBufferSize = stream_buffer_bytes;
    qos.transport().use_builtin_transports = false;
    qos.transport().user_transports.push_back(udp);
    const uint32_t first = 7400 + 250 * domain;
    qos.wire_protocol().builtin.metatrafficUnicastLocatorList.push_back(locator(first + 10));
    qos.wire_protocol().default_unicast_locator_list.push_back(locator(first + 11));
    qos.wire_protocol().builtin.initialPeersList.push_back(locator(0));
}

} // namespace bare
