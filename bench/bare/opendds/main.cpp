// The smallest round trip and the smallest stream over OpenDDS: the library, type, transport (RTPS over UDP),
// discovery and QoS of Busmark's adapter on loopback, and nothing of Busmark.
#include <bare.hpp>

#include "busmark_typesTypeSupportImpl.h"

// Registers RTPS discovery when the program is loaded.
#include <dds/DCPS/RTPS/RtpsDiscovery.h>

#include <dds/DCPS/LocalObject.h>
#include <dds/DCPS/Marked_Default_Qos.h>
#include <dds/DCPS/Service_Participant.h>
#include <dds/DCPS/transport/framework/TransportConfig.h>
#include <dds/DCPS/transport/framework/TransportRegistry.h>
#include <dds/DCPS/transport/rtps_udp/RtpsUdpLoader.h>

#include <cstring>
#include <functional>
#include <memory>
#include <utility>

namespace {

constexpr auto nobody = OpenDDS::DCPS::NO_STATUS_MASK;
constexpr CORBA::Long most_at_a_time = 64; // as Busmark's worker takes
/// Seconds for which a writer's deletion waits for acknowledgements; as shipped for ever.
constexpr char pending_timeout[] = "2";

using Section = std::vector<std::pair<const char *, std::string>>;

/// A domain, its discovery and a transport, all of one name.
void configure(const bare::Options &options, uint32_t domain) {
    ACE_Configuration_Heap heap;
    heap.open();
    const auto add = [&](const char *kind, const std::string &name, const Section &entries) {
        ACE_Configuration_Section_Key kinds, section;
        heap.open_section(heap.root_section(), kind, 1, kinds);
        heap.open_section(kinds, name.c_str(), 1, section);
        for (const auto &[key, value] : entries) heap.set_string_value(section, key, value.c_str());
    };
    add("rtps_discovery", "bare", {{"ResendPeriod", "30"},
                                   {"MulticastInterface", "lo"},
                                   {"SpdpLocalAddress", "127.0.0.1"},
                                   {"SedpLocalAddress", "127.0.0.1:0"},
                                   {"SedpMulticast", "0"}});
    add("domain", std::to_string(domain), {{"DiscoveryConfig", "bare"}});
    // For streams as in the adapter's profile tuned: as shipped what is lost is asked for after a
    // second.
    const bool tuned = options.is_stream();
    add("transport", "bare", {{"transport_type", "rtps_udp"},
                              {"local_address", "127.0.0.1:0"},
                              {"use_multicast", "0"},
                              {"multicast_interface", "lo"},
                              {"send_buffer_size", tuned ? "4194304" : "65536"},
                              {"rcv_buffer_size", tuned ? "4194304" : "65536"},
                              {"heartbeat_period", tuned ? "10" : "1000"},
                              {"heartbeat_response_delay", tuned ? "5" : "500"},
                              {"nak_response_delay", tuned ? "5" : "200"},
                              {"nak_depth", tuned ? "256" : "32"}});
    if (TheServiceParticipant->load_configuration(heap, "bare") != 0)
        throw std::runtime_error("OpenDDS refuses its configuration");
    TheServiceParticipant->n_chunks(tuned ? 1000 : 20);
}

template <class Var> const Var &made(const Var &entity, const char *what) {
    if (CORBA::is_nil(entity.in())) throw std::runtime_error(std::string("no ") + what);
    return entity;
}

template <class Qos> void apply(const bare::Options &options, Qos &qos) {
    qos.reliability.kind = DDS::RELIABLE_RELIABILITY_QOS;
    qos.history.kind = options.is_stream() ? DDS::KEEP_ALL_HISTORY_QOS : DDS::KEEP_LAST_HISTORY_QOS;
    if (!options.is_stream()) qos.history.depth = 1;
}

class Writer {
public:
    Writer(DDS::DataWriter_ptr writer, size_t bytes)
        : writer_(busmark::OctetSampleDataWriter::_narrow(writer)) {
        sample_.body.length(static_cast<CORBA::ULong>(bytes));
        std::memset(sample_.body.get_buffer(), 1, bytes);
        instance_ = writer_->register_instance(sample_);
    }

    bool write(const bare::Header &header) {
        std::memcpy(static_cast<void *>(&sample_.header), &header, sizeof header);
        return writer_->write(sample_, instance_) == DDS::RETCODE_OK;
    }
    bool matched() {
        DDS::PublicationMatchedStatus status;
        return writer_->get_publication_matched_status(status) == DDS::RETCODE_OK &&
               status.current_count > 0;
    }
    void finish(std::chrono::milliseconds limit) {
        const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(limit);
        const std::chrono::nanoseconds rest = limit - seconds;
        writer_->wait_for_acknowledgments({static_cast<CORBA::Long>(seconds.count()),
                                           static_cast<CORBA::ULong>(rest.count())});
    }

private:
    busmark::OctetSampleDataWriter_var writer_;
    busmark::OctetSample sample_;
    DDS::InstanceHandle_t instance_;
};

template <class OnSample>
class Listener final : public virtual OpenDDS::DCPS::LocalObject<DDS::DataReaderListener> {
public:
    explicit Listener(OnSample on_sample) : on_sample_(on_sample) {}

    /// From now on nothing is called; returns when no call is under way.
    void close() {
        const std::lock_guard lock(mutex_);
        closed_ = true;
    }

