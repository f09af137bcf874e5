#include "participant.hpp"

#include "endpoints.hpp"

#include <rmw/rmw.h>

#include <cstdlib>

namespace ros_adapter {

namespace {

/// rclpy has no other way to say how far a node looks for others.
constexpr const char *range_variable = "ROS_AUTOMATIC_DISCOVERY_RANGE";

} // namespace

Participant::Participant(const busmark::ParticipantConfig &config) : environment_(config) {
    const std::string executor = config.choice("executor", {"single", "multi"});
    environment_.choose_implementation(rmw_get_implementation_identifier);
    setenv(range_variable, environment_.discovery_range().c_str(), 1);
    node_module();
    environment_.with_transport([&] {
        const Gil gil;
        node_ = made_by("Node", Py_BuildValue("(sIs)", node_name().c_str(), config.domain, executor.c_str()),
                        "node in domain " + std::to_string(config.domain));
    });
}

Participant::~Participant() { close(node_); }

std::unique_ptr<busmark::Writer> Participant::writer(const busmark::EndpointConfig &config) {
    return std::make_unique<Writer>(node_, config);
}

std::unique_ptr<busmark::Reader> Participant::reader(const busmark::EndpointConfig &config, busmark::Listener listener) {
    return std::make_unique<Reader>(node_, config, listener);
}

std::unique_ptr<busmark::Service> Participant::service(const busmark::EndpointConfig &config, busmark_side_e side) {
    if (side == BUSMARK_SIDE_SERVER) return std::make_unique<Server>(node_, config);
    return std::make_unique<Client>(node_, config);
}

} // namespace ros_adapter
