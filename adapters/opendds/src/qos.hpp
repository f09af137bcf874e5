// The contract's quality of service as OpenDDS's policies.
#ifndef BUSMARK_OPENDDS_QOS_HPP
#define BUSMARK_OPENDDS_QOS_HPP

#include "busmark_adapter.hpp"

#include <dds/DdsDcpsInfrastructureC.h>

namespace opendds {

DDS::Duration_t duration(int64_t ns);

/// Put into the policies what the contract's QoS says and leave the rest (C8). `keyed`: limits of
/// one instance then differ from the limits of all.
void apply(const busmark::Qos &from, bool keyed, DDS::DataWriterQos &to);
void apply(const busmark::Qos &from, bool keyed, DDS::DataReaderQos &to);
void apply(const busmark::Qos &from, DDS::PartitionQosPolicy &to);

} // namespace opendds

#endif
