/* SPDX-License-Identifier: Apache-2.0
 *
 * A reader: an object whose reference is its locator, and a servant for each writer that connects.
 */
#ifndef BUSMARK_OMNIORB_READER_HPP
#define BUSMARK_OMNIORB_READER_HPP

#include "intake.hpp"
#include "kinds.hpp"
#include "orb.hpp"

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace busmark_omniorb {

/// The state of one connection that is not its servant's own.
struct Incoming {
    uint32_t number = 0;
    busmark_corba::Supplier_var back;
    std::atomic<uint64_t> received{0};
    bool connected = true;
};

class Reader final : public busmark::Reader {
public:
    Reader(std::shared_ptr<Orb> orb, uint32_t domain, const Choices &choices,
           const busmark::EndpointConfig &config, busmark::Listener listener);
    ~Reader() override;

    busmark_status_e take(uint32_t max, busmark::Sink &sink, uint32_t &taken) override {
        return intake_.take(max, sink, taken);
    }
    busmark_status_e wait(int64_t timeout_ns) override { return intake_.wait(timeout_ns); }
    busmark_status_e matched(uint32_t &count) override;
    std::string locator() override { return locator_; }

    // What the servant of interface Inlet does.
    busmark_corba::Connection *connect(const busmark_corba::Offer &offer);
    void disconnect(uint32_t number);
    uint64_t received(uint32_t number);

private:
    void check(const busmark_corba::Offer &offer) const;
    CORBA::Object_var make_consumer(std::shared_ptr<Incoming> incoming, int64_t max_blocking_ns);
    std::shared_ptr<Incoming> find(uint32_t number);

    const std::shared_ptr<Orb> orb_;
    const uint32_t domain_;
    const std::string topic_;
    const busmark_payload_e kind_;
    Intake intake_;
    std::mutex mutex_; ///< guards incoming_
    std::vector<std::shared_ptr<Incoming>> incoming_;
    // After all that their servants use.
    ObjectAdapter control_, data_;
    std::string locator_;
};

} // namespace busmark_omniorb

#endif
