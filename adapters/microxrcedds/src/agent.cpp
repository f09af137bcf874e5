#include "agent.hpp"

#include "child.hpp"
#include "lines.hpp"
#include "objects.hpp"
#include "settings.hpp"

#include <arpa/inet.h>
#include <sys/socket.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <functional>

namespace microxrcedds_adapter {

namespace {

using namespace std::chrono_literals;
using busmark::Error;

constexpr const char *program_name = "MicroXRCEAgent";
/// How long an agent may take until it listens.
constexpr auto patience = 10s;
constexpr auto pause = 5ms;
constexpr int most_attempts = 5; // a free port is found and lost again
/// Participants of a host that are looked for where there is no multicast.
constexpr int most_participants = 120;
/// Domains from the case's own on that the agent knows the interface for.
constexpr uint32_t domains = 8;

/// A port that nobody has at the moment.
uint16_t free_port(const std::string &interface, bool tcp) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    socklen_t bytes = sizeof address;
    if (inet_pton(AF_INET, interface.c_str(), &address.sin_addr) != 1)
        throw Error(BUSMARK_UNSUPPORTED, "interface " + interface + ": the agent is started on IPv4 only");
    const int socket = ::socket(AF_INET, (tcp ? SOCK_STREAM : SOCK_DGRAM) | SOCK_CLOEXEC, 0);
    // The agent takes the port of all interfaces.
    address.sin_addr.s_addr = INADDR_ANY;
    const bool found = bind(socket, reinterpret_cast<sockaddr *>(&address), sizeof address) == 0 &&
                       getsockname(socket, reinterpret_cast<sockaddr *>(&address), &bytes) == 0;
    close(socket);
    if (!found) throw Error(BUSMARK_FAILED, "no free port for the agent");
    return ntohs(address.sin_port);
}

std::string locator(const std::string &address, uint32_t port) {
    std::string text = "<locator><udpv4>";
    if (port != 0) text += "<port>" + std::to_string(port) + "</port>";
    return text + "<address>" + address + "</address></udpv4></locator>";
}

/// A participant of this domain on this interface alone, over UDP, as the other DDS adapters have it. The
/// first ports of the domain are named, or they would be counted up until they reach another domain's.
std::string participant(const std::string &address, uint32_t domain) {
    const uint32_t first = 7400 + 250 * domain; // RTPS 9.6.2.3
    const bool loopback = address.rfind("127.", 0) == 0;
    std::string builtin = "<metatrafficUnicastLocatorList>" + locator(address, first + 10) +
                          "</metatrafficUnicastLocatorList>";
    builtin += loopback ? "<initialPeersList>" + locator(address, 0) + "</initialPeersList>"
                        : "<metatrafficMulticastLocatorList>" + locator("239.255.0.1", first) +
                              "</metatrafficMulticastLocatorList>";
    return "<participant profile_name=\"" + profile_of(static_cast<uint16_t>(domain)) + "\"><rtps><builtin>" +
           builtin + "</builtin><defaultUnicastLocatorList>" + locator(address, first + 11) +
           "</defaultUnicastLocatorList><userTransports><transport_id>busmark</transport_id></userTransports>"
           "<useBuiltinTransports>false</useBuiltinTransports><name>busmark</name></rtps></participant>";
}

std::string profiles(const std::string &address, uint32_t domain) {
    std::string text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                       "<profiles xmlns=\"http://www.eprosima.com/XMLSchemas/fastRTPS_Profiles\">"
                       "<transport_descriptors><transport_descriptor><transport_id>busmark</transport_id>"
                       "<type>UDPv4</type><interfaceWhiteList><address>" +
                       address + "</address></interfaceWhiteList><maxInitialPeersRange>" +
                       std::to_string(most_participants) +
                       "</maxInitialPeersRange></transport_descriptor></transport_descriptors>";
    for (uint32_t next = domain; next < domain + domains && next <= 232; ++next)
        text += participant(address, next);
    return text + "</profiles>\n";
}

/// A folder of the agent's own in the run directory; removed with it.
class Folder {
public:
    explicit Folder(const std::string &run_dir) {
        static std::atomic<unsigned> next{0};
        path_ = run_dir + "/" + program_name + "-" + std::to_string(getpid()) + "-" + std::to_string(next++);
        std::filesystem::create_directory(path_);
    }
    ~Folder() {
        std::error_code nobody_to_tell;
        std::filesystem::remove_all(path_, nobody_to_tell);
    }
    Folder(const Folder &) = delete;
    Folder &operator=(const Folder &) = delete;

    const std::string &path() const { return path_; }
    /// What the agent has said, its last line.
    std::string said() const {
        std::ifstream log(path_ + "/log");
        std::string last = "nothing";
        for (std::string line; std::getline(log, line);)
            if (!line.empty()) last = line;
        return last;
    }

private:
    std::string path_;
};

class Agent final : public busmark::Server {
public:
    Agent(const std::string &program, const busmark::ParticipantConfig &config) : folder_(config.run_dir) {
        const Transport transport = transport_of(config);
        if (transport == Transport::serial) {
            lines_.emplace(lines_of(config), folder_.path() + "/lines");
            address_ = lines_->address();
            start(program, config, {"multiserial", "-D", lines_->devices()},
                  [&] { return lines_->agent_answers(); });
            lines_->lend();
        } else {
            const bool tcp = transport == Transport::tcp;
            const uint16_t port = free_port(config.interface_address, tcp);
            address_ = config.interface_address + ":" + std::to_string(port);
            start(program, config, {tcp ? "tcp4" : "udp4", "-p", std::to_string(port)},
                  [&] { return has_port(child_->process(), tcp, port); });
        }
    }
    std::string address() const override { return address_; }

private:
    /// Returns once it serves.
    void start(const std::string &program, const busmark::ParticipantConfig &config,
               std::vector<std::string> arguments, const std::function<bool()> &serves) {
        const std::string file = folder_.path() + "/profiles.xml";
        std::ofstream(file) << profiles(config.interface_address, config.domain);
        arguments.insert(arguments.end(), {"-r", file});
        child_.emplace(program, arguments, folder_.path());
        const auto until = std::chrono::steady_clock::now() + patience;
        while (!serves()) {
            if (child_->has_ended() || std::chrono::steady_clock::now() > until)
                throw Error(BUSMARK_FAILED, std::string(program_name) + " does not serve at " + address_ +
                                                "; it said: " + folder_.said());
            std::this_thread::sleep_for(pause);
        }
    }

    // The child goes first, then its folder and its lines: an agent without its lines waits for them.
    Folder folder_;
    std::optional<Lines> lines_;
    std::string address_;
    std::optional<Child> child_;
};

} // namespace

std::string find_agent() { return find_program(program_name); }

std::string agent_is_missing() { return std::string(program_name) + " is not in PATH: " + install; }

std::unique_ptr<busmark::Server> start_agent(const busmark::ParticipantConfig &config) {
    const std::string program = find_agent();
    if (program.empty()) throw Error(BUSMARK_UNAVAILABLE, agent_is_missing());
    for (int attempt = 1;; ++attempt) {
        try {
            return std::make_unique<Agent>(program, config);
        } catch (const Error &) {
            if (attempt == most_attempts) throw;
        }
    }
}

} // namespace microxrcedds_adapter
