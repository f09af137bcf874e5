// The smallest round trip and the smallest stream over Fast DDS: the system's library, the type, the
// transport, discovery and QoS of Busmark's adapter, and nothing of Busmark.
#include <bare.hpp>

#include "busmark.h"
#include "busmarkPubSubTypes.h"

#include <fastdds/dds/core/LoanableSequence.hpp>
#include <fastdds/dds/core/status/PublicationMatchedStatus.hpp>
#include <fastdds/dds/core/status/SubscriptionMatchedStatus.hpp>
#include <fastdds/dds/domain/DomainParticipant.hpp>
#include <fastdds/dds/domain/DomainParticipantFactory.hpp>
#include <fastdds/dds/publisher/DataWriter.hpp>
#include <fastdds/dds/publisher/Publisher.hpp>
#include <fastdds/dds/subscriber/DataReader.hpp>
#include <fastdds/dds/subscriber/DataReaderListener.hpp>
#include <fastdds/dds/subscriber/SampleInfo.hpp>
#include <fastdds/dds/subscriber/Subscriber.hpp>
#include <fastdds/dds/topic/Topic.hpp>
#include <fastdds/dds/topic/TypeSupport.hpp>
#include <fastdds/rtps/transport/UDPv4TransportDescriptor.h>
#include <fastrtps/utils/IPLocator.h>

#include <atomic>
#include <memory>

namespace {

namespace dds = eprosima::fastdds::dds;
namespace rtps = eprosima::fastdds::rtps;
using eprosima::fastrtps::rtps::IPLocator;

constexpr const char *loopback = "127.0.0.1";
constexpr uint32_t participants = 120;
constexpr int32_t most_at_a_time = 64;
constexpr uint32_t stream_buffer_bytes = 4 << 20;

template <class Entity> Entity *made(Entity *entity, const char *what) {
    if (entity == nullptr) throw std::runtime_error(std::string(what) + " was not made");
    return entity;
}

rtps::Locator locator(uint32_t port) {
    rtps::Locator result;
    result.kind = LOCATOR_KIND_UDPv4;
    result.port = port;
    IPLocator::setIPv4(result, loopback);
    return result;
}

void secure(const bare::Documents &documents, dds::DomainParticipantQos &qos) {
    auto &properties = qos.properties().properties();
    const std::string identity = "dds.sec.auth.builtin.PKI-DH.";
    const std::string access = "dds.sec.access.builtin.Access-Permissions.";
    properties.emplace_back("dds.sec.auth.plugin", "builtin.PKI-DH");
    properties.emplace_back(identity + "identity_ca", "file://" + documents.identity_ca);
    properties.emplace_back(identity + "identity_certificate", "file://" + documents.certificate);
    properties.emplace_back(identity + "private_key", "file://" + documents.private_key);
    properties.emplace_back("dds.sec.access.plugin", "builtin.Access-Permissions");
    properties.emplace_back(access + "permissions_ca", "file://" + documents.permissions_ca);
    properties.emplace_back(access + "governance", "file://" + documents.governance);
    properties.emplace_back(access + "permissions", "file://" + documents.permissions);
    properties.emplace_back("dds.sec.crypto.plugin", "builtin.AES-GCM-GMAC");
}

/// UDP on loopback, discovery by unicast among the domain's ports (RTPS 9.6.2.3).
dds::DomainParticipantQos participant_qos(const bare::Options &options, uint32_t domain) {
    dds::DomainParticipantQos qos;
    auto udp = std::make_shared<rtps::UDPv4TransportDescriptor>();
    udp->interfaceWhiteList.push_back(loopback);
    udp->maxInitialPeersRange = participants;
    // A stream overruns the system's default.
    if (options.is_stream()) udp->sendBufferSize = udp->receiveBufferSize = stream_buffer_bytes;
    qos.transport().use_builtin_transports = false;
    qos.transport().user_transports.push_back(udp);
    const uint32_t first = 7400 + 250 * domain;
    qos.wire_protocol().builtin.metatrafficUnicastLocatorList.push_back(locator(first + 10));
    qos.wire_protocol().default_unicast_locator_list.push_back(locator(first + 11));
    qos.wire_protocol().builtin.initialPeersList.push_back(locator(0));
    if (options.is_secured()) secure(options.documents(), qos);
    return qos;
}

template <class Qos> void apply(const bare::Options &options, Qos &qos) {
    qos.reliability().kind = dds::RELIABLE_RELIABILITY_QOS;
    qos.history().kind = options.is_stream() ? dds::KEEP_ALL_HISTORY_QOS : dds::KEEP_LAST_HISTORY_QOS;
    qos.history().depth = 1;
}

void assign(busmark::Header &to, const bare::Header &from) {
    to.cookie(from.cookie);
    to.seq(from.seq);
    to.intended_ns(from.times[0]);
    to.sent_ns(from.times[1]);
    to.echo_sent_ns(from.times[2]);
    to.echo_delivered_ns(from.times[3]);
    to.echo_read_ns(from.times[4]);
    to.writer_id(from.writer_id);
    to.flags(from.flags);
}

bare::Header plain(const busmark::Header &from) {
    return {from.cookie(),
            from.seq(),
            {from.intended_ns(), from.sent_ns(), from.echo_sent_ns(), from.echo_delivered_ns(),
             from.echo_read_ns()},
            from.writer_id(),
            from.flags()};
}

class Writer {
public:
    Writer(dds::DataWriter *writer, size_t bytes) : writer_(writer) { sample_.body().resize(bytes, 1); }

