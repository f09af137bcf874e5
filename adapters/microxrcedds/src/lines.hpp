// Serial lines between the agent that a run starts and its clients: pseudo-terminals. The agent opens the
// ends that have names; the other ends are lent out over a Unix-domain socket, one to each client.
#ifndef BUSMARK_MICROXRCEDDS_LINES_HPP
#define BUSMARK_MICROXRCEDDS_LINES_HPP

#include <cstdint>
#include <deque>
#include <string>
#include <thread>
#include <vector>

namespace microxrcedds_adapter {

/// Addresses within the frames of a line.
constexpr uint8_t agents_address = 0, clients_address = 1;

/// What a borrower gets; with `lent` comes the descriptor.
enum class Answer : char { lent = 'L', none_left = 'N' };

class Lines {
public:
    /// The socket is made at `address`.
    Lines(size_t count, std::string address);
    ~Lines();
    Lines(const Lines &) = delete;
    Lines &operator=(const Lines &) = delete;

    const std::string &address() const { return address_; }
    /// Names of the agent's ends, with blanks between. The agent opens them in this order; the last is
    /// nobody's.
    std::string devices() const;
    /// Asks over the last line, so the agent has opened all others.
    bool agent_answers();
    /// From now on.
    void lend();

private:
    struct Line {
        int own; ///< the end that is lent
        std::string device;
        int borrower = -1; ///< its connection
    };

    void serve();
    /// Takes back what is not borrowed any more, and discards what comes for nobody.
    void look_at(Line &line, short events);
    void answer_next();
    void shut();

    const std::string address_;
    std::vector<Line> lines_;
    std::deque<size_t> idle_; ///< those to be lent, the one that has been idle longest first
    int listening_ = -1, stop_ = -1;
    bool agent_is_gone_ = false;
    std::thread server_;
};

} // namespace microxrcedds_adapter

#endif
