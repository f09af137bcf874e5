/// Fast DDS 2.9.1 over TCP ends a process that closes its participant, seldom: processes with a
/// writer and a reader each, all connected to all, close at the same time.
///
///     g++ -std=c++17 -O1 -g tcp_close.cpp -o tcp_close -lfastrtps -lfastcdr
///     ./tcp_close [PROCESSES [ROUNDS [RUN_MS [STAGGER_MS]]]]
///     valgrind --trace-children=yes --fair-sched=yes ./tcp_close 6 4 25000 2500
///
/// Of 420 processes glibc aborted 2, whose heaps it found damaged. In 3 of 24 memcheck found an
/// "Invalid write of size 1" in `TCPTransportInterface::perform_listen_operation`,
/// into a block that `TCPTransportInterface::CloseInputChannel` has deleted. All connections of a
/// port share one flag `in_use`; the first thread that is done with it clears it for all, so that
/// `CloseInputChannel` no longer waits for the others.
#include <sys/wait.h>
#include <unistd.h>

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
#include <fastdds/rtps/transport/TCPv4TransportDescriptor.h>
#include <fastrtps/utils/IPLocator.h>
#include <functional>
#include <memory>
#include <vector>

using namespace eprosima::fastdds::dds;
using namespace eprosima::fastdds::rtps;
using eprosima::fastrtps::rtps::InstanceHandle_t;
using eprosima::fastrtps::rtps::IPLocator;
using eprosima::fastrtps::rtps::SerializedPayload_t;
using Clock = std::chrono::steady_clock;

namespace {

constexpr uint16_t FIRST_PORT = 23000;

struct Bytes {
    char data[16];
};

class BytesType : public TopicDataType {
public:
    BytesType() {
        setName("Bytes");
        m_typeSize = sizeof(Bytes);
        m_isGetKeyDefined = false;
    }
    bool serialize(void *from, SerializedPayload_t *to) override {
        to->length = sizeof(Bytes);
        std::memcpy(to->data, from, sizeof(Bytes));
        return true;
    }
    bool deserialize(SerializedPayload_t *from, void *to) override {
        std::memcpy(to, from->data, sizeof(Bytes));
        return true;
    }
    std::function<uint32_t()> getSerializedSizeProvider(void *) override {
        return [] { return uint32_t(sizeof(Bytes)); };
    }
    void *createData() override { return new Bytes; }
    void deleteData(void *data) override { delete static_cast<Bytes *>(data); }
    bool getKey(void *, InstanceHandle_t *, bool) override { return false; }
};

Locator at(uint16_t port) {
    Locator found;
    found.kind = LOCATOR_KIND_TCPv4;
    IPLocator::setIPv4(found, "127.0.0.1");
    IPLocator::setPhysicalPort(found, port);
    IPLocator::setLogicalPort(found, 7410);
    return found;
}

DomainParticipant *participant(uint16_t port, const std::vector<uint16_t> &peers) {
    DomainParticipantQos qos;
    qos.transport().use_builtin_transports = false;
    auto tcp = std::make_shared<TCPv4TransportDescriptor>();
    tcp->interfaceWhiteList.push_back("127.0.0.1");
    tcp->listening_ports.push_back(port);
    qos.transport().user_transports.push_back(tcp);
    auto &protocol = qos.wire_protocol();
    protocol.builtin.metatrafficUnicastLocatorList.push_back(at(port));
    protocol.default_unicast_locator_list.push_back(at(port));
    for (const uint16_t peer : peers)
        protocol.builtin.initialPeersList.push_back(at(peer));
    return DomainParticipantFactory::get_instance()->create_participant(0, qos);
}

void run(int own, uint16_t first, int stagger_ms, Clock::time_point end) {
    // Those before it are listening by then.
    usleep(own * stagger_ms * 1000);
    std::vector<uint16_t> peers;
    for (int other = 0; other < own; ++other)
        peers.push_back(first + other);
    DomainParticipant *made = participant(first + own, peers);
    TypeSupport type(new BytesType);
    type.register_type(made);
    Topic *topic = made->create_topic("bytes", "Bytes", TOPIC_QOS_DEFAULT);
    DataWriterQos qos;
    qos.reliability().kind = BEST_EFFORT_RELIABILITY_QOS;
    auto *writer = made->create_publisher(PUBLISHER_QOS_DEFAULT)->create_datawriter(topic, qos);
    made->create_subscriber(SUBSCRIBER_QOS_DEFAULT)->create_datareader(topic, DATAREADER_QOS_DEFAULT);
    Bytes bytes{};
    while (Clock::now() < end) {
        writer->write(&bytes);
        usleep(200);
    }
    made->delete_contained_entities();
    DomainParticipantFactory::get_instance()->delete_participant(made);
}

}  // namespace

int main(int argc, char **argv) {
    const auto argument = [&](int number, int otherwise) {
        return argc > number ? std::atoi(argv[number]) : otherwise;
    };
    const int processes = argument(1, 6), rounds = argument(2, 20);
    const int run_ms = argument(3, 1500), stagger_ms = argument(4, 50);
    std::setvbuf(stdout, nullptr, _IOLBF, 0);  // or children print it again
    int ended = 0;
    for (int round = 0; round < rounds; ++round) {
        const auto end = Clock::now() + std::chrono::milliseconds(run_ms);
        std::vector<pid_t> children;
        for (int own = 0; own < processes; ++own) {
            const pid_t child = fork();
            if (child == 0) {
                run(own, FIRST_PORT + round % 50 * processes, stagger_ms, end);
                return 0;
            }
            children.push_back(child);
        }
        for (const pid_t child : children) {
            int status = 0;
            waitpid(child, &status, 0);
            if (WIFSIGNALED(status)) {
                ++ended;
                std::printf("round %d: %s\n", round, strsignal(WTERMSIG(status)));
            }
        }
    }
    std::printf("%d of %d processes ended by a signal\n", ended, rounds * processes);
    return ended > 0;
}
