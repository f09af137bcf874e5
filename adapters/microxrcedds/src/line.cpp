#include "line.hpp"

#include "lines.hpp"

#include <busmark_adapter.hpp>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <termios.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace microxrcedds_adapter {

namespace {

using busmark::Error;

/// How long whoever lends lines may take.
constexpr timeval patience{10, 0};

[[noreturn]] void unavailable(const std::string &server, const std::string &why) {
    throw Error(BUSMARK_UNAVAILABLE, "no serial line to the agent at " + server + ": " + why);
}

} // namespace

sockaddr_un unix_address(const std::string &path) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    if (path.size() >= sizeof address.sun_path)
        throw Error(BUSMARK_INVALID,
                    "a socket's path has at most " + std::to_string(sizeof address.sun_path - 1) +
                        " bytes; " + path + " has more: use a shorter run directory (TMPDIR)");
    std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
    return address;
}

Line::Line(const std::string &server) {
    struct stat found {};
    if (stat(server.c_str(), &found) != 0) unavailable(server, std::strerror(errno));
    try {
        if (S_ISSOCK(found.st_mode))
            borrow(server);
        else if (S_ISCHR(found.st_mode))
            open_device(server);
        else
            throw Error(BUSMARK_INVALID, "option server: \"" + server + "\" is no serial device");
    } catch (...) {
        shut();
        throw;
    }
}

Line::~Line() { shut(); }

void Line::shut() {
    if (descriptor_ >= 0) close(descriptor_);
    if (lease_ >= 0) close(lease_);
}

void Line::borrow(const std::string &socket) {
    lease_ = ::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    setsockopt(lease_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    const sockaddr_un address = unix_address(socket);
    if (connect(lease_, reinterpret_cast<const sockaddr *>(&address), sizeof address) != 0)
        unavailable(socket, std::strerror(errno));
    Answer answer{};
    alignas(cmsghdr) char beside[CMSG_SPACE(sizeof descriptor_)];
    iovec text{&answer, sizeof answer};
    msghdr message{};
    message.msg_iov = &text;
    message.msg_iovlen = 1;
    message.msg_control = beside;
    message.msg_controllen = sizeof beside;
    const ssize_t bytes = recvmsg(lease_, &message, MSG_CMSG_CLOEXEC);
    if (bytes <= 0) unavailable(socket, bytes == 0 ? "it has gone" : std::strerror(errno));
    if (answer == Answer::none_left)
        throw Error(BUSMARK_RESOURCES, "all serial lines of the agent at " + socket +
                                           " are in use; the option lines makes more");
    const cmsghdr *const first = CMSG_FIRSTHDR(&message);
    if (answer != Answer::lent || first == nullptr || first->cmsg_type != SCM_RIGHTS)
        unavailable(socket, "nobody lends lines there");
    std::memcpy(&descriptor_, CMSG_DATA(first), sizeof descriptor_);
}

void Line::open_device(const std::string &device) {
    // A device whose other side has not raised its line is opened at once, too.
    descriptor_ = open(device.c_str(), O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK);
    if (descriptor_ < 0) unavailable(device, std::strerror(errno));
    if (flock(descriptor_, LOCK_EX | LOCK_NB) != 0)
        unavailable(device, "another client has it, and each needs a line of its own");
    termios settings{};
    if (tcgetattr(descriptor_, &settings) != 0)
        throw Error(BUSMARK_INVALID, "option server: \"" + device + "\" is no serial device");
    cfmakeraw(&settings); // speed and parity stay
    settings.c_cflag |= CLOCAL | CREAD;
    if (tcsetattr(descriptor_, TCSANOW, &settings) != 0 || tcflush(descriptor_, TCIOFLUSH) != 0 ||
        fcntl(descriptor_, F_SETFL, O_RDWR) != 0)
        unavailable(device, std::strerror(errno));
}

} // namespace microxrcedds_adapter
