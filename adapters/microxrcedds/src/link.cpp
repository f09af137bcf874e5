#include "link.hpp"

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

Link::Link(const Settings &settings) : tcp_(settings.tcp) {
    const char *const host = settings.host.c_str();
    const char *const port = settings.port.c_str();
    bool made;
    int reason;
    if (tcp_) {
        const KeptSignal kept;
        made = uxr_init_tcp_transport(&tcp_socket_, UXR_IPv4, host, port);
        reason = errno;
        if (!made) uxr_close_tcp_transport(&tcp_socket_);
    } else {
        made = uxr_init_udp_transport(&udp_socket_, UXR_IPv4, host, port);
        reason = errno;
        if (!made) uxr_close_udp_transport(&udp_socket_);
    }
    if (!made)
        throw busmark::Error(BUSMARK_UNAVAILABLE,
                             "no connection to the agent at " + settings.host + ":" + settings.port +
                                 ": " + std::strerror(reason));
    const int own = tcp_ ? tcp_socket_.platform.poll_fd.fd : udp_socket_.platform.poll_fd.fd;
    descriptor_ = fcntl(own, F_DUPFD_CLOEXEC, 0);
    communication()->mtu = settings.mtu;
    const int on = 1;
    if (tcp_ && settings.nodelay) setsockopt(own, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

Link::~Link() {
    if (tcp_)
        uxr_close_tcp_transport(&tcp_socket_);
    else
        uxr_close_udp_transport(&udp_socket_);
    if (descriptor_ >= 0) close(descriptor_);
}

Link::State Link::state() const {
    if (tcp_ && tcp_socket_.platform.poll_fd.fd < 0) return State::gone;
    pollfd of{descriptor_, POLLIN, 0};
    if (poll(&of, 1, 0) <= 0) return State::quiet;
    if ((of.revents & POLLERR) != 0) return State::gone;
    char byte;
    // The library takes a connection's end for nothing to read.
    if (tcp_ && recv(descriptor_, &byte, 1, MSG_PEEK | MSG_DONTWAIT) == 0) return State::gone;
    return State::ready;
}

} // namespace microxrcedds_adapter
