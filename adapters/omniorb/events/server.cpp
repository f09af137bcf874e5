// SPDX-License-Identifier: Apache-2.0
#include "server.hpp"

#include "orb.hpp"
#include "profile.hpp"

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <vector>

#include <arpa/inet.h>
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

namespace busmark_omnievents {
namespace {

using namespace std::chrono_literals;

sockaddr_in address_of(const std::string &host, int port) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<uint16_t>(port));
    if (::inet_pton(AF_INET, host.c_str(), &address.sin_addr) != 1)
        throw busmark::Error(BUSMARK_INVALID, "\"" + host + "\" is not an IPv4 address");
    return address;
}

/// A port that is free just now.
int free_port(const std::string &host) {
    sockaddr_in address = address_of(host, 0);
    socklen_t bytes = sizeof address;
    const int descriptor = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const bool bound =
        ::bind(descriptor, reinterpret_cast<sockaddr *>(&address), sizeof address) == 0 &&
        ::getsockname(descriptor, reinterpret_cast<sockaddr *>(&address), &bytes) == 0;
    ::close(descriptor);
    if (!bound) throw busmark::Error(BUSMARK_FAILED, "no free port on " + host);
    return ntohs(address.sin_port);
}

bool listens(const std::string &host, int port) {
    const sockaddr_in address = address_of(host, port);
    const int descriptor = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const bool yes =
        ::connect(descriptor, reinterpret_cast<const sockaddr *>(&address), sizeof address) == 0;
    ::close(descriptor);
    return yes;
}

std::string text_of(const std::string &path) {
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
}

} // namespace

std::string program() {
    const char *list = std::getenv("PATH");
    std::istringstream folders(std::string(list != nullptr ? list : "") + ":/usr/sbin:/usr/local/sbin");
    for (std::string folder; std::getline(folders, folder, ':');) {
        const std::string path = folder + "/omniEvents";
        if (!folder.empty() && ::access(path.c_str(), X_OK) == 0) return path;
    }
    return {};
}

Server::Server(const busmark::ParticipantConfig &config)
    : folder_(config.run_dir + "/omnievents-" + std::to_string(::getpid()) + "-" +
              std::to_string(busmark_omniorb::next_number())),
      host_(config.interface_address) {
    std::filesystem::create_directory(folder_);
    try {
        // Somebody else may take the port before the server does.
        for (int i = 0; i < 5; ++i)
            if (start(host_)) return;
        throw busmark::Error(BUSMARK_FAILED, "omniEvents does not start: " + text_of(folder_ + "/log"));
    } catch (...) {
        remove_files();
        throw;
    }
}

Server::~Server() {
    stop();
    remove_files();
}

bool Server::start(const std::string &host) {
    const std::string path = program();
    if (path.empty())
        throw busmark::Error(BUSMARK_UNAVAILABLE, "omniEvents is missing: apt-get install omnievents");
    const int port = free_port(host);
    child_ = 0;
    stop_ = ended_ = false;
    parent_ = std::thread([this, path, port] { keep(path, port); });
    if (await(port)) {
        address_ = host + ":" + std::to_string(port);
        return true;
    }
    stop();
    return false;
}

/// Starts the child and stays until it has ended.
void Server::keep(const std::string &path, int port) {
    const std::string number = std::to_string(port), log = folder_ + "/log";
    const std::string most = std::to_string(busmark_omniorb::LARGEST_BODY + (64 << 10));
    const std::string publish = "giop:tcp:" + host_ + ":";
    const std::vector<const char *> arguments{
        path.c_str(), "-f", "-v", "-p", number.c_str(), "-l", folder_.c_str(), "-t", log.c_str(),
        "-ORBconfigFile", "/dev/null", "-ORBendPointPublish", publish.c_str(),
        "-ORBgiopMaxMsgSize", most.c_str(), nullptr};
    const char *environment[] = {"PATH=/usr/bin:/bin", nullptr};
    const pid_t self = ::getpid();
    const pid_t child = ::fork();
    if (child == 0) {
        ::prctl(PR_SET_PDEATHSIG, SIGKILL);
        const int null = ::open("/dev/null", O_RDWR | O_CLOEXEC);
        for (int i = 0; i < 3; ++i) ::dup2(null, i);
        if (::getppid() == self)
            ::execve(path.c_str(), const_cast<char *const *>(arguments.data()),
                     const_cast<char *const *>(environment));
        ::_exit(127);
    }
    std::unique_lock lock(mutex_);
    child_ = child;
    const auto ended = [&] { return child < 0 || ::waitpid(child, nullptr, WNOHANG) != 0; };
    while (!stop_ && !(ended_ = ended())) changed_.wait_for(lock, 20ms);
    if (!ended_) ::kill(child, SIGTERM);
    for (int i = 0; i < 300 && !ended_ && !(ended_ = ended()); ++i) changed_.wait_for(lock, 10ms);
    if (!ended_) {
        ::kill(child, SIGKILL);
        ::waitpid(child, nullptr, 0);
        ended_ = true;
    }
}

bool Server::await(int port) {
    for (int i = 0; i < 1000; ++i) {
        {
            const std::lock_guard lock(mutex_);
            if (ended_) return false;
        }
        // It tells its reference once it serves.
        if (text_of(folder_ + "/log").find("IOR:") != std::string::npos && listens(host_, port))
            return true;
        std::this_thread::sleep_for(10ms);
    }
    return false;
}

void Server::stop() {
    {
        const std::lock_guard lock(mutex_);
        stop_ = true;
    }
    changed_.notify_all();
    if (parent_.joinable()) parent_.join();
}

void Server::remove_files() {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
}

} // namespace busmark_omnievents
