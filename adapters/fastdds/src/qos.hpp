// Quality of service: what is asked for, in the library's terms. What is not asked for stays at the
// library's default (C8).
#pragma once

#include "settings.hpp"

#include <fastdds/dds/core/policy/QosPolicies.hpp>
#include <fastdds/dds/publisher/qos/DataWriterQos.hpp>
#include <fastdds/dds/publisher/qos/PublisherQos.hpp>
#include <fastdds/dds/subscriber/qos/DataReaderQos.hpp>
#include <fastdds/dds/subscriber/qos/SubscriberQos.hpp>

namespace fastdds_adapter {

/// The values that have their effect here. Latency budget, transport priority and time-based filter
/// are fields that the library carries and does not act on; it refuses order by source.
constexpr uint32_t honoured_qos =
    BUSMARK_QOS_BEST_EFFORT | BUSMARK_QOS_RELIABLE | BUSMARK_QOS_KEEP_LAST | BUSMARK_QOS_KEEP_ALL |
    BUSMARK_QOS_VOLATILE | BUSMARK_QOS_TRANSIENT_LOCAL | BUSMARK_QOS_LIFESPAN |
    BUSMARK_QOS_DEADLINE | BUSMARK_QOS_PARTITION | BUSMARK_QOS_OWNERSHIP_STRENGTH |
    BUSMARK_QOS_RESOURCE_LIMITS;

/// Those that change at run time.
constexpr uint32_t mutable_qos = BUSMARK_QOS_LIFESPAN | BUSMARK_QOS_DEADLINE |
                                 BUSMARK_QOS_PARTITION | BUSMARK_QOS_OWNERSHIP_STRENGTH;

/// What a new writer asks for.
void apply_qos(const busmark::EndpointConfig &config, const Settings &settings,
               eprosima::fastdds::dds::DataWriterQos &qos);
/// What a new reader asks for.
void apply_qos(const busmark::EndpointConfig &config, const Settings &settings,
               eprosima::fastdds::dds::DataReaderQos &qos);

/// What can change of an existing writer.
void change_qos(const busmark::Qos &change, eprosima::fastdds::dds::DataWriterQos &qos);
/// What can change of an existing reader.
void change_qos(const busmark::Qos &change, eprosima::fastdds::dds::DataReaderQos &qos);

/// The partition of a publisher or subscriber, if one is given.
template <class GroupQos> void apply_partition(const busmark::Qos &from, GroupQos &qos) {
    if (!from.partition) return;
    eprosima::fastdds::dds::PartitionQosPolicy partition;
    partition.push_back(from.partition->c_str());
    qos.partition(partition);
}

/// Whether a type must know how long a sample is at most.
bool needs_bound(const Settings &settings);

/// The name that writers use for the flow controller.
extern const char *const flow_controller_name;

} // namespace fastdds_adapter
