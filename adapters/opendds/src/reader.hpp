// Readers: what is the same for all types, and the typed hot path.
#ifndef BUSMARK_OPENDDS_READER_HPP
#define BUSMARK_OPENDDS_READER_HPP

#include "inlet.hpp"
#include "kinds.hpp"
#include "topic.hpp"

#include <dds/DCPS/WaitSet.h>

namespace opendds {

/// A reader in a subscriber of its own, for the partition is the subscriber's.
class ReaderBase : public busmark::Reader {
public:
    ReaderBase(DDS::DomainParticipant_ptr participant, std::unique_ptr<Topic> topic,
               const busmark::EndpointConfig &config, const busmark::Listener &listener);
    ~ReaderBase() override;

    busmark_status_e wait(int64_t timeout_ns) override;
    busmark_status_e matched(uint32_t &count) override;
    void set_qos(const busmark::Qos &qos) override;
    busmark_counters_t counters() override;

protected:
    DDS::DataReader_ptr entity() const { return reader_.in(); }
    /// Ends the listener's calls and deletes what has been made, in order. May be repeated.
    void close();

private:
    void open(const busmark::EndpointConfig &config);

    DDS::DomainParticipant_var participant_;
    std::unique_ptr<Topic> topic_;
    Inlet *inlet_ = nullptr; ///< owned by `listener_`
    DDS::DataReaderListener_var listener_;
    DDS::Subscriber_var subscriber_;
    DDS::DataReader_var reader_;
    DDS::ReadCondition_var condition_;
    DDS::WaitSet_var waitset_;
    DDS::ConditionSeq active_; ///< kept, so that a wait need not make one
};

template <class Message> class TypedReader final : public ReaderBase {
    using Traits = OpenDDS::DCPS::DDSTraits<Message>;
    using Native = typename Traits::DataReaderType;

public:
    TypedReader(DDS::DomainParticipant_ptr participant, std::unique_ptr<Topic> topic,
                const busmark::EndpointConfig &config, const busmark::Listener &listener)
        : ReaderBase(participant, std::move(topic), config, listener),
          native_(Native::_narrow(entity())) {
        check_entity(native_, "reader of that type");
    }
    /// Closed here already: a listener's call that is under way uses the members below.
    ~TypedReader() override { close(); }

    busmark_status_e take(uint32_t max, busmark::Sink &sink, uint32_t &taken) override {
        // More than one round only where some of a round were no data but news of an instance.
        while (taken < max) {
            const auto wanted = static_cast<CORBA::Long>(std::min(max - taken, most_per_round));
            const DDS::ReturnCode_t code =
                native_->take(messages_, infos_, wanted, DDS::ANY_SAMPLE_STATE,
                              DDS::ANY_VIEW_STATE, DDS::ANY_INSTANCE_STATE);
            if (code == DDS::RETCODE_NO_DATA) break;
            if (code != DDS::RETCODE_OK) return status_of(code);
            const bool all = infos_.length() < static_cast<CORBA::ULong>(wanted);
            taken += hand_over(sink);
            native_->return_loan(messages_, infos_);
            if (all) break;
        }
        return taken > 0 ? BUSMARK_OK : BUSMARK_NO_DATA;
    }

private:
    static constexpr uint32_t most_per_round = 1u << 16;

    /// Gives what is on loan to the sink; the number of samples among it.
    uint32_t hand_over(busmark::Sink &sink) {
        uint32_t count = 0;
        for (CORBA::ULong i = 0; i < infos_.length(); ++i) {
            if (!infos_[i].valid_data) continue;
            const Message &message = static_cast<const Sequence &>(messages_)[i];
            busmark_header_t header;
            std::memcpy(&header, &message.header, sizeof header);
            const Body body = body_of(message);
            const DDS::Time_t &stamp = infos_[i].source_timestamp;
            sink(header, body.data, body.bytes, stamp.sec * int64_t{1'000'000'000} + stamp.nanosec);
            ++count;
        }
        return count;
    }

    using Sequence = typename Traits::MessageSequenceType;
    typename Native::_var_type native_;
    // Without room of their own they take loans: the samples are not copied.
    Sequence messages_;
    DDS::SampleInfoSeq infos_;
};

} // namespace opendds

#endif
