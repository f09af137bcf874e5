// A context of rmw and a node in it.
#pragma once

#include "implementation.hpp"

#include <environment.hpp>

#include <busmark_adapter.hpp>

namespace ros_adapter {

class Node {
public:
    static void probe() { Implementation::load("rmw_fastrtps_cpp"); }

    explicit Node(const busmark::ParticipantConfig &config);
    ~Node();
    Node(const Node &) = delete;
    Node &operator=(const Node &) = delete;

    const Implementation &rmw() const { return rmw_; }
    rmw_node_t *native() const { return node_; }
    rmw_context_t &context() { return context_; }
    /// Whether messages are handed over as bytes that were serialised beforehand.
    bool serialized() const { return serialized_; }
    decltype(&rmw_serialize) serializer() const { return rmw_.rmw_serialize; }

private:
    void open(const busmark::ParticipantConfig &config);
    void close();

    const Environment environment_;
    const Implementation &rmw_;
    bool serialized_;
    rmw_init_options_t options_;
    rmw_context_t context_;
    rmw_node_t *node_ = nullptr;
    bool begun_ = false;
};

} // namespace ros_adapter
