// Publishers, subscriptions, clients and servers, whose objects are Python's.
#pragma once

#include "delivery.hpp"
#include "python.hpp"

#include <busmark_adapter.hpp>

#include <rmw/types.h>

#include <memory>
#include <optional>

namespace ros_adapter {

/// What every end of a topic or a service has.
class Endpoint {
public:
    /// Made by the class of this name, of the node, the topic, the QoS, and what it takes besides.
    Endpoint(const char *type, const Object &node, const busmark::EndpointConfig &config, const rmw_qos_profile_t &qos,
             PyObject *more = nullptr);
    ~Endpoint();

    std::unique_ptr<busmark::Sample> prepare(const void *body, size_t bytes);
    /// Calls a method, without arguments or with some as of Py_BuildValue. Under the lock.
    template <class... Arguments> Object call(const char *method, const char *format = nullptr, Arguments... given) const {
        return Object(PyObject_CallMethod(object_.get(), method, format, given...));
    }
    Object attribute(const char *name) const;
    busmark_status_e matched(uint32_t &count);
    busmark_counters_t counters() const;
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
    std::unique_ptr<busmark::Sample> prepare(const void *body, size_t bytes) override {
        return publisher_.prepare(body, bytes);
    }
    busmark_status_e write(busmark::Sample &sample, const busmark_header_t &header) override;
    busmark_status_e matched(uint32_t &count) override { return publisher_.matched(count); }
    std::optional<busmark::Error> last_error() override { return publisher_.last_error(); }
    busmark_counters_t counters() override { return publisher_.counters(); }

private:
    Endpoint publisher_;
    const Object send_;
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

/// What a client and a server have in common.
class Service : public busmark::Service {
public:
    Service(const char *type, const Object &node, const busmark::EndpointConfig &config);
    std::unique_ptr<busmark::Sample> prepare(const void *body, size_t bytes) override {
        return end_.prepare(body, bytes);
    }
    busmark_status_e take(uint32_t max, busmark::Sink &sink, uint32_t &taken) override;
    busmark_status_e wait(int64_t timeout_ns) override;
    busmark_status_e drop(uint64_t request) override;
    busmark_status_e match(busmark::Match &found) override { return end_.matched(found.count); }
    std::optional<busmark::Error> last_error() override { return end_.last_error(); }

protected:
    Endpoint end_;
    const Object send_, take_;
    const bool waits_;
};

class Client final : public Service {
public:
    Client(const Object &node, const busmark::EndpointConfig &config) : Service("Client", node, config) {}
    busmark_status_e send(busmark::Sample &sample, const busmark_header_t &header, uint64_t &request) override;
};

class Server final : public Service {
public:
    Server(const Object &node, const busmark::EndpointConfig &config) : Service("Server", node, config) {}
    busmark_status_e send(busmark::Sample &sample, const busmark_header_t &header, uint64_t &request) override;
};

} // namespace ros_adapter
