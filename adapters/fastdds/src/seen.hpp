// What discovery has found, and the endpoints of this participant: what the contract's C37 lists. The library
// has no built-in topics to read; its listener says what comes and goes.
#pragma once

#include "series.hpp"

#include <busmark_adapter.hpp>
#include <fastdds/dds/domain/DomainParticipant.hpp>
#include <fastdds/dds/domain/DomainParticipantListener.hpp>
#include <fastdds/dds/publisher/qos/WriterQos.hpp>
#include <fastdds/dds/subscriber/qos/ReaderQos.hpp>

#include <chrono>
#include <condition_variable>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <vector>

namespace fastdds_adapter {

/// A writer as its participant describes it.
busmark::Entity described(const rtps::GUID_t &guid, const std::string &topic,
                          const std::string &type, const eprosima::fastdds::dds::WriterQos &qos);
/// A reader.
busmark::Entity described(const rtps::GUID_t &guid, const std::string &topic,
                          const std::string &type, const eprosima::fastdds::dds::ReaderQos &qos);

/// The listener of a participant, which outlives it.
class Seen : public eprosima::fastdds::dds::DomainParticipantListener {
public:
    using Describe = std::function<busmark::Entity()>;

    /// All that is known on the bus of this participant.
    std::vector<busmark::Entity> entities(const eprosima::fastdds::dds::DomainParticipant &own);

    /// An endpoint of this participant has come, or goes. The library does not say so.
    void came(const void *owner, Describe describe);
    void goes(const void *owner);
    /// Held while an endpoint of this participant changes.
    std::unique_lock<std::mutex> changing() { return std::unique_lock<std::mutex>(own_mutex_); }

    /// Whether so many other participants were found within this time.
    bool wait_for(size_t participants, std::chrono::milliseconds time);

#if BUSMARK_FASTDDS_SERIES == 3
    void on_participant_discovery(dds::DomainParticipant *, rtps::ParticipantDiscoveryStatus status,
                                  const rtps::ParticipantBuiltinTopicData &data,
                                  bool &ignored) override;
    void on_data_reader_discovery(dds::DomainParticipant *, rtps::ReaderDiscoveryStatus status,
                                  const rtps::SubscriptionBuiltinTopicData &data,
                                  bool &ignored) override;
    void on_data_writer_discovery(dds::DomainParticipant *, rtps::WriterDiscoveryStatus status,
                                  const rtps::PublicationBuiltinTopicData &data,
                                  bool &ignored) override;
#else
    void on_participant_discovery(dds::DomainParticipant *,
                                  rtps::ParticipantDiscoveryInfo &&info) override;
    void on_subscriber_discovery(dds::DomainParticipant *, rtps::ReaderDiscoveryInfo &&info) override;
    void on_publisher_discovery(dds::DomainParticipant *, rtps::WriterDiscoveryInfo &&info) override;
#endif

private:
    void keep_participant(bool came, bool went, const rtps::GUID_t &guid,
                          const std::function<busmark::Entity()> &describe);
    void keep(bool gone, const rtps::GUID_t &guid,
              const std::function<busmark::Entity()> &describe);

    // Two, for the library calls with locks of its own held, which describing its endpoints may want.
    std::mutex own_mutex_;
    std::map<const void *, Describe> own_;
    std::mutex mutex_; // of what follows
    std::condition_variable more_;
    std::map<rtps::GUID_t, busmark::Entity> others_;
    size_t found_ = 0;
};

} // namespace fastdds_adapter
