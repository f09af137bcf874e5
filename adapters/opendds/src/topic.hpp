// The topic of one endpoint.
#ifndef BUSMARK_OPENDDS_TOPIC_HPP
#define BUSMARK_OPENDDS_TOPIC_HPP

#include "failure.hpp"

#include <dds/DdsDcpsDomainC.h>
#include <dds/DdsDcpsTopicC.h>
#include <dds/DdsDcpsTypeSupportExtC.h>

namespace opendds {

/// A topic of the participant, deleted with its endpoint. OpenDDS counts topics of the same name.
class Topic {
public:
    /// Registers the type as `type_name`, which every vendor uses.
    Topic(DDS::DomainParticipant_ptr participant, OpenDDS::DCPS::TypeSupport_ptr type,
          const char *type_name, const std::string &name);
    ~Topic();
    Topic(const Topic &) = delete;
    Topic &operator=(const Topic &) = delete;

    /// From now on readers get samples of instances below the bound only (C28).
    void filter(uint32_t below);

    DDS::Topic_ptr topic() const { return topic_.in(); }
    /// What a reader reads: the topic, or what the filter leaves of it.
    DDS::TopicDescription_ptr description() const;

private:
    DDS::DomainParticipant_var participant_;
    DDS::Topic_var topic_;
    DDS::ContentFilteredTopic_var filtered_;
};

} // namespace opendds

#endif
