// SPDX-License-Identifier: Apache-2.0
#include "intake.hpp"

#include <algorithm>
#include <cstring>

namespace busmark_omniorb {
namespace {

constexpr uint64_t MEMORY = uint64_t{16} << 20;
constexpr uint64_t FEWEST = 16, MOST = 1024;

uint64_t places_for(uint64_t max_body_bytes) {
    return std::clamp(MEMORY / std::max<uint64_t>(max_body_bytes, 1), FEWEST, MOST);
}

} // namespace

// Bodies are left uninitialised: pages that no sample needs are never touched.
Intake::Intake(busmark::Listener listener, uint64_t max_body_bytes, uint32_t places)
    : listener_(listener), max_body_bytes_(max_body_bytes),
      places_(places > 0 ? places : places_for(max_body_bytes)), ring_(new Place[places_]),
      bodies_(new std::byte[places_ * max_body_bytes_]) {}

bool Intake::give(const busmark_header_t &header, const void *body, size_t bytes, int64_t limit_ns) {
    if (shut_.load(std::memory_order_relaxed)) return true;
    const Arrival arrival{&header, body, bytes};
    if (!listener_) return store(arrival, limit_ns);
    announced_ = &arrival;
    listener_.on_data();
    // Nobody took it: it is announced again with the next one.
    const bool left = announced_ != nullptr;
    announced_ = nullptr;
    return !left || store(arrival, limit_ns);
}

bool Intake::store(const Arrival &arrival, int64_t limit_ns) {
    const uint64_t tail = tail_.load(std::memory_order_relaxed);
    if (tail - head_.load(std::memory_order_acquire) == places_) {
        const bool free = await_place(tail, limit_ns);
        if (shut_.load()) return true;
        if (!free) return false;
    }
    Place &place = ring_[tail % places_];
    place.header = *arrival.header;
    place.bytes = arrival.bytes;
    if (arrival.bytes > 0) std::memcpy(body_of(tail), arrival.body, arrival.bytes);
    // Either the taker sees the sample before it sleeps, or it is seen sleeping here.
    tail_.store(tail + 1, std::memory_order_seq_cst);
    if (taker_sleeps_.load(std::memory_order_seq_cst)) {
        const std::lock_guard lock(mutex_);
        arrived_.notify_one();
    }
    return true;
}

bool Intake::await_place(uint64_t tail, int64_t limit_ns) {
    std::unique_lock lock(mutex_);
    giver_sleeps_.store(true, std::memory_order_seq_cst);
    const auto ready = [&] {
        return shut_.load() || tail - head_.load(std::memory_order_seq_cst) < places_;
    };
    bool free = true;
    if (limit_ns > 0)
        free = freed_.wait_for(lock, std::chrono::nanoseconds(limit_ns), ready);
    else
        freed_.wait(lock, ready);
    giver_sleeps_.store(false, std::memory_order_relaxed);
    return free;
}

busmark_status_e Intake::take(uint32_t max, busmark::Sink &sink, uint32_t &taken) {
    uint64_t head = head_.load(std::memory_order_relaxed);
    const uint64_t tail = tail_.load(std::memory_order_acquire);
    for (; taken < max && head != tail; ++taken) {
        const Place &place = ring_[head % places_];
        sink(place.header, body_of(head), place.bytes);
        head_.store(++head, std::memory_order_seq_cst);
    }
    if (taken > 0 && giver_sleeps_.load(std::memory_order_seq_cst)) {
        const std::lock_guard lock(mutex_);
        freed_.notify_one();
    }
    if (taken < max && announced_ != nullptr) {
        const Arrival arrival = *announced_;
        announced_ = nullptr;
        sink(*arrival.header, arrival.body, arrival.bytes);
        ++taken;
    }
    return taken > 0 ? BUSMARK_OK : BUSMARK_NO_DATA;
}

busmark_status_e Intake::wait(int64_t timeout_ns) {
    const uint64_t head = head_.load(std::memory_order_relaxed);
    if (tail_.load(std::memory_order_acquire) != head) return BUSMARK_OK;
    std::unique_lock lock(mutex_);
    taker_sleeps_.store(true, std::memory_order_seq_cst);
    // Longer than this and the clock's arithmetic would overflow.
    const auto limit = std::chrono::nanoseconds(std::min(timeout_ns, INT64_MAX / 4));
    const bool there = arrived_.wait_for(
        lock, limit, [&] { return tail_.load(std::memory_order_seq_cst) != head; });
    taker_sleeps_.store(false, std::memory_order_relaxed);
    return there ? BUSMARK_OK : BUSMARK_TIMEOUT;
}

void Intake::shut() {
    const std::lock_guard lock(mutex_);
    shut_.store(true);
    freed_.notify_all();
}

} // namespace busmark_omniorb
