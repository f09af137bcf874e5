// Samples between the session and whoever takes them.
#ifndef BUSMARK_MICROXRCEDDS_INBOX_HPP
#define BUSMARK_MICROXRCEDDS_INBOX_HPP

#include "client.hpp"
#include "sample.hpp"

#include <atomic>
#include <deque>

namespace microxrcedds_adapter {

class Inbox {
public:
    /// `depth` 0: keeps all.
    Inbox(Shape shape, size_t depth, busmark::Listener listener);
    ~Inbox();
    Inbox(const Inbox &) = delete;
    Inbox &operator=(const Inbox &) = delete;

    /// Takes in a sample that the library has received.
    void receive(ucdrBuffer *from, size_t bytes);
    uint32_t take(uint32_t max, busmark::Sink &sink);
    bool is_empty() const;

    /// Readable once a sample has come while `awaited`.
    int descriptor() const { return event_; }
    void await() { awaited_ = true; }
    void stop_awaiting();

    bool listens() const { return static_cast<bool>(listener_); }
    /// Tells the listener, where there is one and something has come since.
    void announce();
    /// The listener is not called any more once this has returned.
    void shut();

private:
    const Shape shape_;
    const size_t depth_;
    const busmark::Listener listener_;
    const int event_;
    std::atomic<bool> awaited_{false}, news_{false};
    mutable std::mutex mutex_;
    std::deque<std::vector<uint8_t>> samples_;
    std::vector<std::vector<uint8_t>> spare_; ///< memory that was used before
    std::mutex open_mutex_;                   ///< held while the listener is called
    bool open_ = true;
};

} // namespace microxrcedds_adapter

#endif
