#include "service.hpp"

#if BUSMARK_FASTDDS_RPC

#include "qos.hpp"
#include "status.hpp"
#include "types.hpp"

#include <fastdds/dds/core/condition/WaitSet.hpp>
#include <fastdds/dds/core/status/PublicationMatchedStatus.hpp>
#include <fastdds/dds/core/status/SubscriptionMatchedStatus.hpp>
#include <fastdds/dds/domain/qos/ReplierQos.hpp>
#include <fastdds/dds/domain/qos/RequesterQos.hpp>
#include <fastdds/dds/publisher/DataWriter.hpp>
#include <fastdds/dds/publisher/Publisher.hpp>
#include <fastdds/dds/rpc/Replier.hpp>
#include <fastdds/dds/rpc/Requester.hpp>
#include <fastdds/dds/rpc/Service.hpp>
#include <fastdds/dds/rpc/ServiceTypeSupport.hpp>
#include <fastdds/dds/subscriber/DataReader.hpp>
#include <fastdds/dds/subscriber/ReadCondition.hpp>
#include <fastdds/dds/subscriber/Subscriber.hpp>

#include <algorithm>
#include <chrono>
#include <set>
#include <thread>
#include <vector>

namespace fastdds_adapter {

namespace {

namespace rpc = eprosima::fastdds::dds::rpc;
using busmark::EndpointConfig;
using busmark::Error;
using Native = PlainKind::Native;

constexpr Shape octet_request{"busmark::OctetCall_Request", 1}, octet_response{"busmark::OctetCall_Response", 1};
constexpr Shape empty_request{"busmark::EmptyCall_Request", 0}, empty_response{"busmark::EmptyCall_Response", 0};

dds::TypeSupport type_support(const EndpointConfig &config, bool bounded, const Shape &shape) {
    if (bounded) return dds::TypeSupport(new Bounded<SampleType>(config.max_body_bytes, shape));
    return dds::TypeSupport(new SampleType(shape));
}

/// Registers the type of a service, if it is not yet, and gives its name.
std::string register_type(Domain &domain, const EndpointConfig &config) {
    const bool empty = config.payload == BUSMARK_PAYLOAD_EMPTY, bounded = needs_bound(domain.settings());
    std::string name = empty ? "busmark::EmptyCall" : "busmark::OctetCall";
    const rpc::ServiceTypeSupport support(type_support(config, bounded, empty ? empty_request : octet_request),
                                          type_support(config, bounded, empty ? empty_response : octet_response));
    // Types with another bound are others.
    if (bounded) {
        const std::string suffix = "_" + std::to_string(config.max_body_bytes);
        name += suffix;
        for (dds::TypeSupport type : {support.request_type(), support.reply_type()})
            type->set_name(type.get_type_name() + suffix);
    }
    if (domain.registers_service_type(name))
        check(domain.native().register_service_type(support, name), "type " + name + " is not registered");
    return name;
}

/// What both sides have in common: a reader and a writer of the library's, which belong to the RPC entity.
class End : public busmark::Service {
public:
    std::unique_ptr<busmark::Sample> prepare(const void *body, size_t bytes) override {
        auto sample = std::make_unique<Prepared>();
        PlainKind::set_body(sample->native, body, bytes);
        return sample;
    }

    busmark_status_e wait(int64_t timeout_ns) override {
        if (condition_ == nullptr) return BUSMARK_UNSUPPORTED;
        constexpr int64_t second_ns = 1'000'000'000;
        const Duration_t timeout(static_cast<int32_t>(std::min<int64_t>(timeout_ns / second_ns, INT32_MAX - 1)),
                                 static_cast<uint32_t>(timeout_ns % second_ns));
        return failure_.keep(waitset_.wait(active_, timeout), "wait");
    }

    /// An end is ready with which both ways stand.
    busmark_status_e match(busmark::Match &found) override {
        dds::PublicationMatchedStatus readers;
        dds::SubscriptionMatchedStatus writers;
        ReturnCode_t code = writer_->get_publication_matched_status(readers);
        if (number_of(code) == Code::ok) code = reader_->get_subscription_matched_status(writers);
        found.count = static_cast<uint32_t>(std::min(readers.current_count, writers.current_count));
        return status_of(code);
    }

    std::optional<Error> last_error() override { return failure_.get(); }

protected:
    struct Prepared : busmark::Sample {
        Native native;
    };

    End(const std::shared_ptr<Domain> &domain, const EndpointConfig &config)
        : domain_(domain), name_(config.topic) {
        if (domain->settings().loan != Loan::none)
            throw Error(BUSMARK_UNSUPPORTED, "option loan: of requests and responses nothing is lent");
        service_ = domain->service(name_, [&] {
            const std::string type = register_type(*domain, config);
            return made(domain->native().create_service(name_, type), "service \"" + name_ + "\"");
        });
    }
    ~End() override { domain_->release_service(name_); }

