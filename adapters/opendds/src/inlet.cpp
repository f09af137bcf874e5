#include "inlet.hpp"

#include <chrono>
#include <thread>

namespace opendds {

void Inlet::on_data_available(DDS::DataReader_ptr) {
    under_way_.fetch_add(1);
    if (!closed_.load()) {
        std::unique_lock<std::mutex> lock(apart_, std::defer_lock);
        if (several_threads_) lock.lock();
        listener_.on_data();
    }
    under_way_.fetch_sub(1);
}

void Inlet::close() {
    closed_.store(true);
    while (under_way_.load() > 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

} // namespace opendds
