// A data reader: listener, waitset or polling.
#pragma once

#include "notifier.hpp"
#include "participant.hpp"
#include "qos.hpp"
#include "status.hpp"
#include "types.hpp"

#include <fastdds/dds/core/LoanableSequence.hpp>
#include <fastdds/dds/core/condition/WaitSet.hpp>
#include <fastdds/dds/core/status/BaseStatus.hpp>
#include <fastdds/dds/core/status/DeadlineMissedStatus.hpp>
#include <fastdds/dds/core/status/SampleRejectedStatus.hpp>
#include <fastdds/dds/core/status/SubscriptionMatchedStatus.hpp>
#include <fastdds/dds/subscriber/DataReader.hpp>
#include <fastdds/dds/subscriber/DataReaderListener.hpp>
#include <fastdds/dds/subscriber/ReadCondition.hpp>
#include <fastdds/dds/subscriber/SampleInfo.hpp>
#include <fastdds/dds/subscriber/Subscriber.hpp>

#include <algorithm>
#include <cstring>
#include <type_traits>

namespace fastdds_adapter {

/// Bytes that the bodies of all samples that a reader keeps may come to, and how many it keeps.
constexpr uint64_t slot_bytes = 32 << 20;
constexpr uint64_t max_slots = 64;

/// A reader with a subscriber of its own, for partitions are the subscriber's.
template <class Kind> class Reader : public busmark::Reader {
public:
    Reader(const std::shared_ptr<Domain> &domain, const busmark::EndpointConfig &config,
           busmark::Listener listener)
        : topic_(domain, config), notifier_(std::make_shared<Notifier>(listener)),
          max_body_bytes_(config.max_body_bytes), slots_(slots(config)), samples_(lent ? 0 : slots_), infos_(lent ? 0 : slots_) {
        namespace dds = eprosima::fastdds::dds;
        dds::SubscriberQos group = dds::SUBSCRIBER_QOS_DEFAULT;
        apply_partition(config.qos, group);
        subscriber_ = made(domain->native().create_subscriber(group), "subscriber");
        try {
            open(*domain, config, static_cast<bool>(listener));
            domain->seen().came(this, [this] { return describe(); });
        } catch (...) {
            close();
            throw;
        }
    }
    ~Reader() override { close(); }

    busmark_status_e take(uint32_t max, busmark::Sink &sink, uint32_t &taken) override {
        while (taken < max) {
            const auto asked = static_cast<int32_t>(
                std::min<uint32_t>(max - taken, static_cast<uint32_t>(slots_)));
            if constexpr (!lent) {
                samples_.length(0);
                infos_.length(0);
            }
            const ReturnCode_t code = reader_->take(samples_, infos_, asked);
            if (number_of(code) == Code::no_data) break;
            if (number_of(code) != Code::ok) return failure_.keep(code, "take");
            const auto count = static_cast<int32_t>(infos_.length());
            for (int32_t at = 0; at < count; ++at)
                if (infos_[at].valid_data && is_ours(samples_[at])) {
                    deliver(samples_[at], infos_[at], sink);
                    ++taken;
                }
            if constexpr (lent) reader_->return_loan(samples_, infos_);
            if (count < asked) break;
        }
        return taken > 0 ? BUSMARK_OK : BUSMARK_NO_DATA;
    }

    busmark_status_e wait(int64_t timeout_ns) override {
        if (condition_ == nullptr) return BUSMARK_UNSUPPORTED;
        constexpr int64_t second_ns = 1'000'000'000;
        const Duration_t timeout(
            static_cast<int32_t>(std::min<int64_t>(timeout_ns / second_ns, INT32_MAX - 1)),
            static_cast<uint32_t>(timeout_ns % second_ns));
        return failure_.keep(waitset_.wait(active_, timeout), "wait");
    }

    busmark_status_e matched(uint32_t &count) override {
        eprosima::fastdds::dds::SubscriptionMatchedStatus status;
        const ReturnCode_t code = reader_->get_subscription_matched_status(status);
        count = static_cast<uint32_t>(status.current_count);
        return status_of(code);
    }

    busmark_status_e match(busmark::Match &match) override {
        match = notifier_->matches.get();
        return BUSMARK_OK;
    }

    std::optional<busmark::Error> last_error() override { return failure_.get(); }

    void set_qos(const busmark::Qos &change) override {
        if (change.ownership_strength)
            throw busmark::Error(BUSMARK_UNSUPPORTED, "ownership strength is the writer's");
        const auto lock = topic_.domain().seen().changing();
        eprosima::fastdds::dds::SubscriberQos group = subscriber_->get_qos();
        apply_partition(change, group);
        check(subscriber_->set_qos(group), "QoS of the subscriber");
        eprosima::fastdds::dds::DataReaderQos qos = reader_->get_qos();
        change_qos(change, qos);
        check(reader_->set_qos(qos), "QoS of the reader");
    }

    busmark_counters_t counters() override {
        busmark_counters_t counters = busmark::no_counters();
        eprosima::fastdds::dds::SampleLostStatus lost;
        eprosima::fastdds::dds::SampleRejectedStatus rejected;
        eprosima::fastdds::dds::RequestedDeadlineMissedStatus missed;
        if (status_of(reader_->get_sample_lost_status(lost)) == BUSMARK_OK)
            counters.lost = static_cast<uint64_t>(lost.total_count);
        if (status_of(reader_->get_sample_rejected_status(rejected)) == BUSMARK_OK)
            counters.rejected = static_cast<uint64_t>(rejected.total_count);
        if (status_of(reader_->get_requested_deadline_missed_status(missed)) == BUSMARK_OK)
            counters.deadline_missed = static_cast<uint64_t>(missed.total_count);
        return counters;
    }

private:
    using Native = typename Kind::Native;
    /// Whether the library lends the memory of its samples.
    static constexpr bool lent = std::is_same_v<Kind, FixedKind>;

    /// Lent memory has room for the largest body; what says that it is longer is a stranger's.
    bool is_ours([[maybe_unused]] const Native &native) const {
        if constexpr (lent) return native.length() <= max_body_bytes_;
        else return true;
    }

    static int32_t slots(const busmark::EndpointConfig &config) {
        const uint64_t largest = std::max<uint64_t>(config.max_body_bytes, 1);
        return static_cast<int32_t>(std::clamp<uint64_t>(slot_bytes / largest, 1, max_slots));
    }

    void open(Domain &domain, const busmark::EndpointConfig &config, bool listens) {
        namespace dds = eprosima::fastdds::dds;
        dds::DataReaderQos qos = subscriber_->get_default_datareader_qos();
        apply_qos(config, domain.settings(), qos);
        dds::TopicDescription *topic = topic_.native();
        if (config.filter_below > 0) topic = filter(domain, config);
        dds::StatusMask told = dds::StatusMask::subscription_matched();
        if (listens) told << dds::StatusMask::data_available();
        reader_ = made(subscriber_->create_datareader(topic, qos, notifier_.get(), told),
                       "reader of \"" + config.topic + "\"");
        notifier_->announcer.start();
        if (config.wait != BUSMARK_WAIT_WAITSET) return;
        condition_ = made(reader_->create_readcondition(dds::ANY_SAMPLE_STATE, dds::ANY_VIEW_STATE,
                                                        dds::ANY_INSTANCE_STATE),
                          "read condition");
        active_.reserve(1);
        check(waitset_.attach_condition(*condition_), "read condition of a waitset");
    }

    eprosima::fastdds::dds::ContentFilteredTopic *filter(Domain &domain,
                                                         const busmark::EndpointConfig &config) {
        // Its name is known here only, but must be unique in the participant.
        const std::string name =
            config.topic + "/filter/" + std::to_string(reinterpret_cast<uintptr_t>(this));
        filtered_ = made(domain.native().create_contentfilteredtopic(
                             name, topic_.native(), "instance < %0",
                             {std::to_string(config.filter_below)}),
                         "content filter on \"" + config.topic + "\"");
        return filtered_;
    }

    void deliver(const Native &native, const eprosima::fastdds::dds::SampleInfo &info,
                 busmark::Sink &sink) {
        const int64_t sent = info.source_timestamp.to_ns(), received = info.reception_timestamp.to_ns();
        if constexpr (lent) {
            busmark_header_t header;
            std::memcpy(&header, native.header, sizeof header);
            sink(header, native.body(), native.length(), sent, received);
        } else {
            const busmark_header_t header = Kind::header(native);
            const Body body = Kind::body(native);
            sink(header, body.data, body.bytes, sent, received);
        }
    }

    busmark::Entity describe() const {
        return described(reader_->guid(), topic_.native()->get_name(), topic_.native()->get_type_name(),
                         reader_->get_qos().get_readerqos(subscriber_->get_qos()));
    }

    void close() {
        topic_.domain().seen().goes(this);
        notifier_->announcer.finish();
        if (condition_ != nullptr) {
            waitset_.detach_condition(*condition_);
            reader_->delete_readcondition(condition_);
        }
        if (reader_ != nullptr) {
            reader_->set_listener(nullptr);
            subscriber_->delete_datareader(reader_);
        }
        eprosima::fastdds::dds::DomainParticipant &participant = topic_.domain().native();
        if (filtered_ != nullptr) participant.delete_contentfilteredtopic(filtered_);
        participant.delete_subscriber(subscriber_);
        topic_.domain().keep(notifier_);
    }

    TopicUse topic_;
    std::shared_ptr<Notifier> notifier_;
    LastFailure failure_;
    uint64_t max_body_bytes_;
    /// Samples that are taken at once.
    int32_t slots_;
    // Samples that the library reads into. They keep their bodies from one take to the next.
    eprosima::fastdds::dds::LoanableSequence<Native> samples_;
    eprosima::fastdds::dds::SampleInfoSeq infos_;
    eprosima::fastdds::dds::Subscriber *subscriber_ = nullptr;
    eprosima::fastdds::dds::ContentFilteredTopic *filtered_ = nullptr;
    eprosima::fastdds::dds::DataReader *reader_ = nullptr;
    eprosima::fastdds::dds::WaitSet waitset_;
    eprosima::fastdds::dds::ConditionSeq active_;
    eprosima::fastdds::dds::ReadCondition *condition_ = nullptr;
};

} // namespace fastdds_adapter
