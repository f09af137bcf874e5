// A participant: one XRCE client.
#ifndef BUSMARK_MICROXRCEDDS_PARTICIPANT_HPP
#define BUSMARK_MICROXRCEDDS_PARTICIPANT_HPP

#include "objects.hpp"

namespace microxrcedds_adapter {

/// What endpoints share; the last of them ends the session.
struct Client {
    explicit Client(const Settings &settings)
        : settings(settings), session(settings), objects(session, settings.domain) {}

    const Settings settings;
    Session session;
    Objects objects;
};

class Participant final : public busmark::Participant {
public:
    explicit Participant(const busmark::ParticipantConfig &config);
    std::unique_ptr<busmark::Writer> writer(const busmark::EndpointConfig &config) override;
    std::unique_ptr<busmark::Reader> reader(const busmark::EndpointConfig &config,
                                            busmark::Listener listener) override;

private:
    std::shared_ptr<Client> client_;
};

} // namespace microxrcedds_adapter

#endif
