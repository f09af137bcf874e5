#include "topic.hpp"

#include <dds/DCPS/Marked_Default_Qos.h>

#include <atomic>

namespace opendds {

Topic::Topic(DDS::DomainParticipant_ptr participant, OpenDDS::DCPS::TypeSupport_ptr type,
             const char *type_name, const std::string &name)
    : participant_(DDS::DomainParticipant::_duplicate(participant)) {
    check(type->register_type(participant, type_name), "registering " + std::string(type_name));
    topic_ = participant->create_topic(name.c_str(), type_name, TOPIC_QOS_DEFAULT, nullptr,
                                       OpenDDS::DCPS::NO_STATUS_MASK);
    check_entity(topic_, "topic \"" + name + "\" of " + type_name);
}

Topic::~Topic() {
    if (!CORBA::is_nil(filtered_.in())) participant_->delete_contentfilteredtopic(filtered_.in());
    participant_->delete_topic(topic_.in());
}

void Topic::filter(uint32_t below) {
    static std::atomic<unsigned long> count{0};
    const CORBA::String_var name = topic_->get_name();
    const std::string unique = std::string(name.in()) + " below " + std::to_string(++count);
    DDS::StringSeq parameters;
    parameters.length(1);
    parameters[0] = std::to_string(below).c_str();
    filtered_ = participant_->create_contentfilteredtopic(unique.c_str(), topic_.in(),
                                                          "instance < %0", parameters);
    check_entity(filtered_, "content-filtered topic");
}

DDS::TopicDescription_ptr Topic::description() const {
    if (CORBA::is_nil(filtered_.in())) return topic_.in();
    return filtered_.in();
}

} // namespace opendds
