/* SPDX-License-Identifier: Apache-2.0
 *
 * Where upcalls hand over samples and the worker takes them. With a listener the worker takes from
 * within the upcall, without a copy; else samples wait in a ring, as CORBA gives a servant no other
 * way to keep its arguments than to copy them.
 */
#ifndef BUSMARK_OMNIORB_INTAKE_HPP
#define BUSMARK_OMNIORB_INTAKE_HPP

#include <busmark_adapter.hpp>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>

namespace busmark_omniorb {

/// One thread gives at a time (the object adapter sees to that), one takes.
class Intake {
public:
    Intake(busmark::Listener listener, uint64_t max_body_bytes, uint32_t places);

    /// From an upcall. False if no place became free within `limit_ns` (0: no limit).
    bool give(const busmark_header_t &header, const void *body, size_t bytes, int64_t limit_ns);

    busmark_status_e take(uint32_t max, busmark::Sink &sink, uint32_t &taken);
    busmark_status_e wait(int64_t timeout_ns);

    /// From now on what is given is dropped; wakes an upcall that waits for a place.
    void shut();

    uint64_t max_body_bytes() const { return max_body_bytes_; }

private:
    struct Place {
        busmark_header_t header;
        size_t bytes;
    };
    struct Arrival {
        const busmark_header_t *header;
        const void *body;
        size_t bytes;
    };

    bool store(const Arrival &arrival, int64_t limit_ns);
    bool await_place(uint64_t tail, int64_t limit_ns);
    std::byte *body_of(uint64_t position) { return bodies_.get() + position % places_ * max_body_bytes_; }

    const busmark::Listener listener_;
    const uint64_t max_body_bytes_;
    const uint64_t places_;
    const std::unique_ptr<Place[]> ring_;
    const std::unique_ptr<std::byte[]> bodies_;
    /// With a listener: what is being announced, until it is taken.
    const Arrival *announced_ = nullptr;

    alignas(64) std::atomic<uint64_t> tail_{0}; ///< samples given so far
    alignas(64) std::atomic<uint64_t> head_{0}; ///< samples taken so far

    // Only for the sides that sleep.
    alignas(64) std::mutex mutex_;
    std::condition_variable arrived_, freed_;
    std::atomic<bool> taker_sleeps_{false}, giver_sleeps_{false}, shut_{false};
};

} // namespace busmark_omniorb

#endif
