/* SPDX-License-Identifier: Apache-2.0
 *
 * busmark_adapter.hpp: the contract of busmark_adapter.h as C++17 classes, for adapters in C++.
 *
 * An adapter derives from busmark::Participant, busmark::Writer and busmark::Reader, with the feature SERVICES
 * from busmark::Service too, and ends with
 *
 *     struct Adapter {
 *         static const busmark_capabilities_t &capabilities();
 *         static void probe();                                    // throws Error if unavailable
 *         static std::unique_ptr<busmark::Participant> participant(const busmark::ParticipantConfig &);
 *         // with the feature SERVER only (C29)
 *         static std::unique_ptr<busmark::Server> server(const busmark::ParticipantConfig &);
 *     };
 *     BUSMARK_EXPORT(Adapter)
 *
 * The clauses of busmark_adapter.h bind; they are not repeated here. This header refuses what the
 * capabilities do not list (C4), turns exceptions into errors (C3) and keeps the handles. Functions
 * that are hot (write, take, wait) return a status and should not throw.
 */
#ifndef BUSMARK_ADAPTER_HPP
#define BUSMARK_ADAPTER_HPP

#include "busmark_adapter.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <exception>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace busmark {

/// What failed and, where the user can do something, what to do.
class Error : public std::runtime_error {
public:
    Error(busmark_status_e status, const std::string &message)
        : std::runtime_error(message), status_(status) {}
    busmark_status_e status() const { return status_; }

private:
    busmark_status_e status_;
};

/// busmark_qos_t: an empty value leaves a policy at the middleware's default (C8).
struct Qos {
    std::optional<bool> reliable, keep_all, transient_local;
    int64_t max_blocking_ns = 0;
    int32_t depth = 0;
    std::optional<int64_t> lifespan_ns, deadline_ns, latency_budget_ns, time_based_filter_ns,
        liveliness_lease_ns;
    std::optional<int32_t> transport_priority, ownership_strength, max_samples;
    std::optional<std::string> partition;
    bool order_by_source = false;
};

/// busmark_endpoint_config_t.
struct EndpointConfig {
    busmark_payload_e payload = BUSMARK_PAYLOAD_EMPTY;
    busmark_wait_e wait = BUSMARK_WAIT_POLL; ///< writers ignore it
    uint64_t max_body_bytes = 0;
    std::string topic;
    Qos qos;
    uint32_t instances = 0;    ///< 0: no key (C27)
    uint32_t filter_below = 0; ///< 0: no filter (C28)
};

/// busmark_security_t: paths of files; empty where this kind of security has none.
struct Security {
    std::string profile, identity_ca, certificate, private_key, password;
    std::string permissions_ca, governance, permissions;
};

/// busmark_participant_config_t.
struct ParticipantConfig {
    uint32_t domain = 0;
    std::string interface_name, interface_address, transport, profile, run_dir;
    std::vector<std::pair<std::string, std::string>> settings;
    const busmark_option_t *options = nullptr; ///< the capabilities' list, for defaults
    std::optional<Security> security = std::nullopt; ///< none: unsecured (C38)

    bool tuned() const { return profile == "tuned"; }

    /// The value of an option: as set, else its default.
    std::string option(std::string_view key) const {
        for (const auto &[k, value] : settings)
            if (k == key) return value;
        for (const busmark_option_t *o = options; o != nullptr && o->key != nullptr; ++o)
            if (key == o->key) return o->value;
        return {};
    }

    /// An option with the values "true" and "false".
    bool flag(std::string_view key) const {
        const std::string text = option(key);
        if (text == "true" || text == "false") return text == "true";
        throw Error(BUSMARK_INVALID, refusal(key, text) + " is neither true nor false");
    }

    /// An option that is a whole number.
    template <class Number> Number number(std::string_view key) const {
        const std::string text = option(key);
        Number value{};
        const char *end = text.data() + text.size();
        const auto result = std::from_chars(text.data(), end, value);
        if (result.ec == std::errc{} && result.ptr == end) return value;
        throw Error(BUSMARK_INVALID, refusal(key, text) + " is not a number in range");
    }

    /// An option that is one of these words.
    std::string choice(std::string_view key, std::initializer_list<std::string_view> words) const {
        const std::string text = option(key);
        if (std::find(words.begin(), words.end(), text) != words.end()) return text;
        std::string list;
        for (const std::string_view word : words) list += (list.empty() ? "" : ", ") + std::string(word);
        throw Error(BUSMARK_INVALID, refusal(key, text) + " is none of " + list);
    }

private:
    static std::string refusal(std::string_view key, const std::string &text) {
        return "option " + std::string(key) + ": \"" + text + "\"";
    }
};

/// Takes the samples of one take().
class Sink {
public:
    Sink(busmark_sink_fn function, void *context) : function_(function), context_(context) {}

    /// `request`: of a service, which request it is, or answers (C40).
    void operator()(const busmark_header_t &header, const void *body, uint64_t body_bytes,
                    int64_t source_ns = 0, int64_t reception_ns = 0, uint64_t request = 0) {
        const busmark_received_t received{sizeof received, 0,         &header,
                                          body_bytes ? body : nullptr, body_bytes, source_ns,
                                          reception_ns, request};
        function_(context_, &received);
    }

private:
    busmark_sink_fn function_;
    void *context_;
};

