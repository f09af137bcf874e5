// RPC over DDS, which the library has from 3.2 on: repliers and requesters.
#pragma once

#include "participant.hpp"

#include <busmark_adapter.hpp>

#if __has_include(<fastdds/dds/rpc/Requester.hpp>)
#define BUSMARK_FASTDDS_RPC 1
#else
#define BUSMARK_FASTDDS_RPC 0
#endif

#include <memory>

namespace fastdds_adapter {

#if BUSMARK_FASTDDS_RPC
constexpr uint64_t services = BUSMARK_FEATURE_SERVICES;
constexpr uint32_t service_waits = BUSMARK_WAIT_WAITSET | BUSMARK_WAIT_POLL;
/// The library refuses best effort here.
constexpr uint32_t service_qos =
    BUSMARK_QOS_RELIABLE | BUSMARK_QOS_KEEP_LAST | BUSMARK_QOS_KEEP_ALL | BUSMARK_QOS_VOLATILE;
#else
constexpr uint64_t services = 0;
constexpr uint32_t service_waits = 0, service_qos = 0;
#endif

/// Throws where the library has no RPC.
std::unique_ptr<busmark::Service> make_service(const std::shared_ptr<Domain> &domain,
                                               const busmark::EndpointConfig &config, busmark_side_e side);

} // namespace fastdds_adapter
