#include "environment.hpp"

#include "failure.hpp"
#include "fastdds_transport.hpp"

#include <rcutils/allocator.h>

#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <sstream>
#include <vector>

namespace ros_adapter {

namespace {

using busmark::Error;
using busmark::ParticipantConfig;

constexpr const char *range_variable = "ROS_AUTOMATIC_DISCOVERY_RANGE";
constexpr const char *peers_variable = "ROS_STATIC_PEERS";

std::string variable(const char *name) {
    const char *value = std::getenv(name);
    return value == nullptr ? "" : value;
}

rmw_automatic_discovery_range_t range_of(const std::string &word) {
    if (word == "SUBNET") return RMW_AUTOMATIC_DISCOVERY_RANGE_SUBNET;
    if (word == "LOCALHOST") return RMW_AUTOMATIC_DISCOVERY_RANGE_LOCALHOST;
    if (word == "SYSTEM_DEFAULT") return RMW_AUTOMATIC_DISCOVERY_RANGE_SYSTEM_DEFAULT;
    throw Error(BUSMARK_INVALID, std::string(range_variable) + ": \"" + word +
                                     "\" is not SUBNET, LOCALHOST or SYSTEM_DEFAULT (and with OFF nodes do not meet)");
}

void forget() {
    // Once: threads of participants that are there already may read the environment.
    static std::once_flag forgotten;
    std::call_once(forgotten, [] {
        for (const char *name :
             {"RMW_IMPLEMENTATION", "RMW_FASTRTPS_USE_QOS_FROM_XML", "RMW_FASTRTPS_PUBLICATION_MODE",
              "FASTRTPS_DEFAULT_PROFILES_FILE", "FASTDDS_DEFAULT_PROFILES_FILE", "FASTDDS_ENVIRONMENT_FILE",
              "FASTDDS_BUILTIN_TRANSPORTS", "FASTDDS_STATISTICS", "ROS_DISCOVERY_SERVER", "ROS_SUPER_CLIENT",
              "ROS_DOMAIN_ID", "ROS_LOCALHOST_ONLY", range_variable, peers_variable, "ROS_SECURITY_ENABLE",
              "ROS_SECURITY_KEYSTORE", "ROS_DISABLE_LOANED_MESSAGES", "RCL_ASSERT_RMW_ID_MATCHES",
              "ROS_PYTHON_CHECK_FIELDS", "CYCLONEDDS_URI", "ZENOH_ROUTER_CONFIG_URI", "ZENOH_SESSION_CONFIG_URI",
              "ZENOH_CONFIG_OVERRIDE", "NDDS_QOS_PROFILES"})
            unsetenv(name);
        // DEFAULT_FASTRTPS_PROFILES.xml in the current folder.
        setenv("SKIP_DEFAULT_XML_FILE", "1", 1);
    });
}

std::string implementation_of(const ParticipantConfig &config, bool taken) {
    const std::string chosen = config.option("implementation");
    if (!chosen.empty()) return chosen;
    const std::string sourced = taken ? variable("RMW_IMPLEMENTATION") : "";
    return sourced.empty() ? "rmw_fastrtps_cpp" : sourced;
}

/// They hold for the transports that the adapter sets up itself. Nothing that is asked for is left out silently.
void refuse_options_of_transports(const ParticipantConfig &config) {
    const std::pair<const char *, const char *> left[] = {
        {"discovery", "auto"},        {"server", ""},            {"peers", ""},
        {"max_participants", "120"},  {"socket_buffer_bytes", ""}, {"max_message_bytes", ""},
        {"shm_segment_bytes", ""},    {"shm_queue_messages", ""}};
    for (const auto &[key, value] : left)
        if (config.option(key) != value)
            throw Error(BUSMARK_UNSUPPORTED, std::string("option ") + key + ": the transport shipped is the "
                                             "implementation's own; leave the option out, or choose udp or shm");
}

} // namespace

Environment::Environment(const ParticipantConfig &config)
    : config_(config), taken_(config.option("config") == "env"), implementation_(implementation_of(config, taken_)) {
    if (config.transport == shipped) {
        refuse_options_of_transports(config);
    } else if (implementation_.rfind("rmw_fastrtps", 0) != 0) {
        throw Error(BUSMARK_UNSUPPORTED, "transport " + config.transport + ": of " + implementation_ +
                                             " only the transport that it ships with is known: shipped");
    } else if (taken_) {
        throw Error(BUSMARK_INVALID, "option config: with env the environment says what the transport is: "
                                     "choose transport shipped");
    }
    if (!taken_) forget();
}

void Environment::choose_implementation(const char *(*identifier)()) const {
    static std::once_flag chosen;
    std::call_once(chosen, [&] { setenv("RMW_IMPLEMENTATION", implementation_.c_str(), 1); });
    const char *taken = identifier();
    if (taken == nullptr || implementation_ != taken)
        throw Error(BUSMARK_UNAVAILABLE, "option implementation: " + implementation_ + " cannot be had: " BUSMARK_LAYER
                                             " has loaded " + (taken == nullptr ? "none: " + words() : taken));
}

std::string Environment::discovery_range() const {
    if (config_.transport != shipped) return "SYSTEM_DEFAULT";
    const std::string word = taken_ ? variable(range_variable) : "";
    if (!word.empty()) return word;
    return config_.interface_address.rfind("127.", 0) == 0 ? "LOCALHOST" : "SUBNET";
}

void Environment::set_discovery(rmw_discovery_options_t &options) const {
    options.automatic_discovery_range = range_of(discovery_range());
    if (!taken_) return;
    std::vector<std::string> peers;
    std::istringstream text(variable(peers_variable));
    for (std::string peer; std::getline(text, peer, ';');)
        if (!peer.empty()) peers.push_back(peer);
    if (peers.empty()) return;
    rcutils_allocator_t allocator = rcutils_get_default_allocator();
    check(rmw_discovery_options_init(&options, peers.size(), &allocator), peers_variable);
    for (size_t i = 0; i < peers.size(); ++i) {
        if (peers[i].size() >= sizeof options.static_peers[i].peer_address)
            throw Error(BUSMARK_INVALID, std::string(peers_variable) + ": \"" + peers[i] + "\" is too long");
        std::strcpy(options.static_peers[i].peer_address, peers[i].c_str());
    }
}

void Environment::with_transport(const std::function<void()> &make) const {
    if (config_.transport == shipped) make();
    else with_fastdds_transport(config_, make);
}

std::string node_name() {
    static std::atomic<unsigned> made{0};
    return "busmark_" + std::to_string(getpid()) + "_" + std::to_string(made++);
}

} // namespace ros_adapter
