#include "settings.hpp"

#include "agent.hpp"

#include <arpa/inet.h>
#include <netdb.h>

#include <random>

namespace microxrcedds_adapter {

namespace {

using busmark::Error;

#define AS_TEXT(number) #number
#define TEXT(number) AS_TEXT(number)

constexpr uint32_t most_domain = 232; // RTPS 9.6.2.3
/// The agent keeps the numbers of its open files in 8 bits for lines, and has others open.
constexpr uint16_t most_lines = 200;

[[noreturn]] void refuse(const char *key, const std::string &text, const std::string &why) {
    throw Error(BUSMARK_INVALID, std::string("option ") + key + ": \"" + text + "\" " + why);
}

/// The library asks for names without looking at the answer, so it gets an address.
std::string address_of(const std::string &host) {
    addrinfo hints{};
    hints.ai_family = AF_INET;
    addrinfo *found = nullptr;
    if (const int failed = getaddrinfo(host.c_str(), nullptr, &hints, &found); failed != 0)
        throw Error(BUSMARK_UNAVAILABLE, "option server: no IPv4 address of \"" + host +
                                             "\": " + gai_strerror(failed));
    char text[INET_ADDRSTRLEN] = "";
    inet_ntop(AF_INET, &reinterpret_cast<sockaddr_in *>(found->ai_addr)->sin_addr, text, sizeof text);
    freeaddrinfo(found);
    return text;
}

uint16_t within(const busmark::ParticipantConfig &config, const char *key, uint16_t least,
                uint16_t most, const std::string &why) {
    const auto number = config.number<uint16_t>(key);
    if (number < least || number > most)
        refuse(key, config.option(key),
               "is not " + std::to_string(least) + " to " + std::to_string(most) + why);
    return number;
}

uint16_t built_mtu_of(Transport transport) {
    switch (transport) {
    case Transport::tcp: return UXR_CONFIG_TCP_TRANSPORT_MTU;
    case Transport::serial: return UXR_CONFIG_SERIAL_TRANSPORT_MTU;
    default: return UXR_CONFIG_UDP_TRANSPORT_MTU;
    }
}

uint32_t key_of(const busmark::ParticipantConfig &config) {
    const std::string text = config.option("client_key");
    if (text.empty()) {
        std::random_device random;
        return static_cast<uint32_t>(random()) | 1;
    }
    uint32_t key = 0;
    const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), key, 16);
    if (failed != std::errc{} || end != text.data() + text.size() || text.size() != 8 || key == 0)
        refuse("client_key", text, "is not 8 hexadecimal digits, not all 0");
    return key;
}

} // namespace

const busmark_option_t options[] = {
    {"server", "",
     "The agent, HOST:PORT, or for serial the device of a serial line to it; empty: the run starts "
     "MicroXRCEAgent."},
    {"agents", "1",
     "Agents that the run starts. 1: all clients are at one; 2: those that ping or publish are at one, the "
     "others at another, and DDS joins the two."},
    {"mtu", "",
     "Bytes of the largest message, at most what the library was built with (UCLIENT_UDP_TRANSPORT_MTU, "
     "UCLIENT_TCP_TRANSPORT_MTU, UCLIENT_SERIAL_TRANSPORT_MTU), which is the default; larger samples of a "
     "reliable stream are sent in fragments."},
    {"stream_history", TEXT(16),
     "Messages of a reliable stream in flight, a power of two from 2 to 16; in either direction."},
    {"nodelay", "false",
     "TCP_NODELAY of the client's connection. The library sets none; with true what is measured is not the "
     "client as it is shipped. The agent sets none in any case."},
    {"lines", TEXT(16),
     "Serial lines of an agent that the run starts; each client takes one. Where nobody says, a run asks for "
     "as many as it has clients."},
    {"client_key", "", "Key of the client, 8 hexadecimal digits; empty: one of its own for each."},
    {"settle_ms", "",
     "Milliseconds that endpoints are given to be matched: a client is not told of it. Empty: 1000 with one "
     "agent, 4000 with two, which have to find each other."},
    {nullptr, nullptr, nullptr}};

Transport transport_of(const busmark::ParticipantConfig &config) {
    if (config.transport == "tcp") return Transport::tcp;
    return config.transport == "serial" ? Transport::serial : Transport::udp;
}

uint16_t lines_of(const busmark::ParticipantConfig &config) {
    return within(config, "lines", 1, most_lines, "");
}

void Settings::read_address(const std::string &server) {
    const size_t colon = server.rfind(':');
    uint16_t number = 0;
    const char *const end = server.data() + server.size();
    if (colon == std::string::npos || colon == 0 ||
        std::from_chars(server.data() + colon + 1, end, number).ptr != end || number == 0)
        refuse("server", server, "is not HOST:PORT");
    host = address_of(server.substr(0, colon));
    port = std::to_string(number);
    agent = host + ":" + port;
}

Settings::Settings(const busmark::ParticipantConfig &config) {
    transport = transport_of(config);
    const std::string server = config.option("server");
    if (server.empty())
        throw Error(BUSMARK_UNAVAILABLE, find_agent().empty()
                                             ? agent_is_missing()
                                             : "option server: nobody has named or started an agent");
    if (transport == Transport::serial) {
        if (server.front() != '/') refuse("server", server, "is no path of a serial device");
        agent = server;
    } else {
        read_address(server);
    }

    const bool apart = within(config, "agents", 1, 2, "") > 1;
    const uint16_t built = built_mtu_of(transport);
    mtu = config.option("mtu").empty()
              ? built
              : within(config, "mtu", 128, built, ", which the library was built with");
    history = within(config, "stream_history", 2, most_history, "");
    if ((history & (history - 1)) != 0)
        refuse("stream_history", std::to_string(history), "is no power of two");
    nodelay = config.flag("nodelay");
    key = key_of(config);
    // Fast DDS repeats what two participants did not hear of each other after three seconds.
    settle = apart ? std::chrono::seconds(4) : std::chrono::seconds(1);
    if (!config.option("settle_ms").empty())
        settle = std::chrono::milliseconds(within(config, "settle_ms", 0, 60000, ""));
    if (config.domain > most_domain)
        throw Error(BUSMARK_INVALID, "domain " + std::to_string(config.domain) + " is above " +
                                         std::to_string(most_domain));
    domain = static_cast<uint16_t>(config.domain);
}

} // namespace microxrcedds_adapter
