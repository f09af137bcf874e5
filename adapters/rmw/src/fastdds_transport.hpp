// Fast DDS below rmw, on one transport.
#pragma once

#include <busmark_adapter.hpp>

#include <functional>

namespace ros_adapter {

/// Makes a participant of Fast DDS, which `make` causes rmw to make, with the transport and the discovery that the
/// adapter of Fast DDS itself would use: the two then differ by rmw alone.
void with_fastdds_transport(const busmark::ParticipantConfig &config, const std::function<void()> &make);

} // namespace ros_adapter
