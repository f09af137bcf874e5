// What the agent has for a client: the participant, topics, writers and readers, made in binary form.
#ifndef BUSMARK_MICROXRCEDDS_OBJECTS_HPP
#define BUSMARK_MICROXRCEDDS_OBJECTS_HPP

#include "session.hpp"

#include <set>

namespace microxrcedds_adapter {

/// Name of the agent's profile for participants of a domain, where the run has started the agent.
std::string profile_of(uint16_t domain);

class Objects {
public:
    Objects(Session &session, uint16_t domain);

    struct Endpoint {
        uint16_t number; ///< of publisher or subscriber, and of writer or reader
        std::string topic;
        bool writes;
        uxrObjectId id() const {
            return uxr_object_id(number, writes ? UXR_DATAWRITER_ID : UXR_DATAREADER_ID);
        }
    };
    Endpoint make(bool writes, const std::string &topic, const std::string &type, const busmark::Qos &qos);
    void remove(const Endpoint &endpoint);

private:
    struct Topic {
        uint16_t number;
        uint32_t users;
    };

    void create(const char *what, const Session::Request &request);
    uint16_t free_number();
    void drop(uxrObjectId object);
    uint16_t use_topic(const std::string &name, const std::string &type);
    void leave_topic(const std::string &name);

    Session &session_;
    const uxrObjectId participant_;
    std::mutex mutex_;
    std::map<std::string, Topic> topics_; ///< by name: the agent makes each once
    std::set<uint16_t> numbers_;          ///< in use
};

} // namespace microxrcedds_adapter

#endif
