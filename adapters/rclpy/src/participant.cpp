#include "participant.hpp"

#include <qos.hpp>

#include <rmw/qos_profiles.h>
#include <rmw/rmw.h>

#include <cstdlib>

namespace rmw_adapter {

namespace {

/// rclpy has no other way to say how far a node looks for others.
constexpr const char *range_variable = "ROS_AUTOMATIC_DISCOVERY_RANGE";

/// Calls what the node's module has by this name.
Object call(const char *name, PyObject *arguments, const std::string &what) {
    const Object given = checked(arguments, what);
    const Object function = checked(PyObject_GetAttrString(node_module(), name), what);
    return checked(PyObject_CallObject(function.get(), given.get()), what);
}

/// Lets the object go, where there is nobody to tell.
void close(const Object &object) {
    const Gil gil;
    const Object done(PyObject_CallMethod(object.get(), "close", nullptr));
    if (!done) busmark::log(BUSMARK_LOG_WARNING, "rclpy: close: " + raised());
}

int64_t ns_of(const rmw_time_t &time) { return static_cast<int64_t>(time.sec * 1'000'000'000 + time.nsec); }

struct Message : busmark::Sample {
    explicit Message(Object message) : python(std::move(message)) {}
    Object python;
};

} // namespace

Participant::Participant(const busmark::ParticipantConfig &config) : environment_(config) {
    const std::string executor = config.choice("executor", {"single", "multi", "events"});
    environment_.choose_implementation(rmw_get_implementation_identifier);
    setenv(range_variable, environment_.discovery_range().c_str(), 1);
    node_module();
    environment_.with_transport([&] {
        const Gil gil;
        node_ = call("Node", Py_BuildValue("(sIs)", node_name().c_str(), config.domain, executor.c_str()),
                     "node in domain " + std::to_string(config.domain));
    });
}

Participant::~Participant() { close(node_); }

std::unique_ptr<busmark::Writer> Participant::writer(const busmark::EndpointConfig &config) {
    return std::make_unique<Writer>(node_, config);
}

std::unique_ptr<busmark::Reader> Participant::reader(const busmark::EndpointConfig &config, busmark::Listener listener) {
    return std::make_unique<Reader>(node_, config, listener);
}

Endpoint::Endpoint(const char *type, const Object &node, const busmark::EndpointConfig &config, PyObject *more)
    : deadline_(config.qos.deadline_ns.has_value()) {
    const Gil gil;
    const Object last(more);
    const rmw_qos_profile_t qos = profile_of(config.qos, rmw_qos_profile_default);
    object_ = call(type,
                   Py_BuildValue(last ? "(OsO(iniiLL)O)" : "(OsO(iniiLL))", node.get(), topic_of(config.topic).c_str(),
                                 deadline_ ? Py_True : Py_False, static_cast<int>(qos.history),
                                 static_cast<Py_ssize_t>(qos.depth), static_cast<int>(qos.reliability),
                                 static_cast<int>(qos.durability), static_cast<long long>(ns_of(qos.deadline)),
                                 static_cast<long long>(ns_of(qos.lifespan)), last.get()),
                   std::string(type) + " of \"" + config.topic + "\"");
}
Endpoint::~Endpoint() { close(object_); }

busmark_status_e Endpoint::failed(const char *what) {
    return last_.keep(BUSMARK_FAILED, std::string("rclpy: ") + what + ": " + raised());
}

busmark_status_e Endpoint::matched(uint32_t &count) {
    const Gil gil;
    const Object found(PyObject_CallMethod(object_.get(), "matched", nullptr));
    if (!found) return failed("matched");
    count = static_cast<uint32_t>(PyLong_AsUnsignedLong(found.get()));
    return BUSMARK_OK;
}

busmark_counters_t Endpoint::counters() {
    busmark_counters_t counters = busmark::no_counters();
    if (!deadline_) return counters;
    const Gil gil;
    const Object missed(PyObject_GetAttrString(object_.get(), "missed"));
    if (missed) counters.deadline_missed = PyLong_AsUnsignedLongLong(missed.get());
    return counters;
}

Writer::Writer(const Object &node, const busmark::EndpointConfig &config) : publisher_("Writer", node, config) {
    const Gil gil;
    write_ = checked(PyObject_GetAttrString(publisher_.python(), "write"), "write");
}

std::unique_ptr<busmark::Sample> Writer::prepare(const void *body, size_t bytes) {
    const Gil gil;
    return std::make_unique<Message>(
        checked(PyObject_CallMethod(publisher_.python(), "prepare", "y#", bytes > 0 ? static_cast<const char *>(body) : "",
                                    static_cast<Py_ssize_t>(bytes)),
                "a message of " + std::to_string(bytes) + " bytes"));
}

busmark_status_e Writer::write(busmark::Sample &sample, const busmark_header_t &header) {
    const Gil gil;
    PyObject *arguments[] = {nullptr, // room for `self`
                             static_cast<Message &>(sample).python.get(),
                             PyLong_FromUnsignedLongLong(header.cookie),
                             PyLong_FromUnsignedLongLong(header.seq),
                             PyLong_FromLongLong(header.intended_ns),
                             PyLong_FromLongLong(header.sent_ns),
                             PyLong_FromLongLong(header.echo_sent_ns),
                             PyLong_FromLongLong(header.echo_delivered_ns),
                             PyLong_FromLongLong(header.echo_read_ns),
                             PyLong_FromUnsignedLong(header.writer_id),
                             PyLong_FromUnsignedLong(header.flags)};
    constexpr size_t count = std::size(arguments) - 1;
    bool made = true;
    for (size_t i = 2; i <= count; ++i) made = made && arguments[i] != nullptr;
    PyObject *written =
        made ? PyObject_Vectorcall(write_.get(), arguments + 1, count | PY_VECTORCALL_ARGUMENTS_OFFSET, nullptr) : nullptr;
    for (size_t i = 2; i <= count; ++i) Py_XDECREF(arguments[i]);
    if (written == nullptr) return publisher_.failed("publish");
    Py_DECREF(written);
    return BUSMARK_OK;
}

Reader::Reader(const Object &node, const busmark::EndpointConfig &config, busmark::Listener listener)
    : delivery_(std::make_shared<Delivery>(listener)),
      subscription_("Reader", node, config, (Gil(), Delivery::function(delivery_))) {}

Reader::~Reader() { delivery_->close(); }

busmark_status_e Reader::take(uint32_t, busmark::Sink &sink, uint32_t &taken) {
    if (!delivery_->give(sink)) return BUSMARK_NO_DATA;
    taken = 1;
    return BUSMARK_OK;
}

} // namespace rmw_adapter
