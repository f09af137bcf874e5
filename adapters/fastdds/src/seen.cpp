#include "seen.hpp"

#include <fastdds/dds/core/policy/QosPolicies.hpp>
#include <fastdds/rtps/builtin/data/ParticipantProxyData.h>
#include <fastdds/rtps/participant/ParticipantDiscoveryInfo.h>
#include <fastdds/rtps/reader/ReaderDiscoveryInfo.h>
#include <fastdds/rtps/writer/WriterDiscoveryInfo.h>

#include <unistd.h>

namespace fastdds_adapter {

namespace {

using busmark::Entity;
using busmark::Qos;
namespace dds = eprosima::fastdds::dds;
namespace rtps = eprosima::fastrtps::rtps;

std::string hex(const unsigned char *bytes, size_t count) {
    static const char digits[] = "0123456789abcdef";
    std::string text;
    for (size_t at = 0; at < count; ++at) {
        text += digits[bytes[at] >> 4];
        text += digits[bytes[at] & 15];
    }
    return text;
}

std::string hex(const rtps::GUID_t &guid) {
    return hex(guid.guidPrefix.value, rtps::GuidPrefix_t::size) +
           hex(guid.entityId.value, rtps::EntityId_t::size);
}

rtps::GUID_t participant_of(const rtps::GUID_t &guid) {
    return rtps::GUID_t(guid.guidPrefix, rtps::c_EntityId_RTPSParticipant);
}

/// RTPS has the vendor's number at the begin of a GUID.
uint32_t vendor_of(const rtps::GUID_t &guid) {
    return static_cast<uint32_t>(guid.guidPrefix.value[0]) << 8 | guid.guidPrefix.value[1];
}

bool is_infinite(const eprosima::fastrtps::Duration_t &time) {
    return time == eprosima::fastrtps::c_TimeInfinite;
}

/// A time that ends and is above 0.
std::optional<int64_t> finite(const eprosima::fastrtps::Duration_t &time) {
    if (is_infinite(time) || time.to_ns() <= 0) return std::nullopt;
    return time.to_ns();
}

void add(std::string &words, const std::string &more) {
    words += (words.empty() ? "" : "; ") + more;
}

void say_liveliness(const dds::LivelinessQosPolicy &policy, std::string &words) {
    const bool automatic = policy.kind == dds::AUTOMATIC_LIVELINESS_QOS;
    if (automatic && is_infinite(policy.lease_duration)) return;
    std::string text = automatic ? "liveliness automatic"
                       : policy.kind == dds::MANUAL_BY_TOPIC_LIVELINESS_QOS
                           ? "liveliness manual by topic"
                           : "liveliness manual by participant";
    if (!is_infinite(policy.lease_duration)) {
        char time[32];
        std::snprintf(time, sizeof time, " %g s", static_cast<double>(policy.lease_duration.to_ns()) / 1e9);
        text += time;
    }
    add(words, text);
}

void say_representation(const dds::DataRepresentationQosPolicy &policy, std::string &words) {
    if (policy.m_value.empty() ||
        (policy.m_value.size() == 1 && policy.m_value[0] == dds::XCDR_DATA_REPRESENTATION))
        return;
    std::string text;
    for (const dds::DataRepresentationId_t form : policy.m_value)
        text += std::string(text.empty() ? "representation " : ", ") +
                (form == dds::XCDR_DATA_REPRESENTATION    ? "XCDR1"
                 : form == dds::XCDR2_DATA_REPRESENTATION ? "XCDR2"
                                                          : "XML");
    add(words, text);
}

/// What writers and readers have in common.
template <class Native> Entity endpoint(const rtps::GUID_t &guid, const std::string &topic,
                                        const std::string &type, const Native &native) {
    Entity entity;
    entity.vendor = vendor_of(guid);
    entity.key = hex(guid);
    entity.participant = hex(participant_of(guid));
    entity.topic = topic;
    entity.type_name = type;
    Qos qos;
    qos.reliable = native.m_reliability.kind == dds::RELIABLE_RELIABILITY_QOS;
    if (*qos.reliable && !is_infinite(native.m_reliability.max_blocking_time))
        qos.max_blocking_ns = native.m_reliability.max_blocking_time.to_ns();
    switch (native.m_durability.kind) {
    case dds::VOLATILE_DURABILITY_QOS: qos.transient_local = false; break;
    case dds::TRANSIENT_LOCAL_DURABILITY_QOS: qos.transient_local = true; break;
    case dds::TRANSIENT_DURABILITY_QOS: add(entity.more, "durability transient"); break;
    default: add(entity.more, "durability persistent");
    }
    qos.deadline_ns = finite(native.m_deadline.period);
    qos.latency_budget_ns = finite(native.m_latencyBudget.duration);
    qos.order_by_source =
        native.m_destinationOrder.kind == dds::BY_SOURCE_TIMESTAMP_DESTINATIONORDER_QOS;
    if (native.m_ownership.kind == dds::EXCLUSIVE_OWNERSHIP_QOS) qos.ownership_strength = 0;
    std::string partition;
    for (const std::string &name : native.m_partition.names())
        partition += (partition.empty() ? "" : ",") + name;
    if (!partition.empty()) qos.partition = partition;
    entity.qos = qos;
    say_liveliness(native.m_liveliness, entity.more);
    say_representation(native.representation, entity.more);
    return entity;
}

std::string property(const rtps::ParticipantProxyData &data, const std::string &name) {
    for (auto at = data.m_properties.begin(); at != data.m_properties.end(); ++at)
        if (at->first() == name) return at->second();
    return {};
}

/// The first of these that the participant announces: this library's, and other vendors'.
std::string first_of(const rtps::ParticipantProxyData &data, std::initializer_list<const char *> names) {
    for (const char *name : names)
        if (const std::string value = property(data, name); !value.empty()) return value;
    return {};
}

Entity described(const rtps::ParticipantProxyData &data) {
    Entity entity;
    entity.vendor = static_cast<uint32_t>(data.m_VendorId[0]) << 8 | data.m_VendorId[1];
    entity.key = entity.participant = hex(data.m_guid);
    entity.name = data.m_participantName.to_string();
    const std::string host =
        first_of(data, {"fastdds.physical_data.host", "__Hostname", "dds.sys_info.hostname"});
    entity.host = host.substr(0, host.find(':')); // "host:domain"
    entity.process =
        first_of(data, {"fastdds.physical_data.process", "__Pid", "dds.sys_info.process_id"});
    if (const std::string name = property(data, "__ProcessName"); !name.empty())
        entity.process += " " + name;
    return entity;
}

Entity described(const dds::DomainParticipant &own) {
    char host[256] = "";
    gethostname(host, sizeof host - 1);
    Entity entity;
    entity.own = true;
    entity.vendor = vendor_of(own.guid());
    entity.key = entity.participant = hex(own.guid());
    entity.name = own.get_qos().name().to_string();
    entity.host = host;
    entity.process = std::to_string(getpid());
    return entity;
}

} // namespace

Entity described(const rtps::GUID_t &guid, const std::string &topic, const std::string &type,
                 const dds::WriterQos &qos) {
    Entity entity = endpoint(guid, topic, type, qos);
    entity.kind = BUSMARK_ENTITY_WRITER;
    if (!is_infinite(qos.m_lifespan.duration)) entity.qos->lifespan_ns = qos.m_lifespan.duration.to_ns();
    if (entity.qos->ownership_strength)
        entity.qos->ownership_strength = static_cast<int32_t>(qos.m_ownershipStrength.value);
    return entity;
}

Entity described(const rtps::GUID_t &guid, const std::string &topic, const std::string &type,
                 const dds::ReaderQos &qos) {
    Entity entity = endpoint(guid, topic, type, qos);
    entity.kind = BUSMARK_ENTITY_READER;
    entity.qos->time_based_filter_ns = finite(qos.m_timeBasedFilter.minimum_separation);
    return entity;
}

std::vector<Entity> Seen::entities(const dds::DomainParticipant &own) {
    std::vector<Entity> found{described(own)};
    {
        const std::lock_guard<std::mutex> lock(own_mutex_);
        for (const auto &[owner, describe] : own_) {
            found.push_back(describe());
            found.back().own = true;
        }
    }
    const std::lock_guard<std::mutex> lock(mutex_);
    for (const auto &[guid, entity] : others_)
        if (guid.guidPrefix != own.guid().guidPrefix) found.push_back(entity);
    return found;
}

void Seen::came(const void *owner, Describe describe) {
    const std::lock_guard<std::mutex> lock(own_mutex_);
    own_[owner] = std::move(describe);
}

void Seen::goes(const void *owner) {
    const std::lock_guard<std::mutex> lock(own_mutex_);
    own_.erase(owner);
}

bool Seen::wait_for(size_t participants, std::chrono::milliseconds time) {
    std::unique_lock<std::mutex> lock(mutex_);
    return more_.wait_for(lock, time, [&] { return found_ >= participants; });
}

void Seen::on_participant_discovery(dds::DomainParticipant *, rtps::ParticipantDiscoveryInfo &&info) {
    using Info = rtps::ParticipantDiscoveryInfo;
    const rtps::GUID_t guid = info.info.m_guid;
    const std::lock_guard<std::mutex> lock(mutex_);
    if (info.status == Info::REMOVED_PARTICIPANT || info.status == Info::DROPPED_PARTICIPANT) {
        // Its endpoints go without a word of their own.
        for (auto at = others_.begin(); at != others_.end();)
            at = at->first.guidPrefix == guid.guidPrefix ? others_.erase(at) : std::next(at);
        return;
    }
    others_[guid] = described(info.info);
    if (info.status != Info::DISCOVERED_PARTICIPANT) return;
    ++found_;
    more_.notify_one();
}

void Seen::on_subscriber_discovery(dds::DomainParticipant *, rtps::ReaderDiscoveryInfo &&info) {
    const rtps::ReaderProxyData &data = info.info;
    keep(info.status == rtps::ReaderDiscoveryInfo::REMOVED_READER, data.guid(), [&] {
        return described(data.guid(), data.topicName().to_string(), data.typeName().to_string(),
                         data.m_qos);
    });
}

void Seen::on_publisher_discovery(dds::DomainParticipant *, rtps::WriterDiscoveryInfo &&info) {
    const rtps::WriterProxyData &data = info.info;
    keep(info.status == rtps::WriterDiscoveryInfo::REMOVED_WRITER, data.guid(), [&] {
        return described(data.guid(), data.topicName().to_string(), data.typeName().to_string(),
                         data.m_qos);
    });
}

void Seen::keep(bool gone, const rtps::GUID_t &guid, const std::function<Entity()> &describe) {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (gone)
        others_.erase(guid);
    else
        others_[guid] = describe();
}

} // namespace fastdds_adapter
