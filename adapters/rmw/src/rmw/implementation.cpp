#include "implementation.hpp"

#include <busmark_adapter.hpp>

#include <dlfcn.h>

#include <map>
#include <memory>
#include <mutex>

namespace ros_adapter {

namespace {

std::unique_ptr<Implementation> opened(const std::string &name) {
    // They stay loaded: implementations keep threads and keys of threads beyond their shutdown.
    void *library = dlopen(("lib" + name + ".so").c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (library == nullptr)
        throw busmark::Error(BUSMARK_UNAVAILABLE, "option implementation: " + name + " cannot be loaded: " + dlerror());
    auto found = std::make_unique<Implementation>();
#define ROS_ADAPTER_LOOK_UP(call)                                                                      \
    found->call = reinterpret_cast<decltype(found->call)>(dlsym(library, #call));                      \
    if (found->call == nullptr)                                                                        \
        throw busmark::Error(BUSMARK_UNAVAILABLE,                                                      \
                             "option implementation: " + name + " has no " #call ": it belongs to another distribution");
    ROS_ADAPTER_CALLS(ROS_ADAPTER_LOOK_UP)
#undef ROS_ADAPTER_LOOK_UP
    return found;
}

} // namespace

const Implementation &Implementation::load(const std::string &name) {
    static std::mutex guard;
    static std::map<std::string, std::unique_ptr<Implementation>> loaded;
    const std::lock_guard<std::mutex> lock(guard);
    auto &found = loaded[name];
    if (!found) found = opened(name);
    return *found;
}

} // namespace ros_adapter
