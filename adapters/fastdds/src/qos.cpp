#include "qos.hpp"

#include "series.hpp"
#include "transport.hpp"

#include <algorithm>

namespace fastdds_adapter {

namespace {

using busmark::EndpointConfig;
using busmark::Qos;
using eprosima::fastdds::dds::DataReaderQos;
using eprosima::fastdds::dds::DataWriterQos;

constexpr int64_t second_ns = 1'000'000'000;

Duration_t duration(int64_t ns) {
    return Duration_t(static_cast<int32_t>(std::min<int64_t>(ns / second_ns, INT32_MAX - 1)),
                      static_cast<uint32_t>(ns % second_ns));
}

rtps::MemoryManagementPolicy_t native(Memory memory) {
    switch (memory) {
    case Memory::preallocated: return rtps::PREALLOCATED_MEMORY_MODE;
    case Memory::dynamic: return rtps::DYNAMIC_RESERVE_MEMORY_MODE;
    case Memory::dynamic_reusable: return rtps::DYNAMIC_REUSABLE_MEMORY_MODE;
    default: return rtps::PREALLOCATED_WITH_REALLOC_MEMORY_MODE;
    }
}

/// The library's own limits make room for 10 instances of 400 samples; more of either is given where
/// the endpoint asks for it, or nothing could be written.
void make_room(const EndpointConfig &config, dds::ResourceLimitsQosPolicy &limits) {
    const Qos &qos = config.qos;
    const auto instances = static_cast<int32_t>(std::max(config.instances, 1u));
    if (qos.max_samples) {
        limits.max_samples = *qos.max_samples;
        limits.max_instances = instances;
        limits.max_samples_per_instance = std::max(*qos.max_samples / instances, 1);
        limits.allocated_samples = std::min(limits.allocated_samples, *qos.max_samples);
        return;
    }
    limits.max_instances = std::max(limits.max_instances, instances);
    if (qos.keep_all == false)
        limits.max_samples_per_instance = std::max(limits.max_samples_per_instance, qos.depth);
    if (config.instances > 0) {
        const int64_t all = int64_t{limits.max_instances} * limits.max_samples_per_instance;
        limits.max_samples = static_cast<int32_t>(
            std::min<int64_t>(std::max<int64_t>(limits.max_samples, all), INT32_MAX));
    } else {
        limits.max_samples = std::max(limits.max_samples, limits.max_samples_per_instance);
    }
}

/// With data sharing, a writer's history lies in shared memory, with room for as many samples as it may ever hold: at
/// most this many bytes, where the endpoint does not ask for a number.
constexpr uint64_t shared_history_bytes = 32 << 20;

void bound_history(const EndpointConfig &config, dds::ResourceLimitsQosPolicy &limits) {
    if (config.qos.max_samples) return;
    const uint64_t fitting = shared_history_bytes / std::max<uint64_t>(config.max_body_bytes, 1);
    const uint64_t needed = config.qos.keep_all == false ? static_cast<uint64_t>(config.qos.depth) : 1;
    const auto most = static_cast<int32_t>(std::clamp<uint64_t>(fitting, needed, INT32_MAX));
    if (most >= limits.max_samples) return;
    limits.max_samples = limits.max_samples_per_instance = most;
    limits.allocated_samples = std::min(limits.allocated_samples, most);
}

/// What writers and readers have in common.
template <class NativeQos>
void apply_common(const EndpointConfig &config, const Settings &settings, NativeQos &native_qos) {
    const Qos &qos = config.qos;
    if (qos.reliable)
        native_qos.reliability().kind =
            *qos.reliable ? dds::RELIABLE_RELIABILITY_QOS : dds::BEST_EFFORT_RELIABILITY_QOS;
    if (qos.max_blocking_ns > 0)
        native_qos.reliability().max_blocking_time = duration(qos.max_blocking_ns);
    if (qos.keep_all) {
        native_qos.history().kind =
            *qos.keep_all ? dds::KEEP_ALL_HISTORY_QOS : dds::KEEP_LAST_HISTORY_QOS;
        if (!*qos.keep_all) native_qos.history().depth = qos.depth;
    }
    if (qos.transient_local)
        native_qos.durability().kind =
            *qos.transient_local ? dds::TRANSIENT_LOCAL_DURABILITY_QOS : dds::VOLATILE_DURABILITY_QOS;
    if (qos.ownership_strength) native_qos.ownership().kind = dds::EXCLUSIVE_OWNERSHIP_QOS;
    make_room(config, native_qos.resource_limits());
    native_qos.endpoint().history_memory_policy = native(settings.memory);
    // The user's profiles may have some; addresses are the participant's.
    native_qos.endpoint().unicast_locator_list.clear();
    native_qos.endpoint().multicast_locator_list.clear();
    if (settings.data_sharing == DataSharing::off) native_qos.data_sharing().off();
    // An empty directory stands for the library's own choice, the system's shared memory.
    if (settings.data_sharing == DataSharing::on) {
        native_qos.data_sharing().on("");
        bound_history(config, native_qos.resource_limits());
    }
}

/// Deadline and lifespan have the same form at both sides.
template <class NativeQos> void apply_times(const Qos &qos, NativeQos &native_qos) {
    if (qos.deadline_ns) native_qos.deadline().period = duration(*qos.deadline_ns);
    if (qos.lifespan_ns) native_qos.lifespan().duration = duration(*qos.lifespan_ns);
}

} // namespace

const char *const flow_controller_name = "busmark";

bool needs_bound(const Settings &settings) {
    return settings.data_sharing == DataSharing::on || settings.memory == Memory::preallocated;
}

void apply_qos(const EndpointConfig &config, const Settings &settings, DataWriterQos &qos) {
    apply_common(config, settings, qos);
    change_qos(config.qos, qos);
    qos.publish_mode().kind = settings.asynchronous ? dds::ASYNCHRONOUS_PUBLISH_MODE
                                                    : dds::SYNCHRONOUS_PUBLISH_MODE;
    if (settings.flow) qos.publish_mode().flow_controller_name = flow_controller_name;
    if (settings.heartbeat_period_ns) {
        auto &times = qos.reliable_writer_qos().times;
#if BUSMARK_FASTDDS_SERIES == 3
        times.heartbeat_period = duration(*settings.heartbeat_period_ns);
#else
        times.heartbeatPeriod = duration(*settings.heartbeat_period_ns);
#endif
    }
}

void apply_qos(const EndpointConfig &config, const Settings &settings, DataReaderQos &qos) {
    apply_common(config, settings, qos);
    change_qos(config.qos, qos);
    if (settings.transport == Transport::multicast)
        qos.endpoint().multicast_locator_list.push_back(multicast_locator(settings));
}

void change_qos(const Qos &change, DataWriterQos &qos) {
    apply_times(change, qos);
    if (change.ownership_strength)
        qos.ownership_strength().value = static_cast<uint32_t>(*change.ownership_strength);
}

void change_qos(const Qos &change, DataReaderQos &qos) { apply_times(change, qos); }

} // namespace fastdds_adapter
