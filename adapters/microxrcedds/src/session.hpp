// One XRCE client: a session with the agent, its streams, and who runs it.
//
// The library runs a session on the thread that calls it and on no other. Here whoever writes, takes or
// waits runs it, under one lock. A thread of the adapter, the keeper, runs it for listeners, and for
// everybody while nobody else does: what has been lost is repeated then, and what comes is acknowledged.
#ifndef BUSMARK_MICROXRCEDDS_SESSION_HPP
#define BUSMARK_MICROXRCEDDS_SESSION_HPP

#include "inbox.hpp"
#include "link.hpp"

#include <functional>
#include <map>
#include <thread>

namespace microxrcedds_adapter {

class Session {
public:
    explicit Session(const Settings &settings);
    ~Session();
    Session(const Session &) = delete;
    Session &operator=(const Session &) = delete;

    using Request = std::function<uint16_t(uxrSession *, uxrStreamId)>;
    /// Has the agent do something and gives its answer (UXR_STATUS_…), UXR_STATUS_NONE for none.
    uint8_t ask(const Request &request);
    /// As ask, where no answer comes.
    void tell(const Request &request);

    /// Hands over a sample; waits at most so long for room in a reliable stream.
    busmark_status_e write(bool reliable, uxrObjectId writer, const std::vector<uint8_t> &sample,
                           std::chrono::nanoseconds patience);

    /// Samples of this DataReader go to the inbox from now on.
    void read(bool reliable, uxrObjectId reader, const std::shared_ptr<Inbox> &inbox);
    void forget(uxrObjectId reader, Inbox &inbox);
    /// Works off what has come.
    void pump();
    busmark_status_e wait(Inbox &inbox, std::chrono::nanoseconds patience);

    bool has_failed() const { return failed_; }
    const std::string &agent() const { return agent_; }

private:
    using Clock = std::chrono::steady_clock;

    static void on_topic(uxrSession *, uxrObjectId object, uint16_t, uxrStreamId, ucdrBuffer *buffer,
                         uint16_t bytes, void *self);
    bool run_once();
    void read_one(bool sound);
    uint16_t buffer(const Request &request);
    void keep();
    void keep_quiet();
    void keep_once();
    void wake_keeper();

    const std::string agent_;
    const std::chrono::milliseconds heartbeat_;
    Link link_;
    std::mutex mutex_; ///< of all that is the library's
    uxrSession session_{};
    std::vector<uint8_t> out_reliable_, out_best_effort_, in_reliable_;
    uxrStreamId reliable_out_{}, best_effort_out_{}, reliable_in_{}, best_effort_in_{};
    std::map<uint16_t, std::shared_ptr<Inbox>> inboxes_; ///< by the number of the DataReader
    std::vector<std::shared_ptr<Inbox>> told_;           ///< the keeper's: whose listeners it calls
    std::atomic<bool> news_{false};                      ///< something has come for an inbox
    std::atomic<int> listeners_{0};
    std::atomic<int> waiting_{0}; ///< threads that run the session when something comes
    std::atomic<bool> failed_{false}, stop_{false};
    std::atomic<Clock::rep> last_run_{0};
    int wake_ = -1;
    std::thread keeper_;
};

} // namespace microxrcedds_adapter

#endif
