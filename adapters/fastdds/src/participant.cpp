#include "participant.hpp"

#include "described_type.hpp"
#include "qos.hpp"
#include "reader.hpp"
#include "security/security.hpp"
#include "service.hpp"
#include "shared_memory.hpp"
#include "status.hpp"
#include "transport.hpp"
#include "types.hpp"
#include "writer.hpp"

#include <documents.hpp>

#include <fastdds/dds/domain/DomainParticipantFactory.hpp>
#include <fastdds/rtps/flowcontrol/FlowControllerDescriptor.hpp>

#include <sched.h>

#include <chrono>
#include <utility>

namespace fastdds_adapter {

namespace {

using busmark::EndpointConfig;
using busmark::Error;
namespace rpc = eprosima::fastdds::dds::rpc;

constexpr uint64_t unbounded = UINT64_MAX;

dds::DomainParticipantQos participant_qos(const Settings &settings, const TcpPorts &ports) {
    dds::DomainParticipantQos qos;
    if (!settings.config.empty()) {
        qos = dds::DomainParticipantFactory::get_instance()->get_default_participant_qos();
        forget_transport(qos);
    }
    apply_transport(settings, ports, qos);
#if BUSMARK_FASTDDS_SERIES == 3
    // Matching goes by type name: other vendors have another form of type information.
    qos.properties().properties().emplace_back("fastdds.type_propagation", "disabled");
#endif
    if (settings.security) apply_security(*settings.security, qos);
    if (settings.flow) {
        auto limit = std::make_shared<eprosima::fastdds::rtps::FlowControllerDescriptor>();
        limit->name = flow_controller_name;
        limit->max_bytes_per_period = settings.flow->bytes_per_period;
        limit->period_ms = settings.flow->period_ms;
        qos.flow_controllers().push_back(limit);
    }
    return qos;
}

dds::DomainParticipant *create(const Settings &settings, Seen &seen, const TcpPorts &ports = {}) {
    dds::DomainParticipant *participant =
        dds::DomainParticipantFactory::get_instance()->create_participant(
            settings.domain, participant_qos(settings, ports), &seen, dds::StatusMask::none());
    const std::string what = "participant in domain " + std::to_string(settings.domain);
    const std::string why =
        participant == nullptr && settings.security ? dds_security::why_refused(*settings.security) : "";
    return made(participant, why.empty() ? what : why + "; " + what);
}

void destroy(dds::DomainParticipant *participant) {
#if BUSMARK_FASTDDS_RPC
    // The publisher and the subscriber that the library makes for services, which it counts as the application's.
    participant->delete_contained_entities();
#endif
    dds::DomainParticipantFactory::get_instance()->delete_participant(participant);
}

/// The library sets a connection up on one thread, and must be done when the answer is read on another.
/// Where the system allows it, nothing preempts the first one as long as this lives; threads that are
/// made meanwhile do not inherit that.
class Undisturbed {
public:
    Undisturbed() : policy_(sched_getscheduler(0)) {
        sched_getparam(0, &parameters_);
        sched_param first{};
        first.sched_priority = sched_get_priority_min(SCHED_FIFO);
        changed_ = sched_setscheduler(0, SCHED_FIFO | SCHED_RESET_ON_FORK, &first) == 0;
    }
    ~Undisturbed() {
        if (changed_) sched_setscheduler(0, policy_, &parameters_);
    }
    Undisturbed(const Undisturbed &) = delete;
    Undisturbed &operator=(const Undisturbed &) = delete;

private:
    int policy_;
    sched_param parameters_{};
    bool changed_;
};

/// Several times what participants take to find each other over TCP, and how often that is tried.
constexpr std::chrono::milliseconds tcp_discovery_time{2500};
constexpr int tcp_tries = 6;

bool uses_shared_memory(const Settings &settings) {
    return settings.transport == Transport::shm || settings.data_sharing == DataSharing::on;
}

} // namespace

Domain::Domain(const busmark::ParticipantConfig &config) : settings_(config), library_(settings_) {
    if (uses_shared_memory(settings_)) remove_stale_shared_memory(settings_.domain);
    if (settings_.transport == Transport::tcp)
        create_over_tcp(config.run_dir);
    else
        participant_ = create(settings_, *(seen_ = std::make_unique<Seen>()));
}

/// The library loses some connections while it sets them up, and does not notice (see NOTES.md): a
/// participant that does not find all others is made again.
void Domain::create_over_tcp(const std::string &run_dir) {
    const TcpTurn turn(run_dir, settings_.domain);
    for (int tries = 0; tries < tcp_tries; ++tries) {
        const TcpPorts ports{free_tcp_port(settings_.address), turn.peers()};
        seen_ = std::make_unique<Seen>();
        {
            const Undisturbed undisturbed;
            participant_ = create(settings_, *seen_, ports);
        }
        if (seen_->wait_for(ports.others.size(), tcp_discovery_time)) {
            tcp_entry_ = TcpEntry(run_dir, settings_.domain, {settings_.address, ports.own});
            return;
        }
        destroy(participant_);
    }
    throw Error(BUSMARK_FAILED, with_last_error("participants of domain " +
                                                std::to_string(settings_.domain) +
                                                " do not find each other over TCP"));
}

Domain::~Domain() {
    destroy(participant_);
    if (uses_shared_memory(settings_)) remove_stale_shared_memory(settings_.domain);
}

dds::TypeSupport Domain::type_support(const EndpointConfig &config) const {
    dds::TypeSupport support = with_kind(settings_.loan, config, [&](auto kind) {
        using Kind = decltype(kind);
        using Support = typename Kind::TypeSupport;
        if constexpr (!std::is_same_v<Support, FixedType>)
            if (needs_bound(settings_))
                return dds::TypeSupport(Kind::template make_type<Bounded<Support>>(config, config.max_body_bytes));
        return dds::TypeSupport(Kind::template make_type<Support>(config));
    });
#if BUSMARK_FASTDDS_SERIES == 2
    // Matching goes by type name: other vendors have another form of type information.
    support->auto_fill_type_object(false);
    support->auto_fill_type_information(false);
#endif
    return support;
}

std::string Domain::register_type(const EndpointConfig &config) {
    const dds::TypeSupport support = type_support(config);
    const std::string name = support.get_type_name();
    const bool bounded = settings_.loan == Loan::none && needs_bound(settings_);
    const uint64_t bound = bounded ? config.max_body_bytes : unbounded;
    const auto known = types_.find(name);
    if (known != types_.end()) {
        if (known->second.max_body_bytes >= bound) return name;
        if (known->second.topics > 0)
            throw Error(BUSMARK_UNSUPPORTED,
                        "type " + name + " has a bound of " +
                            std::to_string(known->second.max_body_bytes) +
                            " bytes in this participant; make the endpoint of the largest body first");
        check(participant_->unregister_type(name), "type " + name + " is not replaced");
        types_.erase(known);
    }
    check(participant_->register_type(support), "type " + name + " is not registered");
    types_[name] = {bound, 0};
    return name;
}

dds::Topic *Domain::topic(const EndpointConfig &config) {
    if (config.instances > 0) describe_keyed_type();
    const std::lock_guard<std::mutex> lock(mutex_);
    const std::string type = register_type(config);
    const auto known = topics_.find(config.topic);
    if (known != topics_.end()) {
        if (known->second.topic->get_type_name() != type)
            throw Error(BUSMARK_INVALID, "topic \"" + config.topic + "\" has the type " +
                                             known->second.topic->get_type_name() +
                                             " in this participant");
        ++known->second.users;
        return known->second.topic;
    }
    dds::Topic *topic = made(participant_->create_topic(config.topic, type, dds::TOPIC_QOS_DEFAULT),
                             "topic \"" + config.topic + "\"");
    topics_[config.topic] = {topic, 1};
    ++types_[type].topics;
    return topic;
}

void Domain::release(dds::Topic *topic) {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto known = topics_.find(topic->get_name());
    if (known == topics_.end() || --known->second.users > 0) return;
    --types_[topic->get_type_name()].topics;
    topics_.erase(known);
    participant_->delete_topic(topic);
}

rpc::Service *Domain::service(const std::string &name, const std::function<rpc::Service *()> &make) {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto known = services_.find(name);
    if (known != services_.end()) {
        ++known->second.users;
        return known->second.service;
    }
    rpc::Service *const service = make();
    services_[name] = {service, 1, false};
    return service;
}

void Domain::release_service(const std::string &name) {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto known = services_.find(name);
    if (known == services_.end() || --known->second.users > 0) return;
#if BUSMARK_FASTDDS_RPC
    participant_->delete_service(known->second.service);
#endif
    services_.erase(known);
}

bool Domain::takes_server(const std::string &name) {
    const std::lock_guard<std::mutex> lock(mutex_);
    return !std::exchange(services_.at(name).has_server, true);
}

void Domain::releases_server(const std::string &name) {
    const std::lock_guard<std::mutex> lock(mutex_);
    services_.at(name).has_server = false;
}

std::unique_ptr<busmark::Writer> Participant::writer(const EndpointConfig &config) {
    return with_kind(domain_->settings().loan, config, [&](auto kind) -> std::unique_ptr<busmark::Writer> {
        return std::make_unique<Writer<decltype(kind)>>(domain_, config);
    });
}

std::unique_ptr<busmark::Reader> Participant::reader(const EndpointConfig &config,
                                                     busmark::Listener listener) {
    return with_kind(domain_->settings().loan, config, [&](auto kind) -> std::unique_ptr<busmark::Reader> {
        return std::make_unique<Reader<decltype(kind)>>(domain_, config, listener);
    });
}

std::unique_ptr<busmark::Service> Participant::service(const EndpointConfig &config, busmark_side_e side) {
    return make_service(domain_, config, side);
}

} // namespace fastdds_adapter
