#include "settings.hpp"

#include <arpa/inet.h>

#include <sstream>

using busmark::Error;
using busmark::ParticipantConfig;

namespace opendds {

// An empty default leaves the choice to the profile.
const busmark_option_t options[] = {
    {"use_multicast", "auto",
     "Data by multicast too (transport udp): auto (off on a loopback interface, elsewhere on as "
     "OpenDDS ships), true, false."},
    {"announce_to", "",
     "SpdpSendAddrs: addresses HOST:PORT, separated by commas, to which the participant announces "
     "itself beside the multicast group."},
    {"resend_period_s", "30", "ResendPeriod: seconds between announcements of a participant."},
    {"send_buffer", "",
     "send_buffer_size (udp): bytes to ask the kernel for, which grants at most net.core.wmem_max; "
     "OpenDDS ships with 65536."},
    {"receive_buffer", "",
     "rcv_buffer_size (udp): bytes to ask the kernel for, which grants at most "
     "net.core.rmem_max; OpenDDS ships with 65536."},
    {"heartbeat_period_ms", "",
     "heartbeat_period (udp): milliseconds between heartbeats of a reliable writer; OpenDDS ships "
     "with 1000."},
    {"heartbeat_response_delay_ms", "",
     "heartbeat_response_delay (udp): milliseconds until a reader answers a heartbeat; OpenDDS ships "
     "with 500."},
    {"nak_response_delay_ms", "",
     "nak_response_delay (udp): milliseconds until a writer answers a request to repeat; OpenDDS "
     "ships with 200."},
    {"nak_depth", "", "nak_depth (udp): samples kept to be repeated; OpenDDS ships with 32."},
    {"tcp_nagle", "false", "enable_nagle_algorithm (tcp): false sets TCP_NODELAY, as OpenDDS ships."},
    {"thread_per_connection", "false",
     "thread_per_connection: true gives each connection a thread that sends; OpenDDS ships with "
     "false."},
    {"max_samples_per_packet", "10",
     "max_samples_per_packet: most samples that are sent in one packet while samples are queued."},
    {"optimum_packet_size", "4096",
     "optimum_packet_size: bytes from which a packet is sent although more samples are queued."},
    {"chunks", "",
     "DCPSChunks: samples for which writers and readers without resource limits prepare memory; "
     "OpenDDS ships with 20; the same for all participants of a process."},
    {"publisher_content_filter", "true",
     "DCPSPublisherContentFilter: true lets writers leave out what a reader's filter would discard, "
     "as OpenDDS ships; the same for all participants of a process."},
    {nullptr, nullptr, nullptr}};

// OpenDDS's own shared memory and multicast lose samples of reliable writers: see NOTES.md.
const char *const transports[] = {"udp", "tcp", nullptr};
const uint32_t carriers[] = {BUSMARK_CARRIER_UDP, BUSMARK_CARRIER_TCP};

namespace {

/// Ports of domain 232 are the last that fit (RTPS 9.6.1.1).
constexpr uint32_t last_domain = 232;

/// What the option says; if it is empty, the profile.
std::string chosen(const ParticipantConfig &config, const char *key, const char *shipped,
                   const char *tuned) {
    if (config.option(key).empty()) return config.tuned() ? tuned : shipped;
    return std::to_string(config.number<uint32_t>(key));
}

const char *digit(bool value) { return value ? "1" : "0"; }

bool is_loopback(const std::string &address) { return address.rfind("127.", 0) == 0; }

bool data_by_multicast(const ParticipantConfig &config) {
    if (config.choice("use_multicast", {"auto", "true", "false"}) == "auto")
        return !is_loopback(config.interface_address);
    return config.flag("use_multicast");
}

void udp(const ParticipantConfig &config, Section &section) {
    section.emplace_back("local_address", config.interface_address + ":0");
    section.emplace_back("use_multicast", digit(data_by_multicast(config)));
    section.emplace_back("multicast_interface", config.interface_name);
    // Tuned as the Developer's Guide advises (FAQ, large samples with RTPS): buffers for many samples,
    // heartbeats much more often than samples come, hardly a delay before samples are repeated.
    section.emplace_back("send_buffer_size", chosen(config, "send_buffer", "65536", "4194304"));
    section.emplace_back("rcv_buffer_size", chosen(config, "receive_buffer", "65536", "4194304"));
    section.emplace_back("heartbeat_period", chosen(config, "heartbeat_period_ms", "1000", "10"));
    section.emplace_back("heartbeat_response_delay",
                         chosen(config, "heartbeat_response_delay_ms", "500", "5"));
    section.emplace_back("nak_response_delay", chosen(config, "nak_response_delay_ms", "200", "5"));
    section.emplace_back("nak_depth", chosen(config, "nak_depth", "32", "256"));
}

void tcp(const ParticipantConfig &config, Section &section) {
    section.emplace_back("local_address", config.interface_address + ":0");
    section.emplace_back("enable_nagle_algorithm", digit(config.flag("tcp_nagle")));
}

Section transport_section(const ParticipantConfig &config) {
    Section section;
    // OpenDDS calls the transport of the RTPS standard so; its own "udp" is best effort only.
    section.emplace_back("transport_type", config.transport == "udp" ? "rtps_udp" : config.transport);
    section.emplace_back("thread_per_connection", digit(config.flag("thread_per_connection")));
    section.emplace_back("max_samples_per_packet",
                         std::to_string(config.number<uint32_t>("max_samples_per_packet")));
    section.emplace_back("optimum_packet_size",
                         std::to_string(config.number<uint32_t>("optimum_packet_size")));
    if (config.transport == "udp") udp(config, section);
    if (config.transport == "tcp") tcp(config, section);
    return section;
}

std::vector<std::string> announce_to(const ParticipantConfig &config) {
    std::vector<std::string> addresses;
    std::istringstream list(config.option("announce_to"));
    for (std::string address; std::getline(list, address, ',');) {
        if (address.find(':') == std::string::npos)
            throw Error(BUSMARK_INVALID, "option announce_to: \"" + address + "\" has no port");
        addresses.push_back(address);
    }
    return addresses;
}

} // namespace

std::string DiscoverySettings::text() const {
    std::string all = interface_name + " " + interface_address + " " + std::to_string(resend_period_s);
    for (const std::string &address : announce_to) all += " " + address;
    return all;
}

Settings::Settings(const ParticipantConfig &config) {
    if (config.domain > last_domain)
        throw Error(BUSMARK_INVALID, "domain " + std::to_string(config.domain) +
                                         " has no UDP ports; the last is " +
                                         std::to_string(last_domain));
    in_addr parsed;
    if (inet_pton(AF_INET, config.interface_address.c_str(), &parsed) != 1)
        throw Error(BUSMARK_UNSUPPORTED, "\"" + config.interface_address +
                                             "\" is no IPv4 address; this adapter runs over IPv4 only");
    domain = static_cast<int>(config.domain);
    transport = transport_section(config);
    discovery.interface_name = config.interface_name;
    discovery.interface_address = config.interface_address;
    discovery.resend_period_s = config.number<uint16_t>("resend_period_s");
    if (discovery.resend_period_s == 0)
        throw Error(BUSMARK_INVALID, "option resend_period_s: it must be at least 1");
    discovery.announce_to = announce_to(config);
    // Tuned: the Developer's Guide has writes slow down when the prepared memory is used up.
    chunks = std::stoul(chosen(config, "chunks", "20", "1000"));
    publisher_content_filter = config.flag("publisher_content_filter");
    security = config.security;
    if (security && config.transport != "udp")
        throw Error(BUSMARK_UNSUPPORTED, "OpenDDS protects samples over RTPS only (transport udp); over " +
                                             config.transport + " they would be sent in the clear");
}

} // namespace opendds
