// SPDX-License-Identifier: Apache-2.0
#include "service.hpp"

#include "failure.hpp"
#include "kinds.hpp"

#include <busmark_services.hh>
#include <omniORB4/omniConnectionMgmt.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <vector>

namespace busmark_omniorb {
namespace {

using Octets = busmark::OctetSample;
using Lock = std::unique_lock<std::mutex>;

/// How long a client that is destroyed waits for calls that its server has been told to end.
constexpr std::chrono::seconds LAST_CALLS{2};

struct Prepared final : busmark::Sample {
    Octets value;
};

std::unique_ptr<busmark::Sample> prepared(const void *body, size_t bytes) {
    auto sample = std::make_unique<Prepared>();
    OctetKind::fill(sample->value, body, bytes);
    return sample;
}

busmark_header_t header_of(const Octets &sample) {
    busmark_header_t header;
    std::memcpy(&header, &sample.header, sizeof header);
    return header;
}

Octets &with_header(busmark::Sample &sample, const busmark_header_t &header) {
    Octets &value = static_cast<Prepared &>(sample).value;
    std::memcpy(static_cast<void *>(&value.header), &header, sizeof header);
    return value;
}

/// Wakes the thread that takes, if it sleeps. All but `count` under the mutex that is given.
class Arrivals {
public:
    void came() {
        count_.fetch_add(1, std::memory_order_release);
        if (sleeps_) arrived_.notify_one();
    }
    void went() { count_.fetch_sub(1, std::memory_order_relaxed); }
    uint32_t count() const { return count_.load(std::memory_order_acquire); }

    busmark_status_e wait(std::mutex &mutex, int64_t timeout_ns) {
        if (count() > 0) return BUSMARK_OK;
        Lock lock(mutex);
        sleeps_ = true;
        // Longer than this and the clock's arithmetic would overflow.
        const auto limit = std::chrono::nanoseconds(std::min(timeout_ns, INT64_MAX / 4));
        const bool there = arrived_.wait_for(lock, limit, [this] { return count() > 0; });
        sleeps_ = false;
        return there ? BUSMARK_OK : BUSMARK_TIMEOUT;
    }

private:
    std::atomic<uint32_t> count_{0};
    std::condition_variable arrived_;
    bool sleeps_ = false;
};

// ------------------------------------------------------------------ the server

/// A client as its server knows it.
struct Caller {
    uint32_t number = 0;
    busmark_services::Client_var back;
    bool connected = true;
};

/// A call whose upcall waits for the response.
struct Call {
    const Caller *caller;
    uint64_t number;
    const Octets *request; ///< as long as the upcall waits
    busmark::OctetSample_var response{};
    bool read = false;      ///< the request is being given to the sink
    bool ended = false;     ///< with the response, or without one
    bool forgotten = false; ///< by its client, before the server has taken it
    std::condition_variable changed{};

    Call(const Caller *c, uint64_t n, const Octets *r) : caller(c), number(n), request(r) {}
};
using SharedCall = std::shared_ptr<Call>;

class ServerEnd final : public busmark::Service {
public:
    ServerEnd(std::shared_ptr<Orb> orb, uint32_t domain, const busmark::EndpointConfig &config);
    ~ServerEnd() override;

    std::unique_ptr<busmark::Sample> prepare(const void *body, size_t bytes) override {
        return prepared(body, bytes);
    }
    busmark_status_e send(busmark::Sample &sample, const busmark_header_t &header,
                          uint64_t &request) override;
    busmark_status_e take(uint32_t max, busmark::Sink &sink, uint32_t &taken) override;
    busmark_status_e wait(int64_t timeout_ns) override { return arrivals_.wait(mutex_, timeout_ns); }
    busmark_status_e drop(uint64_t request) override;
    busmark_status_e match(busmark::Match &found) override {
        found = match_.get();
        return BUSMARK_OK;
    }
    std::string locator() override { return locator_; }

