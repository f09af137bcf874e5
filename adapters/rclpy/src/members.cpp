#include "members.hpp"

namespace ros_adapter {

Numbers::Numbers(const busmark_header_t &header)
    : numbers_{PyLong_FromUnsignedLongLong(header.cookie),
               PyLong_FromUnsignedLongLong(header.seq),
               PyLong_FromLongLong(header.intended_ns),
               PyLong_FromLongLong(header.sent_ns),
               PyLong_FromLongLong(header.echo_sent_ns),
               PyLong_FromLongLong(header.echo_delivered_ns),
               PyLong_FromLongLong(header.echo_read_ns),
               PyLong_FromUnsignedLong(header.writer_id),
               PyLong_FromUnsignedLong(header.flags)} {}

Numbers::~Numbers() {
    for (PyObject *number : numbers_) Py_XDECREF(number);
}

Members::Members(PyObject *const *values)
    : header_{PyLong_AsUnsignedLongLong(values[1]),
              PyLong_AsUnsignedLongLong(values[2]),
              PyLong_AsLongLong(values[3]),
              PyLong_AsLongLong(values[4]),
              PyLong_AsLongLong(values[5]),
              PyLong_AsLongLong(values[6]),
              PyLong_AsLongLong(values[7]),
              static_cast<uint32_t>(PyLong_AsUnsignedLong(values[8])),
              static_cast<uint32_t>(PyLong_AsUnsignedLong(values[9]))},
      good_(PyErr_Occurred() == nullptr && PyObject_GetBuffer(values[0], &body_, PyBUF_SIMPLE) == 0) {}

Members::~Members() {
    if (good_) PyBuffer_Release(&body_);
}

} // namespace ros_adapter
