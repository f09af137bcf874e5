#include "child.hpp"

#include <busmark_adapter.hpp>

#include <fcntl.h>
#include <linux/close_range.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

namespace microxrcedds_adapter {

namespace {

using namespace std::chrono_literals;

/// How long a child may take to end by itself.
constexpr auto patience = 3s;
constexpr auto pause = 5ms;

/// In the child, between fork and exec: system calls only.
[[noreturn]] void become(char *const *arguments, int folder, int log, pid_t parent) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent || fchdir(folder) != 0) _exit(127);
    const int nothing = open("/dev/null", O_RDONLY);
    dup2(nothing, STDIN_FILENO);
    dup2(log, STDOUT_FILENO);
    dup2(log, STDERR_FILENO);
    syscall(SYS_close_range, 3, ~0u, CLOSE_RANGE_CLOEXEC);
    sigset_t all;
    sigemptyset(&all);
    sigprocmask(SIG_SETMASK, &all, nullptr);
    execv(arguments[0], arguments);
    _exit(127);
}

/// Inodes of a process's sockets.
std::set<std::string> sockets_of(pid_t process) {
    std::set<std::string> inodes;
    std::error_code none;
    const std::string folder = "/proc/" + std::to_string(process) + "/fd";
    for (const auto &entry : std::filesystem::directory_iterator(folder, none)) {
        const std::string target = std::filesystem::read_symlink(entry.path(), none).string();
        if (target.rfind("socket:[", 0) == 0) inodes.insert(target.substr(8, target.size() - 9));
    }
    return inodes;
}

} // namespace

Child::Child(const std::string &program, const std::vector<std::string> &arguments,
             const std::string &folder) {
    std::vector<char *> words{const_cast<char *>(program.c_str())};
    for (const std::string &word : arguments) words.push_back(const_cast<char *>(word.c_str()));
    words.push_back(nullptr);
    const int place = open(folder.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC);
    const int log = open((folder + "/log").c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    std::promise<pid_t> started;
    parent_ = std::thread([&, stopped = stop_.get_future()] {
        const pid_t own = getpid();
        const pid_t child = fork();
        if (child == 0) become(words.data(), place, log, own);
        started.set_value(child);
        stopped.wait();
    });
    process_ = started.get_future().get();
    close(place);
    close(log);
    if (process_ > 0) return;
    stop_.set_value();
    parent_.join();
    throw busmark::Error(BUSMARK_RESOURCES, std::string("no process for ") + program);
}

Child::~Child() {
    if (!has_ended()) kill(process_, SIGTERM);
    const auto until = std::chrono::steady_clock::now() + patience;
    while (!has_ended() && std::chrono::steady_clock::now() < until) std::this_thread::sleep_for(pause);
    if (!has_ended()) {
        kill(process_, SIGKILL);
        waitpid(process_, nullptr, 0);
    }
    stop_.set_value();
    parent_.join();
}

bool Child::has_ended() {
    if (!ended_) ended_ = waitpid(process_, nullptr, WNOHANG) != 0;
    return ended_;
}

bool has_port(pid_t process, bool tcp, uint16_t port) {
    const std::set<std::string> own = sockets_of(process);
    std::ifstream table("/proc/" + std::to_string(process) + "/net/" + (tcp ? "tcp" : "udp"));
    char wanted[8];
    std::snprintf(wanted, sizeof wanted, ":%04X", port);
    for (std::string line; std::getline(table, line);) {
        std::istringstream words(line);
        std::string number, local, remote, state, rest, inode;
        words >> number >> local >> remote >> state;
        for (int skipped = 0; skipped < 5; ++skipped) words >> rest;
        words >> inode;
        const size_t colon = local.find(':');
        if (colon == std::string::npos || local.substr(colon) != wanted) continue;
        if ((!tcp || state == "0A") && own.count(inode) > 0) return true;
    }
    return false;
}

std::string find_program(const std::string &name) {
    const char *const path = std::getenv("PATH");
    std::istringstream folders(std::string(path != nullptr ? path : "") + ":/usr/local/bin");
    for (std::string folder; std::getline(folders, folder, ':');) {
        const std::string file = folder + "/" + name;
        if (!folder.empty() && access(file.c_str(), X_OK) == 0) return file;
    }
    return {};
}

} // namespace microxrcedds_adapter
