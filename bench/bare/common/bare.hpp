// The Rust crate of this folder once more, for loops in C++: command line, ping-pong and stream with a
// listener, the clock and the printed figures. None of Busmark's code.
//
// A loop calls bare::run<Library>. Its Library is made of Options and has
//   address()                   by which the other side finds this one;
//   writer(topic, bytes)        a pointer to a writer of bodies of that size: write(header), true if the
//                               library took the sample; matched();
//                               finish(limit), which sees to it that all arrives;
//   reader(topic, on_sample)    a pointer to a reader that calls on_sample(header) from a thread of the
//                               library: matched().
// One that has services, too, calls bare::run_with_services<Library>. Its Library also has
//   client(bytes)               a pointer to a client that has found the server: call(header) sends a
//                               request with a body of that size and returns with its response;
//   serve(bytes, ready)         calls ready() when there is a server, and answers each request with a body
//                               of that size, up to the one that is the last.
#pragma once

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <unistd.h>

namespace bare {

using namespace std::chrono_literals;

/// busmark::Header of idl/busmark.idl.
struct Header {
    uint64_t cookie = 0, seq = 0;
    int64_t times[5] = {};
    uint32_t writer_id = 0, flags = 0;
};
static_assert(sizeof(Header) == 64);

/// Flag of a sample that only says that all has been sent.
constexpr uint32_t last_flag = 4;
inline bool is_last(const Header &header) { return (header.flags & last_flag) != 0; }
inline Header last() {
    Header header;
    header.flags = last_flag;
    return header;
}

inline uint64_t now_ns() {
    const auto now = std::chrono::steady_clock::now().time_since_epoch();
    return static_cast<uint64_t>(std::chrono::nanoseconds(now).count());
}

/// Files of a directory of `busmark security init`.
struct Documents {
    std::string identity_ca, certificate, private_key, permissions_ca, governance, permissions;
};

struct Options {
    std::string role, address, server, security, security_profile;
    size_t size = 64, count = 10'000, warmup = 1'000;
    uint32_t given_domain = 0; // none

    Options(int argc, char **argv) {
        const std::string usage = "ping|pong|pub|sub|call|serve [--wait listener|waitset] [--size BYTES] [--count N] "
                                  "[--warmup N] [--address ADDRESS] [--server HOST:PORT] "
                                  "[--domain NUMBER] [--security DIR --security-profile NAME]";
        role = argc > 1 ? argv[1] : "";
        if (role != "ping" && role != "pong" && role != "pub" && role != "sub" && !is_service())
            throw std::invalid_argument(usage);
        for (int at = 2; at < argc; at += 2) {
            const std::string key = argv[at], value = at + 1 < argc ? argv[at + 1] : "";
            if (key == "--size") size = std::stoul(value);
            else if (key == "--count") count = std::max(1ul, std::stoul(value));
            else if (key == "--warmup") warmup = std::stoul(value);
            else if (key == "--address") address = value;
            else if (key == "--server") server = value;
            else if (key == "--security") security = value;
            else if (key == "--security-profile") security_profile = value;
            else if (key == "--domain") given_domain = static_cast<uint32_t>(std::stoul(value));
            else if (key != "--wait" || value != (is_service() ? "waitset" : "listener"))
                throw std::invalid_argument(key + " " + value + ": not understood; " + usage);
        }
        if (security.empty() != security_profile.empty()) throw std::invalid_argument(usage);
    }

    bool is_passive() const { return role == "pong" || role == "sub" || role == "serve"; }
    bool is_service() const { return role == "call" || role == "serve"; }
    bool is_stream() const { return role == "pub" || role == "sub"; }

    bool is_secured() const { return !security.empty(); }
    /// Those of this side.
    Documents documents() const {
        const std::string own = security + "/participants/" + (is_passive() ? "passive/" : "active/");
        return {security + "/ca/identity_ca.pem",    own + "certificate.pem",
                own + "key.pem",                     security + "/ca/permissions_ca.pem",
                security + "/governance/" + security_profile + ".p7s", own + "permissions.p7s"};
    }

