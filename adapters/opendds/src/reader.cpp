#include "reader.hpp"

#include "qos.hpp"

#include <dds/DCPS/Marked_Default_Qos.h>

namespace opendds {

ReaderBase::ReaderBase(DDS::DomainParticipant_ptr participant, std::unique_ptr<Topic> topic,
                       const busmark::EndpointConfig &config, const busmark::Listener &listener)
    : participant_(DDS::DomainParticipant::_duplicate(participant)), topic_(std::move(topic)) {
    if (config.filter_below > 0) topic_->filter(config.filter_below);
    if (listener) {
        inlet_ = new Inlet(listener, config.qos.time_based_filter_ns.has_value());
        listener_ = inlet_;
    }
    try {
        open(config);
    } catch (...) {
        close();
        throw;
    }
}

void ReaderBase::open(const busmark::EndpointConfig &config) {
    DDS::SubscriberQos group;
    participant_->get_default_subscriber_qos(group);
    apply(config.qos, group.partition);
    subscriber_ = participant_->create_subscriber(group, nullptr, OpenDDS::DCPS::NO_STATUS_MASK);
    check_entity(subscriber_, "subscriber");
    DDS::DataReaderQos qos;
    subscriber_->get_default_datareader_qos(qos);
    apply(config.qos, config.instances > 0, qos);
    const DDS::StatusMask heard =
        inlet_ != nullptr ? DDS::DATA_AVAILABLE_STATUS : OpenDDS::DCPS::NO_STATUS_MASK;
    reader_ = subscriber_->create_datareader(topic_->description(), qos, listener_.in(), heard);
    check_entity(reader_, "data reader with this QoS");
    if (config.wait != BUSMARK_WAIT_WAITSET) return;
    condition_ = reader_->create_readcondition(DDS::ANY_SAMPLE_STATE, DDS::ANY_VIEW_STATE,
                                               DDS::ANY_INSTANCE_STATE);
    check_entity(condition_, "read condition");
    waitset_ = new DDS::WaitSet;
    check(waitset_->attach_condition(condition_.in()), "attaching a condition");
}

ReaderBase::~ReaderBase() { close(); }

void ReaderBase::close() {
    if (inlet_ != nullptr) inlet_->close();
    if (!CORBA::is_nil(condition_.in())) {
        waitset_->detach_condition(condition_.in());
        reader_->delete_readcondition(condition_.in());
        condition_ = DDS::ReadCondition::_nil();
    }
    if (!CORBA::is_nil(reader_.in())) subscriber_->delete_datareader(reader_.in());
    if (!CORBA::is_nil(subscriber_.in())) participant_->delete_subscriber(subscriber_.in());
    reader_ = DDS::DataReader::_nil();
    subscriber_ = DDS::Subscriber::_nil();
}

busmark_status_e ReaderBase::wait(int64_t timeout_ns) {
    if (CORBA::is_nil(waitset_.in())) return BUSMARK_UNSUPPORTED;
    return status_of(waitset_->wait(active_, duration(timeout_ns)));
}

busmark_status_e ReaderBase::matched(uint32_t &count) {
    DDS::SubscriptionMatchedStatus status;
    const DDS::ReturnCode_t code = reader_->get_subscription_matched_status(status);
    if (code == DDS::RETCODE_OK) count = static_cast<uint32_t>(status.current_count);
    return status_of(code);
}

void ReaderBase::set_qos(const busmark::Qos &qos) {
    DDS::DataReaderQos changed;
    check(reader_->get_qos(changed), "reading the reader's QoS");
    apply(qos, false, changed);
    check(reader_->set_qos(changed), "changing the reader's QoS");
    if (!qos.partition) return;
    DDS::SubscriberQos group;
    check(subscriber_->get_qos(group), "reading the subscriber's QoS");
    apply(qos, group.partition);
    check(subscriber_->set_qos(group), "changing the reader's partition");
}

busmark_counters_t ReaderBase::counters() {
    busmark_counters_t counters = busmark::no_counters();
    DDS::SampleLostStatus lost;
    DDS::SampleRejectedStatus rejected;
    DDS::RequestedDeadlineMissedStatus missed;
    if (reader_->get_sample_lost_status(lost) == DDS::RETCODE_OK)
        counters.lost = static_cast<uint64_t>(lost.total_count);
    if (reader_->get_sample_rejected_status(rejected) == DDS::RETCODE_OK)
        counters.rejected = static_cast<uint64_t>(rejected.total_count);
    if (reader_->get_requested_deadline_missed_status(missed) == DDS::RETCODE_OK)
        counters.deadline_missed = static_cast<uint64_t>(missed.total_count);
    return counters;
}

} // namespace opendds
