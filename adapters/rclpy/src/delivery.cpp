#include "delivery.hpp"

#include <chrono>
#include <thread>

namespace rmw_adapter {

namespace {

constexpr const char *kind = "busmark.delivery";

void forget(PyObject *capsule) {
    delete static_cast<std::shared_ptr<Delivery> *>(PyCapsule_GetPointer(capsule, kind));
}

/// (body, source_ns, reception_ns, members of the header), of the delivery in `capsule`.
PyObject *deliver(PyObject *capsule, PyObject *const *arguments, Py_ssize_t count) {
    constexpr Py_ssize_t expected = 12;
    if (count != expected) return PyErr_Format(PyExc_TypeError, "deliver takes %zd arguments", expected);
    auto *delivery = static_cast<std::shared_ptr<Delivery> *>(PyCapsule_GetPointer(capsule, kind));
    if (delivery == nullptr) return nullptr;
    const int64_t source_ns = PyLong_AsLongLong(arguments[1]), reception_ns = PyLong_AsLongLong(arguments[2]);
    const busmark_header_t header{PyLong_AsUnsignedLongLong(arguments[3]),
                                  PyLong_AsUnsignedLongLong(arguments[4]),
                                  PyLong_AsLongLong(arguments[5]),
                                  PyLong_AsLongLong(arguments[6]),
                                  PyLong_AsLongLong(arguments[7]),
                                  PyLong_AsLongLong(arguments[8]),
                                  PyLong_AsLongLong(arguments[9]),
                                  static_cast<uint32_t>(PyLong_AsUnsignedLong(arguments[10])),
                                  static_cast<uint32_t>(PyLong_AsUnsignedLong(arguments[11]))};
    if (PyErr_Occurred() != nullptr) return nullptr;
    Py_buffer body;
    if (PyObject_GetBuffer(arguments[0], &body, PyBUF_SIMPLE) != 0) return nullptr;
    const bool alone = (*delivery)->announce(header, body, source_ns, reception_ns);
    PyBuffer_Release(&body);
    if (!alone) return PyErr_Format(PyExc_RuntimeError, "two callbacks of one subscription run at a time");
    Py_RETURN_NONE;
}

} // namespace

PyObject *Delivery::function(const std::shared_ptr<Delivery> &self) {
    static PyMethodDef definition = {"deliver", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(deliver)),
                                     METH_FASTCALL, "Hands a message to the adapter."};
    const Object capsule(PyCapsule_New(new std::shared_ptr<Delivery>(self), kind, forget));
    return capsule ? PyCFunction_New(&definition, capsule.get()) : nullptr;
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

} // namespace rmw_adapter
