// SPDX-License-Identifier: Apache-2.0
#include "reader.hpp"

#include "failure.hpp"

#include <algorithm>

namespace busmark_omniorb {
namespace {

/// Receives the samples of one writer.
template <class Kind> class ConsumerServant final : public Kind::Skeleton {
public:
    ConsumerServant(Intake &intake, std::shared_ptr<Incoming> incoming, int64_t max_blocking_ns)
        : intake_(intake), incoming_(std::move(incoming)), max_blocking_ns_(max_blocking_ns) {}

    void ready() override {}

    // Nobody hears of a failure: what cannot be stored yet stays in the connection.
    void push(const typename Kind::Sample &sample) override { give(sample, 0); }

    void deliver(const typename Kind::Sample &sample) override {
        if (!give(sample, max_blocking_ns_)) throw busmark_corba::Full();
    }

private:
    bool give(const typename Kind::Sample &sample, int64_t limit_ns) {
        const View body = Kind::view(sample);
        if (body.bytes > intake_.max_body_bytes())
            throw CORBA::BAD_PARAM(0, CORBA::COMPLETED_NO);
        busmark_header_t header;
        std::memcpy(&header, &sample.header, sizeof header);
        const bool given = intake_.give(header, body.data, body.bytes, limit_ns);
        if (given) incoming_->received.fetch_add(1, std::memory_order_release);
        return given;
    }

    Intake &intake_;
    const std::shared_ptr<Incoming> incoming_;
    const int64_t max_blocking_ns_;
};

/// The reader's object for writers.
class InletServant final : public POA_busmark_corba::Inlet {
public:
    explicit InletServant(Reader &reader) : reader_(reader) {}
    busmark_corba::Connection *connect(const busmark_corba::Offer &terms) override {
        return reader_.connect(terms);
    }
    void disconnect(CORBA::ULong connection) override { reader_.disconnect(connection); }
    CORBA::ULongLong received(CORBA::ULong connection) override {
        return reader_.received(connection);
    }

private:
    Reader &reader_;
};

} // namespace

Reader::Reader(std::shared_ptr<Orb> orb, uint32_t domain, const Choices &choices,
               const busmark::EndpointConfig &config, busmark::Listener listener)
    : orb_(std::move(orb)), domain_(domain), topic_(config.topic), kind_(config.payload),
      intake_(listener, config.max_body_bytes, choices.queue), control_(*orb_, false),
      data_(*orb_, true) {
    const CORBA::Object_var inlet = control_.activate(new InletServant(*this));
    const CORBA::String_var text = orb_->orb()->object_to_string(inlet);
    locator_ = text.in();
}

Reader::~Reader() {
    intake_.shut();
    std::vector<std::shared_ptr<Incoming>> incoming;
    {
        const std::lock_guard lock(mutex_);
        incoming = incoming_;
    }
    // Before the objects go, so that no writer calls one that is not there any more.
    for (const auto &each : incoming)
        if (each->connected) tolerant([&] { each->back->gone(each->number); });
    control_.close();
    data_.close();
}

void Reader::check(const busmark_corba::Offer &offer) const {
    const auto refuse = [](const std::string &reason) {
        throw busmark_corba::Refused(reason.c_str());
    };
    if (offer.domain != domain_) refuse("the reader is in domain " + std::to_string(domain_));
    if (topic_ != offer.topic.in()) refuse("the reader's topic is \"" + topic_ + "\"");
    if (offer.payload != static_cast<uint32_t>(kind_))
        refuse("the reader's payload kind is " + std::to_string(kind_) + " (busmark_payload_e)");
    if (offer.max_body_bytes > intake_.max_body_bytes())
        refuse("the reader was made for bodies of at most " +
               std::to_string(intake_.max_body_bytes()) + " bytes");
}

CORBA::Object_var Reader::make_consumer(std::shared_ptr<Incoming> incoming, int64_t max_blocking_ns) {
    return with_kind(kind_, [&](auto kind) {
        using Servant = ConsumerServant<decltype(kind)>;
        return data_.activate(new Servant(intake_, std::move(incoming), max_blocking_ns));
    });
}

busmark_corba::Connection *Reader::connect(const busmark_corba::Offer &offer) {
    check(offer);
    auto incoming = std::make_shared<Incoming>();
    incoming->number = next_number();
    incoming->back = busmark_corba::Supplier::_duplicate(offer.back);
    limit_calls(incoming->back, CONTROL_LIMIT_MS);
    const CORBA::Object_var object = make_consumer(incoming, offer.max_blocking_ns);
    const std::lock_guard lock(mutex_);
    incoming_.push_back(incoming);
    busmark_corba::Connection_var connection = new busmark_corba::Connection;
    connection->number = incoming->number;
    connection->same_process = offer.process == process_token();
    connection->to = busmark_corba::Consumer::_narrow(object);
    return connection._retn();
}

std::shared_ptr<Incoming> Reader::find(uint32_t number) {
    const std::lock_guard lock(mutex_);
    for (const auto &each : incoming_)
        if (each->number == number) return each;
    return nullptr;
}

// The servant stays until the reader goes: samples may still be on their way to it.
void Reader::disconnect(uint32_t number) {
    const auto incoming = find(number);
    const std::lock_guard lock(mutex_);
    if (incoming != nullptr) incoming->connected = false;
}

uint64_t Reader::received(uint32_t number) {
    const auto incoming = find(number);
    if (incoming == nullptr) throw busmark_corba::Refused("no such connection");
    return incoming->received.load(std::memory_order_acquire);
}

busmark_status_e Reader::matched(uint32_t &count) {
    const std::lock_guard lock(mutex_);
    count = static_cast<uint32_t>(std::count_if(incoming_.begin(), incoming_.end(),
                                                [](const auto &each) { return each->connected; }));
    return BUSMARK_OK;
}

} // namespace busmark_omniorb
