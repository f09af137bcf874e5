// Publishers and subscriptions.
#pragma once

#include "failure.hpp"
#include "participant.hpp"

#include <announcer.hpp>
#include <busmark_msgs/msg/sample.h>

#include <rmw/event_callback_type.h>

#include <optional>

namespace rmw_adapter {

using Message = busmark_msgs__msg__Sample;

/// The profile, in which a case has changed what it says of QoS.
rmw_qos_profile_t profile_of(const busmark::Qos &qos, rmw_qos_profile_t profile);

/// ROS allows letters, digits and underscores, no two of which follow each other, between slashes.
std::string topic_of(const std::string &name);

rmw_time_t time_of(int64_t ns);

/// How often a deadline was missed, as events of rmw say.
class Missed {
public:
    template <class Init, class Handle>
    Missed(const Implementation &rmw, Init init, Handle *handle, rmw_event_type_t kind)
        : rmw_(rmw), event_(rmw_get_zero_initialized_event()),
          counts_(init(&event_, handle, kind) == RMW_RET_OK) {
        if (!counts_) words();
    }
    ~Missed() {
        if (counts_) (void)!rmw_event_fini(&event_);
    }
    /// Asks the event for its status, whose counters come in this order everywhere.
    void read(busmark_counters_t &counters) {
        struct {
            int32_t total, change;
        } status{};
        bool taken = false;
        if (!counts_) return;
        if (rmw_.rmw_take_event(&event_, &status, &taken) == RMW_RET_OK && taken) total_ = status.total;
        counters.deadline_missed = static_cast<uint64_t>(total_);
    }

private:
    const Implementation &rmw_;
    rmw_event_t event_;
    bool counts_;
    int32_t total_ = 0;
};

inline busmark_counters_t counters_of(std::optional<Missed> &missed) {
    busmark_counters_t counters = busmark::no_counters();
    if (missed) missed->read(counters);
    return counters;
}

/// A message, with the body that it was prepared with.
struct PreparedSample : busmark::Sample {
    PreparedSample(const void *body, size_t bytes);
    ~PreparedSample() override;
    Message message;
};

/// A message as the bytes that it is sent as.
struct SerializedSample : busmark::Sample {
    SerializedSample(const Implementation &rmw, const Message &message);
    ~SerializedSample() override;
    rmw_serialized_message_t bytes;
};

class Writer : public busmark::Writer {
public:
    Writer(std::shared_ptr<Node> node, const busmark::EndpointConfig &config);
    ~Writer() override;
    std::unique_ptr<busmark::Sample> prepare(const void *body, size_t bytes) override;
    busmark_status_e write(busmark::Sample &sample, const busmark_header_t &header) override;
    busmark_status_e matched(uint32_t &count) override;
    std::optional<busmark::Error> last_error() override { return failure_.get(); }
    busmark_counters_t counters() override { return counters_of(missed_); }

private:
    std::shared_ptr<Node> node_;
    LastFailure failure_;
    rmw_publisher_t *publisher_;
    std::optional<Missed> missed_;
};

class Reader : public busmark::Reader {
public:
    Reader(std::shared_ptr<Node> node, const busmark::EndpointConfig &config, busmark::Listener listener);
    ~Reader() override;
    busmark_status_e take(uint32_t max, busmark::Sink &sink, uint32_t &taken) override;
    busmark_status_e wait(int64_t timeout_ns) override;
    busmark_status_e matched(uint32_t &count) override;
    std::optional<busmark::Error> last_error() override { return failure_.get(); }
    busmark_counters_t counters() override { return counters_of(missed_); }

private:
    static void arrived(const void *self, size_t count);

    std::shared_ptr<Node> node_;
    bool listens_;
    fastdds_adapter::Announcer announcer_;
    LastFailure failure_;
    Message message_;
    rmw_serialized_message_t bytes_ = rmw_get_zero_initialized_serialized_message();
    rmw_subscription_t *subscription_;
    std::optional<Missed> missed_;
    rmw_wait_set_t *wait_set_ = nullptr;
};

} // namespace rmw_adapter
