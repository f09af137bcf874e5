#include "endpoints.hpp"

#include "members.hpp"

#include <qos.hpp>

#include <rmw/qos_profiles.h>

namespace ros_adapter {

namespace {

int64_t ns_of(const rmw_time_t &time) { return static_cast<int64_t>(time.sec * 1'000'000'000 + time.nsec); }

struct Message : busmark::Sample {
    explicit Message(Object message) : python(std::move(message)) {}
    const Object python;
};

PyObject *python_of(const busmark::Sample &sample) { return static_cast<const Message &>(sample).python.get(); }

} // namespace

Endpoint::Endpoint(const char *type, const Object &node, const busmark::EndpointConfig &config,
                   const rmw_qos_profile_t &qos, PyObject *more)
    : deadline_(config.qos.deadline_ns.has_value()) {
    const Gil gil;
    const Object last(more);
    object_ = made_by(type,
                      Py_BuildValue(last ? "(OsO(iniiLL)O)" : "(OsO(iniiLL))", node.get(), topic_of(config.topic).c_str(),
                                    deadline_ ? Py_True : Py_False, static_cast<int>(qos.history),
                                    static_cast<Py_ssize_t>(qos.depth), static_cast<int>(qos.reliability),
                                    static_cast<int>(qos.durability), static_cast<long long>(ns_of(qos.deadline)),
                                    static_cast<long long>(ns_of(qos.lifespan)), last.get()),
                      std::string(type) + " of \"" + config.topic + "\"");
}
Endpoint::~Endpoint() { close(object_); }

std::unique_ptr<busmark::Sample> Endpoint::prepare(const void *body, size_t bytes) {
    const Gil gil;
    return std::make_unique<Message>(
        checked(call("prepare", "y#", bytes > 0 ? static_cast<const char *>(body) : "", static_cast<Py_ssize_t>(bytes)),
                "a message of " + std::to_string(bytes) + " bytes"));
}

Object Endpoint::attribute(const char *name) const {
    const Gil gil;
    return checked(Object(PyObject_GetAttrString(object_.get(), name)), name);
}

busmark_status_e Endpoint::failed(const char *what) {
    return last_.keep(BUSMARK_FAILED, std::string(BUSMARK_LAYER ": ") + what + ": " + raised());
}

busmark_status_e Endpoint::matched(uint32_t &count) {
    const Gil gil;
    const Object found = call("matched");
    if (!found) return failed("matched");
    count = static_cast<uint32_t>(PyLong_AsUnsignedLong(found.get()));
    return BUSMARK_OK;
}

busmark_counters_t Endpoint::counters() const {
    busmark_counters_t counters = busmark::no_counters();
    if (!deadline_) return counters;
    const Gil gil;
    counters.deadline_missed = PyLong_AsUnsignedLongLong(attribute("missed").get());
    return counters;
}

Writer::Writer(const Object &node, const busmark::EndpointConfig &config)
    : publisher_("Writer", node, config, profile_of(config.qos, rmw_qos_profile_default)),
      send_(publisher_.attribute("send")) {}

busmark_status_e Writer::write(busmark::Sample &sample, const busmark_header_t &header) {
    const Gil gil;
    const Object done(Numbers(header).passed_to(send_.get(), python_of(sample)));
    return done ? BUSMARK_OK : publisher_.failed("publish");
}

Reader::Reader(const Object &node, const busmark::EndpointConfig &config, busmark::Listener listener)
    : delivery_(std::make_shared<Delivery>(listener)),
      subscription_("Reader", node, config, profile_of(config.qos, rmw_qos_profile_default),
                    (Gil(), Delivery::function(delivery_))) {}

Reader::~Reader() { delivery_->close(); }

busmark_status_e Reader::take(uint32_t, busmark::Sink &sink, uint32_t &taken) {
    if (!delivery_->give(sink)) return BUSMARK_NO_DATA;
    taken = 1;
    return BUSMARK_OK;
}

Service::Service(const char *type, const Object &node, const busmark::EndpointConfig &config)
    : end_(type, node, config, profile_of(config.qos, rmw_qos_profile_services_default)), send_(end_.attribute("send")),
      take_(end_.attribute("take")), waits_(config.wait == BUSMARK_WAIT_WAITSET) {}

busmark_status_e Service::take(uint32_t max, busmark::Sink &sink, uint32_t &taken) {
    while (taken < max) {
        const Gil gil;
        const Object found(PyObject_CallNoArgs(take_.get()));
        if (!found) return end_.failed("take");
        if (found.get() == Py_None) break;
        const Members message(PySequence_Fast_ITEMS(found.get()) + 1);
        const uint64_t number = PyLong_AsUnsignedLongLong(PyTuple_GET_ITEM(found.get(), 0));
        if (!message) return end_.failed("take");
        const WithoutGil without;
        sink(message.header(), message.body(), message.body_bytes(), 0, 0, number);
        ++taken;
    }
    return taken > 0 ? BUSMARK_OK : BUSMARK_NO_DATA;
}

busmark_status_e Service::wait(int64_t timeout_ns) {
    if (!waits_) return BUSMARK_UNSUPPORTED;
    const Gil gil;
    const Object found = end_.call("wait", "d", static_cast<double>(timeout_ns) / 1e9);
    if (!found) return end_.failed("wait");
    return found.get() == Py_True ? BUSMARK_OK : BUSMARK_TIMEOUT;
}

busmark_status_e Service::drop(uint64_t request) {
    const Gil gil;
    const Object known = end_.call("drop", "K", static_cast<unsigned long long>(request));
    if (!known) return end_.failed("drop");
    return known.get() == Py_True ? BUSMARK_OK : BUSMARK_INVALID;
}

busmark_status_e Client::send(busmark::Sample &sample, const busmark_header_t &header, uint64_t &request) {
    const Gil gil;
    const Object number(Numbers(header).passed_to(send_.get(), python_of(sample)));
    if (!number) return end_.failed("send request");
    request = PyLong_AsUnsignedLongLong(number.get());
    return BUSMARK_OK;
}

busmark_status_e Server::send(busmark::Sample &sample, const busmark_header_t &header, uint64_t &request) {
    const Gil gil;
    const Object number(PyLong_FromUnsignedLongLong(request));
    const Object known(Numbers(header).passed_to(send_.get(), python_of(sample), number.get()));
    if (!known) return end_.failed("send response");
    return known.get() == Py_True ? BUSMARK_OK : BUSMARK_INVALID;
}

} // namespace ros_adapter