    bool write(const bare::Header &header) {
        assign(sample_.header(), header);
        return writer_->write(&sample_, dds::HANDLE_NIL) == ReturnCode_t::RETCODE_OK;
    }
    bool matched() {
        dds::PublicationMatchedStatus status;
        writer_->get_publication_matched_status(status);
        return status.current_count > 0;
    }
    void finish(std::chrono::milliseconds limit) {
        writer_->wait_for_acknowledgments(static_cast<double>(limit.count()) / 1000);
    }

private:
    dds::DataWriter *writer_;
    busmark::OctetSample sample_;
};

template <class OnSample> class Reader : public dds::DataReaderListener {
public:
    explicit Reader(OnSample on_sample)
        : on_sample_(on_sample), samples_(most_at_a_time), infos_(most_at_a_time) {}

    void on_data_available(dds::DataReader *reader) override {
        int32_t taken = most_at_a_time;
        while (taken == most_at_a_time) {
            samples_.length(0);
            infos_.length(0);
            if (reader->take(samples_, infos_, most_at_a_time) != ReturnCode_t::RETCODE_OK) return;
            taken = static_cast<int32_t>(infos_.length());
            for (int32_t at = 0; at < taken; ++at)
                if (infos_[at].valid_data) on_sample_(plain(samples_[at].header()));
        }
    }
    void on_subscription_matched(dds::DataReader *, const dds::SubscriptionMatchedStatus &status) override {
        matched_ = status.current_count > 0;
    }
    bool matched() const { return matched_; }

private:
    OnSample on_sample_;
    dds::LoanableSequence<busmark::OctetSample> samples_;
    dds::SampleInfoSeq infos_;
    std::atomic<bool> matched_{false};
};

class Library {
public:
    explicit Library(const bare::Options &options) : options_(options), domain_(options.domain()) {
        participant_ = made(dds::DomainParticipantFactory::get_instance()->create_participant(
                                domain_, participant_qos(options, domain_)),
                            "participant");
        type_.reset(new busmark::OctetSamplePubSubType);
        type_->auto_fill_type_object(false);
        type_->auto_fill_type_information(false);
        participant_->register_type(type_);
    }
    ~Library() {
        participant_->delete_contained_entities();
        dds::DomainParticipantFactory::get_instance()->delete_participant(participant_);
    }
    Library(const Library &) = delete;
    Library &operator=(const Library &) = delete;

    std::string address() const { return std::to_string(domain_); }

    std::unique_ptr<Writer> writer(const char *name, size_t bytes) {
        dds::Publisher *publisher =
            made(participant_->create_publisher(dds::PUBLISHER_QOS_DEFAULT), "publisher");
        dds::DataWriterQos qos = publisher->get_default_datawriter_qos();
        apply(options_, qos);
        // As shipped, 3 s: so long a stream rests after the first datagram that was lost.
        if (options_.is_stream()) qos.reliable_writer_qos().times.heartbeatPeriod = {0, 10'000'000};
        return std::make_unique<Writer>(made(publisher->create_datawriter(topic(name), qos), "writer"),
                                        bytes);
    }

    /// The reader ends, and no call of it is under way, before the listener does.
    template <class OnSample> auto reader(const char *name, OnSample on_sample) {
        dds::Subscriber *subscriber =
            made(participant_->create_subscriber(dds::SUBSCRIBER_QOS_DEFAULT), "subscriber");
        dds::DataReaderQos qos = subscriber->get_default_datareader_qos();
        apply(options_, qos);
        auto listener = std::make_unique<Reader<OnSample>>(on_sample);
        const auto mask = dds::StatusMask::data_available() << dds::StatusMask::subscription_matched();
        dds::DataReader *native =
            made(subscriber->create_datareader(topic(name), qos, listener.get(), mask), "reader");
        const auto end = [subscriber, native](Reader<OnSample> *reader) {
            subscriber->delete_datareader(native);
            delete reader;
        };
        return std::unique_ptr<Reader<OnSample>, decltype(end)>(listener.release(), end);
    }

private:
    dds::Topic *topic(const char *name) {
        return made(participant_->create_topic(name, type_.get_type_name(), dds::TOPIC_QOS_DEFAULT),
                    "topic");
    }

    const bare::Options options_;
    const uint32_t domain_;
    dds::TypeSupport type_;
    dds::DomainParticipant *participant_;
};

} // namespace

int main(int argc, char **argv) { return bare::run<Library>(argc, argv); }
