#include "qos.hpp"

#include <cctype>

namespace ros_adapter {

rmw_time_t time_of(int64_t ns) {
    return {static_cast<uint64_t>(ns) / 1'000'000'000, static_cast<uint64_t>(ns) % 1'000'000'000};
}

rmw_qos_profile_t profile_of(const busmark::Qos &qos, rmw_qos_profile_t profile) {
    if (qos.reliable)
        profile.reliability =
            *qos.reliable ? RMW_QOS_POLICY_RELIABILITY_RELIABLE : RMW_QOS_POLICY_RELIABILITY_BEST_EFFORT;
    if (qos.keep_all) {
        profile.history = *qos.keep_all ? RMW_QOS_POLICY_HISTORY_KEEP_ALL : RMW_QOS_POLICY_HISTORY_KEEP_LAST;
        if (!*qos.keep_all) profile.depth = static_cast<size_t>(qos.depth);
    }
    if (qos.transient_local)
        profile.durability = *qos.transient_local ? RMW_QOS_POLICY_DURABILITY_TRANSIENT_LOCAL
                                                  : RMW_QOS_POLICY_DURABILITY_VOLATILE;
    if (qos.deadline_ns) profile.deadline = time_of(*qos.deadline_ns);
    if (qos.lifespan_ns) profile.lifespan = time_of(*qos.lifespan_ns);
    return profile;
}

std::string topic_of(const std::string &name) {
    std::string topic = "/";
    for (const char c : name) {
        const bool allowed = std::isalnum(static_cast<unsigned char>(c)) != 0;
        if (allowed) topic += c;
        else if (topic.back() != '_') topic += '_';
    }
    return topic;
}

} // namespace ros_adapter
