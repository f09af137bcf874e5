#include "lines.hpp"

#include "client.hpp"
#include "line.hpp"

#include <busmark_adapter.hpp>

#include <fcntl.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <termios.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

namespace microxrcedds_adapter {

namespace {

using busmark::Error;

/// How long the agent may take to answer once it has the line.
constexpr int answer_ms = 100;

/// A pseudo-terminal that changes no byte, and the name of its other end.
std::pair<int, std::string> new_terminal() {
    const int own = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
    char name[64];
    termios settings{};
    // This end gets and sets the settings of the other one.
    if (own >= 0 && grantpt(own) == 0 && unlockpt(own) == 0 && ptsname_r(own, name, sizeof name) == 0 &&
        tcgetattr(own, &settings) == 0) {
        cfmakeraw(&settings);
        if (tcsetattr(own, TCSANOW, &settings) == 0) return {own, name};
    }
    const std::string why = std::strerror(errno);
    if (own >= 0) close(own);
    throw Error(BUSMARK_UNAVAILABLE, "no pseudo-terminal for a serial line: " + why);
}

/// Reads what has come and nobody wants; whether there is still somebody at the other end.
bool discard(int terminal) {
    char unwanted[4096];
    pollfd of{terminal, POLLIN, 0};
    while (poll(&of, 1, 0) > 0)
        if (read(terminal, unwanted, sizeof unwanted) <= 0) return false;
    return true;
}

bool send_answer(int borrower, Answer answer, int descriptor) {
    alignas(cmsghdr) char beside[CMSG_SPACE(sizeof descriptor)] = {};
    iovec text{&answer, sizeof answer};
    msghdr message{};
    message.msg_iov = &text;
    message.msg_iovlen = 1;
    if (answer == Answer::lent) {
        message.msg_control = beside;
        message.msg_controllen = sizeof beside;
        cmsghdr *const first = CMSG_FIRSTHDR(&message);
        first->cmsg_level = SOL_SOCKET;
        first->cmsg_type = SCM_RIGHTS;
        first->cmsg_len = CMSG_LEN(sizeof descriptor);
        std::memcpy(CMSG_DATA(first), &descriptor, sizeof descriptor);
    }
    return sendmsg(borrower, &message, MSG_NOSIGNAL | MSG_DONTWAIT) > 0;
}

} // namespace

Lines::Lines(size_t count, std::string address) : address_(std::move(address)) {
    try {
        for (size_t number = 0; number <= count; ++number) {
            auto [own, device] = new_terminal();
            lines_.push_back({own, std::move(device)});
            if (number < count) idle_.push_back(number);
        }
        const sockaddr_un place = unix_address(address_);
        stop_ = eventfd(0, EFD_CLOEXEC);
        listening_ = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
        if (stop_ < 0 || bind(listening_, reinterpret_cast<const sockaddr *>(&place), sizeof place) != 0 ||
            listen(listening_, SOMAXCONN) != 0)
            throw Error(BUSMARK_FAILED, address_ + ": " + std::strerror(errno));
    } catch (...) {
        shut();
        throw;
    }
}

Lines::~Lines() {
    if (server_.joinable()) {
        eventfd_write(stop_, 1);
        server_.join();
    }
    shut();
}

void Lines::shut() {
    for (const Line &line : lines_) {
        close(line.own);
        if (line.borrower >= 0) close(line.borrower);
    }
    if (listening_ >= 0) {
        close(listening_);
        unlink(address_.c_str());
    }
    if (stop_ >= 0) close(stop_);
}

std::string Lines::devices() const {
    std::string names;
    for (const Line &line : lines_) names += (names.empty() ? "" : " ") + line.device;
    return names;
}

bool Lines::agent_answers() {
    uxrSerialTransport transport{};
    const int own = fcntl(lines_.back().own, F_DUPFD_CLOEXEC, 0);
    if (own < 0 || !uxr_init_serial_transport(&transport, own, agents_address, clients_address)) return false;
    const bool answers = uxr_ping_agent_attempts(&transport.comm, answer_ms, 1);
    uxr_close_serial_transport(&transport);
    return answers;
}

void Lines::lend() {
    server_ = std::thread([this] { serve(); });
}

void Lines::serve() {
    for (;;) {
        // A client that has given its line back and asks for one again finds it: its end is looked at
        // after the question, so it cannot be missed.
        std::vector<pollfd> of{{stop_, POLLIN, 0}, {listening_, POLLIN, 0}};
        for (const Line &line : lines_)
            of.push_back({line.borrower >= 0 ? line.borrower : agent_is_gone_ ? -1 : line.own, POLLIN, 0});
        if (poll(of.data(), of.size(), -1) < 0) continue;
        if (of[0].revents != 0) return;
        for (size_t number = 0; number < lines_.size(); ++number)
            if (of[number + 2].revents != 0) look_at(lines_[number], of[number + 2].revents);
        if (of[1].revents != 0) answer_next();
    }
}

void Lines::look_at(Line &line, short events) {
    if (line.borrower >= 0) {
        close(line.borrower);
        line.borrower = -1;
        discard(line.own);
        idle_.push_back(static_cast<size_t>(&line - lines_.data()));
        return;
    }
    // The end of one is the end of all.
    if ((events & POLLIN) == 0 || !discard(line.own)) agent_is_gone_ = true;
}

void Lines::answer_next() {
    const int borrower = accept4(listening_, nullptr, nullptr, SOCK_CLOEXEC);
    if (borrower < 0) return;
    const bool is_there = !idle_.empty() && !agent_is_gone_;
    if (!is_there) {
        if (!agent_is_gone_) send_answer(borrower, Answer::none_left, -1);
        close(borrower);
        return;
    }
    Line &line = lines_[idle_.front()];
    if (!send_answer(borrower, Answer::lent, line.own)) {
        close(borrower);
        return;
    }
    idle_.pop_front();
    line.borrower = borrower;
}

} // namespace microxrcedds_adapter
