// Calls the worker when OpenDDS has data.
#ifndef BUSMARK_OPENDDS_INLET_HPP
#define BUSMARK_OPENDDS_INLET_HPP

#include "busmark_adapter.hpp"

#include <dds/DCPS/LocalObject.h>
#include <dds/DdsDcpsSubscriptionC.h>

#include <atomic>
#include <mutex>

namespace opendds {

/// A data reader's listener. OpenDDS calls it from the thread that received.
class Inlet final : public virtual OpenDDS::DCPS::LocalObject<DDS::DataReaderListener> {
public:
    /// `several_threads`: a timer of OpenDDS calls too, so calls must be kept apart (C20).
    Inlet(const busmark::Listener &listener, bool several_threads)
        : listener_(listener), several_threads_(several_threads) {}

    /// Calls that come from now on are left out; returns when none is under way (C22).
    void close();

    void on_data_available(DDS::DataReader_ptr) override;
    void on_requested_deadline_missed(DDS::DataReader_ptr,
                                      const DDS::RequestedDeadlineMissedStatus &) override {}
    void on_requested_incompatible_qos(DDS::DataReader_ptr,
                                       const DDS::RequestedIncompatibleQosStatus &) override {}
    void on_sample_rejected(DDS::DataReader_ptr, const DDS::SampleRejectedStatus &) override {}
    void on_liveliness_changed(DDS::DataReader_ptr, const DDS::LivelinessChangedStatus &) override {}
    void on_subscription_matched(DDS::DataReader_ptr,
                                 const DDS::SubscriptionMatchedStatus &) override {}
    void on_sample_lost(DDS::DataReader_ptr, const DDS::SampleLostStatus &) override {}

private:
    const busmark::Listener listener_;
    const bool several_threads_;
    std::mutex apart_; ///< locked only where several threads call
    std::atomic<unsigned> under_way_{0};
    std::atomic<bool> closed_{false};
};

} // namespace opendds

#endif
