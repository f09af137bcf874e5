#include "session.hpp"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

namespace microxrcedds_adapter {

namespace {

using namespace std::chrono_literals;
using Lock = std::lock_guard<std::mutex>;
using std::chrono::nanoseconds;

/// Attempts of a second each to begin a session.
constexpr size_t attempts = 5;
/// How long the agent may take to make an object.
constexpr int answer_ms = 5000;
/// How often the keeper looks whether nobody else runs the session.
constexpr auto tick = 20ms;
/// How long the keeper waits for more, once something has come that nobody waited for.
constexpr auto linger = 2ms;

/// Messages that are read at a time, so that others get the lock.
constexpr int most_at_once = 256;

timespec of(nanoseconds time) {
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(time);
    return {static_cast<time_t>(seconds.count()), static_cast<long>((time - seconds).count())};
}

/// Sleeps until one of these can be read; whether the first one can.
bool sleep_for(pollfd *descriptors, nfds_t count, nanoseconds time) {
    const timespec limit = of(std::max(time, nanoseconds(0)));
    return ppoll(descriptors, count, &limit, nullptr) > 0 && descriptors[0].revents != 0;
}

} // namespace

Session::Session(const Settings &settings)
    : agent_(settings.agent),
      // The library counts anew whenever it is called; so it must be left alone for this long.
      heartbeat_(UXR_CONFIG_MIN_HEARTBEAT_TIME_INTERVAL + 5), link_(settings),
      out_reliable_(size_t{settings.mtu} * settings.history), out_best_effort_(settings.mtu),
      in_reliable_(size_t{settings.mtu} * settings.history) {
    uxr_init_session(&session_, link_.communication(), settings.key);
    uxr_set_topic_callback(&session_, on_topic, this);
    if (!uxr_create_session_retries(&session_, attempts))
        throw busmark::Error(BUSMARK_UNAVAILABLE,
                             "no session with the agent at " + agent_ +
                                 (session_.info.last_requested_status == UXR_STATUS_NONE
                                      ? ": it does not answer"
                                      : ": it refuses with status " +
                                            std::to_string(session_.info.last_requested_status)));
    reliable_out_ = uxr_create_output_reliable_stream(&session_, out_reliable_.data(),
                                                      out_reliable_.size(), settings.history);
    best_effort_out_ = uxr_create_output_best_effort_stream(&session_, out_best_effort_.data(),
                                                            out_best_effort_.size());
    reliable_in_ = uxr_create_input_reliable_stream(&session_, in_reliable_.data(),
                                                    in_reliable_.size(), settings.history);
    best_effort_in_ = uxr_create_input_best_effort_stream(&session_);
    wake_ = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    keeper_ = std::thread([this] { keep(); });
}

Session::~Session() {
    stop_ = true;
    wake_keeper();
    keeper_.join();
    close(wake_);
    // Once: an agent that has gone answers nobody.
    if (!failed_) uxr_delete_session_retries(&session_, 1);
}

void Session::on_topic(uxrSession *, uxrObjectId object, uint16_t, uxrStreamId, ucdrBuffer *buffer,
                       uint16_t bytes, void *given) {
    auto &self = *static_cast<Session *>(given);
    const auto found = self.inboxes_.find(object.id);
    if (found == self.inboxes_.end()) return;
    found->second->receive(buffer, bytes);
    self.news_ = true;
}

/// Has the library read one message; under the lock.
bool Session::run_once() {
    last_run_ = Clock::now().time_since_epoch().count();
    return uxr_run_session_until_timeout(&session_, 0);
}

/// Puts a request into the stream, once there is room; under the lock.
uint16_t Session::buffer(const Request &request) {
    const auto until = Clock::now() + std::chrono::milliseconds(answer_ms);
    uint16_t number = request(&session_, reliable_out_);
    while (number == UXR_INVALID_REQUEST_ID && Clock::now() < until && !failed_) {
        uxr_run_session_until_timeout(&session_, 10);
        number = request(&session_, reliable_out_);
    }
    return number;
}

uint8_t Session::ask(const Request &request) {
    uint8_t answer = UXR_STATUS_NONE;
    {
        const Lock lock(mutex_);
        const uint16_t number = buffer(request);
        if (number != UXR_INVALID_REQUEST_ID)
            uxr_run_session_until_all_status(&session_, answer_ms, &number, &answer, 1);
    }
    // Samples may have come meanwhile.
    wake_keeper();
    return answer;
}

void Session::tell(const Request &request) {
    const Lock lock(mutex_);
    buffer(request);
    uxr_flash_output_streams(&session_);
}

busmark_status_e Session::write(bool reliable, uxrObjectId writer, const std::vector<uint8_t> &sample,
                                nanoseconds patience) {
    const uxrStreamId stream = reliable ? reliable_out_ : best_effort_out_;
    auto *const bytes = const_cast<uint8_t *>(sample.data()); // The library only reads it.
    {
        const Lock lock(mutex_);
        if (failed_) return BUSMARK_FAILED;
        if (uxr_buffer_topic(&session_, stream, writer, bytes, sample.size()) != UXR_INVALID_REQUEST_ID) {
            uxr_flash_output_streams(&session_);
            return BUSMARK_OK;
        }
    }
    if (!reliable) return BUSMARK_FAILED;
    const auto until = Clock::now() + patience;
    ++waiting_;
    busmark_status_e status = BUSMARK_TIMEOUT;
    do {
        pollfd agent{link_.descriptor(), POLLIN, 0};
        sleep_for(&agent, 1, std::min<nanoseconds>(until - Clock::now(), heartbeat_));
        pump();
        const Lock lock(mutex_);
        if (agent.revents == 0) run_once(); // A heartbeat, maybe.
        if (failed_)
            status = BUSMARK_FAILED;
        else if (uxr_buffer_topic(&session_, stream, writer, bytes, sample.size()) !=
                 UXR_INVALID_REQUEST_ID) {
            uxr_flash_output_streams(&session_);
            status = BUSMARK_OK;
        }
    } while (status == BUSMARK_TIMEOUT && Clock::now() < until);
    --waiting_;
    if (listeners_ > 0) wake_keeper();
    return status;
}

void Session::read(bool reliable, uxrObjectId reader, const std::shared_ptr<Inbox> &inbox) {
    {
        const Lock lock(mutex_);
        inboxes_[reader.id] = inbox;
    }
    if (inbox->listens()) ++listeners_;
    const uxrStreamId into = reliable ? reliable_in_ : best_effort_in_;
    tell([&](uxrSession *session, uxrStreamId stream) {
        const uxrDeliveryControl control{UXR_MAX_SAMPLES_UNLIMITED, UXR_MAX_ELAPSED_TIME_UNLIMITED,
                                         UXR_MAX_BYTES_PER_SECOND_UNLIMITED, 0};
        return uxr_buffer_request_data(session, stream, reader, into, &control);
    });
}

void Session::forget(uxrObjectId reader, Inbox &inbox) {
    {
        const Lock lock(mutex_);
        inboxes_.erase(reader.id);
    }
    if (inbox.listens()) --listeners_;
    inbox.shut();
}

/// Reads a message that poll has told of, with as few calls of the system as a program of its own would.
void Session::read_one(bool sound) {
    const Lock lock(mutex_);
    if (failed_) return;
    if (!sound || (!run_once() && link_.state() == Link::State::gone)) failed_ = true;
}

void Session::pump() {
    const Lock lock(mutex_);
    for (int messages = 0; messages < most_at_once && !failed_; ++messages) {
        const Link::State state = link_.state();
        if (state == Link::State::gone) failed_ = true;
        if (state != Link::State::ready) return;
        run_once();
    }
}

busmark_status_e Session::wait(Inbox &inbox, nanoseconds patience) {
    const auto until = Clock::now() + patience;
    if (!inbox.is_empty()) return BUSMARK_OK;
    ++waiting_;
    busmark_status_e status = BUSMARK_TIMEOUT;
    for (;;) {
        inbox.await();
        if (inbox.is_empty() && !failed_) {
            pollfd of[] = {{link_.descriptor(), POLLIN, 0}, {inbox.descriptor(), POLLIN, 0}};
            const bool came = sleep_for(of, 2, until - Clock::now());
            inbox.stop_awaiting();
            if (came) read_one((of[0].revents & POLLERR) == 0);
        } else {
            inbox.stop_awaiting();
        }
        if (!inbox.is_empty()) status = BUSMARK_OK;
        else if (failed_) status = BUSMARK_FAILED;
        if (status != BUSMARK_TIMEOUT || Clock::now() >= until) break;
    }
    --waiting_;
    if (listeners_ > 0) wake_keeper();
    return status;
}

void Session::wake_keeper() { eventfd_write(wake_, 1); }

void Session::keep() {
    while (!stop_) {
        const bool listens = listeners_ > 0 && !failed_;
        pollfd of[] = {{listens ? link_.descriptor() : -1, POLLIN, 0}, {wake_, POLLIN, 0}};
        const bool came = sleep_for(of, 2, tick);
        eventfd_t count;
        if (of[1].revents != 0) eventfd_read(wake_, &count);
        if (came) read_one((of[0].revents & POLLERR) == 0);
        else if (waiting_ == 0) keep_quiet();
        keep_once();
    }
}

/// Reads what has come while nobody runs the session.
void Session::keep_quiet() {
    const Clock::time_point last{Clock::duration(last_run_)};
    if (Clock::now() - last <= tick / 2) return;
    pollfd agent{link_.descriptor(), POLLIN, 0};
    while (!stop_ && !failed_ && waiting_ == 0 && sleep_for(&agent, 1, linger)) pump();
}

void Session::keep_once() {
    if (Clock::now() - Clock::time_point(Clock::duration(last_run_)) > heartbeat_ && !failed_) {
        const Lock lock(mutex_);
        run_once();
    }
    if (listeners_ == 0 || !news_.exchange(false)) return;
    {
        const Lock lock(mutex_);
        for (const auto &[number, inbox] : inboxes_)
            if (inbox->listens()) told_.push_back(inbox);
    }
    for (const auto &inbox : told_) inbox->announce();
    told_.clear();
}

} // namespace microxrcedds_adapter
