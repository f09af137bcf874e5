// MicroXRCEAgent as the server of a run.
#ifndef BUSMARK_MICROXRCEDDS_AGENT_HPP
#define BUSMARK_MICROXRCEDDS_AGENT_HPP

#include <busmark_adapter.hpp>

namespace microxrcedds_adapter {

constexpr const char *install =
    "build eProsima's Micro XRCE-DDS Client 2.4 and Agent 2.4 (they are in no package registry), name the "
    "client's prefix in CMAKE_PREFIX_PATH for `make adapters`, and have MicroXRCEAgent in PATH";

/// Its path; empty where it is not in PATH.
std::string find_agent();
std::string agent_is_missing();

/// Starts one on a free port of the interface, or on serial lines.
std::unique_ptr<busmark::Server> start_agent(const busmark::ParticipantConfig &config);

} // namespace microxrcedds_adapter

#endif