    // What the servants do.
    busmark_services::Connection *connect(const busmark_services::Offer &offer);
    void disconnect(uint32_t connection);
    void forget(uint32_t connection, uint64_t number);
    Octets *call(const Caller &caller, uint64_t number, const Octets &request);

private:
    void check(const busmark_services::Offer &offer) const;
    bool end(uint64_t handle, Octets *response);
    void end(Call &call);

    const std::shared_ptr<Orb> orb_;
    const uint32_t domain_;
    const std::string name_;
    const busmark_payload_e kind_;
    const uint64_t largest_;
    busmark::MatchClock match_;
    busmark::Calls<SharedCall> calls_;
    Arrivals arrivals_;
    std::mutex mutex_; ///< guards what follows
    std::deque<SharedCall> queue_;
    std::vector<SharedCall> waiting_; ///< all whose upcalls wait, those in the queue among them
    std::vector<std::shared_ptr<Caller>> callers_; ///< that are connected
    // After all that their servants use.
    ObjectAdapter control_, data_;
    std::string locator_;
};

class ServiceServant final : public POA_busmark_services::Service {
public:
    ServiceServant(ServerEnd &server, std::shared_ptr<Caller> caller)
        : server_(server), caller_(std::move(caller)) {}
    Octets *call(CORBA::ULongLong number, const Octets &request) override {
        return server_.call(*caller_, number, request);
    }

private:
    ServerEnd &server_;
    const std::shared_ptr<Caller> caller_;
};

class ServerServant final : public POA_busmark_services::Server {
public:
    explicit ServerServant(ServerEnd &server) : server_(server) {}
    busmark_services::Connection *connect(const busmark_services::Offer &terms) override {
        return server_.connect(terms);
    }
    void disconnect(CORBA::ULong connection) override { server_.disconnect(connection); }
    void forget(CORBA::ULong connection, CORBA::ULongLong number) override {
        server_.forget(connection, number);
    }

private:
    ServerEnd &server_;
};

ServerEnd::ServerEnd(std::shared_ptr<Orb> orb, uint32_t domain, const busmark::EndpointConfig &config)
    : orb_(std::move(orb)), domain_(domain), name_(config.topic), kind_(config.payload),
      largest_(config.max_body_bytes), control_(*orb_, false), data_(*orb_, false) {
    const CORBA::Object_var object = control_.activate(new ServerServant(*this));
    const CORBA::String_var text = orb_->orb()->object_to_string(object);
    locator_ = text.in();
}

ServerEnd::~ServerEnd() {
    // From now on nobody connects.
    control_.close();
    std::vector<std::shared_ptr<Caller>> callers;
    {
        const Lock lock(mutex_);
        callers = callers_;
    }
    // Before their objects go, so that no client calls one that is not there any more.
    for (const auto &each : callers) {
        tolerant([&] { each->back->gone(each->number); });
        disconnect(each->number);
    }
    data_.close();
}

void ServerEnd::check(const busmark_services::Offer &offer) const {
    const auto refuse = [](const std::string &reason) {
        throw busmark_corba::Refused(reason.c_str());
    };
    if (offer.domain != domain_) refuse("the server is in domain " + std::to_string(domain_));
    if (name_ != offer.service.in()) refuse("the server's service is \"" + name_ + "\"");
    if (offer.payload != static_cast<uint32_t>(kind_))
        refuse("the server's payload kind is " + std::to_string(kind_) + " (busmark_payload_e)");
    if (offer.max_body_bytes > largest_)
        refuse("the server was made for bodies of at most " + std::to_string(largest_) + " bytes");
}

busmark_services::Connection *ServerEnd::connect(const busmark_services::Offer &offer) {
    check(offer);
    const auto caller = std::make_shared<Caller>();
    caller->number = next_number();
    caller->back = busmark_services::Client::_duplicate(offer.back);
    limit_calls(caller->back, CONTROL_LIMIT_MS);
    const CORBA::Object_var object = data_.activate(new ServiceServant(*this, caller));
    busmark_services::Connection_var connection = new busmark_services::Connection;
    connection->number = caller->number;
    connection->to = busmark_services::Service::_narrow(object);
    const Lock lock(mutex_);
    callers_.push_back(caller);
    match_.set(static_cast<uint32_t>(callers_.size()));
    return connection._retn();
}

// The servant stays until the server goes: calls may still be on their way to it.
void ServerEnd::disconnect(uint32_t connection) {
    const Lock lock(mutex_);
    const auto found = std::find_if(callers_.begin(), callers_.end(),
                                    [&](const auto &each) { return each->number == connection; });
    if (found == callers_.end()) return;
    const std::shared_ptr<Caller> caller = *found;
    callers_.erase(found);
    match_.set(static_cast<uint32_t>(callers_.size()));
    caller->connected = false;
    for (const auto &call : waiting_) {
        if (call->caller != caller.get() || call->ended) continue;
        end(*call);
        const auto queued = std::find(queue_.begin(), queue_.end(), call);
        if (queued == queue_.end()) continue;
        queue_.erase(queued);
        arrivals_.went();
    }
}

/// A request that the server has not taken stays in the queue until it is.
void ServerEnd::forget(uint32_t connection, uint64_t number) {
    const Lock lock(mutex_);
    for (const auto &call : waiting_) {
        if (call->caller->number != connection || call->number != number) continue;
        if (std::find(queue_.begin(), queue_.end(), call) == queue_.end()) end(*call);
        else call->forgotten = true;
        return;
    }
}

/// Under the mutex. Where the server has taken the request, it keeps its handle, and may answer it yet.
void ServerEnd::end(Call &call) {
    call.ended = true;
    call.changed.notify_one();
}

Octets *ServerEnd::call(const Caller &caller, uint64_t number, const Octets &request) {
    if (OctetKind::view(request).bytes > largest_) throw CORBA::BAD_PARAM(0, CORBA::COMPLETED_NO);
    const auto call = std::make_shared<Call>(&caller, number, &request);
    Lock lock(mutex_);
    if (!caller.connected) throw busmark_services::Unanswered();
    waiting_.push_back(call);
    queue_.push_back(call);
    arrivals_.came();
    call->changed.wait(lock, [&] { return call->ended && !call->read; });
    *std::find(waiting_.begin(), waiting_.end(), call) = waiting_.back();
    waiting_.pop_back();
    if (call->response.operator->() == nullptr) throw busmark_services::Unanswered();
    return call->response._retn();
}

busmark_status_e ServerEnd::take(uint32_t max, busmark::Sink &sink, uint32_t &taken) {
    if (arrivals_.count() == 0) return BUSMARK_NO_DATA;
    Lock lock(mutex_);
    while (taken < max && !queue_.empty()) {
        const SharedCall call = std::move(queue_.front());
        queue_.pop_front();
        arrivals_.went();
        call->read = true;
        lock.unlock();
        // In place: the upcall, whose arguments they are, waits.
        const View body = OctetKind::view(*call->request);
        sink(header_of(*call->request), body.data, body.bytes, 0, 0, calls_.open(call));
        ++taken;
        lock.lock();
        call->read = false;
        if (call->ended || call->forgotten) end(*call);
    }
    return taken > 0 ? BUSMARK_OK : BUSMARK_NO_DATA;
}

/// Ends the call with this handle, with a response or without one; false if it is none.
bool ServerEnd::end(uint64_t handle, Octets *response) {
    busmark::OctetSample_var owned(response);
    SharedCall *const claimed = calls_.claim(handle);
    if (claimed == nullptr) return false;
    const SharedCall call = std::move(*claimed);
    calls_.close(handle);
    const Lock lock(mutex_);
    if (call->ended) return true; // the client awaits it no more
    call->response = owned._retn();
    end(*call);
    return true;
}

busmark_status_e ServerEnd::send(busmark::Sample &sample, const busmark_header_t &header,
                              uint64_t &request) {
    // A copy, for the ORB sends it when the upcall's thread has returned it.
    return end(request, new Octets(with_header(sample, header))) ? BUSMARK_OK : BUSMARK_INVALID;
}

busmark_status_e ServerEnd::drop(uint64_t request) {
    return end(request, nullptr) ? BUSMARK_OK : BUSMARK_INVALID;
}

// ------------------------------------------------------------------ the client

/// The way to a server.
struct Link {
    uint32_t number = 0;
    busmark_services::Server_var server;
    busmark_services::Service_var to;
    std::atomic<bool> gone{false};
};

class ClientEnd final : public busmark::Service {
public:
    ClientEnd(std::shared_ptr<Orb> orb, uint32_t domain, const Choices &choices,
           const busmark::EndpointConfig &config);
    ~ClientEnd() override;

