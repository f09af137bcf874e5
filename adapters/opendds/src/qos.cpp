#include "qos.hpp"

using busmark::Qos;

namespace opendds {

namespace {

constexpr int64_t ns_per_s = 1'000'000'000;

/// What writers and readers have in common.
template <class Policies> void apply_common(const Qos &from, Policies &to) {
    if (from.reliable)
        to.reliability.kind = *from.reliable ? DDS::RELIABLE_RELIABILITY_QOS
                                             : DDS::BEST_EFFORT_RELIABILITY_QOS;
    if (from.keep_all)
        to.history.kind = *from.keep_all ? DDS::KEEP_ALL_HISTORY_QOS : DDS::KEEP_LAST_HISTORY_QOS;
    if (from.depth > 0) to.history.depth = from.depth;
    if (from.transient_local)
        to.durability.kind = *from.transient_local ? DDS::TRANSIENT_LOCAL_DURABILITY_QOS
                                                   : DDS::VOLATILE_DURABILITY_QOS;
    if (from.deadline_ns) to.deadline.period = duration(*from.deadline_ns);
    if (from.ownership_strength) to.ownership.kind = DDS::EXCLUSIVE_OWNERSHIP_QOS;
    if (from.order_by_source)
        to.destination_order.kind = DDS::BY_SOURCE_TIMESTAMP_DESTINATIONORDER_QOS;
}

/// OpenDDS bounds the samples of an instance; without a key there is only one.
void apply_limit(const Qos &from, bool keyed, DDS::ResourceLimitsQosPolicy &to) {
    if (!from.max_samples) return;
    to.max_samples = *from.max_samples;
    if (!keyed) to.max_samples_per_instance = *from.max_samples;
}

} // namespace

DDS::Duration_t duration(int64_t ns) {
    DDS::Duration_t d;
    d.sec = static_cast<CORBA::Long>(ns / ns_per_s);
    d.nanosec = static_cast<CORBA::ULong>(ns % ns_per_s);
    return d;
}

void apply(const Qos &from, bool keyed, DDS::DataWriterQos &to) {
    apply_common(from, to);
    apply_limit(from, keyed, to.resource_limits);
    if (from.max_blocking_ns > 0) to.reliability.max_blocking_time = duration(from.max_blocking_ns);
    if (from.ownership_strength) to.ownership_strength.value = *from.ownership_strength;
}

void apply(const Qos &from, bool keyed, DDS::DataReaderQos &to) {
    apply_common(from, to);
    // A reliable reader of OpenDDS acknowledges a sample before it rejects it: there the writer's limit
    // alone holds samples back.
    if (to.reliability.kind == DDS::BEST_EFFORT_RELIABILITY_QOS)
        apply_limit(from, keyed, to.resource_limits);
    if (from.time_based_filter_ns)
        to.time_based_filter.minimum_separation = duration(*from.time_based_filter_ns);
}

void apply(const Qos &from, DDS::PartitionQosPolicy &to) {
    if (!from.partition) return;
    to.name.length(1);
    to.name[0] = from.partition->c_str();
}

} // namespace opendds