/// Calls the worker when there is data (C20 to C22); empty for the other wait strategies.
class Listener {
public:
    Listener() = default;
    explicit Listener(const busmark_listener_t &c) : on_data_(c.on_data), context_(c.context) {}
    explicit operator bool() const { return on_data_ != nullptr; }
    void on_data() const { on_data_(context_); }

private:
    busmark_on_data_fn on_data_ = nullptr;
    void *context_ = nullptr;
};

/// busmark_match_t.
struct Match {
    uint32_t count = 0;
    int64_t changed_ns = 0; ///< CLOCK_MONOTONIC; 0: never
};

/// Keeps the count that the middleware's events tell, with their time (C33). For listeners.
class MatchClock {
public:
    /// The middleware says that the count is this now. Call it from within the event.
    void set(uint32_t count) {
        timespec now{};
        clock_gettime(CLOCK_MONOTONIC, &now);
        const std::lock_guard<std::mutex> lock(mutex_);
        if (match_.count != count) match_ = {count, now.tv_sec * INT64_C(1000000000) + now.tv_nsec};
    }
    Match get() const {
        const std::lock_guard<std::mutex> lock(mutex_);
        return match_;
    }

private:
    mutable std::mutex mutex_;
    Match match_;
};

/// Keeps what failed last on the hot path (C32). Touched by failures only.
class LastError {
public:
    /// Keeps the words and gives the status back.
    busmark_status_e keep(busmark_status_e status, std::string words) {
        const std::lock_guard<std::mutex> lock(mutex_);
        error_.emplace(status, std::move(words));
        return status;
    }
    std::optional<Error> get() const {
        const std::lock_guard<std::mutex> lock(mutex_);
        return error_;
    }

private:
    mutable std::mutex mutex_;
    std::optional<Error> error_;
};

/// The host, once it has attached (C31).
inline busmark_host_t &host() {
    static busmark_host_t attached{};
    return attached;
}

/// A line for the round's log; to standard error where the host takes none. Not for the hot path.
inline void log(busmark_log_level_e level, const std::string &line) {
    if (const busmark_host_t &to = host(); to.log != nullptr)
        to.log(to.context, static_cast<uint32_t>(level), line.c_str());
    else
        std::fprintf(stderr, "%s\n", line.c_str());
}

/// Counters of which the middleware keeps none.
inline busmark_counters_t no_counters() {
    return {sizeof(busmark_counters_t), 0,
            BUSMARK_ABSENT, BUSMARK_ABSENT, BUSMARK_ABSENT, BUSMARK_ABSENT, BUSMARK_ABSENT,
            BUSMARK_ABSENT, BUSMARK_ABSENT, BUSMARK_ABSENT, BUSMARK_ABSENT};
}

/// A native sample, prepared once. Derive from it.
class Sample {
public:
    virtual ~Sample() = default;
};

/// Sends samples of one topic.
class Writer {
public:
    virtual ~Writer() = default;
    /// Makes a native sample; `bytes` is at most the endpoint's and a whole number of elements.
    virtual std::unique_ptr<Sample> prepare(const void *body, size_t bytes) = 0;
    /// Hands the sample with this header to the middleware (C18). Hot.
    virtual busmark_status_e write(Sample &sample, const busmark_header_t &header) = 0;
    virtual busmark_status_e flush() { return BUSMARK_OK; }
    virtual busmark_status_e matched(uint32_t &) { return BUSMARK_UNSUPPORTED; }
    /// The count and when it became that (C33); see MatchClock.
    virtual busmark_status_e match(Match &) { return BUSMARK_UNSUPPORTED; }
    /// What failed last in write or flush, in the middleware's words (C32).
    virtual std::optional<Error> last_error() { return std::nullopt; }
    /// Connects to a reader by its locator (C25).
    virtual void connect(const std::string &) {
        throw Error(BUSMARK_UNSUPPORTED, "writers of this middleware do not connect to readers");
    }
    /// The text by which readers find this writer (C36); throws Error without the feature.
    virtual std::string locator() {
        throw Error(BUSMARK_UNSUPPORTED, "readers of this middleware do not connect to writers");
    }
    virtual void set_qos(const Qos &) {
        throw Error(BUSMARK_UNSUPPORTED, "no QoS of this writer can change at run time");
    }
    virtual busmark_counters_t counters() { return no_counters(); }

    /// What its samples must fit into.
    busmark_payload_e payload = BUSMARK_PAYLOAD_EMPTY;
    uint64_t max_body_bytes = 0;
};

/// Receives samples of one topic.
class Reader {
public:
    virtual ~Reader() = default;
    /// Gives at most `max` samples to the sink and stores their number (C19). Hot.
    virtual busmark_status_e take(uint32_t max, Sink &sink, uint32_t &taken) = 0;
    /// Sleeps until there is something to take (C23). Hot.
    virtual busmark_status_e wait(int64_t) { return BUSMARK_UNSUPPORTED; }
    virtual busmark_status_e matched(uint32_t &) { return BUSMARK_UNSUPPORTED; }
    /// The count and when it became that (C33); see MatchClock.
    virtual busmark_status_e match(Match &) { return BUSMARK_UNSUPPORTED; }
    /// What failed last in take or wait, in the middleware's words (C32).
    virtual std::optional<Error> last_error() { return std::nullopt; }
    /// The text by which writers find this reader (C25); throws Error without the feature.
    virtual std::string locator() {
        throw Error(BUSMARK_UNSUPPORTED, "writers of this middleware do not connect to readers");
    }
    /// Connects to a writer by its locator (C36).
    virtual void connect(const std::string &) {
        throw Error(BUSMARK_UNSUPPORTED, "readers of this middleware do not connect to writers");
    }
    virtual void set_qos(const Qos &) {
        throw Error(BUSMARK_UNSUPPORTED, "no QoS of this reader can change at run time");
    }
    virtual busmark_counters_t counters() { return no_counters(); }
};

