#include "inbox.hpp"

#include <sys/eventfd.h>
#include <unistd.h>

namespace microxrcedds_adapter {

namespace {

constexpr size_t most_spare = 64;

} // namespace

Inbox::Inbox(Shape shape, size_t depth, busmark::Listener listener)
    : shape_(shape), depth_(depth), listener_(listener), event_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
    if (event_ < 0) throw busmark::Error(BUSMARK_RESOURCES, "no further eventfd");
    spare_.reserve(most_spare);
}

Inbox::~Inbox() { close(event_); }

void Inbox::receive(ucdrBuffer *from, size_t bytes) {
    std::vector<uint8_t> sample;
    const std::lock_guard<std::mutex> lock(mutex_);
    if (!spare_.empty()) {
        sample = std::move(spare_.back());
        spare_.pop_back();
    }
    sample.resize(bytes);
    if (!ucdr_deserialize_array_uint8_t(from, sample.data(), bytes) || !shape_.body_bytes(sample)) return;
    if (depth_ != 0 && samples_.size() >= depth_) {
        if (spare_.size() < most_spare) spare_.push_back(std::move(samples_.front()));
        samples_.pop_front();
    }
    samples_.push_back(std::move(sample));
    news_ = true;
    if (awaited_.exchange(false)) eventfd_write(event_, 1);
}

uint32_t Inbox::take(uint32_t max, busmark::Sink &sink) {
    uint32_t taken = 0;
    while (taken < max) {
        std::vector<uint8_t> sample;
        {
            const std::lock_guard<std::mutex> lock(mutex_);
            if (samples_.empty()) break;
            sample = std::move(samples_.front());
            samples_.pop_front();
        }
        busmark_header_t header;
        std::memcpy(&header, sample.data(), sizeof header);
        sink(header, sample.data() + shape_.head(), shape_.body_bytes(sample).value_or(0));
        ++taken;
        const std::lock_guard<std::mutex> lock(mutex_);
        if (spare_.size() < most_spare) spare_.push_back(std::move(sample));
    }
    return taken;
}

bool Inbox::is_empty() const {
    const std::lock_guard<std::mutex> lock(mutex_);
    return samples_.empty();
}

void Inbox::stop_awaiting() {
    if (awaited_.exchange(false)) return;
    eventfd_t count;
    eventfd_read(event_, &count);
}

void Inbox::announce() {
    if (!listens() || !news_) return;
    const std::lock_guard<std::mutex> lock(open_mutex_);
    if (!open_) return;
    // What comes from now on is announced again.
    news_ = false;
    listener_.on_data();
}

void Inbox::shut() {
    const std::lock_guard<std::mutex> lock(open_mutex_);
    open_ = false;
}

} // namespace microxrcedds_adapter
