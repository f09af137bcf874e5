#include "discovery.hpp"

#include "failure.hpp"

#include <rcutils/allocator.h>

#include <cstdlib>
#include <cstring>
#include <mutex>
#include <sstream>
#include <vector>

namespace rmw_adapter {

namespace {

using busmark::Error;

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

} // namespace

void forget_environment() {
    // Once: threads of participants that are there already may read the environment.
    static std::once_flag forgotten;
    std::call_once(forgotten, [] {
        for (const char *name :
             {"RMW_IMPLEMENTATION", "RMW_FASTRTPS_USE_QOS_FROM_XML", "RMW_FASTRTPS_PUBLICATION_MODE",
              "FASTRTPS_DEFAULT_PROFILES_FILE", "FASTDDS_DEFAULT_PROFILES_FILE", "FASTDDS_ENVIRONMENT_FILE",
              "FASTDDS_BUILTIN_TRANSPORTS", "FASTDDS_STATISTICS", "ROS_DISCOVERY_SERVER", "ROS_SUPER_CLIENT",
              "ROS_DOMAIN_ID", "ROS_LOCALHOST_ONLY", range_variable, peers_variable, "ROS_SECURITY_ENABLE",
              "ROS_SECURITY_KEYSTORE", "CYCLONEDDS_URI", "ZENOH_ROUTER_CONFIG_URI", "ZENOH_SESSION_CONFIG_URI",
              "ZENOH_CONFIG_OVERRIDE", "NDDS_QOS_PROFILES"})
            unsetenv(name);
        // DEFAULT_FASTRTPS_PROFILES.xml in the current folder.
        setenv("SKIP_DEFAULT_XML_FILE", "1", 1);
    });
}

std::string implementation_of(const busmark::ParticipantConfig &config, bool takes_environment) {
    const std::string chosen = config.option("implementation");
    if (!chosen.empty()) return chosen;
    const std::string sourced = takes_environment ? variable("RMW_IMPLEMENTATION") : "";
    return sourced.empty() ? "rmw_fastrtps_cpp" : sourced;
}

void set_discovery(const busmark::ParticipantConfig &config, bool takes_environment, rmw_discovery_options_t &options) {
    const std::string word = takes_environment ? variable(range_variable) : "";
    if (word.empty())
        options.automatic_discovery_range = config.interface_address.rfind("127.", 0) == 0
                                                ? RMW_AUTOMATIC_DISCOVERY_RANGE_LOCALHOST
                                                : RMW_AUTOMATIC_DISCOVERY_RANGE_SUBNET;
    else
        options.automatic_discovery_range = range_of(word);
    if (!takes_environment) return;
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

} // namespace rmw_adapter
