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

} // namespace

DDS::Duration_t duration(int64_t ns) {
    DDS::Duration_t d;
    d.sec = static_cast<CORBA::Long>(ns / ns_per_s);
    d.nanosec = static_cast<CORBA::ULong>(ns % ns_per_s);
    return d;
}

void apply(const Qos &from, DDS::DataWriterQos &to) {
    apply_common(from, to);
    if (from.max_blocking_ns > 0) to.reliability.max_blocking_time = duration(from.max_blocking_ns);
    if (from.ownership_strength) to.ownership_strength.value = *from.ownership_strength;
}

void apply(const Qos &from, DDS::DataReaderQos &to) {
    apply_common(from, to);
    if (from.time_based_filter_ns)
        to.time_based_filter.minimum_separation = duration(*from.time_based_filter_ns);
}

void apply(const Qos &from, DDS::PartitionQosPolicy &to) {
    if (!from.partition) return;
    to.name.length(1);
    to.name[0] = from.partition->c_str();
}

} // namespace opendds
