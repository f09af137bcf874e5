// What ROS's environment says, taken or kept out.
#pragma once

#include <busmark_adapter.hpp>

#include <rmw/discovery_options.h>

#include <string>

namespace rmw_adapter {

/// Removes the variables of ROS and of implementations from the environment of this process: they would change what
/// is measured, silently.
void forget_environment();

/// The implementation by its name: the option's, or RMW_IMPLEMENTATION where the environment is taken.
std::string implementation_of(const busmark::ParticipantConfig &config, bool takes_environment);

/// How far a node looks for others. Where the environment is taken, as ROS_AUTOMATIC_DISCOVERY_RANGE and
/// ROS_STATIC_PEERS say (rcl reads them, not rmw).
void set_discovery(const busmark::ParticipantConfig &config, bool takes_environment, rmw_discovery_options_t &options);

} // namespace rmw_adapter
