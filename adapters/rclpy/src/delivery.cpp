#include "delivery.hpp"

#include <chrono>
#include <thread>

namespace rmw_adapter {

namespace {

constexpr const char *kind = "busmark.delivery";

void forget(PyObject *capsule) {
    delete static_cast<std::shared_ptr<Delivery> *>(PyCapsule_GetPointer(capsule, kind));
}

} // namespace

PyObject *Delivery::capsule(const std::shared_ptr<Delivery> &self) {
    return PyCapsule_New(new std::shared_ptr<Delivery>(self), kind, forget);
}

bool Delivery::announce(const busmark_header_t &header, const Py_buffer &body, int64_t source_ns, int64_t reception_ns) {
    int found = idle;
    if (!state_.compare_exchange_strong(found, busy, std::memory_order_acquire)) return found == closed;
    header_ = header;
    body_ = body.buf;
    body_bytes_ = static_cast<uint64_t>(body.len);
    source_ns_ = source_ns;
    reception_ns_ = reception_ns;
    there_ = true;
    {
        // The worker may wait within, for a thread that makes a reader under the lock.
        const WithoutGil without;
        listener_.on_data();
        there_ = false;
        state_.store(idle, std::memory_order_release);
    }
    return true;
}

bool Delivery::give(busmark::Sink &sink) {
    if (!there_) return false;
    there_ = false;
    sink(header_, body_, body_bytes_, source_ns_, reception_ns_);
    return true;
}

void Delivery::close() {
    for (int expected = idle; !state_.compare_exchange_weak(expected, closed, std::memory_order_acquire); expected = idle)
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

PyObject *deliver(PyObject *, PyObject *const *arguments, Py_ssize_t count) {
    constexpr Py_ssize_t expected = 13;
    if (count != expected) return PyErr_Format(PyExc_TypeError, "deliver takes %zd arguments", expected);
    auto *delivery = static_cast<std::shared_ptr<Delivery> *>(PyCapsule_GetPointer(arguments[0], kind));
    if (delivery == nullptr) return nullptr;
    const int64_t source_ns = PyLong_AsLongLong(arguments[2]), reception_ns = PyLong_AsLongLong(arguments[3]);
    const busmark_header_t header{PyLong_AsUnsignedLongLong(arguments[4]),
                                  PyLong_AsUnsignedLongLong(arguments[5]),
                                  PyLong_AsLongLong(arguments[6]),
                                  PyLong_AsLongLong(arguments[7]),
                                  PyLong_AsLongLong(arguments[8]),
                                  PyLong_AsLongLong(arguments[9]),
                                  PyLong_AsLongLong(arguments[10]),
                                  static_cast<uint32_t>(PyLong_AsUnsignedLong(arguments[11])),
                                  static_cast<uint32_t>(PyLong_AsUnsignedLong(arguments[12]))};
    if (PyErr_Occurred() != nullptr) return nullptr;
    Py_buffer body;
    if (PyObject_GetBuffer(arguments[1], &body, PyBUF_SIMPLE) != 0) return nullptr;
    const bool alone = (*delivery)->announce(header, body, source_ns, reception_ns);
    PyBuffer_Release(&body);
    if (!alone) return PyErr_Format(PyExc_RuntimeError, "two callbacks of one subscription run at a time");
    Py_RETURN_NONE;
}

} // namespace rmw_adapter
