#include "node.hpp"

#include <failure.hpp>

#include <cstdlib>

namespace ros_adapter {

Node::Node(const busmark::ParticipantConfig &config)
    : environment_(config), serialized_(config.flag("serialized")), options_(rcl_get_zero_initialized_init_options()),
      context_(rcl_get_zero_initialized_context()), node_(rcl_get_zero_initialized_node()) {
    try {
        open(config);
    } catch (...) {
        close();
        throw;
    }
}

void Node::open(const busmark::ParticipantConfig &config) {
    environment_.choose_implementation(rmw_get_implementation_identifier);
    check(rcl_init_options_init(&options_, rcl_get_default_allocator()), "options of a context");
    check(rcl_init_options_set_domain_id(&options_, config.domain), "domain");
    environment_.set_discovery(rcl_init_options_get_rmw_init_options(&options_)->discovery_options);
    environment_.with_transport([&] {
        check(rcl_init(0, nullptr, &options_, &context_), "context in domain " + std::to_string(config.domain));
        const rcl_node_options_t options = rcl_node_get_default_options();
        check(rcl_node_init(&node_, node_name().c_str(), "/", &context_, &options), "node");
    });
}

void Node::close() {
    if (node_.impl != nullptr) (void)!rcl_node_fini(&node_);
    if (context_.impl != nullptr) {
        if (rcl_context_is_valid(&context_)) (void)!rcl_shutdown(&context_);
        (void)!rcl_context_fini(&context_);
    }
    if (options_.impl != nullptr) (void)!rcl_init_options_fini(&options_);
    words();
}

Node::~Node() { close(); }

} // namespace ros_adapter