/// One end of a service (C39 to C44): its server, or a client. One thread takes, waits and drops, another may
/// send; a server's responses are sent by several at once.
class Service {
public:
    virtual ~Service() = default;
    /// Makes a native request or response; `bytes` is at most the end's.
    virtual std::unique_ptr<Sample> prepare(const void *body, size_t bytes) = 0;
    /// Client: hands a request to the middleware and stores by what its response will be known. Server: answers
    /// the request with this handle (C40). Hot.
    virtual busmark_status_e send(Sample &sample, const busmark_header_t &header, uint64_t &request) = 0;
    /// Gives at most `max` requests or responses to the sink, each with its handle or number. Hot.
    virtual busmark_status_e take(uint32_t max, Sink &sink, uint32_t &taken) = 0;
    /// Sleeps until there is something to take (C23). Hot.
    virtual busmark_status_e wait(int64_t) { return BUSMARK_UNSUPPORTED; }
    /// Client: awaits this response no more. Server: will not answer this request (C41). Hot.
    virtual busmark_status_e drop(uint64_t) { return BUSMARK_OK; }
    /// How many ends of the other side are ready (C43).
    virtual busmark_status_e match(Match &) { return BUSMARK_UNSUPPORTED; }
    /// What failed last in send, take, wait or drop, in the middleware's words (C32).
    virtual std::optional<Error> last_error() { return std::nullopt; }
    /// The text by which clients find this server (C39, C25); throws Error without the feature.
    virtual std::string locator() {
        throw Error(BUSMARK_UNSUPPORTED, "clients of this middleware do not connect to servers");
    }
    /// Connects a client to a server by its locator (C39, C25).
    virtual void connect(const std::string &) {
        throw Error(BUSMARK_UNSUPPORTED, "clients of this middleware do not connect to servers");
    }

    /// What its samples must fit into.
    busmark_payload_e payload = BUSMARK_PAYLOAD_EMPTY;
    uint64_t max_body_bytes = 0;
};

/// Requests that a server has taken and not answered, by handles of which each is good once (C40). One thread
/// opens; others claim at the same time. Nobody waits, and memory is allocated only where more are open than
/// ever before.
template <class Call> class Calls {
public:
    Calls() = default;
    Calls(const Calls &) = delete;
    Calls &operator=(const Calls &) = delete;
    ~Calls() {
        for (const auto &block : blocks_) delete[] block.load();
    }

    /// The handle by which this call is answered.
    uint64_t open(const Call &call) {
        if (free_ == nullptr) free_ = freed_.exchange(nullptr, std::memory_order_acquire);
        if (free_ == nullptr) grow();
        Slot &slot = *free_;
        free_ = slot.next;
        slot.call = call;
        const uint32_t state = slot.state.load(std::memory_order_relaxed) + OPEN;
        slot.state.store(state, std::memory_order_release);
        return uint64_t{state} << 32 | slot.number;
    }

    /// The call of this handle, which nobody can claim a second time; nullptr if it is not open.
    Call *claim(uint64_t handle) {
        Slot *const slot = find(static_cast<uint32_t>(handle));
        uint32_t state = state_of(handle);
        if (slot == nullptr || state % STATES != OPEN) return nullptr;
        return slot->state.compare_exchange_strong(state, state - OPEN + CLAIMED) ? &slot->call : nullptr;
    }

    /// A claimed call was not answered: it can be claimed again.
    void reopen(uint64_t handle) {
        find(static_cast<uint32_t>(handle))->state.store(state_of(handle), std::memory_order_release);
    }

    /// A claimed call was answered, or will not be.
    void close(uint64_t handle) {
        Slot *const slot = find(static_cast<uint32_t>(handle));
        slot->state.store(state_of(handle) - OPEN + STATES, std::memory_order_relaxed);
        slot->next = freed_.load(std::memory_order_relaxed);
        while (!freed_.compare_exchange_weak(slot->next, slot, std::memory_order_release)) {}
    }

private:
    // A slot's state counts up: free, open, claimed, and free again as the next multiple of STATES.
    static constexpr uint32_t OPEN = 1, CLAIMED = 2, STATES = 4;
    static constexpr uint32_t SMALLEST = 64; ///< slots of the first block; each further one has twice as many

    struct Slot {
        std::atomic<uint32_t> state{0};
        uint32_t number = 0;
        Slot *next = nullptr;
        Call call{};
    };

    static uint32_t state_of(uint64_t handle) { return static_cast<uint32_t>(handle >> 32); }
    /// Index of the first slot of a block.
    static uint32_t first_of(size_t block) { return SMALLEST * ((1u << block) - 1); }

    Slot *find(uint32_t number) const {
        const uint32_t block = 31 - static_cast<uint32_t>(__builtin_clz(number / SMALLEST + 1));
        if (block >= blocks_.size()) return nullptr;
        Slot *const slots = blocks_[block].load(std::memory_order_acquire);
        return slots != nullptr ? slots + (number - first_of(block)) : nullptr;
    }

    void grow() {
        if (made_ == blocks_.size()) throw std::bad_alloc();
        const uint32_t count = SMALLEST << made_;
        auto *const slots = new Slot[count];
        for (uint32_t i = 0; i < count; ++i) {
            slots[i].number = first_of(made_) + i;
            slots[i].next = i + 1 < count ? slots + i + 1 : nullptr;
        }
        blocks_[made_++].store(slots, std::memory_order_release);
        free_ = slots;
    }

    std::array<std::atomic<Slot *>, 24> blocks_{};
    size_t made_ = 0;
    Slot *free_ = nullptr; ///< of the thread that opens
    std::atomic<Slot *> freed_{nullptr};
};

