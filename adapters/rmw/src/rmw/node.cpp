#include "node.hpp"

#include <failure.hpp>

#include <rcutils/allocator.h>
#include <rcutils/strdup.h>
#include <rmw/init.h>

namespace ros_adapter {

Node::Node(const busmark::ParticipantConfig &config)
    : environment_(config), rmw_(Implementation::load(environment_.implementation())),
      serialized_(config.flag("serialized")), options_(rmw_get_zero_initialized_init_options()),
      context_(rmw_get_zero_initialized_context()) {
    try {
        open(config);
    } catch (...) {
        close();
        throw;
    }
}

void Node::open(const busmark::ParticipantConfig &config) {
    const rcutils_allocator_t allocator = rcutils_get_default_allocator();
    check(rmw_.rmw_init_options_init(&options_, allocator), "options of a context");
    options_.instance_id = 1;
    options_.domain_id = config.domain;
    options_.enclave = rcutils_strdup("/", allocator);
    environment_.set_discovery(options_.discovery_options);
    environment_.with_transport([&] {
        check(rmw_.rmw_init(&options_, &context_), "context in domain " + std::to_string(config.domain));
        begun_ = true;
        node_ = made(rmw_.rmw_create_node(&context_, node_name().c_str(), "/"), "node");
    });
}

void Node::close() {
    if (node_ != nullptr) (void)!rmw_.rmw_destroy_node(node_);
    if (begun_) {
        (void)!rmw_.rmw_shutdown(&context_);
        (void)!rmw_.rmw_context_fini(&context_);
    }
    if (options_.implementation_identifier != nullptr) (void)!rmw_.rmw_init_options_fini(&options_);
    words();
}

Node::~Node() { close(); }

} // namespace ros_adapter
