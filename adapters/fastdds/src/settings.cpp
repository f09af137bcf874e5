#include "settings.hpp"

#include "series.hpp"

#include <documents.hpp>

#include <arpa/inet.h>

#include <cstdlib>

namespace fastdds_adapter {

namespace {

using busmark::Error;
using busmark::ParticipantConfig;

/// Domains whose ports (RTPS 9.6.2.3) exist.
constexpr uint32_t max_domain = 232;
/// Participants whose ports do not reach into the next domain's.
constexpr uint32_t most_participants = 120;

/// "Large Data Rates", "Increasing socket buffers size" of the library's documentation sets both
/// kernel limits to this.
constexpr uint32_t tuned_socket_buffer = 12582912;
/// The same page, note in "Practical Examples": fragmentation over shared memory is avoided by larger
/// shared buffers. Room for two of the largest samples.
constexpr uint32_t tuned_shm_segment = 64 << 20;
/// The same page, "Tuning Heartbeat Period", in its example.
constexpr int64_t tuned_heartbeat_ns = 500'000'000;

template <class Value>
std::optional<Value> optional_number(const ParticipantConfig &config, const char *key) {
    if (config.option(key).empty()) return std::nullopt;
    return config.number<Value>(key);
}

bool is_ipv4(const std::string &text) {
    in_addr address{};
    return inet_pton(AF_INET, text.c_str(), &address) == 1;
}

bool is_loopback(const std::string &address) { return address.rfind("127.", 0) == 0; }

Transport transport_of(const std::string &name) {
    if (name == "tcp") return Transport::tcp;
    if (name == "shm") return Transport::shm;
    if (name == "multicast") return Transport::multicast;
    return Transport::udp;
}

DataSharing data_sharing_of(const ParticipantConfig &config) {
    const std::string word = config.choice("data_sharing", {"auto", "on", "off"});
    if (word == "auto") return DataSharing::automatic;
    return word == "on" ? DataSharing::on : DataSharing::off;
}

Loan loan_of(const ParticipantConfig &config) {
    const std::string word = config.choice("loan", {"none", "copy", "in_place"});
    if (word == "none") return Loan::none;
    return word == "copy" ? Loan::copy : Loan::in_place;
}

Memory memory_of(const ParticipantConfig &config) {
    const std::string word =
        config.choice("history_memory_policy",
                      {"preallocated", "preallocated_with_realloc", "dynamic", "dynamic_reusable"});
    if (word == "preallocated") return Memory::preallocated;
    if (word == "dynamic") return Memory::dynamic;
    return word == "dynamic_reusable" ? Memory::dynamic_reusable : Memory::preallocated_with_realloc;
}

Intraprocess intraprocess_of(const ParticipantConfig &config) {
    const std::string word = config.choice("intraprocess", {"full", "user_data_only", "off"});
    if (word == "full") return Intraprocess::full;
    return word == "off" ? Intraprocess::off : Intraprocess::user_data_only;
}

bool multicast_discovery_of(const ParticipantConfig &config, Transport transport) {
    const std::string word = config.choice("discovery", {"auto", "unicast", "multicast"});
    if (transport == Transport::multicast) return true;
    if (transport == Transport::tcp) return false;
    return word == "multicast" || (word == "auto" && !is_loopback(config.interface_address));
}

std::vector<std::string> peers_of(const ParticipantConfig &config) {
    std::vector<std::string> peers;
    std::string text = config.option("peers") + ",";
    for (size_t comma = text.find(','); comma != std::string::npos; comma = text.find(',')) {
        std::string peer = text.substr(0, comma);
        text.erase(0, comma + 1);
        peer.erase(0, peer.find_first_not_of(' '));
        peer.erase(peer.find_last_not_of(' ') + 1);
        if (peer.empty()) continue;
        if (!is_ipv4(peer))
            throw Error(BUSMARK_INVALID, "option peers: \"" + peer + "\" is no IPv4 address");
        peers.push_back(peer);
    }
    return peers;
}

uint32_t max_participants_of(const ParticipantConfig &config) {
    const auto count = config.number<uint32_t>("max_participants");
    if (count < 1 || count > most_participants)
        throw Error(BUSMARK_INVALID, "option max_participants: " + std::to_string(count) +
                                         " is not within 1 to " + std::to_string(most_participants));
    return count;
}

std::optional<FlowLimit> flow_of(const ParticipantConfig &config) {
    const auto bytes = config.number<int32_t>("flow_bytes_per_period");
    const auto period = config.number<uint32_t>("flow_period_ms");
    if (bytes < 0 || period == 0)
        throw Error(BUSMARK_INVALID, "options flow_bytes_per_period and flow_period_ms: a limit from "
                                     "0 and a period from 1 are expected");
    if (bytes == 0) return std::nullopt;
    return FlowLimit{bytes, period};
}

/// The file of the user's profiles, or empty.
std::string config_of(const ParticipantConfig &config) {
    constexpr const char *variable = BUSMARK_PROFILES_VARIABLE;
    const std::string &word = config.option("config");
    if (word != "env") return word;
    const char *file = std::getenv(variable);
    if (file == nullptr || *file == '\0')
        throw Error(BUSMARK_INVALID, "option config: \"env\" takes what " + std::string(variable) +
                                         " says, which is not set");
    return file;
}

std::optional<int64_t> heartbeat_of(const ParticipantConfig &config) {
    if (const auto ms = optional_number<uint32_t>(config, "heartbeat_period_ms")) {
        if (*ms == 0)
            throw Error(BUSMARK_INVALID, "option heartbeat_period_ms: a period from 1 is expected");
        return int64_t{*ms} * 1'000'000;
    }
    if (config.tuned()) return tuned_heartbeat_ns;
    return std::nullopt;
}

} // namespace

Settings::Settings(const ParticipantConfig &config)
    : domain(config.domain), address(config.interface_address),
      transport(transport_of(config.transport)),
      multicast_discovery(multicast_discovery_of(config, transport)), peers(peers_of(config)),
      max_participants(max_participants_of(config)),
      config(config_of(config)),
      asynchronous(config.choice("publish_mode", {"synchronous", "asynchronous"}) == "asynchronous"),
      data_sharing(data_sharing_of(config)), loan(loan_of(config)), memory(memory_of(config)),
      intraprocess(intraprocess_of(config)), flow(flow_of(config)), security(config.security),
      socket_buffer_bytes(optional_number<uint32_t>(config, "socket_buffer_bytes")),
      max_message_bytes(optional_number<uint32_t>(config, "max_message_bytes")),
      heartbeat_period_ns(heartbeat_of(config)), tcp_no_delay(config.tuned()),
      tcp_crc(config.flag("tcp_crc")),
      shm_segment_bytes(optional_number<uint32_t>(config, "shm_segment_bytes")),
      shm_queue_messages(optional_number<uint32_t>(config, "shm_queue_messages")) {
    if (domain > max_domain)
        throw Error(BUSMARK_INVALID, "domain " + std::to_string(domain) +
                                         " has no ports; the last is " + std::to_string(max_domain));
    if (!is_ipv4(address))
        throw Error(BUSMARK_UNSUPPORTED, "interface_address \"" + address +
                                             "\" is no IPv4 address, and this adapter has no IPv6");
    if (!config.option("tcp_no_delay").empty()) tcp_no_delay = config.flag("tcp_no_delay");
    if (config.tuned() && !socket_buffer_bytes) socket_buffer_bytes = tuned_socket_buffer;
    if (config.tuned() && !shm_segment_bytes) shm_segment_bytes = tuned_shm_segment;
    if (flow && !asynchronous)
        throw Error(BUSMARK_INVALID, "option flow_bytes_per_period: the library's flow controllers "
                                     "need the option publish_mode=asynchronous");
    if (data_sharing == DataSharing::on &&
        (memory == Memory::dynamic || memory == Memory::dynamic_reusable))
        throw Error(BUSMARK_INVALID, "option data_sharing: on needs a history_memory_policy of "
                                     "preallocated or preallocated_with_realloc");
    if (loan == Loan::in_place && data_sharing != DataSharing::on)
        throw Error(BUSMARK_INVALID, "option loan: in_place needs data_sharing=on, for only there the lent memory is the "
                                     "writer's alone; or choose copy");
    if (!security) return;
    dds_security::check_documents(*security, domain);
    if (data_sharing == DataSharing::on)
        throw Error(BUSMARK_UNSUPPORTED, "option data_sharing: the library protects no samples that "
                                         "are handed over so, and refuses it in secured domains");
}

} // namespace fastdds_adapter
