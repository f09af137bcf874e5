// The library's transport to the agent.
#ifndef BUSMARK_MICROXRCEDDS_LINK_HPP
#define BUSMARK_MICROXRCEDDS_LINK_HPP

#include "line.hpp"
#include "settings.hpp"

#include <optional>

namespace microxrcedds_adapter {

class Link {
public:
    explicit Link(const Settings &settings);
    ~Link();
    Link(const Link &) = delete;
    Link &operator=(const Link &) = delete;

    uxrCommunication *communication();
    /// A duplicate of the library's, which stays open whatever the library does with its own.
    int descriptor() const { return descriptor_; }
    enum class State { quiet, ready, gone };
    /// Whether something can be read by now, or the system says that the agent has gone. Asked under the
    /// lock of the session.
    State state() const;

private:
    bool open(const Settings &settings);
    /// The library's own descriptor.
    int own() const;
    void shut();

    const Transport transport_;
    int descriptor_ = -1;
    uxrUDPTransport udp_socket_{};
    uxrTCPTransport tcp_socket_{};
    std::optional<Line> line_;
    uxrSerialTransport serial_{};
};

} // namespace microxrcedds_adapter

#endif