    std::unique_ptr<busmark::Sample> prepare(const void *body, size_t bytes) override {
        return prepared(body, bytes);
    }
    busmark_status_e send(busmark::Sample &sample, const busmark_header_t &header,
                          uint64_t &request) override;
    busmark_status_e take(uint32_t max, busmark::Sink &sink, uint32_t &taken) override;
    busmark_status_e wait(int64_t timeout_ns) override { return arrivals_.wait(mutex_, timeout_ns); }
    busmark_status_e drop(uint64_t request) override;
    busmark_status_e match(busmark::Match &found) override {
        found = match_.get();
        return BUSMARK_OK;
    }
    std::optional<busmark::Error> last_error() override { return error_.get(); }
    void connect(const std::string &locator) override;

    // What the servants do.
    void gone(uint32_t connection);
    void answered(uint32_t slot, const Octets &response);
    void failed(uint32_t slot, Messaging::ExceptionHolder &holder);

private:
    // Twice as many as may be awaited: one that is dropped is not free before the ORB has ended its call.
    static constexpr uint32_t SLOTS = 2 * MOST_REQUESTS;
    enum class State { FREE, AWAITED, DROPPED, ANSWERED };

    /// A call under way, with a reply handler of its own.
    struct Slot {
        State state = State::FREE;
        uint64_t number = 0;
        std::shared_ptr<Link> link;
        busmark_services::AMI_ServiceHandler_var handler;
        busmark_header_t header{};
        std::vector<unsigned char> body;
    };