    void on_data_available(DDS::DataReader_ptr reader) override {
        const std::lock_guard lock(mutex_);
        if (closed_) return;
        if (CORBA::is_nil(reader_.in())) reader_ = busmark::OctetSampleDataReader::_narrow(reader);
        for (CORBA::Long taken = most_at_a_time; taken == most_at_a_time;) {
            if (reader_->take(samples_, infos_, most_at_a_time, DDS::ANY_SAMPLE_STATE,
                              DDS::ANY_VIEW_STATE, DDS::ANY_INSTANCE_STATE) != DDS::RETCODE_OK)
                return;
            taken = static_cast<CORBA::Long>(infos_.length());
            for (CORBA::Long at = 0; at < taken; ++at) {
                if (!infos_[at].valid_data) continue;
                bare::Header header;
                std::memcpy(static_cast<void *>(&header), &std::as_const(samples_)[at].header,
                            sizeof header);
                on_sample_(header);
            }
            reader_->return_loan(samples_, infos_);
        }
    }
    void on_requested_deadline_missed(DDS::DataReader_ptr,
                                      const DDS::RequestedDeadlineMissedStatus &) override {}
    void on_requested_incompatible_qos(DDS::DataReader_ptr,
                                       const DDS::RequestedIncompatibleQosStatus &) override {}
    void on_sample_rejected(DDS::DataReader_ptr, const DDS::SampleRejectedStatus &) override {}
    void on_liveliness_changed(DDS::DataReader_ptr, const DDS::LivelinessChangedStatus &) override {}
    void on_subscription_matched(DDS::DataReader_ptr, const DDS::SubscriptionMatchedStatus &) override {}
    void on_sample_lost(DDS::DataReader_ptr, const DDS::SampleLostStatus &) override {}

private:
    OnSample on_sample_;
    std::mutex mutex_;
    bool closed_ = false;
    busmark::OctetSampleDataReader_var reader_;
    busmark::OctetSampleSeq samples_;
    DDS::SampleInfoSeq infos_;
};

class Reader {
public:
    explicit Reader(DDS::DataReader_ptr reader, std::function<void()> close)
        : reader_(DDS::DataReader::_duplicate(reader)), close_(std::move(close)) {}
    ~Reader() { close_(); }
    Reader(const Reader &) = delete;
    Reader &operator=(const Reader &) = delete;

    bool matched() const {
        DDS::SubscriptionMatchedStatus status;
        return reader_->get_subscription_matched_status(status) == DDS::RETCODE_OK &&
               status.current_count > 0;
    }

private:
    DDS::DataReader_var reader_;
    const std::function<void()> close_;
};

class Library {
public:
    explicit Library(const bare::Options &options) : options_(options), domain_(options.domain()) {
        // Alignment counts from behind the encapsulation header, as with all other vendors.
        const char *arguments[] = {"bare", "-DCPSPendingTimeout", pending_timeout,
                                   "-DCPSRTISerialization", "1", nullptr};
        int count = 5;
        factory_ = TheParticipantFactoryWithArgs(count, const_cast<char **>(arguments));
        OpenDDS::DCPS::RtpsUdpLoader().init(0, nullptr);
        configure(options, domain_);
        participant_ = made(DDS::DomainParticipant_var(factory_->create_participant(
                                static_cast<int>(domain_), PARTICIPANT_QOS_DEFAULT, nullptr, nobody)),
                            "participant");
        TheTransportRegistry->bind_config("bare", participant_.in());
        const OpenDDS::DCPS::TypeSupport_var type = new busmark::OctetSampleTypeSupportImpl;
        type->register_type(participant_.in(), type_name);
    }
    ~Library() {
        participant_->delete_contained_entities();
        factory_->delete_participant(participant_.in());
        TheServiceParticipant->shutdown();
    }
    Library(const Library &) = delete;
    Library &operator=(const Library &) = delete;

    std::string address() const { return std::to_string(domain_); }

    std::unique_ptr<Writer> writer(const char *name, size_t bytes) {
        const DDS::Publisher_var publisher =
            made(DDS::Publisher_var(
                     participant_->create_publisher(PUBLISHER_QOS_DEFAULT, nullptr, nobody)),
                 "publisher");
        DDS::DataWriterQos qos;
        publisher->get_default_datawriter_qos(qos);
        apply(options_, qos);
        const DDS::DataWriter_var writer =
            made(DDS::DataWriter_var(
                     publisher->create_datawriter(topic(name).in(), qos, nullptr, nobody)),
                 "writer");
        return std::make_unique<Writer>(writer.in(), bytes);
    }

    template <class OnSample> std::unique_ptr<Reader> reader(const char *name, OnSample on_sample) {
        const DDS::Subscriber_var subscriber =
            made(DDS::Subscriber_var(
                     participant_->create_subscriber(SUBSCRIBER_QOS_DEFAULT, nullptr, nobody)),
                 "subscriber");
        DDS::DataReaderQos qos;
        subscriber->get_default_datareader_qos(qos);
        apply(options_, qos);
        auto *const listener = new Listener<OnSample>(on_sample);
        const DDS::DataReaderListener_var owner = listener;
        const DDS::DataReader_var reader =
            made(DDS::DataReader_var(subscriber->create_datareader(
                     topic(name).in(), qos, owner.in(), DDS::DATA_AVAILABLE_STATUS)),
                 "reader");
        return std::make_unique<Reader>(reader.in(), [listener, owner] { listener->close(); });
    }

private:
    static constexpr const char *type_name = "busmark::OctetSample";

    DDS::Topic_var topic(const char *name) {
        return made(DDS::Topic_var(participant_->create_topic(name, type_name, TOPIC_QOS_DEFAULT,
                                                              nullptr, nobody)),
                    "topic");
    }

    const bare::Options options_;
    const uint32_t domain_;
    DDS::DomainParticipantFactory_var factory_;
    DDS::DomainParticipant_var participant_;
};

} // namespace

int main(int argc, char **argv) { return bare::run<Library>(argc, argv); }
