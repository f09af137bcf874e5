// SPDX-License-Identifier: Apache-2.0
#include "writer.hpp"

#include "failure.hpp"
#include "kinds.hpp"

#include <omniORB4/omniConnectionMgmt.h>

#include <atomic>
#include <chrono>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

namespace busmark_omniorb {
namespace {

using Clock = std::chrono::steady_clock;

/// What a connection's both threads know of it: the writer's and the one that hears of its end.
struct Outgoing {
    uint32_t number = 0;
    std::atomic<bool> gone{false};
};

/// The connections of one writer, as its Supplier object sees them.
class Connections {
public:
    void add(const std::shared_ptr<Outgoing> &connection) {
        const std::lock_guard lock(mutex_);
        all_.push_back(connection);
    }
    void gone(uint32_t number) {
        const std::lock_guard lock(mutex_);
        for (const auto &each : all_)
            if (each->number == number) each->gone.store(true, std::memory_order_relaxed);
    }
    uint32_t count() {
        const std::lock_guard lock(mutex_);
        uint32_t count = 0;
        for (const auto &each : all_) count += each->gone.load(std::memory_order_relaxed) ? 0 : 1;
        return count;
    }

private:
    std::mutex mutex_;
    std::vector<std::shared_ptr<Outgoing>> all_;
};

class SupplierServant final : public POA_busmark_corba::Supplier {
public:
    explicit SupplierServant(Connections &connections) : connections_(connections) {}
    void gone(CORBA::ULong connection) override { connections_.gone(connection); }

private:
    Connections &connections_;
};

template <class Kind> struct Prepared final : busmark::Sample {
    typename Kind::Sample value;
};

template <class Kind> class Writer final : public busmark::Writer {
public:
    Writer(std::shared_ptr<Orb> orb, uint32_t domain, const Choices &choices,
           const busmark::EndpointConfig &config);
    ~Writer() override;

    std::unique_ptr<busmark::Sample> prepare(const void *body, size_t bytes) override {
        auto sample = std::make_unique<Prepared<Kind>>();
        Kind::fill(sample->value, body, bytes);
        return sample;
    }
    busmark_status_e write(busmark::Sample &sample, const busmark_header_t &header) override;
    busmark_status_e matched(uint32_t &count) override {
        count = connections_.count();
        return BUSMARK_OK;
    }
    void connect(const std::string &locator) override;

private:
    using Sample = typename Kind::Sample;
    using Consumer = typename Kind::Consumer;

    struct Link {
        std::shared_ptr<Outgoing> connection = std::make_shared<Outgoing>();
        busmark_corba::Inlet_var inlet;
        typename Consumer::_var_type to;
        bool oneway = true;
        bool broken = false;                    ///< a one-way call was cut off: see mend()
        uint64_t accepted = 0;                  ///< samples handed to the ORB
        std::optional<uint64_t> ahead;          ///< has this sample, which others refused
    };

    void open(Link &link);
    busmark_status_e send(Link &link, const Sample &sample);
    busmark_status_e call(Link &link, const Sample &sample);
    bool mend(Link &link);

    const std::shared_ptr<Orb> orb_;
    const Choices choices_;
    const int64_t max_blocking_ns_;
    busmark_corba::Offer offer_;
    Connections connections_;
    ObjectAdapter control_; // after what its servant uses
    std::vector<std::unique_ptr<Link>> links_;
    bool uneven_ = false; ///< some link is ahead
};

template <class Kind>
Writer<Kind>::Writer(std::shared_ptr<Orb> orb, uint32_t domain, const Choices &choices,
                     const busmark::EndpointConfig &config)
    : orb_(std::move(orb)), choices_(choices), max_blocking_ns_(config.qos.max_blocking_ns),
      control_(*orb_, false) {
    offer_.domain = domain;
    offer_.topic = config.topic.c_str();
    offer_.payload = config.payload;
    offer_.max_body_bytes = config.max_body_bytes;
    offer_.max_blocking_ns = max_blocking_ns_;
    offer_.process = process_token();
    const CORBA::Object_var object = control_.activate(new SupplierServant(connections_));
    offer_.back = busmark_corba::Supplier::_narrow(object);
}

template <class Kind> Writer<Kind>::~Writer() {
    for (const auto &link : links_)
        if (!link->connection->gone.load())
            tolerant([&] { link->inlet->disconnect(link->connection->number); });
    control_.close();
}

template <class Kind> void Writer<Kind>::connect(const std::string &locator) {
    auto link = std::make_unique<Link>();
    told("\"" + locator + "\" is no reference to a reader", BUSMARK_INVALID, [&] {
        const CORBA::Object_var object = orb_->orb()->string_to_object(locator.c_str());
        limit_calls(object, CONTROL_LIMIT_MS);
        link->inlet = busmark_corba::Inlet::_narrow(object);
    });
    if (CORBA::is_nil(link->inlet))
        throw busmark::Error(BUSMARK_INVALID, "the locator is not a reader's: " + locator);
    limit_calls(link->inlet, CONTROL_LIMIT_MS);
    told("connecting to the reader", BUSMARK_FAILED, [&] { open(*link); });
    connections_.add(link->connection);
    links_.push_back(std::move(link));
}

template <class Kind> void Writer<Kind>::open(Link &link) {
    busmark_corba::Connection_var made;
    try {
        made = link.inlet->connect(offer_);
    } catch (const busmark_corba::Refused &refused) {
        throw busmark::Error(BUSMARK_INVALID, refused.reason.in());
    }
    link.connection->number = made->number;
    // Within a process the ORB calls the servant on this thread, so there is nothing one-way about it.
    link.oneway = !choices_.twoway && !made->same_process;
    // A connection of its own with one thread at its end: on shared ones, or with more threads, one-way
    // calls can overtake each other. And the reader's side must not close it when it is idle.
    const CORBA::Object_var own = omniConnectionMgmt::makeRestrictedReference(
        made->to, next_number(), 1, 1, !choices_.nodelay, false, true);
    link.to = Consumer::_narrow(own);
    link.to->ready();
    if (link.oneway && max_blocking_ns_ > 0) {
        const int64_t ms = (max_blocking_ns_ + 999'999) / 1'000'000;
        limit_calls(link.to, static_cast<uint32_t>(std::min<int64_t>(ms, UINT32_MAX)));
    }
}

template <class Kind>
busmark_status_e Writer<Kind>::write(busmark::Sample &prepared, const busmark_header_t &header) {
    Sample &sample = static_cast<Prepared<Kind> &>(prepared).value;
    std::memcpy(static_cast<void *>(&sample.header), &header, sizeof header);
    busmark_status_e result = BUSMARK_OK;
    for (const auto &link : links_) {
        if (link->connection->gone.load(std::memory_order_relaxed)) continue;
        if (uneven_ && link->ahead == header.seq) continue;
        const busmark_status_e status = send(*link, sample);
        if (status != BUSMARK_OK) result = status;
        else if (links_.size() > 1) link->ahead = header.seq;
    }
    // A sample that some readers refused will be written again; the others have it.
    uneven_ = result == BUSMARK_TIMEOUT && links_.size() > 1;
    return result;
}

template <class Kind> busmark_status_e Writer<Kind>::send(Link &link, const Sample &sample) {
    if (link.broken && !mend(link)) return BUSMARK_TIMEOUT;
    try {
        return call(link, sample);
    } catch (const busmark_corba::Full &) {
        return BUSMARK_TIMEOUT;
    } catch (const CORBA::TIMEOUT &) {
        link.broken = true;
        return BUSMARK_TIMEOUT;
    } catch (const CORBA::OBJECT_NOT_EXIST &) { // closed just now
        link.connection->gone.store(true);
        return BUSMARK_OK;
    } catch (const CORBA::COMM_FAILURE &) {
        link.connection->gone.store(true);
    } catch (const CORBA::TRANSIENT &) {
        link.connection->gone.store(true);
    } catch (const CORBA::Exception &) {
    }
    return BUSMARK_FAILED;
}

template <class Kind> busmark_status_e Writer<Kind>::call(Link &link, const Sample &sample) {
    if (link.oneway)
        link.to->push(sample);
    else
        link.to->deliver(sample);
    ++link.accepted;
    return BUSMARK_OK;
}

/// After a one-way call was cut off for time, the ORB opens another connection for the next one. What
/// the first still holds must arrive before that, or samples would overtake each other.
template <class Kind> bool Writer<Kind>::mend(Link &link) {
    const auto end = Clock::now() + std::chrono::nanoseconds(max_blocking_ns_);
    do {
        tolerant([&] { link.broken = link.inlet->received(link.connection->number) != link.accepted; });
        if (!link.broken) return true;
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    } while (Clock::now() < end);
    return false;
}

} // namespace

std::unique_ptr<busmark::Writer> make_writer(std::shared_ptr<Orb> orb, uint32_t domain,
                                             const Choices &choices,
                                             const busmark::EndpointConfig &config) {
    return with_kind(config.payload, [&](auto kind) -> std::unique_ptr<busmark::Writer> {
        return std::make_unique<Writer<decltype(kind)>>(std::move(orb), domain, choices, config);
    });
}

} // namespace busmark_omniorb
