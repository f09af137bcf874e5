// Calls of on_data that neither come from within the making of a reader nor overlap.
#pragma once

#include <busmark_adapter.hpp>

#include <atomic>
#include <thread>

namespace fastdds_adapter {

/// The library calls its listener while it holds the reader's lock, also from within the reader's
/// creation and, from other threads, during it. on_data must not come from within the creation (C20),
/// and the worker holds back what comes during it, which with that lock held would be for ever. So calls
/// during the creation are put off, and a thread makes up for them.
class Announcer {
public:
    explicit Announcer(busmark::Listener listener) : listener_(listener) {}
    ~Announcer() { finish(); }
    Announcer(const Announcer &) = delete;
    Announcer &operator=(const Announcer &) = delete;

    void arrived() {
        int seen = state_.load(std::memory_order_acquire);
        if (seen == open) return announce();
        if (seen == created_later && state_.compare_exchange_strong(seen, missed)) return;
        if (seen == open) announce();
    }

    /// The reader has been made.
    void start() {
        if (state_.exchange(open) == missed) late_ = std::thread([this] { announce(); });
    }

    /// Waits for the thread that makes up for calls. Before the reader is deleted.
    void finish() {
        if (late_.joinable()) late_.join();
    }

private:
    enum State : int { created_later, missed, open };

    /// The library's calls do not overlap, but that thread's call may: whoever comes while another one
    /// is inside leaves it to that one to go once more.
    void announce() {
        if (calls_.fetch_add(1, std::memory_order_acq_rel) > 0) return;
        uint32_t seen = 1;
        do listener_.on_data();
        while (!calls_.compare_exchange_strong(seen, 0, std::memory_order_acq_rel));
    }

    busmark::Listener listener_;
    std::atomic<int> state_{created_later};
    std::atomic<uint32_t> calls_{0};
    std::thread late_;
};

} // namespace fastdds_adapter
