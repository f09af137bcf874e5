#include "participant.hpp"

#include "discovery.hpp"
#include "endpoints.hpp"
#include "failure.hpp"
#include "fastdds_transport.hpp"
#include "service.hpp"

#include <rcutils/allocator.h>
#include <rcutils/strdup.h>
#include <rmw/init.h>

#include <unistd.h>

#include <atomic>

namespace rmw_adapter {

namespace {

/// Before it is loaded, the environment is as it is to be.
const Implementation &implementation(const busmark::ParticipantConfig &config, bool takes_environment) {
    const std::string name = implementation_of(config, takes_environment);
    if (config.transport != shipped && name.rfind("rmw_fastrtps", 0) != 0)
        throw busmark::Error(BUSMARK_UNSUPPORTED, "transport " + config.transport + ": of " + name +
                                                      " only the transport that it ships with is known: shipped");
    if (!takes_environment) {
        forget_environment();
    } else if (config.transport != shipped) {
        throw busmark::Error(BUSMARK_INVALID, "option config: with env the environment says what the transport is: "
                                              "choose transport shipped");
    }
    return Implementation::load(name);
}

/// They hold for the transports that the adapter sets up itself. Nothing that is asked for is left out silently.
void refuse_options_of_transports(const busmark::ParticipantConfig &config) {
    const std::pair<const char *, const char *> left[] = {
        {"discovery", "auto"},        {"server", ""},            {"peers", ""},
        {"max_participants", "120"},  {"socket_buffer_bytes", ""}, {"max_message_bytes", ""},
        {"shm_segment_bytes", ""},    {"shm_queue_messages", ""}};
    for (const auto &[key, value] : left)
        if (config.option(key) != value)
            throw busmark::Error(BUSMARK_UNSUPPORTED, std::string("option ") + key + ": the transport shipped is the "
                                                      "implementation's own; leave the option out, or choose udp or shm");
}

std::string node_name() {
    static std::atomic<unsigned> made{0};
    return "busmark_" + std::to_string(getpid()) + "_" + std::to_string(made++);
}

} // namespace

Node::Node(const busmark::ParticipantConfig &config)
    : takes_environment_(config.option("config") == "env"), rmw_(implementation(config, takes_environment_)),
      serialized_(config.flag("serialized")),
      options_(rmw_get_zero_initialized_init_options()), context_(rmw_get_zero_initialized_context()) {
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
    const auto opened = [&] {
        check(rmw_.rmw_init(&options_, &context_), "context in domain " + std::to_string(config.domain));
        begun_ = true;
        node_ = made(rmw_.rmw_create_node(&context_, node_name().c_str(), "/"), "node");
    };
    if (config.transport == shipped) {
        refuse_options_of_transports(config);
        set_discovery(config, takes_environment_, options_.discovery_options);
        opened();
    } else {
        // Nothing of its own: discovery comes with the transport.
        options_.discovery_options.automatic_discovery_range = RMW_AUTOMATIC_DISCOVERY_RANGE_SYSTEM_DEFAULT;
        with_fastdds_transport(config, opened);
    }
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

std::unique_ptr<busmark::Writer> Participant::writer(const busmark::EndpointConfig &config) {
    return std::make_unique<Writer>(node_, config);
}

std::unique_ptr<busmark::Reader> Participant::reader(const busmark::EndpointConfig &config, busmark::Listener listener) {
    return std::make_unique<Reader>(node_, config, listener);
}

std::unique_ptr<busmark::Service> Participant::service(const busmark::EndpointConfig &config, busmark_side_e side) {
    return make_service(node_, config, side);
}

} // namespace rmw_adapter
