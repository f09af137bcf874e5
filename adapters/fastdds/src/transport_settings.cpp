#include "transport_settings.hpp"

#include <arpa/inet.h>

#include <regex>

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

Discovery discovery_of(const ParticipantConfig &config, Transport transport) {
    const std::string word = config.choice("discovery", {"auto", "unicast", "multicast", "server"});
    const bool asked = word == "server" || !config.option("server").empty();
    if (asked && transport != Transport::udp)
        throw Error(BUSMARK_UNSUPPORTED, "option discovery: a discovery server is met over udp only, not over " +
                                             config.transport);
    if (asked) return Discovery::server;
    if (transport == Transport::multicast) return Discovery::multicast;
    if (transport == Transport::tcp) return Discovery::unicast;
    return word == "multicast" || (word == "auto" && !is_loopback(config.interface_address)) ? Discovery::multicast
                                                                                             : Discovery::unicast;
}

std::optional<ServerAddress> server_of(const ParticipantConfig &config) {
    const std::string &text = config.option("server");
    if (text.empty()) return std::nullopt;
    std::smatch found;
    const std::regex form("([0-9.]+):([0-9]{1,5})(/([0-9]{1,5}))?");
    if (std::regex_match(text, found, form) && is_ipv4(found[1])) {
        const int port = std::stoi(found[2]);
        const int id = found[4].matched ? std::stoi(found[4]) : 0;
        if (port >= 1 && port <= UINT16_MAX && id <= UINT16_MAX)
            return ServerAddress{found[1], static_cast<uint16_t>(port), static_cast<uint16_t>(id)};
    }
    throw Error(BUSMARK_INVALID, "option server: \"" + text + "\" is not ADDRESS:PORT or ADDRESS:PORT/ID, such as "
                                                             "127.0.0.1:11811/0");
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

} // namespace

TransportSettings::TransportSettings(const ParticipantConfig &config)
    : domain(config.domain), address(config.interface_address), transport(transport_of(config.transport)),
      discovery(discovery_of(config, transport)), server(server_of(config)), peers(peers_of(config)),
      max_participants(max_participants_of(config)),
      socket_buffer_bytes(optional_number<uint32_t>(config, "socket_buffer_bytes")),
      max_message_bytes(optional_number<uint32_t>(config, "max_message_bytes")),
      shm_segment_bytes(optional_number<uint32_t>(config, "shm_segment_bytes")),
      shm_queue_messages(optional_number<uint32_t>(config, "shm_queue_messages")) {
    if (domain > max_domain)
        throw Error(BUSMARK_INVALID, "domain " + std::to_string(domain) +
                                         " has no ports; the last is " + std::to_string(max_domain));
    if (!is_ipv4(address))
        throw Error(BUSMARK_UNSUPPORTED, "interface_address \"" + address +
                                             "\" is no IPv4 address, and this adapter has no IPv6");
    if (config.tuned() && !socket_buffer_bytes) socket_buffer_bytes = tuned_socket_buffer;
    if (config.tuned() && !shm_segment_bytes) shm_segment_bytes = tuned_shm_segment;
}

} // namespace fastdds_adapter
