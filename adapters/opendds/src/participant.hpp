// An attachment to a domain.
#ifndef BUSMARK_OPENDDS_PARTICIPANT_HPP
#define BUSMARK_OPENDDS_PARTICIPANT_HPP

#include "process.hpp"
#include "transport.hpp"

namespace opendds {

class Participant final : public busmark::Participant {
public:
    explicit Participant(const Settings &settings);
    ~Participant() override;

    std::unique_ptr<busmark::Writer> writer(const busmark::EndpointConfig &config) override;
    std::unique_ptr<busmark::Reader> reader(const busmark::EndpointConfig &config,
                                            busmark::Listener listener) override;

private:
    DDS::DomainParticipant_ptr made(const DDS::DomainParticipantQos &qos, const Settings &settings);

    // In this order: the participant goes first, discovery last.
    DDS::DomainParticipantFactory_var factory_;
    Discovery discovery_;
    Transport transport_;
    bool secured_;
    DDS::DomainParticipant_var participant_;
};

} // namespace opendds

#endif
