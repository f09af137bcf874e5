// A node in Python with its publishers and subscriptions.
#pragma once

#include "delivery.hpp"
#include "python.hpp"

#include <environment.hpp>

#include <busmark_adapter.hpp>

#include <memory>
#include <optional>

namespace rmw_adapter {

class Participant : public busmark::Participant {
public:
    /// The callback, in the thread that spins the executor.
    static constexpr uint32_t waits = BUSMARK_WAIT_LISTENER;
    static constexpr uint64_t features = BUSMARK_FEATURE_WRITE_IN_LISTENER;
    static constexpr busmark_option_t option = {
        "executor", "single",
        "What spins the node: single (SingleThreadedExecutor, as rclpy.spin), multi (MultiThreadedExecutor) or events "
        "(EventsExecutor, which is experimental)."};
    static void probe() { node_module(); }

    explicit Participant(const busmark::ParticipantConfig &config);
    ~Participant() override;
    std::unique_ptr<busmark::Writer> writer(const busmark::EndpointConfig &config) override;
    std::unique_ptr<busmark::Reader> reader(const busmark::EndpointConfig &config, busmark::Listener listener) override;

private:
    const Environment environment_;
    Object node_;
};

/// A publisher or a subscription.
class Endpoint {
public:
    /// Made by the class of this name, of the node, the topic, its QoS, and what it takes besides.
    Endpoint(const char *type, const Object &node, const busmark::EndpointConfig &config, PyObject *more = nullptr);
    ~Endpoint();
    PyObject *python() const { return object_.get(); }
    busmark_status_e matched(uint32_t &count);
    busmark_counters_t counters();
    /// Keeps what Python raised. Under the lock.
    busmark_status_e failed(const char *what);
    std::optional<busmark::Error> last_error() const { return last_.get(); }

private:
    Object object_;
    const bool deadline_;
    busmark::LastError last_;
};

class Writer : public busmark::Writer {
public:
    Writer(const Object &node, const busmark::EndpointConfig &config);
    std::unique_ptr<busmark::Sample> prepare(const void *body, size_t bytes) override;
    busmark_status_e write(busmark::Sample &sample, const busmark_header_t &header) override;
    busmark_status_e matched(uint32_t &count) override { return publisher_.matched(count); }
    std::optional<busmark::Error> last_error() override { return publisher_.last_error(); }
    busmark_counters_t counters() override { return publisher_.counters(); }

private:
    Endpoint publisher_;
    Object write_;
};

class Reader : public busmark::Reader {
public:
    Reader(const Object &node, const busmark::EndpointConfig &config, busmark::Listener listener);
    ~Reader() override;
    busmark_status_e take(uint32_t max, busmark::Sink &sink, uint32_t &taken) override;
    busmark_status_e matched(uint32_t &count) override { return subscription_.matched(count); }
    std::optional<busmark::Error> last_error() override { return subscription_.last_error(); }
    busmark_counters_t counters() override { return subscription_.counters(); }

private:
    const std::shared_ptr<Delivery> delivery_;
    Endpoint subscription_;
};

} // namespace rmw_adapter
