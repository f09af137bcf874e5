// A data writer.
#pragma once

#include "participant.hpp"
#include "qos.hpp"
#include "status.hpp"
#include "types.hpp"

#include <fastdds/dds/core/status/DeadlineMissedStatus.hpp>
#include <fastdds/dds/core/status/PublicationMatchedStatus.hpp>
#include <fastdds/dds/publisher/DataWriter.hpp>
#include <fastdds/dds/publisher/DataWriterListener.hpp>
#include <fastdds/dds/publisher/Publisher.hpp>

#include <type_traits>
#include <vector>

namespace fastdds_adapter {

/// A native sample, with the body that it was prepared with.
template <class Kind> struct PreparedSample : busmark::Sample {
    typename Kind::Native native;
};

/// A body on its way into lent memory, by its number within its writer.
struct PreparedBody : busmark::Sample {
    PreparedBody(uint32_t number, const void *body, size_t bytes)
        : number(number),
          body(static_cast<const unsigned char *>(body), static_cast<const unsigned char *>(body) + bytes) {}
    uint32_t number;
    std::vector<unsigned char> body;
};

/// A writer with a publisher of its own, for partitions are the publisher's.
template <class Kind> class Writer : public busmark::Writer {
public:
    Writer(const std::shared_ptr<Domain> &domain, const busmark::EndpointConfig &config)
        : topic_(domain, config), instances_(config.instances) {
        namespace dds = eprosima::fastdds::dds;
        dds::PublisherQos group = dds::PUBLISHER_QOS_DEFAULT;
        apply_partition(config.qos, group);
        publisher_ = made(domain->native().create_publisher(group), "publisher");
        try {
            dds::DataWriterQos qos = publisher_->get_default_datawriter_qos();
            apply_qos(config, domain->settings(), qos);
            writer_ = made(publisher_->create_datawriter(topic_.native(), qos, watch_.get(),
                                                         dds::StatusMask::publication_matched()),
                           "writer of \"" + config.topic + "\"");
            register_instances();
            domain->seen().came(this, [this] { return describe(); });
        } catch (...) {
            close();
            throw;
        }
    }
    ~Writer() override { close(); }

    std::unique_ptr<busmark::Sample> prepare(const void *body, size_t bytes) override {
        if constexpr (lends) {
            return std::make_unique<PreparedBody>(++bodies_, body, bytes);
        } else {
            auto sample = std::make_unique<PreparedSample<Kind>>();
            Kind::set_body(sample->native, body, bytes);
            return sample;
        }
    }

    busmark_status_e write(busmark::Sample &sample, const busmark_header_t &header) override {
        if constexpr (lends) {
            return write_lent(static_cast<PreparedBody &>(sample), header);
        } else {
            typename Kind::Native &native = static_cast<PreparedSample<Kind> &>(sample).native;
            Kind::set_header(native, header);
            if (instances_ > 0) Kind::set_instance(native, static_cast<uint32_t>(header.seq % instances_));
            return failure_.keep(writer_->write(&native, eprosima::fastdds::dds::HANDLE_NIL), "write");
        }
    }

    busmark_status_e matched(uint32_t &count) override {
        eprosima::fastdds::dds::PublicationMatchedStatus status;
        const ReturnCode_t code = writer_->get_publication_matched_status(status);
        count = static_cast<uint32_t>(status.current_count);
        return status_of(code);
    }

    busmark_status_e match(busmark::Match &match) override {
        match = watch_->matches.get();
        return BUSMARK_OK;
    }

    std::optional<busmark::Error> last_error() override { return failure_.get(); }

    void set_qos(const busmark::Qos &change) override {
        const auto lock = topic_.domain().seen().changing();
        eprosima::fastdds::dds::PublisherQos group = publisher_->get_qos();
        apply_partition(change, group);
        check(publisher_->set_qos(group), "QoS of the publisher");
        eprosima::fastdds::dds::DataWriterQos qos = writer_->get_qos();
        change_qos(change, qos);
        check(writer_->set_qos(qos), "QoS of the writer");
    }

    busmark_counters_t counters() override {
        busmark_counters_t counters = busmark::no_counters();
        eprosima::fastdds::dds::OfferedDeadlineMissedStatus missed;
        if (status_of(writer_->get_offered_deadline_missed_status(missed)) == BUSMARK_OK)
            counters.deadline_missed = static_cast<uint64_t>(missed.total_count);
        return counters;
    }

private:
    static constexpr bool lends = std::is_same_v<Kind, FixedKind>;

    busmark_status_e write_lent(const PreparedBody &prepared, const busmark_header_t &header) {
        void *memory = nullptr;
        const ReturnCode_t lent = writer_->loan_sample(memory);
        if (number_of(lent) != Code::ok) return failure_.keep(lent, "loan_sample");
        auto &native = *static_cast<FixedHead *>(memory);
        native.set_header(header);
        if (topic_.domain().settings().loan == Loan::copy || !native.holds(prepared.number))
            native.set_body(prepared.number, prepared.body.data(), static_cast<uint32_t>(prepared.body.size()));
        const busmark_status_e status =
            failure_.keep(writer_->write(memory, eprosima::fastdds::dds::HANDLE_NIL), "write");
        // What was not written is lent until it is given back.
        if (status != BUSMARK_OK) writer_->discard_loan(memory);
        return status;
    }

    /// So that no first write of an instance does it.
    void register_instances() {
        if constexpr (!lends) {
            typename Kind::Native key;
            for (uint32_t instance = 0; instance < instances_; ++instance) {
                Kind::set_instance(key, instance);
                if (!writer_->register_instance(&key).isDefined())
                    throw busmark::Error(BUSMARK_RESOURCES,
                                         with_last_error("instance " + std::to_string(instance) +
                                                         " was not registered"));
            }
        }
    }

    busmark::Entity describe() const {
        return described(writer_->guid(), topic_.native()->get_name(), topic_.native()->get_type_name(),
                         writer_->get_qos().get_writerqos(publisher_->get_qos(),
                                                          topic_.native()->get_qos()));
    }

    void close() {
        topic_.domain().seen().goes(this);
        if (writer_ != nullptr) {
            writer_->set_listener(nullptr);
            publisher_->delete_datawriter(writer_);
        }
        topic_.domain().keep(watch_);
        topic_.domain().native().delete_publisher(publisher_);
    }

    /// Keeps the matches.
    struct Watch : eprosima::fastdds::dds::DataWriterListener {
        void on_publication_matched(
            eprosima::fastdds::dds::DataWriter *,
            const eprosima::fastdds::dds::PublicationMatchedStatus &status) override {
            matches.set(static_cast<uint32_t>(status.current_count));
        }
        busmark::MatchClock matches;
    };

    TopicUse topic_;
    std::shared_ptr<Watch> watch_ = std::make_shared<Watch>();
    LastFailure failure_;
    uint32_t instances_;
    /// Bodies that were prepared for lent memory.
    uint32_t bodies_ = 0;
    eprosima::fastdds::dds::Publisher *publisher_ = nullptr;
    eprosima::fastdds::dds::DataWriter *writer_ = nullptr;
};

} // namespace fastdds_adapter