/// busmark_entity_t (C37): texts are empty where the middleware does not say.
struct Entity {
    busmark_entity_kind_e kind = BUSMARK_ENTITY_PARTICIPANT;
    bool own = false;
    uint32_t vendor = 0;
    std::string key, participant, name, host, process, topic, type_name;
    std::optional<Qos> qos; ///< writers and readers
    std::string more;
};

/// An attachment to the middleware. Endpoints go before it (C15).
class Participant {
public:
    virtual ~Participant() = default;
    virtual std::unique_ptr<Writer> writer(const EndpointConfig &config) = 0;
    /// `listener` is there exactly when config.wait is the listener.
    virtual std::unique_ptr<Reader> reader(const EndpointConfig &config, Listener listener) = 0;
    /// The server or a client of a service, for adapters with the feature SERVICES.
    virtual std::unique_ptr<Service> service(const EndpointConfig &, busmark_side_e) {
        throw Error(BUSMARK_UNSUPPORTED, "this middleware has no services of its own");
    }
    /// What is on the bus (C37), for adapters with the feature ENTITIES.
    virtual std::vector<Entity> entities() {
        throw Error(BUSMARK_UNSUPPORTED, "this middleware does not list what is on the bus");
    }
};

/// A server that the run has started (C29). Destroying it ends the server.
class Server {
public:
    virtual ~Server() = default;
    /// What participants get as the setting "server".
    virtual std::string address() const = 0;
};

/// Bytes of one element of a kind.
constexpr size_t element_bytes(busmark_payload_e kind) {
    switch (kind) {
    case BUSMARK_PAYLOAD_SHORT: return 2;
    case BUSMARK_PAYLOAD_FLOAT:
    case BUSMARK_PAYLOAD_LONG: return 4;
    case BUSMARK_PAYLOAD_STRUCT: return sizeof(busmark_struct_t);
    default: return 1;
    }
}

