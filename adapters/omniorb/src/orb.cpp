// SPDX-License-Identifier: Apache-2.0
#include "orb.hpp"

#include "failure.hpp"

#include <omniORB4/omniConnectionMgmt.h>

#include <atomic>
#include <cctype>
#include <cstring>
#include <mutex>
#include <random>
#include <vector>

#include <unistd.h>

namespace busmark_omniorb {
namespace {

/// What all participants of the process share.
struct Shared {
    std::mutex mutex;
    unsigned users = 0;
    Parameters parameters;
    CORBA::ORB_var orb;
};

Shared &shared() {
    static Shared instance;
    return instance;
}

/// omniORB takes every parameter from a variable ORB<name> too; such a run would not be what it says.
void refuse_environment() {
    for (char **entry = environ; *entry != nullptr; ++entry) {
        const char *text = *entry;
        const bool prefixed = std::strncmp(text, "ORB", 3) == 0;
        if (!prefixed || (std::islower(text[3]) == 0 && std::strncmp(text + 3, "InitRef", 7) != 0 &&
                          std::strncmp(text + 3, "DefaultInitRef", 14) != 0))
            continue;
        const std::string name(text, std::strcspn(text, "="));
        throw busmark::Error(BUSMARK_INVALID, "the environment variable " + name +
                                                  " would change omniORB unseen: unset it");
    }
}

CORBA::ORB_ptr start(const Parameters &parameters) {
    refuse_environment();
    static const bool installed = (omniConnectionMgmt::init(), true);
    (void)installed;
    // An empty name instead of /etc/omniORB.cfg. The ORB keeps the pointer.
    static char flag[] = "-ORBconfigFile", no_file[] = "";
    char *arguments[] = {flag, no_file, nullptr};
    int count = 2;
    std::vector<const char *> table;
    for (const auto &[name, value] : parameters) {
        table.push_back(name.c_str());
        table.push_back(value.c_str());
    }
    table.insert(table.end(), {nullptr, nullptr});
    using Pairs = const char *(*)[2];
    return told("starting the ORB", BUSMARK_FAILED, [&] {
        return CORBA::ORB_init(count, arguments, "omniORB4", reinterpret_cast<Pairs>(table.data()));
    });
}

std::string difference(const Parameters &here, const Parameters &there) {
    for (const auto &pair : here)
        if (std::find(there.begin(), there.end(), pair) == there.end())
            return pair.first + " = " + pair.second;
    return "fewer parameters";
}

} // namespace

Orb::Orb(const Parameters &parameters) {
    Shared &s = shared();
    const std::lock_guard lock(s.mutex);
    if (s.users == 0) {
        s.orb = start(parameters);
        s.parameters = parameters;
    } else if (s.parameters != parameters) {
        throw busmark::Error(BUSMARK_INVALID,
                             "omniORB has one ORB per process, and a participant with other parameters "
                             "lives here (this one wants " +
                                 difference(parameters, s.parameters) +
                                 "): give all participants of a process the same transport, profile "
                                 "and options");
    }
    try {
        told("starting the object adapter on " + parameters.front().second, BUSMARK_FAILED, [&] {
            orb_ = CORBA::ORB::_duplicate(s.orb);
            const CORBA::Object_var object = orb_->resolve_initial_references("RootPOA");
            root_ = PortableServer::POA::_narrow(object);
            const PortableServer::POAManager_var manager = root_->the_POAManager();
            manager->activate();
        });
    } catch (...) {
        root_ = PortableServer::POA::_nil();
        if (s.users == 0) {
            tolerant([&] { s.orb->destroy(); });
            s.orb = CORBA::ORB::_nil();
        }
        throw;
    }
    ++s.users;
}

Orb::~Orb() {
    Shared &s = shared();
    const std::lock_guard lock(s.mutex);
    root_ = PortableServer::POA::_nil();
    if (--s.users > 0) return;
    tolerant([&] { s.orb->destroy(); });
    s.orb = CORBA::ORB::_nil();
}

PortableServer::POA_ptr Orb::make_adapter(bool serial) const {
    const std::string name = "b" + std::to_string(next_number());
    return told("making an object adapter", BUSMARK_FAILED, [&] {
        CORBA::PolicyList policies;
        if (serial) {
            policies.length(1);
            policies[0] = root_->create_thread_policy(PortableServer::SINGLE_THREAD_MODEL);
        }
        const PortableServer::POAManager_var manager = root_->the_POAManager();
        return root_->create_POA(name.c_str(), manager, policies);
    });
}

CORBA::Object_var ObjectAdapter::activate(PortableServer::ServantBase *servant) {
    const PortableServer::ServantBase_var owner(servant); // the POA has a share of its own
    return told("activating an object", BUSMARK_FAILED, [&] {
        const PortableServer::ObjectId_var id = poa_->activate_object(servant);
        return CORBA::Object_var(poa_->id_to_reference(id));
    });
}

void ObjectAdapter::close() noexcept {
    if (CORBA::is_nil(poa_)) return;
    tolerant([&] { poa_->destroy(true, true); });
    poa_ = PortableServer::POA::_nil();
}

uint64_t process_token() {
    static const uint64_t token = [] {
        std::random_device random;
        return (uint64_t{random()} << 32) ^ random() ^ static_cast<uint64_t>(::getpid());
    }();
    return token;
}

uint32_t next_number() {
    static std::atomic<uint32_t> number{1};
    return number.fetch_add(1, std::memory_order_relaxed);
}

void limit_calls(CORBA::Object_ptr reference, uint32_t ms) {
    omniORB::setClientCallTimeout(reference, ms);
}

} // namespace busmark_omniorb
