/* SPDX-License-Identifier: Apache-2.0
 *
 * What shows between two processes only, for within one the ORB calls servants directly: every payload
 * kind on the wire, one-way calls in order at full speed, writes that time out on a reader that does
 * not take, matched counts that fall. And that a process has one ORB.
 *
 *     two_processes LIBRARY
 */
#include <busmark_adapter.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include <dlfcn.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

[[noreturn]] void fail(const std::string &what) {
    std::fprintf(stderr, "two_processes: %s\n", what.c_str());
    std::_Exit(1);
}

void expect(bool holds, const std::string &what) {
    if (!holds) fail(what);
}

/// Asks again and again, for ten seconds.
template <class Ask> void until(const std::string &what, Ask &&ask) {
    for (int i = 0; i < 10'000; ++i) {
        if (ask()) return;
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    fail(what + ": not within ten seconds");
}

/// One thing to try.
struct Case {
    const char *transport = "tcp";
    const char *call = "oneway";
    const char *threads = "connection";
    busmark_payload_e kind = BUSMARK_PAYLOAD_OCTET;
    uint64_t bytes = 64;
    uint32_t wait = BUSMARK_WAIT_WAITSET;
    int64_t max_blocking_ns = 0;

    std::string name() const {
        return std::string(transport) + " " + call + " kind " + std::to_string(kind) + " of " +
               std::to_string(bytes) + " bytes";
    }
};

const busmark_adapter_t *table;
std::string run_dir;

void check(busmark_status_t status, const busmark_error_t &error, const Case &c) {
    expect(status == BUSMARK_OK, c.name() + ": " + error.message);
}

busmark_status_t create(const Case &c, busmark_participant_h &made, busmark_error_t &error) {
    const busmark_setting_t settings[] = {
        {"call", c.call}, {"threads", c.threads}, {nullptr, nullptr}};
    const busmark_participant_config_t config{sizeof config, 7, "lo", "127.0.0.1", c.transport,
                                              "default", run_dir.c_str(), settings};
    return table->participant_create(&config, &made, &error);
}

busmark_participant_h participant(const Case &c) {
    busmark_participant_h made{};
    busmark_error_t error{sizeof error, 0, {}};
    check(create(c, made, error), error, c);
    return made;
}

busmark_endpoint_config_t endpoint(const Case &c, const busmark_qos_t &qos) {
    return {sizeof(busmark_endpoint_config_t), c.kind, c.wait, 0, c.bytes, "two_processes", &qos, 0, 0};
}

busmark_qos_t qos_of(const Case &c) {
    busmark_qos_t qos{};
    qos.struct_size = sizeof qos;
    qos.present = BUSMARK_QOS_RELIABLE | BUSMARK_QOS_KEEP_ALL;
    qos.max_blocking_ns = c.max_blocking_ns;
    return qos;
}

std::vector<unsigned char> body_of(const Case &c) {
    std::vector<unsigned char> body(c.bytes);
    // Seven bits, which every kind can hold; floats stay numbers.
    for (size_t i = 0; i < body.size(); ++i) body[i] = static_cast<unsigned char>((i * 31 + i / 64) & 0x3f);
    return body;
}

// ------------------------------------------------------------------ the reader's process
struct Taken {
    uint64_t next = 0;
    const std::vector<unsigned char> *body = nullptr;
    std::string wrong;
};

void sink(void *context, const busmark_received_t *received) {
    auto &taken = *static_cast<Taken *>(context);
    const auto &header = *received->header;
    if (header.seq != taken.next)
        taken.wrong = "sample " + std::to_string(header.seq) + " instead of " + std::to_string(taken.next);
    if (header.sent_ns != -static_cast<int64_t>(header.seq)) taken.wrong = "a header is another one's";
    if (received->body_bytes != taken.body->size() ||
        (received->body_bytes > 0 &&
         std::memcmp(received->body, taken.body->data(), taken.body->size()) != 0))
        taken.wrong = "a body arrived changed";
    ++taken.next;
}

uint64_t number_from(int channel) {
    uint64_t number = 0;
    if (::read(channel, &number, sizeof number) != sizeof number) fail("the other process is gone");
    return number;
}

void number_to(int channel, uint64_t number) {
    if (::write(channel, &number, sizeof number) != sizeof number) fail("the other process is gone");
}

/// Announces its locator; learns the number of samples only when all have been written.
[[noreturn]] void read_all(const Case &c, int channel, bool take_late) {
    const busmark_participant_h p = participant(c);
    const busmark_qos_t qos = qos_of(c);
    const busmark_endpoint_config_t config = endpoint(c, qos);
    busmark_reader_h reader{};
    busmark_error_t error{sizeof error, 0, {}};
    check(table->reader_create(p, &config, nullptr, &reader, &error), error, c);
    char locator[1024] = {};
    expect(table->reader_locator(reader, locator, sizeof locator) == BUSMARK_OK, "no locator");
    if (::write(channel, locator, sizeof locator) != sizeof locator) fail("no channel");

    const std::vector<unsigned char> body = body_of(c);
    Taken taken{0, &body, {}};
    uint64_t count = 0;
    bool told = false;
    const auto ask = [&] {
        char byte;
        if (!told && ::recv(channel, &byte, 1, MSG_DONTWAIT | MSG_PEEK) == 1) {
            count = number_from(channel);
            told = true;
        }
    };
    if (take_late) number_from(channel); // only now
    until(c.name() + ": all samples", [&] {
        ask();
        table->wait(reader, 5'000'000);
        uint32_t n = 0;
        while (table->take(reader, 64, sink, &taken, &n) == BUSMARK_OK) ask();
        expect(taken.wrong.empty(), c.name() + ": " + taken.wrong);
        return told && taken.next == count;
    });
    // Nothing may follow.
    expect(table->wait(reader, 100'000'000) == BUSMARK_TIMEOUT, c.name() + ": too many samples");
    number_to(channel, taken.next);
    number_from(channel); // the writer has closed
    until("the reader's count falls", [&] {
        uint32_t matched = 1;
        return table->reader_matched(reader, &matched) == BUSMARK_OK && matched == 0;
    });
    table->reader_destroy(reader);
    table->participant_destroy(p);
    std::_Exit(0);
}

// ------------------------------------------------------------------ the writer's process
struct Pair {
    pid_t child = 0;
    int channel = -1;
    busmark_participant_h participant{};
    busmark_writer_h writer{};
    busmark_sample_h sample{};
    uint64_t seq = 0;
};

/// The reader's process is forked before this one touches the middleware.
Pair open(const Case &c, bool take_late) {
    int ends[2];
    expect(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0, "socketpair");
    Pair pair;
    pair.child = ::fork();
    if (pair.child == 0) {
        ::prctl(PR_SET_PDEATHSIG, SIGKILL);
        ::close(ends[0]);
        read_all(c, ends[1], take_late);
    }
    ::close(ends[1]);
    pair.channel = ends[0];
    char locator[1024];
    if (::recv(pair.channel, locator, sizeof locator, MSG_WAITALL) != sizeof locator) fail("no reader");
    pair.participant = participant(c);
    const busmark_qos_t qos = qos_of(c);
    const busmark_endpoint_config_t config = endpoint(c, qos);
    busmark_error_t error{sizeof error, 0, {}};
    check(table->writer_create(pair.participant, &config, &pair.writer, &error), error, c);
    check(table->writer_connect(pair.writer, locator, &error), error, c);
    uint32_t matched = 0;
    expect(table->writer_matched(pair.writer, &matched) == BUSMARK_OK && matched == 1, "not matched");
    const std::vector<unsigned char> body = body_of(c);
    check(table->sample_create(pair.writer, body.data(), body.size(), &pair.sample, &error), error, c);
    return pair;
}

busmark_status_t write(Pair &pair) {
    busmark_header_t header{};
    header.seq = pair.seq;
    header.sent_ns = -static_cast<int64_t>(pair.seq);
    const busmark_status_t status = table->write(pair.writer, pair.sample, &header);
    if (status == BUSMARK_OK) ++pair.seq;
    return status;
}

/// All that was written must have arrived; then the writer goes first, the reader second.
void finish(Pair &pair, const Case &c) {
    number_to(pair.channel, pair.seq);
    expect(number_from(pair.channel) == pair.seq, c.name() + ": another number of samples arrived");
    table->sample_destroy(pair.writer, pair.sample);
    table->writer_destroy(pair.writer);
    number_to(pair.channel, 0);
    int status = 0;
    ::waitpid(pair.child, &status, 0);
    expect(status == 0, c.name() + ": the reader's process failed");
    table->participant_destroy(pair.participant);
    ::close(pair.channel);
}

void stream(const Case &c, uint64_t count) {
    Pair pair = open(c, false);
    while (pair.seq < count)
        expect(write(pair) == BUSMARK_OK, c.name() + ": write of sample " + std::to_string(pair.seq));
    finish(pair, c);
}

/// Nobody takes until some writes have timed out: what was accepted arrives once, in order.
void stuck(const Case &c) {
    Pair pair = open(c, true);
    int timeouts = 0;
    for (int tries = 0; timeouts < 3 && tries < 1'000'000; ++tries) {
        const busmark_status_t status = write(pair);
        expect(status == BUSMARK_OK || status == BUSMARK_TIMEOUT, c.name() + ": write failed");
        timeouts += status == BUSMARK_TIMEOUT ? 1 : 0;
    }
    expect(timeouts == 3, c.name() + ": writes do not time out");
    number_to(pair.channel, 0); // take now
    const uint64_t more = pair.seq + 2000;
    until(c.name() + ": writing continues", [&] {
        while (pair.seq < more)
            if (write(pair) != BUSMARK_OK) return false;
        return true;
    });
    finish(pair, c);
}

/// A reader that closes is no longer counted, and writing continues without it.
void closing(const Case &c) {
    Pair pair = open(c, false);
    expect(write(pair) == BUSMARK_OK, "write");
    ::kill(pair.child, SIGKILL);
    ::waitpid(pair.child, nullptr, 0);
    until(c.name() + ": a writer notices that its reader was killed", [&] {
        write(pair);
        uint32_t matched = 1;
        return table->writer_matched(pair.writer, &matched) == BUSMARK_OK && matched == 0;
    });
    table->sample_destroy(pair.writer, pair.sample);
    table->writer_destroy(pair.writer);
    table->participant_destroy(pair.participant);
    ::close(pair.channel);
    // What a killed process leaves.
    std::remove((run_dir + "/omniorb-" + std::to_string(pair.child)).c_str());
}

/// A process has one ORB: a request for another one is refused; afterwards all is as before.
void one_orb() {
    Case first, second;
    second.threads = "pool";
    const busmark_participant_h p = participant(first);
    busmark_participant_h other{};
    busmark_error_t error{sizeof error, 0, {}};
    expect(create(second, other, error) == BUSMARK_INVALID, "two configurations in one process");
    expect(std::string(error.message).find("one ORB per process") != std::string::npos, error.message);
    table->participant_destroy(p);
    table->participant_destroy(participant(second));

    ::setenv("ORBtraceLevel", "40", 1);
    expect(create(first, other, error) == BUSMARK_INVALID, "a parameter in the environment");
    ::unsetenv("ORBtraceLevel");
    table->participant_destroy(participant(first));
}

void all() {
    one_orb();
    for (const char *transport : {"tcp", "unix"})
        for (const char *call : {"oneway", "twoway"}) {
            Case c;
            c.transport = transport;
            c.call = call;
            for (int kind = BUSMARK_PAYLOAD_EMPTY; kind <= BUSMARK_PAYLOAD_ANY; ++kind)
                for (const uint64_t bytes : {uint64_t{0}, uint64_t{16}, uint64_t{1200}, uint64_t{65'536}}) {
                    c.kind = static_cast<busmark_payload_e>(kind);
                    c.bytes = kind == BUSMARK_PAYLOAD_EMPTY ? 0 : bytes;
                    stream(c, 20);
                }
            c.kind = BUSMARK_PAYLOAD_STRUCT;
            c.bytes = uint64_t{16} << 20;
            stream(c, 2);
            c.kind = BUSMARK_PAYLOAD_ANY;
            stream(c, 2);
            c.kind = BUSMARK_PAYLOAD_OCTET;
            stream(c, 20);
            c.bytes = 100;
            stream(c, 20'000);
            c.wait = BUSMARK_WAIT_POLL;
            stream(c, 20'000);
            c.threads = "pool";
            stream(c, 20'000);
            c.threads = "connection";
            c.wait = BUSMARK_WAIT_WAITSET;
            c.max_blocking_ns = 20'000'000;
            c.bytes = 4096;
            stuck(c);
            c.bytes = 300'000;
            stuck(c);
            c.bytes = 64;
            closing(c);
        }
}

} // namespace

int main(int count, char **arguments) {
    if (count != 2) fail("usage: two_processes LIBRARY");
    std::signal(SIGPIPE, SIG_IGN);
    void *library = ::dlopen(arguments[1], RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) fail(::dlerror());
    const auto entry = reinterpret_cast<busmark_adapter_fn>(::dlsym(library, BUSMARK_ADAPTER_SYMBOL));
    if (entry == nullptr) fail("no entry");
    table = entry();
    char name[] = "/tmp/busmark-omniorb-XXXXXX";
    if (::mkdtemp(name) == nullptr) fail("no temporary directory");
    run_dir = name;
    all();
    expect(::rmdir(name) == 0, "something was left in the run directory");
    std::puts("ok");
}
