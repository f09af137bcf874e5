// What the loops of this folder have in common: the ORB with the parameters of Busmark's adapters.
#pragma once

#include <bare.hpp>

#include <omniORB4/CORBA.h>
#include <omniORB4/omniConnectionMgmt.h>

namespace bare {

inline CORBA::ORB_ptr start_orb() {
    omniConnectionMgmt::init();
    // No configuration file.
    static char flag[] = "-ORBconfigFile", no_file[] = "";
    char *arguments[] = {flag, no_file, nullptr};
    int count = 2;
    const char *parameters[][2] = {{"endPoint", "giop:tcp:127.0.0.1:"},
                                   {"clientTransportRule", "* tcp"},
                                   {"serverTransportRule", "* tcp"},
                                   {"giopMaxMsgSize", "16842752"}, // 16 MiB + 64 KiB
                                   {nullptr, nullptr}};
    return CORBA::ORB_init(count, arguments, "omniORB4", parameters);
}

/// An object adapter that makes upcalls one at a time.
inline PortableServer::POA_ptr serial_adapter(CORBA::ORB_ptr orb) {
    const CORBA::Object_var object = orb->resolve_initial_references("RootPOA");
    const PortableServer::POA_var root = PortableServer::POA::_narrow(object);
    const PortableServer::POAManager_var manager = root->the_POAManager();
    manager->activate();
    CORBA::PolicyList policies;
    policies.length(1);
    policies[0] = root->create_thread_policy(PortableServer::SINGLE_THREAD_MODEL);
    return root->create_POA("bare", manager, policies);
}

/// A program, with CORBA's exceptions told.
inline int run_corba(int argc, char **argv, int (*program)(int, char **)) {
    try {
        return program(argc, argv);
    } catch (const CORBA::Exception &error) {
        std::fprintf(stderr, "%s: %s\n", argv[0], error._name());
        return 2;
    }
}

} // namespace bare
