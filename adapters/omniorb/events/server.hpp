/* SPDX-License-Identifier: Apache-2.0
 *
 * The event service as a child process (C29).
 */
#ifndef BUSMARK_OMNIEVENTS_SERVER_HPP
#define BUSMARK_OMNIEVENTS_SERVER_HPP

#include <busmark_adapter.hpp>

#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

#include <sys/types.h>

namespace busmark_omnievents {

/// Where omniEvents is; empty if nowhere.
std::string program();

class Server {
public:
    explicit Server(const busmark::ParticipantConfig &config);
    ~Server();
    Server(const Server &) = delete;
    Server &operator=(const Server &) = delete;

    const std::string &address() const { return address_; }

private:
    bool start(const std::string &host);
    void keep(const std::string &path, int port);
    bool await(int port);
    void stop();
    void remove_files();

    const std::string folder_;
    std::string address_, host_;
    std::thread parent_; ///< lives as long as the child, whose end is bound to this thread's
    std::mutex mutex_;
    std::condition_variable changed_;
    pid_t child_ = 0;
    bool stop_ = false, ended_ = false;
};

} // namespace busmark_omnievents

#endif
