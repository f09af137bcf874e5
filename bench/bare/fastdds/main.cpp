// The smallest round trip and the smallest stream over Fast DDS: the library, the type, the transport,
// discovery and QoS of Busmark's adapter, and nothing of Busmark.
#include <bare.hpp>

#include "sample.hpp"
#include "udp.hpp"

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

#include <atomic>
#include <memory>

namespace {

namespace dds = eprosima::fastdds::dds;
using bare::made;

constexpr int32_t most_at_a_time = 64;

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

dds::DomainParticipantQos participant_qos(const bare::Options &options, uint32_t domain) {
    dds::DomainParticipantQos qos;
    bare::use_loopback(options, domain, qos);
    if (options.is_secured()) secure(options.documents(), qos);
    return qos;
}

template <class Qos> void apply(const bare::Options &options, Qos &qos) {
    qos.reliability().kind = dds::RELIABLE_RELIABILITY_QOS;
    qos.history().kind = options.is_stream() ? dds::KEEP_ALL_HISTORY_QOS : dds::KEEP_LAST_HISTORY_QOS;
    qos.history().depth = 1;
}

class Writer {
public:
    Writer(dds::DataWriter *writer, size_t bytes) : writer_(writer) { bare::fill(sample_, bytes); }

    bool write(const bare::Header &header) {
        bare::assign(sample_, header);
        return writer_->write(&sample_, dds::HANDLE_NIL) == bare::ok;
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
    bare::Sample sample_;
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
            if (reader->take(samples_, infos_, most_at_a_time) != bare::ok) return;
            taken = static_cast<int32_t>(infos_.length());
            for (int32_t at = 0; at < taken; ++at)
                if (infos_[at].valid_data) on_sample_(bare::header(samples_[at]));
        }
    }
    void on_subscription_matched(dds::DataReader *, const dds::SubscriptionMatchedStatus &status) override {
        matched_ = status.current_count > 0;
    }
    bool matched() const { return matched_; }

private:
    OnSample on_sample_;
    dds::LoanableSequence<bare::Sample> samples_;
    dds::SampleInfoSeq infos_;
    std::atomic<bool> matched_{false};
};

class Library {
public:
    explicit Library(const bare::Options &options) : options_(options), domain_(options.domain()) {
        participant_ = made(dds::DomainParticipantFactory::get_instance()->create_participant(
                                domain_, participant_qos(options, domain_)),
                            "participant");
        type_.reset(bare::make_type());
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
        if (options_.is_stream()) bare::heartbeat_period(qos.reliable_writer_qos().times) = {0, 10'000'000};
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
