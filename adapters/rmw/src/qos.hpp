// QoS and names as ROS has them.
#pragma once

#include <busmark_adapter.hpp>

#include <rmw/types.h>

#include <string>

namespace ros_adapter {

rmw_time_t time_of(int64_t ns);

/// The profile, in which a case has changed what it says of QoS.
rmw_qos_profile_t profile_of(const busmark::Qos &qos, rmw_qos_profile_t profile);

/// ROS allows letters, digits and underscores, no two of which follow each other, between slashes.
std::string topic_of(const std::string &name);

} // namespace ros_adapter
