#include "writer.hpp"

#include "qos.hpp"

#include <dds/DCPS/Marked_Default_Qos.h>

namespace opendds {

namespace {

/// How long a writer's deletion waits for readers that do not acknowledge.
constexpr int64_t patience_ns = 2'000'000'000;

} // namespace

WriterBase::WriterBase(DDS::DomainParticipant_ptr participant, std::unique_ptr<Topic> topic,
                       const busmark::EndpointConfig &config)
    : keeps_history_(config.qos.transient_local.value_or(false)),
      participant_(DDS::DomainParticipant::_duplicate(participant)), topic_(std::move(topic)) {
    DDS::PublisherQos group;
    participant->get_default_publisher_qos(group);
    apply(config.qos, group.partition);
    publisher_ = participant->create_publisher(group, nullptr, OpenDDS::DCPS::NO_STATUS_MASK);
    check_entity(publisher_, "publisher");
    DDS::DataWriterQos qos;
    publisher_->get_default_datawriter_qos(qos);
    apply(config.qos, config.instances > 0, qos);
    writer_ = publisher_->create_datawriter(topic_->topic(), qos, nullptr,
                                            OpenDDS::DCPS::NO_STATUS_MASK);
    if (CORBA::is_nil(writer_.in())) close();
    check_entity(writer_, "data writer with this QoS");
}

WriterBase::~WriterBase() { close(); }

void WriterBase::close() {
    if (!CORBA::is_nil(writer_.in())) {
        // An acknowledgement of history that comes later makes OpenDDS touch freed memory.
        if (keeps_history_) writer_->wait_for_acknowledgments(duration(patience_ns));
        publisher_->delete_datawriter(writer_.in());
    }
    if (!CORBA::is_nil(publisher_.in())) participant_->delete_publisher(publisher_.in());
    writer_ = DDS::DataWriter::_nil();
    publisher_ = DDS::Publisher::_nil();
}

busmark_status_e WriterBase::matched(uint32_t &count) {
    DDS::PublicationMatchedStatus status;
    const DDS::ReturnCode_t code = writer_->get_publication_matched_status(status);
    if (code == DDS::RETCODE_OK) count = static_cast<uint32_t>(status.current_count);
    return status_of(code);
}

busmark_counters_t WriterBase::counters() {
    busmark_counters_t counters = busmark::no_counters();
    DDS::OfferedDeadlineMissedStatus missed;
    if (writer_->get_offered_deadline_missed_status(missed) == DDS::RETCODE_OK)
        counters.deadline_missed = static_cast<uint64_t>(missed.total_count);
    return counters;
}

} // namespace opendds
