// A node in Python.
#pragma once

#include "python.hpp"

#include <environment.hpp>

#include <busmark_adapter.hpp>

#include <memory>

namespace ros_adapter {

class Participant : public busmark::Participant {
public:
    /// The callback, in the thread that spins the executor.
    static constexpr uint32_t waits = BUSMARK_WAIT_LISTENER;
    static constexpr uint64_t features = BUSMARK_FEATURE_WRITE_IN_LISTENER | BUSMARK_FEATURE_SERVICES;
    static constexpr const char *cost =
        "each message passes Python, as a user's does: one function sets the members of its header before it is published, "
        "the callback reads them";
    static constexpr busmark_option_t option = {
        "executor", "single", "What spins the node: single (SingleThreadedExecutor, as rclpy.spin) or multi (MultiThreadedExecutor)."};
    static void probe() { node_module(); }

    explicit Participant(const busmark::ParticipantConfig &config);
    ~Participant() override;
    std::unique_ptr<busmark::Writer> writer(const busmark::EndpointConfig &config) override;
    std::unique_ptr<busmark::Reader> reader(const busmark::EndpointConfig &config, busmark::Listener listener) override;
    std::unique_ptr<busmark::Service> service(const busmark::EndpointConfig &config, busmark_side_e side) override;

private:
    const Environment environment_;
    Object node_;
};

} // namespace ros_adapter
