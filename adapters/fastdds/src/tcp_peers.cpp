#include "tcp_peers.hpp"

#include <busmark_adapter.hpp>

#include <arpa/inet.h>
#include <csignal>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <utility>

namespace fastdds_adapter {

namespace {

using busmark::Error;
namespace fs = std::filesystem;

/// Name of the file of a participant: domain, address, port, process.
constexpr const char *written = "fastdds-tcp-%u-%s-%u-%d";
constexpr const char *read = "fastdds-tcp-%u-%15[0-9.]-%u-%d";

std::string system_error(const std::string &what) { return what + ": " + std::strerror(errno); }

bool lives(pid_t process) { return kill(process, 0) == 0 || errno == EPERM; }

} // namespace

TcpTurn::TcpTurn(const std::string &run_dir, uint32_t domain) : run_dir_(run_dir), domain_(domain) {
    // The directory itself is the lock, so that no file of it is left.
    lock_ = open(run_dir.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (lock_ < 0) throw Error(BUSMARK_INVALID, system_error("run_dir \"" + run_dir + "\""));
    if (flock(lock_, LOCK_EX) != 0) {
        const std::string text = system_error("a lock on run_dir \"" + run_dir + "\"");
        close(lock_);
        throw Error(BUSMARK_FAILED, text);
    }
}

TcpTurn::~TcpTurn() { close(lock_); }

std::vector<TcpPeer> TcpTurn::peers() const {
    std::vector<TcpPeer> peers;
    for (const fs::directory_entry &entry : fs::directory_iterator(run_dir_)) {
        unsigned domain = 0;
        char address[16];
        unsigned port = 0;
        int process = 0;
        const std::string name = entry.path().filename().string();
        if (std::sscanf(name.c_str(), read, &domain, address, &port, &process) != 4) continue;
        if (domain == domain_ && lives(process))
            peers.push_back({address, static_cast<uint16_t>(port)});
    }
    return peers;
}

TcpEntry::TcpEntry(const std::string &run_dir, uint32_t domain, const TcpPeer &own) {
    char name[64];
    std::snprintf(name, sizeof name, written, domain, own.address.c_str(), unsigned{own.port},
                  getpid());
    path_ = (fs::path(run_dir) / name).string();
    const int descriptor = open(path_.c_str(), O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
    if (descriptor < 0) throw Error(BUSMARK_FAILED, system_error("file \"" + path_ + "\""));
    close(descriptor);
}

TcpEntry::~TcpEntry() {
    if (!path_.empty()) unlink(path_.c_str());
}

TcpEntry::TcpEntry(TcpEntry &&other) noexcept : path_(std::exchange(other.path_, {})) {}

TcpEntry &TcpEntry::operator=(TcpEntry &&other) noexcept {
    std::swap(path_, other.path_);
    return *this;
}

uint16_t free_tcp_port(const std::string &address) {
    const int descriptor = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (descriptor < 0) throw Error(BUSMARK_RESOURCES, system_error("a socket"));
    sockaddr_in local{};
    local.sin_family = AF_INET;
    inet_pton(AF_INET, address.c_str(), &local.sin_addr);
    socklen_t bytes = sizeof local;
    const bool found =
        bind(descriptor, reinterpret_cast<sockaddr *>(&local), sizeof local) == 0 &&
        getsockname(descriptor, reinterpret_cast<sockaddr *>(&local), &bytes) == 0;
    const std::string text = found ? "" : system_error("a TCP port of " + address);
    close(descriptor);
    if (!found) throw Error(BUSMARK_RESOURCES, text);
    return ntohs(local.sin_port);
}

} // namespace fastdds_adapter
