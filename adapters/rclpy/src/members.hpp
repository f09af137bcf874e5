// Members of a message between Python and C++.
#pragma once

#include "python.hpp"

#include <array>

namespace ros_adapter {

/// A header as Python's numbers. Under the interpreter's lock.
class Numbers {
public:
    explicit Numbers(const busmark_header_t &header);
    ~Numbers();
    Numbers(const Numbers &) = delete;
    Numbers &operator=(const Numbers &) = delete;

    /// Calls the function with these arguments, and the numbers as further ones; nullptr where Python raised something.
    template <class... First> PyObject *passed_to(PyObject *function, First... first) const {
        // The one before the first is room for `self`.
        PyObject *arguments[1 + sizeof...(first) + count] = {nullptr, first...};
        for (size_t i = 0; i < count; ++i)
            if ((arguments[1 + sizeof...(first) + i] = numbers_[i]) == nullptr) return nullptr;
        return PyObject_Vectorcall(function, arguments + 1,
                                   (sizeof...(first) + count) | PY_VECTORCALL_ARGUMENTS_OFFSET, nullptr);
    }

private:
    static constexpr size_t count = 9;
    std::array<PyObject *, count> numbers_;
};

/// A body and a header that Python gives, as long as this lives. Under the interpreter's lock.
class Members {
public:
    static constexpr size_t count = 10;

    /// Number of values: the body, and the header as numbers.
    explicit Members(PyObject *const *values);
    ~Members();
    Members(const Members &) = delete;
    Members &operator=(const Members &) = delete;

    /// Whether Python raised nothing.
    explicit operator bool() const { return good_; }
    const busmark_header_t &header() const { return header_; }
    const void *body() const { return body_.buf; }
    uint64_t body_bytes() const { return static_cast<uint64_t>(body_.len); }

private:
    busmark_header_t header_;
    Py_buffer body_{};
    bool good_;
};

} // namespace ros_adapter
