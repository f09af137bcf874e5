// Writers: what is the same for all types, and the typed hot path.
#ifndef BUSMARK_OPENDDS_WRITER_HPP
#define BUSMARK_OPENDDS_WRITER_HPP

#include "kinds.hpp"
#include "topic.hpp"

#include <vector>

namespace opendds {

/// A writer in a publisher of its own, for the partition is the publisher's.
class WriterBase : public busmark::Writer {
public:
    WriterBase(DDS::DomainParticipant_ptr participant, std::unique_ptr<Topic> topic,
               const busmark::EndpointConfig &config);
    ~WriterBase() override;

    busmark_status_e matched(uint32_t &count) override;
    busmark_counters_t counters() override;

protected:
    DDS::DataWriter_ptr entity() const { return writer_.in(); }

private:
    /// Deletes what has been made, in order.
    void close();

    const bool keeps_history_;
    DDS::DomainParticipant_var participant_;
    std::unique_ptr<Topic> topic_;
    DDS::Publisher_var publisher_;
    DDS::DataWriter_var writer_;
};

template <class Message> struct TypedSample final : busmark::Sample {
    Message message;
};

template <class Message> class TypedWriter final : public WriterBase {
    using Native = typename OpenDDS::DCPS::DDSTraits<Message>::DataWriterType;

public:
    TypedWriter(DDS::DomainParticipant_ptr participant, std::unique_ptr<Topic> topic,
                const busmark::EndpointConfig &config)
        : WriterBase(participant, std::move(topic), config), native_(Native::_narrow(entity())) {
        check_entity(native_, "writer of that type");
        // Registered once, so that no write looks its instance up. Without a key there is one.
        Message message;
        for (uint32_t i = 0; i < std::max(config.instances, 1u); ++i) {
            set_instance(message, i);
            instances_.push_back(native_->register_instance(message));
            if (instances_.back() == DDS::HANDLE_NIL)
                throw busmark::Error(BUSMARK_FAILED, "OpenDDS does not register the instance");
        }
    }

    std::unique_ptr<busmark::Sample> prepare(const void *body, size_t bytes) override {
        auto sample = std::make_unique<TypedSample<Message>>();
        set_body(sample->message, body, bytes);
        return sample;
    }

    busmark_status_e write(busmark::Sample &sample, const busmark_header_t &header) override {
        Message &message = static_cast<TypedSample<Message> &>(sample).message;
        std::memcpy(&message.header, &header, sizeof header);
        const auto instance = static_cast<uint32_t>(header.seq % instances_.size());
        set_instance(message, instance);
        return status_of(native_->write(message, instances_[instance]));
    }

private:
    typename Native::_var_type native_;
    std::vector<DDS::InstanceHandle_t> instances_;
};

} // namespace opendds

#endif
