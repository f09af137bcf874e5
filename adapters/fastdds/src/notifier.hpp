// From the library's listener to the worker's.
#pragma once

#include "announcer.hpp"

#include <fastdds/dds/core/status/SubscriptionMatchedStatus.hpp>
#include <fastdds/dds/subscriber/DataReader.hpp>
#include <fastdds/dds/subscriber/DataReaderListener.hpp>

namespace fastdds_adapter {

/// Calls on_data when the library has data, and keeps the matches.
class Notifier : public eprosima::fastdds::dds::DataReaderListener {
public:
    explicit Notifier(busmark::Listener listener) : announcer(listener) {}

    void on_subscription_matched(
        eprosima::fastdds::dds::DataReader *,
        const eprosima::fastdds::dds::SubscriptionMatchedStatus &status) override {
        matches.set(static_cast<uint32_t>(status.current_count));
    }

    void on_data_available(eprosima::fastdds::dds::DataReader *) override { announcer.arrived(); }

    busmark::MatchClock matches;
    Announcer announcer;
};

} // namespace fastdds_adapter