    /// A domain for both sides, where the middleware has numbers for them: the passive side's choice,
    /// unless the server they meet at knows only one.
    uint32_t domain() const {
        if (given_domain > 0) return given_domain;
        constexpr uint32_t domains = 200; // of all that have ports, some that are seldom used
        if (is_passive()) return static_cast<uint32_t>(getpid()) % domains + 1;
        return static_cast<uint32_t>(std::stoul(address));
    }
};

/// What one thread tells another one that waits.
class Signal {
public:
    void set() {
        const std::lock_guard lock(mutex_);
        set_ = true;
        changed_.notify_one();
    }
    bool wait_for(std::chrono::milliseconds time) {
        std::unique_lock lock(mutex_);
        return changed_.wait_for(lock, time, [&] { return set_; });
    }
    void wait() {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [&] { return set_; });
    }

private:
    std::mutex mutex_;
    std::condition_variable changed_;
    bool set_ = false;
};

inline void tell(const std::string &address) {
    std::printf("{\"address\":\"%s\"}\n", address.c_str());
    std::fflush(stdout);
}

template <class Condition> void until_matched(Condition condition) {
    constexpr auto patience = 10s;
    const auto start = std::chrono::steady_clock::now();
    while (!condition()) {
        if (std::chrono::steady_clock::now() - start > patience)
            throw std::runtime_error("gave up after 10 s: no match");
        std::this_thread::sleep_for(1ms);
    }
}

/// Prints the times behind the warm-up.
inline void print(std::vector<uint64_t> times, size_t warmup) {
    times.erase(times.begin(), times.begin() + static_cast<std::ptrdiff_t>(warmup));
    std::sort(times.begin(), times.end());
    const auto at = [&](size_t share) {
        return static_cast<unsigned long long>(times[(times.size() - 1) * share / 100]);
    };
    std::printf("{\"median_ns\":%llu,\"p99_ns\":%llu,\"min_ns\":%llu,\"count\":%zu}\n", at(50), at(99),
                at(0), times.size());
}

/// Times round trips and prints them.
template <class Library> void ping(const Options &options) {
    // After which a sample counts as lost and is sent again. It happens to the first, where the other
    // side's writer does not know this side's reader yet.
    constexpr auto patience = 500ms;
    Library library(options);
    const auto writer = library.writer("ping", options.size);
    const size_t total = options.warmup + options.count;
    std::mutex mutex; // of what follows
    Header next;
    uint64_t sent_ns = 0;
    std::vector<uint64_t> times;
    times.reserve(total);
    Signal done;
    const auto send = [&] {
        sent_ns = now_ns();
        next.times[1] = static_cast<int64_t>(sent_ns);
        writer->write(next);
    };
    const auto reader = library.reader("pong", [&](const Header &pong) {
        const uint64_t now = now_ns();
        const std::lock_guard lock(mutex);
        if (pong.seq != next.seq || times.size() == total) return;
        times.push_back(now - sent_ns);
        ++next.seq;
        if (times.size() == total) done.set();
        else send();
    });
    until_matched([&] { return writer->matched() && reader->matched(); });

    uint64_t seen = UINT64_MAX;
    while (!done.wait_for(seen == UINT64_MAX ? 0ms : patience)) {
        const std::lock_guard lock(mutex);
        if (seen == UINT64_MAX || seen == next.seq) send();
        seen = next.seq;
    }
    print(std::move(times), options.warmup);
    writer->write(last());
    writer->finish(200ms);
}

/// Sends back whatever comes until the last has come.
template <class Library> void pong(const Options &options) {
    Library library(options);
    const auto writer = library.writer("pong", options.size);
    Signal done;
    const auto reader = library.reader("ping", [&](const Header &ping) {
        if (is_last(ping)) done.set();
        else writer->write(ping);
    });
    tell(library.address());
    until_matched([&] { return writer->matched() && reader->matched(); });
    done.wait();
}

