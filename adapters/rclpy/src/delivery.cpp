#include "delivery.hpp"

#include <chrono>
#include <thread>

namespace ros_adapter {

namespace {

constexpr const char *kind = "busmark.delivery";

void forget(PyObject *capsule) {
    delete static_cast<std::shared_ptr<Delivery> *>(PyCapsule_GetPointer(capsule, kind));
}

/// (source_ns, reception_ns, members of a message), of the delivery in `capsule`.
PyObject *deliver(PyObject *capsule, PyObject *const *arguments, Py_ssize_t count) {
    constexpr Py_ssize_t expected = 2 + Members::count;
    if (count != expected) return PyErr_Format(PyExc_TypeError, "deliver takes %zd arguments", expected);
    auto *delivery = static_cast<std::shared_ptr<Delivery> *>(PyCapsule_GetPointer(capsule, kind));
    if (delivery == nullptr) return nullptr;
    const int64_t source_ns = PyLong_AsLongLong(arguments[0]), reception_ns = PyLong_AsLongLong(arguments[1]);
    const Members message(arguments + 2);
    if (!message) return nullptr;
    if (!(*delivery)->announce(message, source_ns, reception_ns))
        return PyErr_Format(PyExc_RuntimeError, "two callbacks of one subscription run at a time");
    Py_RETURN_NONE;
}

} // namespace

PyObject *Delivery::function(const std::shared_ptr<Delivery> &self) {
    static PyMethodDef definition = {"deliver", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(deliver)),
                                     METH_FASTCALL, "Hands a message to the adapter."};
    const Object capsule(PyCapsule_New(new std::shared_ptr<Delivery>(self), kind, forget));
    return capsule ? PyCFunction_New(&definition, capsule.get()) : nullptr;
}

bool Delivery::announce(const Members &message, int64_t source_ns, int64_t reception_ns) {
    int found = idle;
    if (!state_.compare_exchange_strong(found, busy, std::memory_order_acquire)) return found == closed;
    message_ = &message;
    source_ns_ = source_ns;
    reception_ns_ = reception_ns;
    // The worker may wait within, for a thread that makes a reader under the lock.
    const WithoutGil without;
    listener_.on_data();
    message_ = nullptr;
    state_.store(idle, std::memory_order_release);
    return true;
}

bool Delivery::give(busmark::Sink &sink) {
    const Members *message = std::exchange(message_, nullptr);
    if (message == nullptr) return false;
    sink(message->header(), message->body(), message->body_bytes(), source_ns_, reception_ns_);
    return true;
}

void Delivery::close() {
    for (int expected = idle; !state_.compare_exchange_weak(expected, closed, std::memory_order_acquire); expected = idle)
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

} // namespace ros_adapter