    bool is_connected() const { return link_ != nullptr && !link_->gone.load(); }
    void open(Link &link);
    void lose(const std::shared_ptr<Link> &link);
    void release(uint32_t slot);

    const std::shared_ptr<Orb> orb_;
    const Choices choices_;
    const uint64_t largest_;
    busmark_services::Offer offer_;
    busmark::MatchClock match_;
    busmark::LastError error_;
    Arrivals arrivals_;
    std::mutex mutex_; ///< guards what follows; a slot's message is its handler's, and then the taker's
    std::condition_variable released_;
    std::array<Slot, SLOTS> slots_;
    std::vector<uint32_t> free_;
    std::deque<uint32_t> answered_;
    uint64_t sent_ = 0;
    uint32_t awaited_ = 0;
    std::shared_ptr<Link> link_;
    ObjectAdapter control_; // after what its servants use
};

class ClientServant final : public POA_busmark_services::Client {
public:
    explicit ClientServant(ClientEnd &client) : client_(client) {}
    void gone(CORBA::ULong connection) override { client_.gone(connection); }

private:
    ClientEnd &client_;
};

class HandlerServant final : public POA_busmark_services::AMI_ServiceHandler {
public:
    HandlerServant(ClientEnd &client, uint32_t slot) : client_(client), slot_(slot) {}
    void call(const Octets &response) override { client_.answered(slot_, response); }
    void call_excep(Messaging::ExceptionHolder *holder) override { client_.failed(slot_, *holder); }

private:
    ClientEnd &client_;
    const uint32_t slot_;
};

ClientEnd::ClientEnd(std::shared_ptr<Orb> orb, uint32_t domain, const Choices &choices,
               const busmark::EndpointConfig &config)
    : orb_(std::move(orb)), choices_(choices), largest_(config.max_body_bytes), control_(*orb_, false) {
    offer_.domain = domain;
    offer_.service = config.topic.c_str();
    offer_.payload = config.payload;
    offer_.max_body_bytes = config.max_body_bytes;
    const CORBA::Object_var object = control_.activate(new ClientServant(*this));
    offer_.back = busmark_services::Client::_narrow(object);
    for (uint32_t i = 0; i < SLOTS; ++i) {
        const CORBA::Object_var handler = control_.activate(new HandlerServant(*this, i));
        slots_[i].handler = busmark_services::AMI_ServiceHandler::_narrow(handler);
        free_.push_back(i);
    }
}

ClientEnd::~ClientEnd() {
    // The server ends what it has of this client, and with it the calls end.
    if (is_connected()) tolerant([&] { link_->server->disconnect(link_->number); });
    {
        Lock lock(mutex_);
        released_.wait_for(lock, LAST_CALLS, [this] {
            return free_.size() + answered_.size() == SLOTS;
        });
    }
    control_.close();
}

void ClientEnd::connect(const std::string &locator) {
    if (is_connected()) {
        // One that was killed has not said so.
        bool lives = false;
        tolerant([&] { lives = !link_->server->_non_existent(); });
        if (lives) throw busmark::Error(BUSMARK_INVALID, "this client has a server already");
        lose(link_);
    }
    auto link = std::make_shared<Link>();
    told("\"" + locator + "\" is no reference to a server", BUSMARK_INVALID, [&] {
        const CORBA::Object_var object = orb_->orb()->string_to_object(locator.c_str());
        limit_calls(object, CONTROL_LIMIT_MS);
        link->server = busmark_services::Server::_narrow(object);
    });
    if (CORBA::is_nil(link->server))
        throw busmark::Error(BUSMARK_INVALID, "the locator is not a server's: " + locator);
    limit_calls(link->server, CONTROL_LIMIT_MS);
    told("connecting to the server", BUSMARK_FAILED, [&] { open(*link); });
    const Lock lock(mutex_);
    link_ = link;
    match_.set(1);
}

void ClientEnd::open(Link &link) {
    busmark_services::Connection_var made;
    try {
        made = link.server->connect(offer_);
    } catch (const busmark_corba::Refused &refused) {
        throw busmark::Error(BUSMARK_INVALID, refused.reason.in());
    }
    link.number = made->number;
    // One call per connection, as shipped, but as many connections as there may be calls; the first is opened now.
    const CORBA::Object_var own = omniConnectionMgmt::makeRestrictedReference(
        made->to, next_number(), MOST_REQUESTS, 1, !choices_.nodelay, false, true);
    link.to = busmark_services::Service::_narrow(own);
    (void)link.to->_non_existent();
}

void ClientEnd::gone(uint32_t connection) {
    std::shared_ptr<Link> link;
    {
        const Lock lock(mutex_);
        link = link_;
    }
    if (link != nullptr && link->number == connection) lose(link);
}

void ClientEnd::lose(const std::shared_ptr<Link> &link) {
    const Lock lock(mutex_);
    link->gone.store(true);
    if (link == link_) match_.set(0);
}

/// Under the mutex.
void ClientEnd::release(uint32_t slot) {
    slots_[slot].state = State::FREE;
    slots_[slot].link.reset();
    free_.push_back(slot);
    if (free_.size() == SLOTS) released_.notify_all();
}

busmark_status_e ClientEnd::send(busmark::Sample &sample, const busmark_header_t &header,
                              uint64_t &request) {
    uint32_t place = 0;
    std::shared_ptr<Link> link;
    {
        const Lock lock(mutex_);
        if (awaited_ == MOST_REQUESTS || free_.empty()) return BUSMARK_RESOURCES;
        place = free_.back();
        request = ++sent_ * SLOTS + place;
        if (!is_connected()) return BUSMARK_OK; // nobody hears it
        link = link_;
        free_.pop_back();
        ++awaited_;
        Slot &slot = slots_[place];
        slot.state = State::AWAITED;
        slot.number = request;
        slot.link = link;
    }
    try {
        link->to->sendc_call(slots_[place].handler, request, with_header(sample, header));
        return BUSMARK_OK;
    } catch (const CORBA::Exception &exception) {
        const Lock lock(mutex_);
        --awaited_;
        release(place);
        return error_.keep(BUSMARK_FAILED, "the call was not begun: " + words(exception));
    }
}

/// From a thread of the ORB.
void ClientEnd::answered(uint32_t place, const Octets &response) {
    Slot &slot = slots_[place];
    const View body = OctetKind::view(response);
    const bool fits = body.bytes <= largest_;
    slot.header = header_of(response);
    const auto *bytes = static_cast<const unsigned char *>(body.data);
    if (fits) slot.body.assign(bytes, bytes + body.bytes);
    else error_.keep(BUSMARK_FAILED, "a response of " + std::to_string(body.bytes) + " bytes is too large");
    const Lock lock(mutex_);
    if (slot.state == State::AWAITED && fits) {
        slot.state = State::ANSWERED;
        answered_.push_back(place);
        arrivals_.came();
        return;
    }
    if (slot.state == State::AWAITED) --awaited_;
    release(place);
}

/// From a thread of the ORB: the request stays without a response.
void ClientEnd::failed(uint32_t place, Messaging::ExceptionHolder &holder) {
    bool lost = false;
    try {
        holder.raise_exception();
    } catch (const busmark_services::Unanswered &) {
    } catch (const CORBA::Exception &exception) {
        error_.keep(BUSMARK_FAILED, "a call: " + words(exception));
        lost = CORBA::COMM_FAILURE::_downcast(&exception) != nullptr ||
               CORBA::TRANSIENT::_downcast(&exception) != nullptr ||
               CORBA::OBJECT_NOT_EXIST::_downcast(&exception) != nullptr;
    }
    std::shared_ptr<Link> link;
    {
        const Lock lock(mutex_);
        link = slots_[place].link;
        if (slots_[place].state == State::AWAITED) --awaited_;
        release(place);
    }
    if (lost) lose(link);
}

busmark_status_e ClientEnd::take(uint32_t max, busmark::Sink &sink, uint32_t &taken) {
    if (arrivals_.count() == 0) return BUSMARK_NO_DATA;
    Lock lock(mutex_);
    while (taken < max && !answered_.empty()) {
        const uint32_t place = answered_.front();
        answered_.pop_front();
        arrivals_.went();
        const Slot &slot = slots_[place];
        lock.unlock();
        sink(slot.header, slot.body.data(), slot.body.size(), 0, 0, slot.number);
        ++taken;
        lock.lock();
        --awaited_;
        release(place);
    }
    return taken > 0 ? BUSMARK_OK : BUSMARK_NO_DATA;
}

busmark_status_e ClientEnd::drop(uint64_t request) {
    Slot &slot = slots_[request % SLOTS];
    std::shared_ptr<Link> link;
    {
        const Lock lock(mutex_);
        if (slot.number != request || slot.state != State::AWAITED) return BUSMARK_OK;
        slot.state = State::DROPPED;
        --awaited_;
        link = slot.link;
    }
    tolerant([&] { link->server->forget(link->number, request); });
    return BUSMARK_OK;
}

} // namespace

std::unique_ptr<busmark::Service> make_service(std::shared_ptr<Orb> orb, uint32_t domain,
                                               const Choices &choices,
                                               const busmark::EndpointConfig &config,
                                               busmark_side_e side) {
    if (side == BUSMARK_SIDE_SERVER) return std::make_unique<ServerEnd>(std::move(orb), domain, config);
    return std::make_unique<ClientEnd>(std::move(orb), domain, choices, config);
}

} // namespace busmark_omniorb
