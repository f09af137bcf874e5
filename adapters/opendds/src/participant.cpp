#include "participant.hpp"

#include "failure.hpp"
#include "reader.hpp"
#include "security.hpp"
#include "writer.hpp"

#include <dds/DCPS/Marked_Default_Qos.h>
#include <dds/DCPS/Service_Participant.h>

using busmark::EndpointConfig;

namespace opendds {

namespace {

/// The topic of an endpoint whose samples are of this type.
template <class Message>
std::unique_ptr<Topic> topic_of(DDS::DomainParticipant_ptr participant, bool secured,
                                const EndpointConfig &config, const char *type_name) {
    using Support = typename OpenDDS::DCPS::DDSTraits<Message>::TypeSupportTypeImpl;
    const OpenDDS::DCPS::TypeSupport_var type = new Support;
    const Protection protection(secured);
    return std::make_unique<Topic>(participant, type.in(), type_name, config.topic);
}

/// Calls `make` with the type of an endpoint's samples, as an empty one, and its name.
template <class Make> auto with_type(const EndpointConfig &config, Make &&make) {
    if (config.instances > 0) return make(busmark::KeyedSample(), "busmark::KeyedSample");
    switch (config.payload) {
    case BUSMARK_PAYLOAD_OCTET: return make(busmark::OctetSample(), "busmark::OctetSample");
    case BUSMARK_PAYLOAD_CHAR: return make(busmark::CharSample(), "busmark::CharSample");
    case BUSMARK_PAYLOAD_SHORT: return make(busmark::ShortSample(), "busmark::ShortSample");
    case BUSMARK_PAYLOAD_FLOAT: return make(busmark::FloatSample(), "busmark::FloatSample");
    case BUSMARK_PAYLOAD_LONG: return make(busmark::LongSample(), "busmark::LongSample");
    case BUSMARK_PAYLOAD_STRUCT: return make(busmark::StructSample(), "busmark::StructSample");
    case BUSMARK_PAYLOAD_ANY: return make(busmark::AnySample(), "busmark::AnySample");
#ifdef BUSMARK_USER_TYPE
    case BUSMARK_PAYLOAD_TYPE: return make(busmark::UserSample(), "busmark::UserSample");
#endif
    default: return make(busmark::EmptySample(), "busmark::EmptySample");
    }
}

} // namespace

Participant::Participant(const Settings &settings)
    : factory_(factory()), discovery_(settings.domain, settings.discovery), transport_(settings),
      secured_(settings.security.has_value()) {
    TheServiceParticipant->n_chunks(settings.chunks);
    TheServiceParticipant->publisher_content_filter() = settings.publisher_content_filter;
    DDS::DomainParticipantQos qos;
    check(factory_->get_default_participant_qos(qos), "default QoS of participants");
    if (secured_) add_documents(*settings.security, settings.domain, qos);
    participant_ = made(qos, settings);
    try {
        transport_.bind(participant_.in());
    } catch (...) {
        factory_->delete_participant(participant_.in());
        throw;
    }
}

DDS::DomainParticipant_ptr Participant::made(const DDS::DomainParticipantQos &qos,
                                             const Settings &settings) {
    const Protection protection(secured_);
    const Overheard overheard;
    const DDS::DomainParticipant_ptr made = factory_->create_participant(
        settings.domain, qos, nullptr, OpenDDS::DCPS::NO_STATUS_MASK);
    if (!CORBA::is_nil(made)) return made;
    const std::string &words = overheard.words();
    throw busmark::Error(BUSMARK_FAILED, "OpenDDS made no participant on " +
                                             settings.discovery.interface_address + ": " +
                                             (words.empty() ? "it says no more" : words));
}

Participant::~Participant() {
    participant_->delete_contained_entities();
    // First, and not after the participant, which takes a while: an acknowledgement that comes after
    // a transient-local writer's deletion makes OpenDDS touch freed memory.
    transport_.close();
    factory_->delete_participant(participant_.in());
}

std::unique_ptr<busmark::Writer> Participant::writer(const EndpointConfig &config) {
    return with_type(config, [&](auto message, const char *name) -> std::unique_ptr<busmark::Writer> {
        using Message = decltype(message);
        return std::make_unique<TypedWriter<Message>>(
            participant_.in(), topic_of<Message>(participant_.in(), secured_, config, name), config);
    });
}

std::unique_ptr<busmark::Reader> Participant::reader(const EndpointConfig &config,
                                                     busmark::Listener listener) {
    return with_type(config, [&](auto message, const char *name) -> std::unique_ptr<busmark::Reader> {
        using Message = decltype(message);
        return std::make_unique<TypedReader<Message>>(
            participant_.in(), topic_of<Message>(participant_.in(), secured_, config, name), config, listener);
    });
}

} // namespace opendds
