// A domain participant: registers types, makes topics and the endpoints on them.
#pragma once

#include "library.hpp"
#include "seen.hpp"
#include "settings.hpp"
#include "tcp_peers.hpp"

#include <busmark_adapter.hpp>
#include <fastdds/dds/domain/DomainParticipant.hpp>
#include <fastdds/dds/topic/ContentFilteredTopic.hpp>
#include <fastdds/dds/topic/Topic.hpp>
#include <fastdds/dds/topic/TypeSupport.hpp>

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

// From 3.2 on.
namespace eprosima::fastdds::dds::rpc {
class Service;
}

namespace fastdds_adapter {

/// The participant of the library. Endpoints share it, and the last one deletes it.
class Domain {
public:
    explicit Domain(const busmark::ParticipantConfig &config);
    ~Domain();
    Domain(const Domain &) = delete;
    Domain &operator=(const Domain &) = delete;

    eprosima::fastdds::dds::DomainParticipant &native() { return *participant_; }
    const Settings &settings() const { return settings_; }
    Seen &seen() { return *seen_; }

    /// The topic of an endpoint, made or shared; to be given back by `release`.
    eprosima::fastdds::dds::Topic *topic(const busmark::EndpointConfig &config);
    void release(eprosima::fastdds::dds::Topic *topic);

    /// Keeps an endpoint's listener until the participant has gone: a thread of the library may still be
    /// within it when the endpoint has been deleted.
    void keep(std::shared_ptr<void> listener) {
        const std::lock_guard<std::mutex> lock(mutex_);
        kept_.push_back(std::move(listener));
    }

    /// The service of this name, made by `make` or shared; to be given back by `release_service`.
    eprosima::fastdds::dds::rpc::Service *
    service(const std::string &name, const std::function<eprosima::fastdds::dds::rpc::Service *()> &make);
    void release_service(const std::string &name);
    /// Whether a type of services has not been registered yet. Within `make`.
    bool registers_service_type(const std::string &name) { return service_types_.insert(name).second; }
    /// Whether the service has no server yet; it has one now.
    bool takes_server(const std::string &name);
    void releases_server(const std::string &name);

private:
    struct SharedService {
        eprosima::fastdds::dds::rpc::Service *service;
        unsigned users;
        bool has_server;
    };
    struct SharedTopic {
        eprosima::fastdds::dds::Topic *topic;
        unsigned users;
    };
    struct RegisteredType {
        uint64_t max_body_bytes; ///< UINT64_MAX: without a bound
        unsigned topics;
    };

    void create_over_tcp(const std::string &run_dir);
    std::string register_type(const busmark::EndpointConfig &config);
    eprosima::fastdds::dds::TypeSupport type_support(const busmark::EndpointConfig &config) const;

    Settings settings_;
    LibraryUse library_;
    TcpEntry tcp_entry_;
    std::unique_ptr<Seen> seen_;
    eprosima::fastdds::dds::DomainParticipant *participant_ = nullptr;
    std::vector<std::shared_ptr<void>> kept_;
    std::mutex mutex_; // of the one above and those below
    std::map<std::string, SharedService> services_;
    std::set<std::string> service_types_;
    std::map<std::string, SharedTopic> topics_;
    std::map<std::string, RegisteredType> types_;
};

/// The use of a topic by one endpoint.
class TopicUse {
public:
    TopicUse(std::shared_ptr<Domain> domain, const busmark::EndpointConfig &config)
        : domain_(std::move(domain)), topic_(domain_->topic(config)) {}
    ~TopicUse() { domain_->release(topic_); }
    TopicUse(const TopicUse &) = delete;
    TopicUse &operator=(const TopicUse &) = delete;

    eprosima::fastdds::dds::Topic *native() const { return topic_; }
    Domain &domain() const { return *domain_; }

private:
    std::shared_ptr<Domain> domain_;
    eprosima::fastdds::dds::Topic *topic_;
};

/// What the worker holds.
class Participant : public busmark::Participant {
public:
    explicit Participant(const busmark::ParticipantConfig &config)
        : domain_(std::make_shared<Domain>(config)) {}
    std::unique_ptr<busmark::Writer> writer(const busmark::EndpointConfig &config) override;
    std::unique_ptr<busmark::Reader> reader(const busmark::EndpointConfig &config,
                                            busmark::Listener listener) override;
    std::unique_ptr<busmark::Service> service(const busmark::EndpointConfig &config, busmark_side_e side) override;
    std::vector<busmark::Entity> entities() override {
        return domain_->seen().entities(domain_->native());
    }

private:
    std::shared_ptr<Domain> domain_;
};

} // namespace fastdds_adapter
