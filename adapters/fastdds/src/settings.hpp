// A participant's configuration, checked.
#pragma once

#include "transport_settings.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace fastdds_adapter {

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
struct Settings : TransportSettings {
    explicit Settings(const busmark::ParticipantConfig &config);

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
    std::optional<int64_t> heartbeat_period_ns;
};

} // namespace fastdds_adapter
