#include "endpoints.hpp"

#include <rmw/qos_profiles.h>
#include <rosidl_runtime_c/message_type_support_struct.h>
#include <rosidl_runtime_c/primitives_sequence_functions.h>

#include <cstring>

extern "C" const rosidl_message_type_support_t *
rosidl_typesupport_fastrtps_c__get_message_type_support_handle__busmark_msgs__msg__Sample();
extern "C" const rosidl_message_type_support_t *
rosidl_typesupport_introspection_c__get_message_type_support_handle__busmark_msgs__msg__Sample();

namespace rmw_adapter {

namespace {

using busmark::Error;
using busmark::Qos;

const rosidl_message_type_support_t *fastrtps() {
    return rosidl_typesupport_fastrtps_c__get_message_type_support_handle__busmark_msgs__msg__Sample();
}

const rosidl_message_type_support_t *introspection() {
    return rosidl_typesupport_introspection_c__get_message_type_support_handle__busmark_msgs__msg__Sample();
}

/// Implementations ask for the kind of support that they can use, by its name.
const rosidl_message_type_support_t *kind_of(const rosidl_message_type_support_t *all, const char *name) {
    for (const auto *kind : {fastrtps(), introspection()})
        if (std::strcmp(kind->typesupport_identifier, name) == 0) return kind;
    return std::strcmp(all->typesupport_identifier, name) == 0 ? all : nullptr;
}

const rosidl_message_type_support_t *type_support() {
    static const rosidl_message_type_support_t all = [] {
        rosidl_message_type_support_t support = *fastrtps();
        support.typesupport_identifier = "rosidl_typesupport_c";
        support.func = kind_of;
        return support;
    }();
    return &all;
}

// As in busmark_header_t, whose members the message has in the same order.
static_assert(offsetof(Message, body) == sizeof(busmark_header_t));

// A message as bytes: the encapsulation, the members of the header as they lie in memory, for a host of this byte
// order serialises so, and the body after its length.
constexpr size_t encapsulation_bytes = 4;
constexpr size_t body_offset = encapsulation_bytes + sizeof(busmark_header_t) + sizeof(uint32_t);

constexpr const char *cut_off = "take: the serialised message is shorter than it says, so it is no Sample of Busmark's";

} // namespace

rmw_time_t time_of(int64_t ns) {
    return {static_cast<uint64_t>(ns) / 1'000'000'000, static_cast<uint64_t>(ns) % 1'000'000'000};
}

rmw_qos_profile_t profile_of(const Qos &qos, rmw_qos_profile_t profile) {
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

PreparedSample::PreparedSample(const void *body, size_t bytes) {
    if (!busmark_msgs__msg__Sample__init(&message) || !rosidl_runtime_c__uint8__Sequence__init(&message.body, bytes))
        throw Error(BUSMARK_RESOURCES, "no memory for a message of " + std::to_string(bytes) + " bytes");
    if (bytes > 0) std::memcpy(message.body.data, body, bytes);
}
PreparedSample::~PreparedSample() { busmark_msgs__msg__Sample__fini(&message); }

SerializedSample::SerializedSample(const Implementation &rmw, const Message &message)
    : bytes(rmw_get_zero_initialized_serialized_message()) {
    const rcutils_allocator_t allocator = rcutils_get_default_allocator();
    if (rmw_serialized_message_init(&bytes, 0, &allocator) != RMW_RET_OK)
        throw Error(BUSMARK_RESOURCES, "no memory for a serialised message: " + words());
    check(rmw.rmw_serialize(&message, type_support(), &bytes), "a message is not serialised");
}
SerializedSample::~SerializedSample() { (void)!rmw_serialized_message_fini(&bytes); }

Writer::Writer(std::shared_ptr<Node> node, const busmark::EndpointConfig &config) : node_(std::move(node)) {
    const rmw_qos_profile_t profile = profile_of(config.qos, rmw_qos_profile_default);
    const rmw_publisher_options_t options = rmw_get_default_publisher_options();
    publisher_ = made(node_->rmw().rmw_create_publisher(node_->native(), type_support(),
                                                        topic_of(config.topic).c_str(), &profile, &options),
                      "publisher of \"" + config.topic + "\"");
    if (config.qos.deadline_ns)
        missed_.emplace(node_->rmw(), node_->rmw().rmw_publisher_event_init, publisher_,
                        RMW_EVENT_OFFERED_DEADLINE_MISSED);
}
Writer::~Writer() {
    missed_.reset();
    (void)!node_->rmw().rmw_destroy_publisher(node_->native(), publisher_);
}

std::unique_ptr<busmark::Sample> Writer::prepare(const void *body, size_t bytes) {
    auto sample = std::make_unique<PreparedSample>(body, bytes);
    if (!node_->serialized()) return sample;
    return std::make_unique<SerializedSample>(node_->rmw(), sample->message);
}

busmark_status_e Writer::write(busmark::Sample &sample, const busmark_header_t &header) {
    if (node_->serialized()) {
        rmw_serialized_message_t &bytes = static_cast<SerializedSample &>(sample).bytes;
        std::memcpy(bytes.buffer + encapsulation_bytes, &header, sizeof header);
        return failure_.keep(node_->rmw().rmw_publish_serialized_message(publisher_, &bytes, nullptr), "publish");
    }
    Message &message = static_cast<PreparedSample &>(sample).message;
    std::memcpy(&message, &header, sizeof header);
    return failure_.keep(node_->rmw().rmw_publish(publisher_, &message, nullptr), "publish");
}

busmark_status_e Writer::matched(uint32_t &count) {
    size_t found = 0;
    const rmw_ret_t code = node_->rmw().rmw_publisher_count_matched_subscriptions(publisher_, &found);
    count = static_cast<uint32_t>(found);
    return status_of(code);
}

Reader::Reader(std::shared_ptr<Node> node, const busmark::EndpointConfig &config, busmark::Listener listener)
    : node_(std::move(node)), listens_(static_cast<bool>(listener)), announcer_(listener) {
    if (!busmark_msgs__msg__Sample__init(&message_)) throw Error(BUSMARK_RESOURCES, "no memory for a message");
    const rcutils_allocator_t allocator = rcutils_get_default_allocator();
    check(rmw_serialized_message_init(&bytes_, 0, &allocator), "no memory for a serialised message");
    const rmw_qos_profile_t profile = profile_of(config.qos, rmw_qos_profile_default);
    const rmw_subscription_options_t options = rmw_get_default_subscription_options();
    subscription_ = made(node_->rmw().rmw_create_subscription(node_->native(), type_support(),
                                                              topic_of(config.topic).c_str(), &profile, &options),
                         "subscription to \"" + config.topic + "\"");
    if (listens_)
        check(node_->rmw().rmw_subscription_set_on_new_message_callback(subscription_, arrived, this), "callback");
    if (config.wait == BUSMARK_WAIT_WAITSET)
        wait_set_ = made(node_->rmw().rmw_create_wait_set(&node_->context(), 1), "wait set");
    if (config.qos.deadline_ns)
        missed_.emplace(node_->rmw(), node_->rmw().rmw_subscription_event_init, subscription_,
                        RMW_EVENT_REQUESTED_DEADLINE_MISSED);
    announcer_.start();
}

Reader::~Reader() {
    missed_.reset();
    if (listens_)
        (void)!node_->rmw().rmw_subscription_set_on_new_message_callback(subscription_, nullptr, nullptr);
    announcer_.finish();
    if (wait_set_ != nullptr) (void)!node_->rmw().rmw_destroy_wait_set(wait_set_);
    (void)!node_->rmw().rmw_destroy_subscription(node_->native(), subscription_);
    busmark_msgs__msg__Sample__fini(&message_);
    (void)!rmw_serialized_message_fini(&bytes_);
}

void Reader::arrived(const void *self, size_t) {
    const_cast<Reader *>(static_cast<const Reader *>(self))->announcer_.arrived();
}

busmark_status_e Reader::take(uint32_t max, busmark::Sink &sink, uint32_t &taken) {
    while (taken < max) {
        bool there = false;
        rmw_message_info_t info = rmw_get_zero_initialized_message_info();
        const rmw_ret_t code =
            node_->serialized()
                ? node_->rmw().rmw_take_serialized_message_with_info(subscription_, &bytes_, &there, &info, nullptr)
                : node_->rmw().rmw_take_with_info(subscription_, &message_, &there, &info, nullptr);
        if (code != RMW_RET_OK) return failure_.keep(code, "take");
        if (!there) break;
        busmark_header_t header;
        if (node_->serialized()) {
            if (bytes_.buffer_length < body_offset) return failure_.keep(RMW_RET_ERROR, cut_off);
            std::memcpy(&header, bytes_.buffer + encapsulation_bytes, sizeof header);
            uint32_t length = 0;
            std::memcpy(&length, bytes_.buffer + body_offset - sizeof length, sizeof length);
            if (length > bytes_.buffer_length - body_offset) return failure_.keep(RMW_RET_ERROR, cut_off);
            sink(header, bytes_.buffer + body_offset, length, info.source_timestamp, info.received_timestamp);
        } else {
            std::memcpy(&header, &message_, sizeof header);
            sink(header, message_.body.data, message_.body.size, info.source_timestamp, info.received_timestamp);
        }
        ++taken;
    }
    return taken > 0 ? BUSMARK_OK : BUSMARK_NO_DATA;
}

busmark_status_e Reader::wait(int64_t timeout_ns) {
    if (wait_set_ == nullptr) return BUSMARK_UNSUPPORTED;
    void *waited[] = {subscription_->data};
    rmw_subscriptions_t subscriptions{1, waited};
    const rmw_time_t timeout = time_of(timeout_ns);
    const rmw_ret_t code =
        node_->rmw().rmw_wait(&subscriptions, nullptr, nullptr, nullptr, nullptr, wait_set_, &timeout);
    return code == RMW_RET_TIMEOUT ? BUSMARK_TIMEOUT : failure_.keep(code, "wait");
}

busmark_status_e Reader::matched(uint32_t &count) {
    size_t found = 0;
    const rmw_ret_t code = node_->rmw().rmw_subscription_count_matched_publishers(subscription_, &found);
    count = static_cast<uint32_t>(found);
    return status_of(code);
}

} // namespace rmw_adapter