    static Native &with_header(busmark::Sample &sample, const busmark_header_t &header) {
        Native &native = static_cast<Prepared &>(sample).native;
        native.header = header;
        return native;
    }

    template <class EntityQos> EntityQos qos_of(const EndpointConfig &config) const {
        EntityQos qos;
        apply_qos(config, domain_->settings(), qos.writer_qos);
        apply_qos(config, domain_->settings(), qos.reader_qos);
        return qos;
    }

    void open(dds::DataWriter *writer, dds::DataReader *reader, busmark_wait_e wait) {
        writer_ = writer;
        reader_ = reader;
        domain_->seen().came(&writer_, [this] {
            return described(writer_->guid(), writer_->get_topic()->get_name(), writer_->get_topic()->get_type_name(),
                             writer_->get_qos().get_writerqos(writer_->get_publisher()->get_qos(),
                                                              writer_->get_topic()->get_qos()));
        });
        domain_->seen().came(&reader_, [this] {
            const dds::TopicDescription *topic = reader_->get_topicdescription();
            const auto *filtered = dynamic_cast<const dds::ContentFilteredTopic *>(topic);
            if (filtered != nullptr) topic = filtered->get_related_topic();
            return described(reader_->guid(), topic->get_name(), topic->get_type_name(),
                             reader_->get_qos().get_readerqos(reader_->get_subscriber()->get_qos()));
        });
        if (wait != BUSMARK_WAIT_WAITSET) return;
        condition_ = made(reader_->create_readcondition(dds::ANY_SAMPLE_STATE, dds::ANY_VIEW_STATE,
                                                        dds::ANY_INSTANCE_STATE),
                          "read condition");
        active_.reserve(1);
        check(waitset_.attach_condition(*condition_), "read condition of a waitset");
    }

    /// Before the RPC entity is deleted.
    void close() {
        domain_->seen().goes(&writer_);
        domain_->seen().goes(&reader_);
        if (condition_ == nullptr) return;
        waitset_.detach_condition(*condition_);
        reader_->delete_readcondition(condition_);
    }

    /// Gives what was taken last to the sink.
    void deliver(busmark::Sink &sink, uint64_t number) {
        sink(taken_.header, taken_.body.data(), taken_.body.size(), info_.source_timestamp.to_ns(),
             info_.reception_timestamp.to_ns(), number);
    }

    const std::shared_ptr<Domain> domain_;
    const std::string name_;
    rpc::Service *service_ = nullptr;
    LastFailure failure_;
    dds::DataWriter *writer_ = nullptr;
    dds::DataReader *reader_ = nullptr;
    // It keeps its body from one take to the next.
    Native taken_;
    rpc::RequestInfo info_;

private:
    dds::WaitSet waitset_;
    dds::ConditionSeq active_;
    dds::ReadCondition *condition_ = nullptr;
};

class Client final : public End {
public:
    Client(const std::shared_ptr<Domain> &domain, const EndpointConfig &config) : End(domain, config) {
        requester_ = made(domain->native().create_service_requester(service_, qos_of<dds::RequesterQos>(config)),
                          "requester of \"" + name_ + "\"");
        try {
            open(requester_->get_requester_writer(), requester_->get_requester_reader(), config.wait);
        } catch (...) {
            end();
            throw;
        }
    }
    ~Client() override { end(); }

    busmark_status_e send(busmark::Sample &sample, const busmark_header_t &header, uint64_t &request) override {
        rpc::RequestInfo info;
        const ReturnCode_t code = requester_->send_request(&with_header(sample, header), info);
        request = info.related_sample_identity.sequence_number().to64long();
        return failure_.keep(code, "send_request");
    }

    /// A requester hears the replies to all of the service; the identity of the request says whose one is.
    busmark_status_e take(uint32_t max, busmark::Sink &sink, uint32_t &taken) override {
        while (taken < max) {
            const ReturnCode_t code = requester_->take_reply(&taken_, info_);
            if (number_of(code) == Code::no_data) break;
            if (number_of(code) != Code::ok) return failure_.keep(code, "take_reply");
            const rtps::SampleIdentity &request = info_.related_sample_identity;
            if (!info_.valid_data || request.writer_guid() != writer_->guid()) continue;
            deliver(sink, request.sequence_number().to64long());
            ++taken;
        }
        return taken > 0 ? BUSMARK_OK : BUSMARK_NO_DATA;
    }

private:
    void end() {
        close();
        domain_->native().delete_service_requester(name_, requester_);
    }