namespace detail {

inline std::string text(const char *c) { return c != nullptr ? c : ""; }

/// What of a structure the other side has; zeros for the rest (C2).
template <class Structure> Structure known(const Structure *from) {
    Structure own{};
    std::memcpy(&own, from, std::min<size_t>(from->struct_size, sizeof own));
    return own;
}

/// Fills in a structure of the caller's, so far as its struct_size goes, which stays as it is (C2).
template <class Structure> void fill(Structure *to, Structure value) {
    value.struct_size = to->struct_size;
    std::memcpy(static_cast<void *>(to), &value, std::min<size_t>(to->struct_size, sizeof value));
}

inline busmark_status_e report(busmark_error_t *out, busmark_status_e status, const char *message) {
    out->status = static_cast<uint32_t>(status);
    size_t bytes = std::min<size_t>(std::strlen(message), BUSMARK_MESSAGE_BYTES - 1);
    // Not in the middle of a UTF-8 character.
    while (bytes > 0 && message[bytes] != 0 && (message[bytes] & 0xc0) == 0x80) --bytes;
    std::memcpy(out->message, message, bytes);
    out->message[bytes] = 0;
    return status;
}

/// Runs `body`; an exception becomes an error (C3), for it must not cross the border.
template <class Body> busmark_status_e guard(busmark_error_t *error, Body &&body) noexcept {
    try {
        body();
        return BUSMARK_OK;
    } catch (const Error &e) {
        return report(error, e.status(), e.what());
    } catch (const std::bad_alloc &) {
        return report(error, BUSMARK_RESOURCES, "out of memory");
    } catch (const std::exception &e) {
        return report(error, BUSMARK_FAILED, e.what());
    } catch (...) {
        return report(error, BUSMARK_FAILED, "the middleware threw something that is no exception");
    }
}

template <class Body> busmark_status_e hot(Body &&body) noexcept {
    try {
        return body();
    } catch (const Error &e) {
        return e.status();
    } catch (...) {
        return BUSMARK_FAILED;
    }
}

template <class Handle, class Object> Handle handle(std::unique_ptr<Object> object) {
    return reinterpret_cast<Handle>(object.release());
}
inline Participant *of(busmark_participant_h h) { return reinterpret_cast<Participant *>(h); }
inline Writer *of(busmark_writer_h h) { return reinterpret_cast<Writer *>(h); }
inline Reader *of(busmark_reader_h h) { return reinterpret_cast<Reader *>(h); }
inline Service *of(busmark_service_h h) { return reinterpret_cast<Service *>(h); }
inline Server *of(busmark_server_h h) { return reinterpret_cast<Server *>(h); }
inline Sample *of(busmark_sample_h h) { return reinterpret_cast<Sample *>(h); }
template <class Handle> void destroy(Handle h) noexcept {
    try {
        delete of(h);
    } catch (...) { // A destructor has nobody to tell.
    }
}

inline void exclude(uint32_t present, uint32_t pair, const char *what) {
    if ((present & pair) == pair)
        throw Error(BUSMARK_INVALID, std::string(what) + " exclude each other");
}

/// Calls `each` for the policies that are a number: the field of either structure, and its bit.
template <class Own, class C, class Each> void each_number(Own &own, C &c, Each each) {
    each(own.lifespan_ns, c.lifespan_ns, BUSMARK_QOS_LIFESPAN);
    each(own.deadline_ns, c.deadline_ns, BUSMARK_QOS_DEADLINE);
    each(own.latency_budget_ns, c.latency_budget_ns, BUSMARK_QOS_LATENCY_BUDGET);
    each(own.time_based_filter_ns, c.time_based_filter_ns, BUSMARK_QOS_TIME_BASED_FILTER);
    each(own.transport_priority, c.transport_priority, BUSMARK_QOS_TRANSPORT_PRIORITY);
    each(own.ownership_strength, c.ownership_strength, BUSMARK_QOS_OWNERSHIP_STRENGTH);
    each(own.max_samples, c.max_samples, BUSMARK_QOS_RESOURCE_LIMITS);
    each(own.liveliness_lease_ns, c.liveliness_lease_ns, BUSMARK_QOS_LIVELINESS_LEASE);
}

inline Qos qos_of(const busmark_qos_t *given, uint32_t honoured) {
    Qos qos;
    if (given == nullptr) return qos;
    const busmark_qos_t own = known(given);
    const busmark_qos_t *const c = &own;
    const uint32_t present = c->present;
    if (const uint32_t lacking = present & ~honoured)
        throw Error(BUSMARK_UNSUPPORTED, "QoS bits " + std::to_string(lacking) +
                                             " (busmark_qos_value_e) are not among the capabilities");
    exclude(present, BUSMARK_QOS_RELIABLE | BUSMARK_QOS_BEST_EFFORT, "reliable and best effort");
    exclude(present, BUSMARK_QOS_KEEP_ALL | BUSMARK_QOS_KEEP_LAST, "keep all and keep last");
    exclude(present, BUSMARK_QOS_TRANSIENT_LOCAL | BUSMARK_QOS_VOLATILE,
            "transient local and volatile");
    const auto has = [present](uint32_t bit) { return (present & bit) != 0; };
    if (has(BUSMARK_QOS_RELIABLE) || has(BUSMARK_QOS_BEST_EFFORT))
        qos.reliable = has(BUSMARK_QOS_RELIABLE);
    if (has(BUSMARK_QOS_KEEP_ALL) || has(BUSMARK_QOS_KEEP_LAST))
        qos.keep_all = has(BUSMARK_QOS_KEEP_ALL);
    if (has(BUSMARK_QOS_TRANSIENT_LOCAL) || has(BUSMARK_QOS_VOLATILE))
        qos.transient_local = has(BUSMARK_QOS_TRANSIENT_LOCAL);
    qos.max_blocking_ns = c->max_blocking_ns;
    qos.depth = c->depth;
    if (has(BUSMARK_QOS_KEEP_LAST) && c->depth < 1)
        throw Error(BUSMARK_INVALID, "keep last needs a depth from 1");
    each_number(qos, *c, [has](auto &to, const auto &from, uint32_t bit) {
        if (has(bit)) to = from;
    });
    if (has(BUSMARK_QOS_PARTITION)) qos.partition = text(c->partition);
    qos.order_by_source = has(BUSMARK_QOS_ORDER_BY_SOURCE);
    return qos;
}

/// The other way round; the partition's text stays the caller's.
inline busmark_qos_t qos_of(const Qos &qos) {
    busmark_qos_t c{};
    c.struct_size = sizeof c;
    const auto choose = [&c](const std::optional<bool> &value, uint32_t yes, uint32_t no) {
        if (value) c.present |= *value ? yes : no;
    };
    choose(qos.reliable, BUSMARK_QOS_RELIABLE, BUSMARK_QOS_BEST_EFFORT);
    choose(qos.keep_all, BUSMARK_QOS_KEEP_ALL, BUSMARK_QOS_KEEP_LAST);
    choose(qos.transient_local, BUSMARK_QOS_TRANSIENT_LOCAL, BUSMARK_QOS_VOLATILE);
    c.max_blocking_ns = qos.max_blocking_ns;
    c.depth = qos.depth;
    each_number(qos, c, [&c](const auto &from, auto &to, uint32_t bit) {
        if (!from) return;
        c.present |= bit;
        to = *from;
    });
    if (qos.order_by_source) c.present |= BUSMARK_QOS_ORDER_BY_SOURCE;
    if (qos.partition) {
        c.present |= BUSMARK_QOS_PARTITION;
        c.partition = qos.partition->c_str();
    }
    return c;
}

/// Gives an entity to the worker (C37).
inline void give(const Entity &entity, busmark_entity_fn sink, void *context) {
    busmark_qos_t qos{};
    if (entity.qos) qos = qos_of(*entity.qos);
    busmark_entity_t c{};
    c.struct_size = sizeof c;
    c.kind = entity.kind;
    c.own = entity.own ? 1 : 0;
    c.vendor = entity.vendor;
    c.key = entity.key.c_str();
    c.participant = entity.participant.c_str();
    c.name = entity.name.c_str();
    c.host = entity.host.c_str();
    c.process = entity.process.c_str();
    c.topic = entity.topic.c_str();
    c.type_name = entity.type_name.c_str();
    c.qos = entity.qos ? &qos : nullptr;
    c.more = entity.more.c_str();
    sink(context, &c);
}

inline std::optional<Security> security_of(const busmark_capabilities_t &caps,
                                           const busmark_security_t *given) {
    if (given == nullptr) return std::nullopt;
    const busmark_security_t own = known(given);
    const Security security{text(own.profile),     text(own.identity_ca),   text(own.certificate),
                            text(own.private_key), text(own.password),      text(own.permissions_ca),
                            text(own.governance),  text(own.permissions)};
    std::string names;
    for (const char *const *p = caps.security; p != nullptr && *p != nullptr; ++p) {
        if (security.profile == *p) return security;
        names += (names.empty() ? "" : ", ") + std::string(*p);
    }
    throw Error(BUSMARK_UNSUPPORTED,
                std::string(caps.name) + " has no security profile \"" + security.profile + "\"" +
                    (names.empty() ? "" : "; it has " + names));
}

inline ParticipantConfig config_of(const busmark_capabilities_t &caps,
                                   const busmark_participant_config_t *given) {
    const busmark_participant_config_t own = known(given);
    const busmark_participant_config_t *const c = &own;
    ParticipantConfig config{c->domain,           text(c->interface_name), text(c->interface_address),
                             text(c->transport),  text(c->profile),        text(c->run_dir),
                             {},                  caps.options};
    bool known = false;
    std::string names;
    for (const char *const *t = caps.transports; *t != nullptr; ++t) {
        known = known || config.transport == *t;
        names += (names.empty() ? "" : ", ") + std::string(*t);
    }
    if (!known)
        throw Error(BUSMARK_UNSUPPORTED, std::string(caps.name) + " has no transport \"" +
                                             config.transport + "\"; it has " + names);
    if (config.profile != "default" && config.profile != "tuned")
        throw Error(BUSMARK_INVALID,
                    "no profile \"" + config.profile + "\"; there are default and tuned");
    for (const busmark_setting_t *s = c->settings; s != nullptr && s->key != nullptr; ++s) {
        known = false;
        names.clear();
        for (const busmark_option_t *o = caps.options; o != nullptr && o->key != nullptr; ++o) {
            known = known || std::strcmp(o->key, s->key) == 0;
            names += (names.empty() ? "" : ", ") + std::string(o->key);
        }
        if (!known)
            throw Error(BUSMARK_INVALID, std::string(caps.name) + " has no option \"" + s->key +
                                             "\"; it has " + names);
        config.settings.emplace_back(s->key, text(s->value));
    }
    config.security = security_of(caps, c->security);
    return config;
}

inline EndpointConfig config_of(const busmark_capabilities_t &caps,
                                const busmark_endpoint_config_t *given, bool reader) {
    const busmark_endpoint_config_t own = known(given);
    const busmark_endpoint_config_t *const c = &own;
    if (c->payload > BUSMARK_PAYLOAD_TYPE)
        throw Error(BUSMARK_INVALID, "no payload kind " + std::to_string(c->payload));
    if (((caps.payloads >> c->payload) & 1) == 0)
        throw Error(BUSMARK_UNSUPPORTED, std::string(caps.name) + " has no payload kind " +
                                             std::to_string(c->payload) + " (busmark_payload_e)");
    if (c->max_body_bytes > caps.max_body_bytes)
        throw Error(BUSMARK_INVALID, std::string(caps.name) + " carries at most " +
                                         std::to_string(caps.max_body_bytes) + " bytes, " +
                                         std::to_string(c->max_body_bytes) + " were asked for");
    EndpointConfig config;
    config.payload = static_cast<busmark_payload_e>(c->payload);
    config.max_body_bytes = c->max_body_bytes;
    config.topic = text(c->topic);
    if (config.topic.empty()) throw Error(BUSMARK_INVALID, "the topic has no name");
    if (reader) {
        const uint32_t wait = c->wait;
        if (wait != BUSMARK_WAIT_LISTENER && wait != BUSMARK_WAIT_WAITSET && wait != BUSMARK_WAIT_POLL)
            throw Error(BUSMARK_INVALID, "no wait strategy " + std::to_string(wait));
        if ((caps.waits & wait) == 0)
            throw Error(BUSMARK_UNSUPPORTED, std::string(caps.name) + " has no wait strategy " +
                                                 std::to_string(wait) + " (busmark_wait_e)");
        config.wait = static_cast<busmark_wait_e>(wait);
        config.filter_below = c->filter_below;
    }
    config.instances = c->instances;
    if (config.instances > 0) {
        if ((caps.features & BUSMARK_FEATURE_KEYS) == 0)
            throw Error(BUSMARK_UNSUPPORTED, std::string(caps.name) + " has no keyed topics");
        if (config.payload != BUSMARK_PAYLOAD_OCTET)
            throw Error(BUSMARK_UNSUPPORTED, "keyed topics carry the payload kind octet only");
    }
    if (config.filter_below > 0) {
        if ((caps.features & BUSMARK_FEATURE_CONTENT_FILTER) == 0)
            throw Error(BUSMARK_UNSUPPORTED, std::string(caps.name) + " has no content filter");
        if (config.instances == 0)
            throw Error(BUSMARK_INVALID, "a filter on instances needs a keyed topic");
    }
    config.qos = qos_of(c->qos, caps.qos);
    return config;
}

/// Entries for an end of a service (C39).
inline EndpointConfig service_config_of(const busmark_capabilities_t &caps,
                                        const busmark_endpoint_config_t *given, uint32_t side) {
    busmark_capabilities_t of_services = caps;
    of_services.waits = caps.service_waits;
    of_services.qos = caps.service_qos;
    if (side != BUSMARK_SIDE_CLIENT && side != BUSMARK_SIDE_SERVER)
        throw Error(BUSMARK_INVALID, "a service has no side " + std::to_string(side));
    const EndpointConfig config = config_of(of_services, given, true);
    if (config.payload != BUSMARK_PAYLOAD_OCTET && config.payload != BUSMARK_PAYLOAD_EMPTY)
        throw Error(BUSMARK_UNSUPPORTED, "services carry octets, or nothing");
    if (config.instances > 0 || config.filter_below > 0)
        throw Error(BUSMARK_UNSUPPORTED, "services have neither keys nor filters");
    return config;
}

/// Whether an adapter starts servers.
template <class Adapter, class = void> struct has_server : std::false_type {};
template <class Adapter>
struct has_server<Adapter, std::void_t<decltype(&Adapter::server)>> : std::true_type {};

/// The C table of an adapter.
template <class Adapter> struct Entries {
    static busmark_status_t probe(busmark_error_t *error) {
        return guard(error, [] { Adapter::probe(); });
    }
    static busmark_status_t participant_create(const busmark_participant_config_t *config,
                                               busmark_participant_h *out, busmark_error_t *error) {
        return guard(error, [&] {
            *out = handle<busmark_participant_h>(
                Adapter::participant(config_of(Adapter::capabilities(), config)));
        });
    }
    static busmark_status_t writer_create(busmark_participant_h participant,
                                          const busmark_endpoint_config_t *c, busmark_writer_h *out,
                                          busmark_error_t *error) {
        return guard(error, [&] {
            const EndpointConfig config = config_of(Adapter::capabilities(), c, false);
            auto writer = of(participant)->writer(config);
            writer->payload = config.payload;
            writer->max_body_bytes = config.max_body_bytes;
            *out = handle<busmark_writer_h>(std::move(writer));
        });
    }
    static busmark_status_t reader_create(busmark_participant_h participant,
                                          const busmark_endpoint_config_t *c,
                                          const busmark_listener_t *listener, busmark_reader_h *out,
                                          busmark_error_t *error) {
        return guard(error, [&] {
            const EndpointConfig config = config_of(Adapter::capabilities(), c, true);
            if ((config.wait == BUSMARK_WAIT_LISTENER) != (listener != nullptr))
                throw Error(BUSMARK_INVALID,
                            "a listener goes with the listener strategy and with no other");
            *out = handle<busmark_reader_h>(of(participant)->reader(
                config, listener != nullptr ? Listener(known(listener)) : Listener()));
        });
    }
    template <class Handle>
    static busmark_status_t sample_create(Handle endpoint, const void *body, uint64_t bytes,
                                          busmark_sample_h *out, busmark_error_t *error) {
        return guard(error, [&] {
            auto &e = *of(endpoint);
            if (bytes > e.max_body_bytes)
                throw Error(BUSMARK_INVALID, "the endpoint was made for bodies of at most " +
                                                 std::to_string(e.max_body_bytes) + " bytes");
            if (bytes % element_bytes(e.payload) != 0 ||
                (e.payload == BUSMARK_PAYLOAD_EMPTY && bytes != 0))
                throw Error(BUSMARK_INVALID, "a body is a whole number of elements");
            *out = handle<busmark_sample_h>(e.prepare(body, bytes));
        });
    }
    template <class Handle>
    static void sample_destroy(Handle, busmark_sample_h sample) { destroy(sample); }
    static busmark_status_t write(busmark_writer_h writer, busmark_sample_h sample,
                                  const busmark_header_t *header) {
        return hot([&] { return of(writer)->write(*of(sample), *header); });
    }
    static busmark_status_t flush(busmark_writer_h writer) {
        return hot([&] { return of(writer)->flush(); });
    }
    template <class Handle>
    static busmark_status_t take(Handle endpoint, uint32_t max, busmark_sink_fn sink, void *context,
                                 uint32_t *taken) {
        return hot([&] {
            Sink to(sink, context);
            *taken = 0;
            return of(endpoint)->take(max, to, *taken);
        });
    }
    template <class Handle> static busmark_status_t wait(Handle endpoint, int64_t timeout_ns) {
        return hot([&] { return of(endpoint)->wait(std::max<int64_t>(timeout_ns, 0)); });
    }
    template <class Handle> static busmark_status_t matched(Handle endpoint, uint32_t *count) {
        return hot([&] { return of(endpoint)->matched(*count); });
    }
    template <class Handle>
    static busmark_status_t locator(Handle endpoint, char *out, size_t bytes) {
        return hot([&] {
            const std::string locator = of(endpoint)->locator();
            if (locator.size() >= bytes) return BUSMARK_RESOURCES;
            std::memcpy(out, locator.c_str(), locator.size() + 1);
            return BUSMARK_OK;
        });
    }
    template <class Handle>
    static busmark_status_t connect(Handle endpoint, const char *locator, busmark_error_t *error) {
        return guard(error, [&] { of(endpoint)->connect(text(locator)); });
    }
    template <class Handle>
    static busmark_status_t set_qos(Handle endpoint, const busmark_qos_t *qos,
                                    busmark_error_t *error) {
        return guard(error, [&] {
            of(endpoint)->set_qos(qos_of(qos, Adapter::capabilities().qos_mutable));
        });
    }
    template <class Handle>
    static busmark_status_t counters(Handle endpoint, busmark_counters_t *out) {
        return hot([&] {
            fill(out, of(endpoint)->counters());
            return BUSMARK_OK;
        });
    }
    static busmark_status_t server_create(const busmark_participant_config_t *config,
                                          busmark_server_h *out, char *address, size_t bytes,
                                          busmark_error_t *error) {
        return guard(error, [&] {
            auto server = Adapter::server(config_of(Adapter::capabilities(), config));
            const std::string text = server->address();
            if (text.size() >= bytes) throw Error(BUSMARK_RESOURCES, "the address is too long");
            std::memcpy(address, text.c_str(), text.size() + 1);
            *out = handle<busmark_server_h>(std::move(server));
        });
    }
    /// NULL without the feature.
    static void add_server(busmark_adapter_t &entries) {
        if constexpr (has_server<Adapter>::value) {
            entries.server_create = server_create;
            entries.server_destroy = destroy<busmark_server_h>;
        }
    }
    static void attach(const busmark_host_t *given) { host() = known(given); }
    template <class Handle>
    static busmark_status_t last_error(Handle endpoint, busmark_error_t *out) {
        return hot([&] {
            const std::optional<Error> error = of(endpoint)->last_error();
            if (!error) return BUSMARK_NO_DATA;
            report(out, error->status(), error->what());
            return BUSMARK_OK;
        });
    }
    template <class Handle> static busmark_status_t match(Handle endpoint, busmark_match_t *out) {
        return hot([&] {
            Match found;
            const busmark_status_e status = of(endpoint)->match(found);
            if (status == BUSMARK_OK) fill(out, {0, found.count, found.changed_ns});
            return status;
        });
    }

    static busmark_status_t entities(busmark_participant_h participant, busmark_entity_fn sink,
                                     void *context, busmark_error_t *error) {
        return guard(error, [&] {
            for (const Entity &entity : of(participant)->entities()) give(entity, sink, context);
        });
    }

    static busmark_status_t service_create(busmark_participant_h participant,
                                           const busmark_endpoint_config_t *c, uint32_t side,
                                           busmark_service_h *out, busmark_error_t *error) {
        return guard(error, [&] {
            const EndpointConfig config = service_config_of(Adapter::capabilities(), c, side);
            auto service = of(participant)->service(config, static_cast<busmark_side_e>(side));
            service->payload = config.payload;
            service->max_body_bytes = config.max_body_bytes;
            *out = handle<busmark_service_h>(std::move(service));
        });
    }
    static busmark_status_t service_send(busmark_service_h service, busmark_sample_h sample,
                                         const busmark_header_t *header, uint64_t *request) {
        return hot([&] { return of(service)->send(*of(sample), *header, *request); });
    }
    static busmark_status_t service_drop(busmark_service_h service, uint64_t request) {
        return hot([&] { return of(service)->drop(request); });
    }
    /// NULL without the feature.
    static void add_services(busmark_adapter_t &entries) {
        using Handle = busmark_service_h;
        if ((Adapter::capabilities().features & BUSMARK_FEATURE_SERVICES) == 0) return;
        entries.service_create = service_create;
        entries.service_destroy = destroy<Handle>;
        entries.service_sample_create = sample_create<Handle>;
        entries.service_sample_destroy = sample_destroy<Handle>;
        entries.service_send = service_send;
        entries.service_take = take<Handle>;
        entries.service_wait = wait<Handle>;
        entries.service_drop = service_drop;
        entries.service_match = match<Handle>;
        entries.service_last_error = last_error<Handle>;
        entries.service_locator = locator<Handle>;
        entries.service_connect = connect<Handle>;
    }

    static const busmark_adapter_t *table() {
        static const busmark_adapter_t entries = make();
        return &entries;
    }

private:
    static busmark_adapter_t make() {
        busmark_adapter_t entries{
            BUSMARK_ABI_VERSION,       sizeof(busmark_adapter_t),
            &Adapter::capabilities(),  probe,
            participant_create,        destroy<busmark_participant_h>,
            writer_create,             destroy<busmark_writer_h>,
            reader_create,             destroy<busmark_reader_h>,
            sample_create<busmark_writer_h>, sample_destroy<busmark_writer_h>,
            write,                     flush,
            take<busmark_reader_h>,    wait<busmark_reader_h>,
            matched<busmark_writer_h>, matched<busmark_reader_h>,
            locator<busmark_reader_h>, connect<busmark_writer_h>,
            set_qos<busmark_writer_h>, set_qos<busmark_reader_h>,
            counters<busmark_writer_h>, counters<busmark_reader_h>,
            nullptr,                   nullptr,
            attach,
            last_error<busmark_writer_h>, last_error<busmark_reader_h>,
            match<busmark_writer_h>,   match<busmark_reader_h>,
            nullptr, nullptr, nullptr, // many, loan, publish: C only, so far
            locator<busmark_writer_h>, connect<busmark_reader_h>,
            entities,
            // services: add_services
            nullptr, nullptr, nullptr, nullptr, nullptr, nullptr,
            nullptr, nullptr, nullptr, nullptr, nullptr, nullptr};
        add_server(entries);
        add_services(entries);
        return entries;
    }
};

} // namespace detail
} // namespace busmark

/// Exports an adapter: once per library.
#define BUSMARK_EXPORT(Adapter)                                                                    \
    extern "C" __attribute__((visibility("default"))) const busmark_adapter_t *busmark_adapter() { \
        return busmark::detail::Entries<Adapter>::table();                                         \
    }

#endif /* BUSMARK_ADAPTER_HPP */
