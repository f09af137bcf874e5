// A message on its way from a callback in Python to the worker.
#pragma once

#include "members.hpp"

#include <busmark_adapter.hpp>

#include <atomic>
#include <memory>

namespace ros_adapter {

/// Calls the worker from within the callback; the worker takes what is there.
class Delivery {
public:
    explicit Delivery(busmark::Listener listener) : listener_(listener) {}

    /// The function by which Python hands messages to it. Under the interpreter's lock.
    static PyObject *function(const std::shared_ptr<Delivery> &self);

    /// Has the worker take the message, in the callback, under the interpreter's lock; false while another callback of
    /// this subscription is at it, which no executor has happen.
    bool announce(const Members &message, int64_t source_ns, int64_t reception_ns);

    /// Gives the message to the sink; whether there is one. Within announce.
    bool give(busmark::Sink &sink);

    /// Waits until nobody announces; from then on nobody does. Without the lock.
    void close();

private:
    enum State : int { idle, busy, closed };

    busmark::Listener listener_;
    std::atomic<int> state_{idle};
    const Members *message_ = nullptr; ///< until it was taken
    int64_t source_ns_ = 0, reception_ns_ = 0;
};

} // namespace ros_adapter
