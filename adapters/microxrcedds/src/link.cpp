#include "link.hpp"

#include "lines.hpp"

#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>

namespace microxrcedds_adapter {

namespace {

/// The library puts a handler of its own on SIGPIPE for TCP (C5).
class KeptSignal {
public:
    KeptSignal() { sigaction(SIGPIPE, nullptr, &before_); }
    ~KeptSignal() { sigaction(SIGPIPE, &before_, nullptr); }
    KeptSignal(const KeptSignal &) = delete;
    KeptSignal &operator=(const KeptSignal &) = delete;

private:
    struct sigaction before_ {};
};

} // namespace

Link::Link(const Settings &settings) : transport_(settings.transport) {
    if (!open(settings)) {
        const int reason = errno;
        shut();
        throw busmark::Error(BUSMARK_UNAVAILABLE,
                             "no connection to the agent at " + settings.agent + ": " +
                                 std::strerror(reason));
    }
    descriptor_ = fcntl(own(), F_DUPFD_CLOEXEC, 0);
    communication()->mtu = settings.mtu;
    const int on = 1;
    if (transport_ == Transport::tcp && settings.nodelay)
        setsockopt(own(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

Link::~Link() {
    shut();
    if (descriptor_ >= 0) close(descriptor_);
}

bool Link::open(const Settings &settings) {
    const char *const host = settings.host.c_str();
    const char *const port = settings.port.c_str();
    switch (transport_) {
    case Transport::udp: return uxr_init_udp_transport(&udp_socket_, UXR_IPv4, host, port);
    case Transport::tcp: {
        const KeptSignal kept;
        return uxr_init_tcp_transport(&tcp_socket_, UXR_IPv4, host, port);
    }
    case Transport::serial:
        line_.emplace(settings.agent);
        // The library closes what it gets.
        return uxr_init_serial_transport(&serial_, fcntl(line_->descriptor(), F_DUPFD_CLOEXEC, 0),
                                         agents_address, clients_address);
    }
    return false;
}

void Link::shut() {
    switch (transport_) {
    case Transport::udp: uxr_close_udp_transport(&udp_socket_); break;
    case Transport::tcp: uxr_close_tcp_transport(&tcp_socket_); break;
    case Transport::serial:
        if (line_) uxr_close_serial_transport(&serial_);
    }
}

uxrCommunication *Link::communication() {
    switch (transport_) {
    case Transport::tcp: return &tcp_socket_.comm;
    case Transport::serial: return &serial_.comm;
    default: return &udp_socket_.comm;
    }
}

int Link::own() const {
    switch (transport_) {
    case Transport::tcp: return tcp_socket_.platform.poll_fd.fd;
    case Transport::serial: return serial_.platform.poll_fd.fd;
    default: return udp_socket_.platform.poll_fd.fd;
    }
}

Link::State Link::state() const {
    const bool tcp = transport_ == Transport::tcp;
    if (tcp && own() < 0) return State::gone;
    pollfd of{descriptor_, POLLIN, 0};
    if (poll(&of, 1, 0) <= 0) return State::quiet;
    // Nobody has the other end of a line open.
    const short end = transport_ == Transport::serial ? POLLERR | POLLHUP : POLLERR;
    if ((of.revents & end) != 0) return State::gone;
    char byte;
    // The library takes a connection's end for nothing to read.
    if (tcp && recv(descriptor_, &byte, 1, MSG_PEEK | MSG_DONTWAIT) == 0) return State::gone;
    return State::ready;
}

} // namespace microxrcedds_adapter
