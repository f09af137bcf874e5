#include "shared_memory.hpp"

#include "transport.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <charconv>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>

namespace fastdds_adapter {

namespace {

namespace fs = std::filesystem;

const fs::path directory = "/dev/shm";
constexpr std::string_view segment_prefix = "fastrtps_";
constexpr std::string_view port_prefix = "fastrtps_port";
constexpr std::string_view sharing_prefix = "fast_datasharing_";
constexpr size_t lock_suffix_bytes = 3;
constexpr uint32_t ports_per_domain = 250;

/// A file that is younger may belong to somebody who has made it and not locked or mapped it yet.
constexpr std::chrono::milliseconds settled{100};

bool starts_with(std::string_view text, std::string_view start) {
    return text.substr(0, start.size()) == start;
}

bool ends_with(std::string_view text, std::string_view end) {
    return text.size() >= end.size() && text.substr(text.size() - end.size()) == end;
}

enum class Age { young, settled, foreign };

Age age_of(const fs::path &path) {
    struct stat info {};
    if (stat(path.c_str(), &info) != 0 || info.st_uid != geteuid()) return Age::foreign;
    const auto changed = std::chrono::seconds(info.st_ctim.tv_sec) +
                         std::chrono::nanoseconds(info.st_ctim.tv_nsec);
    const auto age = std::chrono::system_clock::now().time_since_epoch() - changed;
    return age >= settled ? Age::settled : Age::young;
}

/// The library holds a lock on this file as long as its process lives.
bool is_locked(const fs::path &path) {
    const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) return true;
    const bool locked = flock(descriptor, LOCK_EX | LOCK_NB) != 0;
    close(descriptor); // gives the lock back
    return locked;
}

void discard(const fs::path &path) {
    std::error_code ignored;
    fs::remove(path, ignored);
}

void discard_port(const std::string &name) {
    discard(directory / name);
    discard(directory / ("sem." + name + "_mutex"));
}

/// Whether this is a port's file, not its lock's, and of this domain.
bool is_port_of(std::string_view name, uint32_t domain) {
    if (!starts_with(name, port_prefix)) return false;
    uint32_t port = 0;
    const std::string_view digits = name.substr(port_prefix.size());
    const char *const end = digits.data() + digits.size();
    const auto result = std::from_chars(digits.data(), end, port);
    return result.ec == std::errc{} && result.ptr == end && port >= first_port(domain) &&
           port < first_port(domain) + ports_per_domain;
}

/// The file names in the directory of shared memory that some process has in its memory.
std::set<std::string> mapped() {
    std::set<std::string> names;
    const std::string mark = directory.string() + "/fast";
    for (const fs::directory_entry &process : fs::directory_iterator("/proc")) {
        std::ifstream maps(process.path() / "maps"); // empty where it is no process, or not ours
        for (std::string line; std::getline(maps, line);) {
            const size_t at = line.find(mark);
            if (at == std::string::npos) continue;
            const size_t name = at + directory.string().size() + 1;
            names.insert(line.substr(name, line.find(' ', name) - name));
        }
    }
    return names;
}

std::set<std::string> present() {
    std::set<std::string> names;
    for (const fs::directory_entry &entry : fs::directory_iterator(directory)) {
        std::string name = entry.path().filename().string();
        if (starts_with(name, segment_prefix) || starts_with(name, sharing_prefix))
            names.insert(std::move(name));
    }
    return names;
}

/// Looks at one lock: a segment's ends in _el, a port's in _el, or in _sl if many listen. Returns
/// whether it is too young to be judged.
bool discard_if_unlocked(const std::string &name, uint32_t domain) {
    const std::string object = name.substr(0, name.size() - lock_suffix_bytes);
    const bool port = starts_with(name, port_prefix);
    const fs::path lock = directory / name;
    if (port && !is_port_of(object, domain)) return false;
    const Age age = age_of(lock);
    if (age == Age::foreign) return false;
    // Not even tried while the owner may be about to lock it.
    if (age == Age::young) return true;
    if (is_locked(lock)) return false;
    if (port) discard_port(object);
    else discard(directory / object);
    discard(lock);
    return false;
}

/// Whether nothing but a mapping tells if somebody uses it: histories, and ports without a listener.
bool has_no_lock(const std::string &name, const std::set<std::string> &all, uint32_t domain) {
    if (starts_with(name, sharing_prefix)) return true;
    return is_port_of(name, domain) && all.count(name + "_el") == 0 && all.count(name + "_sl") == 0;
}

/// The number of files that are too young to be judged.
unsigned sweep(uint32_t domain) {
    unsigned young = 0;
    for (const std::string &name : present())
        if (ends_with(name, "_el") || ends_with(name, "_sl"))
            young += discard_if_unlocked(name, domain);
    const std::set<std::string> left = present();
    std::set<std::string> suspects;
    for (const std::string &name : left) {
        if (!has_no_lock(name, left, domain)) continue;
        const Age age = age_of(directory / name);
        if (age == Age::settled) suspects.insert(name);
        young += age == Age::young;
    }
    if (suspects.empty()) return young;
    const std::set<std::string> in_use = mapped();
    for (const std::string &name : suspects)
        if (in_use.count(name) == 0) discard_port(name);
    return young;
}

} // namespace

void remove_stale_shared_memory(uint32_t domain) noexcept {
    try {
        if (sweep(domain) == 0) return;
        std::this_thread::sleep_for(settled);
        sweep(domain);
    } catch (const std::exception &) { // Files come and go; the next participant tries again.
    }
}

} // namespace fastdds_adapter
