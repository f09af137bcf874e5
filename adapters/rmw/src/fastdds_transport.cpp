#include "fastdds_transport.hpp"

#include <transport.hpp>

#include <fastdds/dds/domain/DomainParticipantFactory.hpp>

#include <mutex>

namespace ros_adapter {

namespace {

namespace dds = eprosima::fastdds::dds;

/// The default QoS of participants belongs to the whole process.
std::mutex guard;

/// As they are without this, also where `make` throws.
struct Defaults {
    explicit Defaults(const dds::DomainParticipantQos &qos) {
        (void)!factory()->set_default_participant_qos(qos);
    }
    ~Defaults() { (void)!factory()->set_default_participant_qos(dds::PARTICIPANT_QOS_DEFAULT); }
    static dds::DomainParticipantFactory *factory() { return dds::DomainParticipantFactory::get_instance(); }
};

} // namespace

void with_fastdds_transport(const busmark::ParticipantConfig &config, const std::function<void()> &make) {
    const fastdds_adapter::TransportSettings settings(config);
    dds::DomainParticipantQos qos;
    fastdds_adapter::apply_transport(settings, {}, qos);
    const std::lock_guard<std::mutex> lock(guard);
    // rmw has the library load its profiles, once, which replaces the default.
    (void)!Defaults::factory()->load_profiles();
    const Defaults changed(qos);
    make();
}

} // namespace ros_adapter
