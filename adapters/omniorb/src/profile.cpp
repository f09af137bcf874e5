// SPDX-License-Identifier: Apache-2.0
#include "profile.hpp"

#include <sys/un.h>
#include <unistd.h>

namespace busmark_omniorb {

const busmark_option_t OPTIONS[] = {
    {"call", "oneway",
     "How write() calls the reader: oneway sends and does not wait for an answer; twoway waits until "
     "the reader's servant has taken the sample."},
    {"nodelay", "true",
     "true sends each sample at once (TCP_NODELAY, as omniORB does by itself); false lets the system "
     "hold small ones back (Nagle's algorithm; omniORB's data_batch). Transport tcp only."},
    {"threads", "connection",
     "Who makes upcalls: connection is a thread for each connection; pool is a pool of threads, fed by "
     "one that watches all connections."},
    {"queue", "0",
     "Samples that a waitset or poll reader holds; when it is full the ORB's thread waits. 0 means as "
     "many as fit into 16 MiB, from 16 to 1024."},
    {"send_buffer_bytes", "0",
     "SO_SNDBUF of every TCP connection (socketSendBuffer); 0 leaves the system's automatic sizing."},
    {nullptr, nullptr, nullptr}};

Choices choices_of(const busmark::ParticipantConfig &config) {
    Choices choices;
    choices.twoway = config.choice("call", {"oneway", "twoway"}) == "twoway";
    choices.nodelay = config.flag("nodelay");
    choices.queue = config.number<uint32_t>("queue");
    if (!choices.nodelay && config.transport != "tcp")
        throw busmark::Error(BUSMARK_INVALID, "option nodelay: only the transport tcp has such a delay");
    return choices;
}

namespace {

/// Where the ORB listens. Participants of one process share it.
std::string endpoint_of(const busmark::ParticipantConfig &config) {
    if (config.transport == "tcp") {
        const std::string &address = config.interface_address;
        const bool v6 = address.find(':') != std::string::npos;
        return "giop:tcp:" + (v6 ? "[" + address + "]" : address) + ":";
    }
    const std::string path = config.run_dir + "/omniorb-" + std::to_string(::getpid());
    if (path.size() >= sizeof(sockaddr_un::sun_path))
        throw busmark::Error(BUSMARK_INVALID, "the path of a Unix socket is too long: " + path +
                                                  "; use a shorter run directory");
    return "giop:unix:" + path;
}

} // namespace

Parameters endpoint_parameters(const busmark::ParticipantConfig &config) {
    // One transport only, or the ORB would choose another one by itself.
    const std::string rule = "* " + config.transport;
    return {{"endPoint", endpoint_of(config)},
            {"clientTransportRule", rule},
            {"serverTransportRule", rule},
            // As shipped a message has at most 2 MiB.
            {"giopMaxMsgSize", std::to_string(LARGEST_BODY + (64 << 10))}};
}

Parameters orb_parameters(const busmark::ParticipantConfig &config) {
    Parameters parameters = endpoint_parameters(config);
    if (const auto bytes = config.number<uint32_t>("send_buffer_bytes")) {
        if (config.transport != "tcp")
            throw busmark::Error(BUSMARK_INVALID, "option send_buffer_bytes: transport tcp only");
        parameters.emplace_back("socketSendBuffer", std::to_string(bytes));
    }
    if (config.choice("threads", {"connection", "pool"}) == "pool")
        parameters.emplace_back("threadPerConnectionPolicy", "0");
    if (config.tuned()) // Sources: NOTES.md
        parameters.emplace_back("supportCurrent", "0");
    return parameters;
}

} // namespace busmark_omniorb
