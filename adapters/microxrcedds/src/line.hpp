// The client's end of a serial line.
#ifndef BUSMARK_MICROXRCEDDS_LINE_HPP
#define BUSMARK_MICROXRCEDDS_LINE_HPP

#include <sys/un.h>

#include <string>

namespace microxrcedds_adapter {

/// The address of a Unix-domain socket; throws where the path is too long.
sockaddr_un unix_address(const std::string &path);

class Line {
public:
    /// `server` is the socket at which the agent of a run has lines lent (lines.hpp), or a device.
    explicit Line(const std::string &server);
    ~Line();
    Line(const Line &) = delete;
    Line &operator=(const Line &) = delete;

    int descriptor() const { return descriptor_; }

private:
    void borrow(const std::string &socket);
    void open_device(const std::string &device);
    void shut();

    int lease_ = -1; ///< the line is ours as long as this connection lives
    int descriptor_ = -1;
};

} // namespace microxrcedds_adapter

#endif
