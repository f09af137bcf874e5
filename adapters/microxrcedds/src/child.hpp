// A program that runs as long as its object lives, and no longer than this process.
#ifndef BUSMARK_MICROXRCEDDS_CHILD_HPP
#define BUSMARK_MICROXRCEDDS_CHILD_HPP

#include <sys/types.h>

#include <atomic>
#include <future>
#include <string>
#include <thread>
#include <vector>

namespace microxrcedds_adapter {

class Child {
public:
    /// Standard output and error go to the file `log` in `folder`, where the program starts.
    Child(const std::string &program, const std::vector<std::string> &arguments, const std::string &folder);
    /// Asks it to end, then makes it.
    ~Child();
    Child(const Child &) = delete;
    Child &operator=(const Child &) = delete;

    pid_t process() const { return process_; }
    /// Whether it has ended by itself.
    bool has_ended();

private:
    pid_t process_ = -1;
    bool ended_ = false;
    std::promise<void> stop_;
    std::thread parent_; ///< the kernel ends the child with the thread that started it
};

/// Whether a process has bound a port, of UDP or, listening, of TCP.
bool has_port(pid_t process, bool tcp, uint16_t port);

/// The path of a program in PATH; empty for none.
std::string find_program(const std::string &name);

} // namespace microxrcedds_adapter

#endif
