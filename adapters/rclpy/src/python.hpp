// Python in this process: the interpreter, its lock, references and errors.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <busmark_adapter.hpp>

#include <string>
#include <utility>

namespace ros_adapter {

/// Holds the interpreter's lock.
class Gil {
public:
    Gil() : state_(PyGILState_Ensure()) {}
    ~Gil() { PyGILState_Release(state_); }
    Gil(const Gil &) = delete;
    Gil &operator=(const Gil &) = delete;

private:
    PyGILState_STATE state_;
};

/// Has let go of the interpreter's lock.
class WithoutGil {
public:
    WithoutGil() : state_(PyEval_SaveThread()) {}
    ~WithoutGil() { PyEval_RestoreThread(state_); }
    WithoutGil(const WithoutGil &) = delete;
    WithoutGil &operator=(const WithoutGil &) = delete;

private:
    PyThreadState *state_;
};

/// A reference of one's own. It is let go under the lock.
class Object {
public:
    Object() = default;
    explicit Object(PyObject *owned) : object_(owned) {}
    Object(Object &&other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
    Object &operator=(Object &&other) noexcept {
        std::swap(object_, other.object_);
        return *this;
    }
    ~Object() {
        if (object_ == nullptr) return;
        const Gil gil;
        Py_DECREF(object_);
    }
    PyObject *get() const { return object_; }
    PyObject *release() { return std::exchange(object_, nullptr); }
    explicit operator bool() const { return object_ != nullptr; }

private:
    PyObject *object_ = nullptr;
};

/// What Python raised last, which is taken away. Under the lock.
std::string raised();

/// The object, or what Python raised as an error. Under the lock.
Object checked(Object object, const std::string &what);

/// Starts Python once, which stays until the process ends, and gives the module of the node.
PyObject *node_module();

/// Made by the class of this name in that module. Takes the arguments. Under the lock.
Object made_by(const char *type, PyObject *arguments, const std::string &what);

/// Calls the object's method `close`, where there is nobody to tell of failures.
void close(const Object &object);

} // namespace ros_adapter
