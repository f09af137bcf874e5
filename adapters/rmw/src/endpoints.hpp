// Publishers and subscriptions, of rmw or of rcl: as the folder of handles.hpp has them.
#pragma once

#include "failure.hpp"
#include "message.hpp"

#include <announcer.hpp>
#include <handles.hpp>

#include <memory>
#include <optional>

namespace ros_adapter {

/// How often a deadline was missed.
class Missed {
public:
    template <class Endpoint> Missed(Node &node, Endpoint &endpoint) : event_(node, endpoint) {
        if (!event_.there()) words();
    }
    /// Asks the event for its status, whose counters come in this order everywhere.
    void read(busmark_counters_t &counters) {
        struct {
            int32_t total, change;
        } status{};
        bool taken = false;
        if (!event_.there()) return;
        if (event_.take(&status, taken) == RMW_RET_OK && taken) total_ = status.total;
        counters.deadline_missed = static_cast<uint64_t>(total_);
    }

private:
    DeadlineMissed event_;
    int32_t total_ = 0;
};

inline busmark_counters_t counters_of(std::optional<Missed> &missed) {
    busmark_counters_t counters = busmark::no_counters();
    if (missed) missed->read(counters);
    return counters;
}

class Writer : public busmark::Writer {
public:
    Writer(std::shared_ptr<Node> node, const busmark::EndpointConfig &config);
    std::unique_ptr<busmark::Sample> prepare(const void *body, size_t bytes) override;
    busmark_status_e write(busmark::Sample &sample, const busmark_header_t &header) override;
    busmark_status_e matched(uint32_t &count) override;
    std::optional<busmark::Error> last_error() override { return failure_.get(); }
    busmark_counters_t counters() override { return counters_of(missed_); }

private:
    std::shared_ptr<Node> node_;
    LastFailure failure_;
    Publisher publisher_;
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
    Owned<Message> taken_;
    Serialized taken_bytes_;
    Subscription subscription_;
    std::optional<Missed> missed_;
    std::optional<WaitSet<Subscription>> wait_set_;
};

} // namespace ros_adapter
