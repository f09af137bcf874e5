// A context of rcl and a node in it.
#pragma once

#include <environment.hpp>

#include <busmark_adapter.hpp>

#include <rcl/rcl.h>

namespace ros_adapter {

class Node {
public:
    static void probe() {} ///< rcl is linked.

    explicit Node(const busmark::ParticipantConfig &config);
    ~Node();
    Node(const Node &) = delete;
    Node &operator=(const Node &) = delete;

    rcl_node_t *native() { return &node_; }
    rcl_context_t *context() { return &context_; }
    /// Whether messages are handed over as bytes that were serialised beforehand.
    bool serialized() const { return serialized_; }
    decltype(&rmw_serialize) serializer() const { return rmw_serialize; }

private:
    void open(const busmark::ParticipantConfig &config);
    void close();

    const Environment environment_;
    bool serialized_;
    rcl_init_options_t options_;
    rcl_context_t context_;
    rcl_node_t node_;
};

} // namespace ros_adapter
