// A discovery server of Fast DDS as the server of a run.
#pragma once

#include <busmark_adapter.hpp>

#include <memory>

namespace fastdds_adapter {

/// Starts one in this process, on a free port of the interface. It is a participant without endpoints, as in the
/// library's own program.
std::unique_ptr<busmark::Server> start_discovery_server(const busmark::ParticipantConfig &config);

} // namespace fastdds_adapter