    rpc::Requester *requester_;
};

class Server final : public End {
public:
    Server(const std::shared_ptr<Domain> &domain, const EndpointConfig &config) : End(domain, config) {
        // The library would replace the first one.
        if (!domain->takes_server(name_))
            throw Error(BUSMARK_INVALID, "this participant has a server of \"" + name_ + "\" already");
        try {
            auto qos = qos_of<dds::ReplierQos>(config);
            // With more than one requester in other processes the library's writer filters replies by what the first
            // one wants; then each requester's reader does so by itself.
            qos.writer_qos.writer_resource_limits().reader_filters_allocation.maximum = 0;
            replier_ = made(domain->native().create_service_replier(service_, qos), "replier of \"" + name_ + "\"");
            open(replier_->get_replier_writer(), replier_->get_replier_reader(), config.wait);
        } catch (...) {
            end();
            throw;
        }
    }
    ~Server() override { end(); }

    busmark_status_e send(busmark::Sample &sample, const busmark_header_t &header, uint64_t &request) override {
        const Call *const call = calls_.claim(request);
        if (call == nullptr) return BUSMARK_INVALID;
        if (!call->hears) await_match(requester_of(call->info));
        const ReturnCode_t code = replier_->send_reply(&with_header(sample, header), call->info);
        if (number_of(code) == Code::ok) calls_.close(request);
        else calls_.reopen(request);
        return failure_.keep(code, "send_reply");
    }

    busmark_status_e take(uint32_t max, busmark::Sink &sink, uint32_t &taken) override {
        while (taken < max) {
            const ReturnCode_t code = replier_->take_request(&taken_, info_);
            if (number_of(code) == Code::no_data) break;
            if (number_of(code) != Code::ok) return failure_.keep(code, "take_request");
            if (!info_.valid_data) continue;
            deliver(sink, calls_.open({info_, knows(requester_of(info_))}));
            ++taken;
        }
        return taken > 0 ? BUSMARK_OK : BUSMARK_NO_DATA;
    }

    busmark_status_e drop(uint64_t request) override {
        if (calls_.claim(request) == nullptr) return BUSMARK_INVALID;
        calls_.close(request);
        return BUSMARK_OK;
    }

private:
    void end() {
        if (replier_ != nullptr) {
            close();
            domain_->native().delete_service_replier(name_, replier_);
        }
        domain_->releases_server(name_);
    }

    struct Call {
        rpc::RequestInfo info;
        bool hears; ///< whether the requester was matched when the request was taken
    };

    static const rtps::GUID_t &requester_of(const rpc::RequestInfo &info) {
        return info.related_sample_identity.writer_guid();
    }

    /// Whether replies reach this requester. Asked once of each, by the thread that takes.
    bool knows(const rtps::GUID_t &requester) {
        if (known_.find(requester) != known_.end()) return true;
        if (!is_matched(requester)) return false;
        // Those that have gone are forgotten some time.
        if (known_.size() == most_known) known_.clear();
        known_.insert(requester);
        return true;
    }

    /// Whether so many readers as writers of its participant are matched, for which is whose is not known.
    bool is_matched(const rtps::GUID_t &requester) const {
        std::vector<rtps::InstanceHandle_t> readers, writers;
        (void)!number_of(writer_->get_matched_subscriptions(readers));
        (void)!number_of(reader_->get_matched_publications(writers));
        const auto count = [&requester](const auto &handles) {
            return std::count_if(handles.begin(), handles.end(), [&requester](const auto &handle) {
                return rtps::iHandle2GUID(handle).guidPrefix == requester.guidPrefix;
            });
        };
        return count(readers) >= count(writers);
    }

    /// The library loses the reply to a requester whose writer it has matched, and whose reader it has not.
    void await_match(const rtps::GUID_t &requester) const {
        for (int tries = 0; tries < match_tries && !is_matched(requester); ++tries)
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }

    static constexpr size_t most_known = 1024;
    /// So many milliseconds, as with rmw_fastrtps_cpp.
    static constexpr int match_tries = 100;

    rpc::Replier *replier_ = nullptr;
    busmark::Calls<Call> calls_;
    std::set<rtps::GUID_t> known_;
};

} // namespace

std::unique_ptr<busmark::Service> make_service(const std::shared_ptr<Domain> &domain, const EndpointConfig &config,
                                               busmark_side_e side) {
    if (side == BUSMARK_SIDE_SERVER) return std::make_unique<Server>(domain, config);
    return std::make_unique<Client>(domain, config);
}

} // namespace fastdds_adapter

#else

namespace fastdds_adapter {

std::unique_ptr<busmark::Service> make_service(const std::shared_ptr<Domain> &, const busmark::EndpointConfig &,
                                               busmark_side_e) {
    throw busmark::Error(BUSMARK_UNSUPPORTED, "this Fast DDS has no RPC; it came with 3.2");
}

} // namespace fastdds_adapter

#endif
