#include "seen.hpp"

#include <fastdds/dds/core/policy/QosPolicies.hpp>
#if BUSMARK_FASTDDS_SERIES == 3
#include <fastdds/rtps/builtin/data/ParticipantBuiltinTopicData.hpp>
#include <fastdds/rtps/builtin/data/PublicationBuiltinTopicData.hpp>
#include <fastdds/rtps/builtin/data/SubscriptionBuiltinTopicData.hpp>
#include <fastdds/rtps/participant/ParticipantDiscoveryInfo.hpp>
#include <fastdds/rtps/reader/ReaderDiscoveryStatus.hpp>
#include <fastdds/rtps/writer/WriterDiscoveryStatus.hpp>
#else
#include <fastdds/rtps/builtin/data/ParticipantProxyData.h>
#include <fastdds/rtps/participant/ParticipantDiscoveryInfo.h>
#include <fastdds/rtps/reader/ReaderDiscoveryInfo.h>
#include <fastdds/rtps/writer/WriterDiscoveryInfo.h>
#endif

#include <unistd.h>

namespace fastdds_adapter {

namespace {

using busmark::Entity;
using busmark::Qos;

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

bool is_infinite(const Duration_t &time) {
    return time == infinite;
}

/// A time that ends and is above 0.
std::optional<int64_t> finite(const Duration_t &time) {
    if (is_infinite(time) || time.to_ns() <= 0) return std::nullopt;
    return time.to_ns();
}

void add(std::string &words, const std::string &more) {
    words += (words.empty() ? "" : "; ") + more;
}

void say_liveliness(const dds::LivelinessQosPolicy &policy, std::string &words) {
    if (policy.kind == dds::AUTOMATIC_LIVELINESS_QOS) return;
    std::string text = policy.kind == dds::MANUAL_BY_TOPIC_LIVELINESS_QOS
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

/// Policies that writers and readers have in common.
struct Policies {
    const dds::ReliabilityQosPolicy &reliability;
    const dds::DurabilityQosPolicy &durability;
    const dds::DeadlineQosPolicy &deadline;
    const dds::LatencyBudgetQosPolicy &latency_budget;
    const dds::DestinationOrderQosPolicy &destination_order;
    const dds::OwnershipQosPolicy &ownership;
    const dds::PartitionQosPolicy &partition;
    const dds::LivelinessQosPolicy &liveliness;
    const dds::DataRepresentationQosPolicy &representation;
};

template <class Native> Policies policies(const Native &of) {
    return {of.m_reliability, of.m_durability, of.m_deadline,  of.m_latencyBudget, of.m_destinationOrder,
            of.m_ownership,   of.m_partition,  of.m_liveliness, of.representation};
}

#if BUSMARK_FASTDDS_SERIES == 3
template <class Data> Policies announced(const Data &of) {
    return {of.reliability, of.durability, of.deadline,   of.latency_budget, of.destination_order,
            of.ownership,   of.partition,  of.liveliness, of.representation};
}
#endif

Entity endpoint(const rtps::GUID_t &guid, const std::string &topic, const std::string &type,
                const Policies &native) {
    Entity entity;
    entity.vendor = vendor_of(guid);
    entity.key = hex(guid);
    entity.participant = hex(participant_of(guid));
    entity.topic = topic;
    entity.type_name = type;
    Qos qos;
    qos.reliable = native.reliability.kind == dds::RELIABLE_RELIABILITY_QOS;
    if (*qos.reliable && !is_infinite(native.reliability.max_blocking_time))
        qos.max_blocking_ns = native.reliability.max_blocking_time.to_ns();
    switch (native.durability.kind) {
    case dds::VOLATILE_DURABILITY_QOS: qos.transient_local = false; break;
    case dds::TRANSIENT_LOCAL_DURABILITY_QOS: qos.transient_local = true; break;
    case dds::TRANSIENT_DURABILITY_QOS: add(entity.more, "durability transient"); break;
    default: add(entity.more, "durability persistent");
    }
    qos.deadline_ns = finite(native.deadline.period);
    qos.latency_budget_ns = finite(native.latency_budget.duration);
    if (native.liveliness.kind == dds::AUTOMATIC_LIVELINESS_QOS)
        qos.liveliness_lease_ns = finite(native.liveliness.lease_duration);
    qos.order_by_source =
        native.destination_order.kind == dds::BY_SOURCE_TIMESTAMP_DESTINATIONORDER_QOS;
    if (native.ownership.kind == dds::EXCLUSIVE_OWNERSHIP_QOS) qos.ownership_strength = 0;
    std::string partition;
    for (const std::string &name : native.partition.names())
        partition += (partition.empty() ? "" : ",") + name;
    if (!partition.empty()) qos.partition = partition;
    entity.qos = qos;
    say_liveliness(native.liveliness, entity.more);
    say_representation(native.representation, entity.more);
    return entity;
}

#if BUSMARK_FASTDDS_SERIES == 3
using ParticipantData = rtps::ParticipantBuiltinTopicData;
const auto &properties(const ParticipantData &data) { return data.properties; }
const rtps::GUID_t &guid(const ParticipantData &data) { return data.guid; }
const auto &vendor(const ParticipantData &data) { return data.vendor_id; }
std::string name(const ParticipantData &data) { return data.participant_name.to_string(); }
#else
using ParticipantData = rtps::ParticipantProxyData;
const auto &properties(const ParticipantData &data) { return data.m_properties; }
const rtps::GUID_t &guid(const ParticipantData &data) { return data.m_guid; }
const auto &vendor(const ParticipantData &data) { return data.m_VendorId; }
std::string name(const ParticipantData &data) { return data.m_participantName.to_string(); }
#endif

std::string property(const ParticipantData &data, const std::string &name) {
    const auto &all = properties(data);
    for (auto at = all.begin(); at != all.end(); ++at)
        if (at->first() == name) return at->second();
    return {};
}

/// The first of these that the participant announces: this library's, and other vendors'.
std::string first_of(const ParticipantData &data, std::initializer_list<const char *> names) {
    for (const char *name : names)
        if (const std::string value = property(data, name); !value.empty()) return value;
    return {};
}

Entity described(const ParticipantData &data) {
    Entity entity;
    entity.vendor = static_cast<uint32_t>(vendor(data)[0]) << 8 | vendor(data)[1];
    entity.key = entity.participant = hex(guid(data));
    entity.name = name(data);
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

Entity writer(Entity entity, const dds::LifespanQosPolicy &lifespan,
              const dds::OwnershipStrengthQosPolicy &strength) {
    entity.kind = BUSMARK_ENTITY_WRITER;
    if (!is_infinite(lifespan.duration)) entity.qos->lifespan_ns = lifespan.duration.to_ns();
    if (entity.qos->ownership_strength)
        entity.qos->ownership_strength = static_cast<int32_t>(strength.value);
    return entity;
}

Entity reader(Entity entity, const dds::TimeBasedFilterQosPolicy &filter) {
    entity.kind = BUSMARK_ENTITY_READER;
    entity.qos->time_based_filter_ns = finite(filter.minimum_separation);
    return entity;
}

} // namespace

Entity described(const rtps::GUID_t &guid, const std::string &topic, const std::string &type,
                 const dds::WriterQos &qos) {
    return writer(endpoint(guid, topic, type, policies(qos)), qos.m_lifespan, qos.m_ownershipStrength);
}

Entity described(const rtps::GUID_t &guid, const std::string &topic, const std::string &type,
                 const dds::ReaderQos &qos) {
    return reader(endpoint(guid, topic, type, policies(qos)), qos.m_timeBasedFilter);
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

#if BUSMARK_FASTDDS_SERIES == 3

void Seen::on_participant_discovery(dds::DomainParticipant *, rtps::ParticipantDiscoveryStatus status,
                                    const rtps::ParticipantBuiltinTopicData &data, bool &) {
    using Status = rtps::ParticipantDiscoveryStatus;
    keep_participant(status == Status::DISCOVERED_PARTICIPANT, status == Status::REMOVED_PARTICIPANT ||
                                                                   status == Status::DROPPED_PARTICIPANT,
                     data.guid, [&] { return described(data); });
}

void Seen::on_data_reader_discovery(dds::DomainParticipant *, rtps::ReaderDiscoveryStatus status,
                                    const rtps::SubscriptionBuiltinTopicData &data, bool &) {
    keep(status == rtps::ReaderDiscoveryStatus::REMOVED_READER, data.guid, [&] {
        return reader(endpoint(data.guid, data.topic_name.to_string(), data.type_name.to_string(),
                               announced(data)),
                      data.time_based_filter);
    });
}

void Seen::on_data_writer_discovery(dds::DomainParticipant *, rtps::WriterDiscoveryStatus status,
                                    const rtps::PublicationBuiltinTopicData &data, bool &) {
    keep(status == rtps::WriterDiscoveryStatus::REMOVED_WRITER, data.guid, [&] {
        return writer(endpoint(data.guid, data.topic_name.to_string(), data.type_name.to_string(),
                               announced(data)),
                      data.lifespan, data.ownership_strength);
    });
}

#else

void Seen::on_participant_discovery(dds::DomainParticipant *, rtps::ParticipantDiscoveryInfo &&info) {
    using Info = rtps::ParticipantDiscoveryInfo;
    keep_participant(info.status == Info::DISCOVERED_PARTICIPANT,
                     info.status == Info::REMOVED_PARTICIPANT || info.status == Info::DROPPED_PARTICIPANT,
                     info.info.m_guid, [&] { return described(info.info); });
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

#endif

void Seen::keep_participant(bool came, bool went, const rtps::GUID_t &guid,
                            const std::function<Entity()> &describe) {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (went) {
        // Its endpoints go without a word of their own.
        for (auto at = others_.begin(); at != others_.end();)
            at = at->first.guidPrefix == guid.guidPrefix ? others_.erase(at) : std::next(at);
        return;
    }
    others_[guid] = describe();
    if (!came) return;
    ++found_;
    more_.notify_one();
}

void Seen::keep(bool gone, const rtps::GUID_t &guid, const std::function<Entity()> &describe) {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (gone)
        others_.erase(guid);
    else
        others_[guid] = describe();
}

} // namespace fastdds_adapter
