/// Fast DDS locks up where a process has several participants and one deletes a writer while another
/// has just found it: the news of that is delivered within the process, in the call itself.
///
///     g++ -std=c++17 -O1 -g intraprocess_close.cpp -o intraprocess_close -lfastdds -lfastcdr
///     (Fast DDS 2: -lfastrtps)
///     ./intraprocess_close [ROUNDS [full|user_data_only]]
///
/// The thread that calls `DataWriter` deletion holds the mutex of its participant's `StatefulWriter`
/// of publications, and in the delivery to the other participant also the one of its `PDP`. There it
/// comes to `WriterProxy::stop`, which waits in `ResourceEvent::unregister_timer` until the other
/// participant's event thread has finished all timers that are due. That thread wants one of the two
/// mutexes: in `WriterProxy::perform_initial_ack_nack`, about 70 ms after both have met, or in
/// `PDP::set_next_announcement_interval`, each 100 ms or so at first. Neither ever returns. With the
/// word `user_data_only` instead of `full` the news takes the way of the transport, and no
/// thread waits for another.
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fastdds/dds/domain/DomainParticipant.hpp>
#include <fastdds/dds/domain/DomainParticipantFactory.hpp>
#include <fastdds/dds/publisher/DataWriter.hpp>
#include <fastdds/dds/publisher/Publisher.hpp>
#include <fastdds/dds/subscriber/DataReader.hpp>
#include <fastdds/dds/subscriber/Subscriber.hpp>
#include <fastdds/dds/topic/TopicDataType.hpp>
#include <functional>
#include <string>
#include <thread>
#include <vector>
#if __has_include(<fastdds/LibrarySettings.hpp>)
#include <fastdds/LibrarySettings.hpp>
#else // Fast DDS 2
#include <fastrtps/attributes/LibrarySettingsAttributes.h>
#include <fastrtps/xmlparser/XMLProfileManager.h>
#define OF_2
#endif

using namespace eprosima::fastdds;
using namespace eprosima::fastdds::dds;
using namespace std::chrono_literals;

namespace {

constexpr int WRITERS = 200;
constexpr auto HANGS = 30s;

struct Bytes {
    char data[16];
};

#ifdef OF_2
using eprosima::fastrtps::INTRAPROCESS_FULL;
using eprosima::fastrtps::INTRAPROCESS_USER_DATA_ONLY;
using eprosima::fastrtps::rtps::InstanceHandle_t;
using Payload = eprosima::fastrtps::rtps::SerializedPayload_t;

class BytesType : public TopicDataType {
public:
    BytesType() {
        setName("Bytes");
        m_typeSize = sizeof(Bytes);
    }
    bool serialize(void *, Payload *) override { return true; }
    bool deserialize(Payload *, void *) override { return true; }
    std::function<uint32_t()> getSerializedSizeProvider(void *) override {
        return [] { return uint32_t{sizeof(Bytes)}; };
    }
    void *createData() override { return new Bytes; }
    void deleteData(void *data) override { delete static_cast<Bytes *>(data); }
    bool getKey(void *, InstanceHandle_t *, bool) override { return false; }
};

void deliver(eprosima::fastrtps::IntraprocessDeliveryType how) {
    eprosima::fastrtps::LibrarySettingsAttributes settings;
    settings.intraprocess_delivery = how;
    eprosima::fastrtps::xmlparser::XMLProfileManager::library_settings(settings);
}
#else
using Payload = rtps::SerializedPayload_t;

class BytesType : public TopicDataType {
public:
    BytesType() {
        set_name("Bytes");
        max_serialized_type_size = sizeof(Bytes);
    }
    bool serialize(const void *, Payload &, DataRepresentationId_t) override { return true; }
    bool deserialize(Payload &, void *) override { return true; }
    uint32_t calculate_serialized_size(const void *, DataRepresentationId_t) override {
        return sizeof(Bytes);
    }
    void *create_data() override { return new Bytes; }
    void delete_data(void *data) override { delete static_cast<Bytes *>(data); }
    bool compute_key(Payload &, rtps::InstanceHandle_t &, bool) override { return false; }
    bool compute_key(const void *, rtps::InstanceHandle_t &, bool) override { return false; }
};

void deliver(IntraprocessDeliveryType how) {
    LibrarySettings settings;
    settings.intraprocess_delivery = how;
    DomainParticipantFactory::get_instance()->set_library_settings(settings);
}
#endif

std::atomic<int> deleted{0};

/// Ends the process when nothing has been deleted for that time.
void watch() {
    for (int before = -1; before != deleted; std::this_thread::sleep_for(HANGS)) before = deleted;
    std::printf("delete_datawriter has not returned within 30 s, after %d that did\n", deleted.load());
    std::fflush(stdout);
    _exit(1);
}

DomainParticipant *participant() {
    return DomainParticipantFactory::get_instance()->create_participant(77, PARTICIPANT_QOS_DEFAULT);
}

/// One participant has all writers before the other comes, so that they are deleted while its first
/// timers are due: in 25 rounds at any time of the first 120 ms.
void round(int number) {
    TypeSupport type(new BytesType);
    DomainParticipant *writing = participant();
    type.register_type(writing);
    Topic *written = writing->create_topic("topic", "Bytes", TOPIC_QOS_DEFAULT);
    Publisher *publisher = writing->create_publisher(PUBLISHER_QOS_DEFAULT);
    std::vector<DataWriter *> writers;
    for (int count = 0; count < WRITERS; ++count)
        writers.push_back(publisher->create_datawriter(written, DATAWRITER_QOS_DEFAULT));
    DomainParticipant *reading = participant();
    type.register_type(reading);
    Topic *read = reading->create_topic("topic", "Bytes", TOPIC_QOS_DEFAULT);
    Subscriber *subscriber = reading->create_subscriber(SUBSCRIBER_QOS_DEFAULT);
    DataReaderQos reliable = DATAREADER_QOS_DEFAULT;
    reliable.reliability().kind = RELIABLE_RELIABILITY_QOS;
    DataReader *reader = subscriber->create_datareader(read, reliable);
    SubscriptionMatchedStatus status{};
    while (reader->get_subscription_matched_status(status), status.current_count < WRITERS)
        std::this_thread::sleep_for(100us);
    std::this_thread::sleep_for(5ms * (number % 25));
    for (DataWriter *writer : writers) {
        publisher->delete_datawriter(writer);
        ++deleted;
    }
    subscriber->delete_datareader(reader);
    writing->delete_publisher(publisher);
    reading->delete_subscriber(subscriber);
    writing->delete_topic(written);
    reading->delete_topic(read);
    DomainParticipantFactory::get_instance()->delete_participant(reading);
    DomainParticipantFactory::get_instance()->delete_participant(writing);
}

} // namespace

int main(int count, char **words) {
    const int rounds = count > 1 ? std::atoi(words[1]) : 200;
    const bool full = count < 3 || std::strcmp(words[2], "full") == 0;
    deliver(full ? INTRAPROCESS_FULL : INTRAPROCESS_USER_DATA_ONLY);
    std::thread(watch).detach();
    for (int number = 0; number < rounds; ++number) round(number);
    std::printf("%d writers deleted in %d rounds\n", deleted.load(), rounds);
}
