#include "endpoints.hpp"

#include <rmw/qos_profiles.h>

namespace ros_adapter {

namespace {

constexpr const char *cut_off = "take: the serialised message is shorter than it says, so it is no Sample of Busmark's";

// What the case leaves open is as with ROS's default profile.
rmw_qos_profile_t endpoint_profile(const busmark::EndpointConfig &config) {
    return profile_of(config.qos, rmw_qos_profile_default);
}

template <class Endpoint> busmark_status_e matched_by(Endpoint &endpoint, uint32_t &count) {
    size_t found = 0;
    const rmw_ret_t code = endpoint.matched(found);
    count = static_cast<uint32_t>(found);
    return status_of(code);
}

} // namespace

Writer::Writer(std::shared_ptr<Node> node, const busmark::EndpointConfig &config)
    : node_(std::move(node)), publisher_(*node_, topic_of(config.topic), endpoint_profile(config)) {
    if (config.qos.deadline_ns) missed_.emplace(*node_, publisher_);
}

std::unique_ptr<busmark::Sample> Writer::prepare(const void *body, size_t bytes) {
    auto sample = std::make_unique<Prepared<Message>>(body, bytes);
    if (!node_->serialized()) return sample;
    return std::make_unique<SerializedSample>(node_->serializer(), sample->message);
}

busmark_status_e Writer::write(busmark::Sample &sample, const busmark_header_t &header) {
    const rmw_ret_t code = node_->serialized()
                               ? publisher_.publish(static_cast<SerializedSample &>(sample).with(header))
                               : publisher_.publish(static_cast<Prepared<Message> &>(sample).with(header));
    return failure_.keep(code, "publish");
}

busmark_status_e Writer::matched(uint32_t &count) { return matched_by(publisher_, count); }

Reader::Reader(std::shared_ptr<Node> node, const busmark::EndpointConfig &config, busmark::Listener listener)
    : node_(std::move(node)), listens_(static_cast<bool>(listener)), announcer_(listener),
      subscription_(*node_, topic_of(config.topic), endpoint_profile(config)) {
    if (listens_) check(subscription_.on_message(arrived, this), "callback");
    if (config.wait == BUSMARK_WAIT_WAITSET) wait_set_.emplace(*node_, subscription_);
    if (config.qos.deadline_ns) missed_.emplace(*node_, subscription_);
    announcer_.start();
}

Reader::~Reader() {
    if (listens_) (void)!subscription_.on_message(nullptr, nullptr);
    announcer_.finish();
}

void Reader::arrived(const void *self, size_t) {
    const_cast<Reader *>(static_cast<const Reader *>(self))->announcer_.arrived();
}

busmark_status_e Reader::take(uint32_t max, busmark::Sink &sink, uint32_t &taken) {
    while (taken < max) {
        bool there = false;
        rmw_message_info_t info = rmw_get_zero_initialized_message_info();
        const rmw_ret_t code = node_->serialized() ? subscription_.take(taken_bytes_.bytes, there, info)
                                                   : subscription_.take(taken_.message, there, info);
        if (code != RMW_RET_OK) return failure_.keep(code, "take");
        if (!there) break;
        if (!node_->serialized())
            sink(taken_.header(), taken_.message.body.data, taken_.message.body.size, info.source_timestamp,
                 info.received_timestamp);
        else if (!taken_bytes_.give(info, sink)) return failure_.keep(RMW_RET_ERROR, cut_off);
        ++taken;
    }
    return taken > 0 ? BUSMARK_OK : BUSMARK_NO_DATA;
}

busmark_status_e Reader::wait(int64_t timeout_ns) {
    if (!wait_set_) return BUSMARK_UNSUPPORTED;
    const rmw_ret_t code = wait_set_->wait(timeout_ns);
    return code == RMW_RET_TIMEOUT ? BUSMARK_TIMEOUT : failure_.keep(code, "wait");
}

busmark_status_e Reader::matched(uint32_t &count) { return matched_by(subscription_, count); }

} // namespace ros_adapter