/// Counts samples until the last one and prints the rate.
template <class Library> void subscribe(const Options &options) {
    constexpr uint64_t stamped = 16; // reading the clock for each would be a cost of its own
    Library library(options);
    uint64_t received = 0, sent = 0, first_ns = 0, last_ns = 0;
    Signal done;
    const auto reader = library.reader("stream", [&](const Header &header) {
        if (is_last(header)) return done.set();
        if (received == 0) first_ns = now_ns();
        sent = header.seq + 1;
        if (++received % stamped == 0) last_ns = now_ns();
    });
    tell(library.address());
    done.wait();
    const double seconds = last_ns > first_ns ? static_cast<double>(last_ns - first_ns) / 1e9 : 0;
    // What came after the last stamp has no time of its own.
    const double rate = seconds > 0 ? static_cast<double>(received - received % stamped) / seconds : 0;
    const uint64_t all = std::max<uint64_t>(sent, options.count);
    std::printf("{\"samples_per_s\":%.0f,\"mbit_per_s\":%.1f,\"received\":%llu,\"lost\":%llu}\n", rate,
                rate * static_cast<double>(options.size) * 8 / 1e6,
                static_cast<unsigned long long>(received), static_cast<unsigned long long>(all - received));
}

/// Sends.
template <class Library> void publish(const Options &options) {
    constexpr auto pause = 100ms; // so that the other side knows of the match; so that buffers empty
    constexpr uint64_t patience_ns = 10'000'000'000;
    constexpr int repeats = 20;   // samples can be lost
    Library library(options);
    const auto writer = library.writer("stream", options.size);
    until_matched([&] { return writer->matched(); });
    std::this_thread::sleep_for(pause);
    for (Header header; header.seq < options.count; ++header.seq) {
        if (writer->write(header)) continue;
        const uint64_t start = now_ns();
        while (!writer->write(header))
            if (now_ns() - start > patience_ns) throw std::runtime_error("refused for 10 s");
    }
    writer->finish(10s);
    std::this_thread::sleep_for(pause);
    for (int time = 0; time < repeats; ++time) writer->write(last());
    writer->finish(pause); // the other side ends with the first of them
}

/// Times responses and prints them.
template <class Library> void call(const Options &options) {
    Library library(options);
    const auto client = library.client(options.size);
    std::vector<uint64_t> times;
    times.reserve(options.warmup + options.count);
    for (Header request; times.size() < times.capacity(); ++request.seq) {
        const uint64_t sent_ns = now_ns();
        request.times[1] = static_cast<int64_t>(sent_ns);
        client->call(request);
        times.push_back(now_ns() - sent_ns);
    }
    print(std::move(times), options.warmup);
    client->call(last());
}

/// Is the service.
template <class Library> void serve(const Options &options) {
    Library library(options);
    library.serve(options.size, [&] { tell(library.address()); });
}

template <class Library> void run_topics(const Options &options) {
    if (options.role == "ping") ping<Library>(options);
    else if (options.role == "pong") pong<Library>(options);
    else if (options.role == "pub") publish<Library>(options);
    else if (options.role == "sub") subscribe<Library>(options);
    else throw std::invalid_argument("this loop is over no services");
}

/// Does what the command line asks for.
template <class Roles> int obey(int argc, char **argv, Roles roles) {
    try {
        roles(Options(argc, argv));
        return 0;
    } catch (const std::exception &error) {
        std::fprintf(stderr, "%s: %s\n", argv[0], error.what());
        return 2;
    }
}

/// The program: what the command line asks for.
template <class Library> int run(int argc, char **argv) { return obey(argc, argv, run_topics<Library>); }

/// The same of a library that has services, too.
template <class Library> int run_with_services(int argc, char **argv) {
    return obey(argc, argv, [](const Options &options) {
        if (options.role == "call") call<Library>(options);
        else if (options.role == "serve") serve<Library>(options);
        else run_topics<Library>(options);
    });
}

} // namespace bare
