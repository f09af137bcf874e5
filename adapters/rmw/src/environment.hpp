// What ROS's environment says, taken or kept out; how far a node looks for others, and by which transport.
#pragma once

#include <busmark_adapter.hpp>

#include <rmw/discovery_options.h>

#include <functional>
#include <string>

namespace ros_adapter {

/// The transport that an implementation ships with.
constexpr const char *shipped = "shipped";

/// Environment of one participant.
class Environment {
public:
    /// Refuses what does not go together. Where the environment is not taken, the variables of ROS and of implementations
    /// are removed from this process, for they would change what is measured, silently.
    explicit Environment(const busmark::ParticipantConfig &config);

    /// The implementation by its name: the option's, or RMW_IMPLEMENTATION where the environment is taken.
    const std::string &implementation() const { return implementation_; }

    /// Has a layer above rmw, which asks RMW_IMPLEMENTATION once in a process, take this implementation. `identifier`
    /// says which one it took.
    void choose_implementation(const char *(*identifier)()) const;

    /// How far a node looks for others, as ROS_AUTOMATIC_DISCOVERY_RANGE has it. Where the environment is taken, as it
    /// says. A transport of the adapter's own brings its discovery with it.
    std::string discovery_range() const;

    /// The same for rmw, with the peers of ROS_STATIC_PEERS where the environment is taken: rcl reads both, not rmw.
    void set_discovery(rmw_discovery_options_t &options) const;

    /// Has `make` make a context and its first node, by this transport.
    void with_transport(const std::function<void()> &make) const;

private:
    const busmark::ParticipantConfig config_;
    const bool taken_;
    const std::string implementation_;
};

/// No other node of this host has it.
std::string node_name();

} // namespace ros_adapter
