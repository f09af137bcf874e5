// A node with its endpoints.
#pragma once

#include <node.hpp>

#include <busmark_adapter.hpp>

#include <memory>

namespace ros_adapter {

class Participant : public busmark::Participant {
public:
    static constexpr uint32_t waits = BUSMARK_WAIT_LISTENER | BUSMARK_WAIT_WAITSET | BUSMARK_WAIT_POLL;
    static constexpr uint64_t features =
        BUSMARK_FEATURE_WRITE_IN_LISTENER | BUSMARK_FEATURE_SYNCHRONOUS | BUSMARK_FEATURE_SERVICES;
    static constexpr const char *cost = "";
    /// An option that other layers do not have.
    static constexpr busmark_option_t option = {
        "serialized", "false",
        "true: messages are published and taken as bytes that were serialised beforehand."};
    static void probe() { Node::probe(); }

    explicit Participant(const busmark::ParticipantConfig &config) : node_(std::make_shared<Node>(config)) {}
    std::unique_ptr<busmark::Writer> writer(const busmark::EndpointConfig &config) override;
    std::unique_ptr<busmark::Reader> reader(const busmark::EndpointConfig &config, busmark::Listener listener) override;
    std::unique_ptr<busmark::Service> service(const busmark::EndpointConfig &config, busmark_side_e side) override;

private:
    std::shared_ptr<Node> node_;
};

} // namespace ros_adapter
