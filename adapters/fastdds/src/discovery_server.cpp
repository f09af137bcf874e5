#include "discovery_server.hpp"

#include "transport.hpp"

#include <fastdds/dds/domain/DomainParticipantFactory.hpp>

#include <arpa/inet.h>
#include <sys/socket.h>
#include <unistd.h>

namespace fastdds_adapter {

namespace {

namespace dds = eprosima::fastdds::dds;
using busmark::Error;

uint16_t free_udp_port(const std::string &address) {
    sockaddr_in local{};
    local.sin_family = AF_INET;
    inet_pton(AF_INET, address.c_str(), &local.sin_addr);
    socklen_t bytes = sizeof local;
    const int descriptor = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    const bool found = descriptor >= 0 && bind(descriptor, reinterpret_cast<sockaddr *>(&local), sizeof local) == 0 &&
                       getsockname(descriptor, reinterpret_cast<sockaddr *>(&local), &bytes) == 0;
    if (descriptor >= 0) close(descriptor);
    if (!found) throw Error(BUSMARK_RESOURCES, "no UDP port of " + address + " is free for a discovery server");
    return ntohs(local.sin_port);
}

class DiscoveryServer final : public busmark::Server {
public:
    explicit DiscoveryServer(const TransportSettings &settings)
        : own_{settings.address, free_udp_port(settings.address), 0} {
        // Servers of one domain need prefixes of their own.
        own_.id = own_.port;
        dds::DomainParticipantQos qos;
        serve_discovery(settings, own_, qos);
        participant_ = factory()->create_participant(settings.domain, qos);
        if (participant_ == nullptr)
            throw Error(BUSMARK_FAILED, "no discovery server was made at " + address());
    }
    ~DiscoveryServer() override { factory()->delete_participant(participant_); }
    DiscoveryServer(const DiscoveryServer &) = delete;
    DiscoveryServer &operator=(const DiscoveryServer &) = delete;

    std::string address() const override {
        return own_.address + ":" + std::to_string(own_.port) + "/" + std::to_string(own_.id);
    }

private:
    static dds::DomainParticipantFactory *factory() { return dds::DomainParticipantFactory::get_instance(); }

    ServerAddress own_;
    dds::DomainParticipant *participant_;
};

} // namespace

std::unique_ptr<busmark::Server> start_discovery_server(const busmark::ParticipantConfig &config) {
    const TransportSettings settings(config);
    if (settings.transport != Transport::udp)
        throw Error(BUSMARK_UNSUPPORTED, "a discovery server is met over udp only, not over " + config.transport);
    return std::make_unique<DiscoveryServer>(settings);
}

} // namespace fastdds_adapter
