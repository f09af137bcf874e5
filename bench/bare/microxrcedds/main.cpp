// The smallest round trip and the smallest stream over eProsima's Micro XRCE-DDS client: the session,
// streams, objects and QoS of Busmark's adapter, and nothing of Busmark. The library works on the thread
// that calls it; here that is a thread of the reader's, which waits within the library.
#include <bare.hpp>

#include <atomic>
#include <cstring>
#include <functional>
#include <memory>

#include <ucdr/microcdr.h>
#include <uxr/client/client.h>

namespace {

using namespace std::chrono_literals;

constexpr uint16_t history = 16;
constexpr size_t mtu = UXR_CONFIG_UDP_TRANSPORT_MTU;
constexpr int answer_ms = 5000;
constexpr int turn_ms = 20;
constexpr auto settle = 1s; // in which the agent matches; a client is not told of it
constexpr size_t length_bytes = 4;
const std::string type = "busmark::OctetSample";

using OnSample = std::function<void(const bare::Header &)>;

/// A session over UDP. Everything but the samples happens before they flow.
class Session {
public:
    explicit Session(const bare::Options &options) {
        const size_t colon = options.server.rfind(':');
        const std::string host = options.server.substr(0, colon), port = options.server.substr(colon + 1);
        if (colon == std::string::npos ||
            !uxr_init_udp_transport(&transport_, UXR_IPv4, host.c_str(), port.c_str()))
            throw std::runtime_error("no agent at " + options.server);
        // Both sides are processes of one machine.
        uxr_init_session(&session_, &transport_.comm, static_cast<uint32_t>(getpid()) << 4 | 1u);
        uxr_set_topic_callback(&session_, on_topic, this);
        if (!uxr_create_session(&session_)) throw std::runtime_error("the agent does not answer");
        out_ = uxr_create_output_reliable_stream(&session_, out_buffer_, sizeof out_buffer_, history);
        in_ = uxr_create_input_reliable_stream(&session_, in_buffer_, sizeof in_buffer_, history);
        const auto domain = static_cast<uint16_t>(options.domain());
        const std::string profile = "busmark-" + std::to_string(domain);
        make(uxr_buffer_create_participant_ref(&session_, out_, participant_, domain, profile.c_str(),
                                               UXR_REPLACE));
    }
    ~Session() {
        stop_ = true;
        if (thread_.joinable()) thread_.join();
        uxr_delete_session_retries(&session_, 1);
        uxr_close_udp_transport(&transport_);
    }
    Session(const Session &) = delete;
    Session &operator=(const Session &) = delete;

    uxrObjectId endpoint(const std::string &topic, bool writes) {
        const std::lock_guard lock(mutex_);
        const uint16_t number = ++made_;
        const uxrObjectId about = uxr_object_id(number, UXR_TOPIC_ID);
        make(uxr_buffer_create_topic_bin(&session_, out_, about, participant_, topic.c_str(), type.c_str(),
                                         UXR_REPLACE));
        uxrQoS_t qos{};
        qos.reliability = UXR_RELIABILITY_RELIABLE;
        qos.durability = UXR_DURABILITY_VOLATILE;
        qos.history = UXR_HISTORY_KEEP_LAST;
        const uxrObjectId group = uxr_object_id(number, writes ? UXR_PUBLISHER_ID : UXR_SUBSCRIBER_ID);
        const uxrObjectId end = uxr_object_id(number, writes ? UXR_DATAWRITER_ID : UXR_DATAREADER_ID);
        if (writes) {
            make(uxr_buffer_create_publisher_bin(&session_, out_, group, participant_, UXR_REPLACE));
            make(uxr_buffer_create_datawriter_bin(&session_, out_, end, group, about, qos, UXR_REPLACE));
        } else {
            make(uxr_buffer_create_subscriber_bin(&session_, out_, group, participant_, UXR_REPLACE));
            make(uxr_buffer_create_datareader_bin(&session_, out_, end, group, about, qos, UXR_REPLACE));
        }
        settled_ = std::chrono::steady_clock::now() + settle;
        return end;
    }

    void listen(uxrObjectId reader, OnSample on_sample) {
        const std::lock_guard lock(mutex_);
        on_sample_ = std::move(on_sample);
        const uxrDeliveryControl all{UXR_MAX_SAMPLES_UNLIMITED, UXR_MAX_ELAPSED_TIME_UNLIMITED,
                                     UXR_MAX_BYTES_PER_SECOND_UNLIMITED, 0};
        uxr_buffer_request_data(&session_, out_, reader, in_, &all);
        uxr_flash_output_streams(&session_);
        thread_ = std::thread([this] {
            while (!stop_) {
                {
                    const std::lock_guard lock(mutex_);
                    uxr_run_session_until_data(&session_, turn_ms);
                }
                if (wanted_ > 0) std::this_thread::yield();
            }
        });
    }

    bool is_settled() const { return std::chrono::steady_clock::now() >= settled_; }

    bool write(uxrObjectId writer, std::vector<uint8_t> &sample) {
        ++wanted_;
        const std::lock_guard lock(mutex_);
        --wanted_;
        if (uxr_buffer_topic(&session_, out_, writer, sample.data(), sample.size()) ==
            UXR_INVALID_REQUEST_ID) {
            uxr_run_session_until_timeout(&session_, 0);
            return false;
        }
        uxr_flash_output_streams(&session_);
        return true;
    }

    void finish(std::chrono::milliseconds limit) {
        const std::lock_guard lock(mutex_);
        uxr_run_session_until_confirm_delivery(&session_, static_cast<int>(limit.count()));
    }

private:
    static void on_topic(uxrSession *, uxrObjectId, uint16_t, uxrStreamId, ucdrBuffer *buffer, uint16_t,
                         void *self) {
        bare::Header header;
        if (ucdr_deserialize_array_uint8_t(buffer, reinterpret_cast<uint8_t *>(&header), sizeof header))
            static_cast<Session *>(self)->on_sample_(header);
    }

    void make(uint16_t request) {
        uint8_t answer = UXR_STATUS_NONE;
        uxr_run_session_until_all_status(&session_, answer_ms, &request, &answer, 1);
        if (answer != UXR_STATUS_OK && answer != UXR_STATUS_OK_MATCHED)
            throw std::runtime_error("the agent refuses with status " + std::to_string(answer));
    }

    uxrUDPTransport transport_{};
    uxrSession session_{};
    uint8_t out_buffer_[mtu * history], in_buffer_[mtu * history];
    uxrStreamId out_{}, in_{};
    const uxrObjectId participant_ = uxr_object_id(1, UXR_PARTICIPANT_ID);
    uint16_t made_ = 0;
    std::chrono::steady_clock::time_point settled_;
    std::recursive_mutex mutex_; ///< of the session: a listener writes within the library
    OnSample on_sample_;
    std::atomic<bool> stop_{false};
    std::atomic<int> wanted_{0}; ///< threads that wait for the mutex
    std::thread thread_;
};

class Writer {
public:
    Writer(std::shared_ptr<Session> session, const std::string &topic, size_t bytes)
        : session_(std::move(session)), id_(session_->endpoint(topic, true)),
          sample_(sizeof(bare::Header) + length_bytes + bytes) {
        const auto length = static_cast<uint32_t>(bytes);
        std::memcpy(sample_.data() + sizeof(bare::Header), &length, sizeof length);
    }
    bool write(const bare::Header &header) {
        std::memcpy(sample_.data(), &header, sizeof header);
        return session_->write(id_, sample_);
    }
    bool matched() const { return session_->is_settled(); }
    void finish(std::chrono::milliseconds limit) { session_->finish(limit); }

private:
    std::shared_ptr<Session> session_;
    uxrObjectId id_;
    std::vector<uint8_t> sample_;
};

class Reader {
public:
    Reader(std::shared_ptr<Session> session, const std::string &topic, OnSample on_sample)
        : session_(std::move(session)) {
        session_->listen(session_->endpoint(topic, false), std::move(on_sample));
    }
    bool matched() const { return session_->is_settled(); }

private:
    std::shared_ptr<Session> session_;
};

class MicroXrceDds {
public:
    explicit MicroXrceDds(const bare::Options &options)
        : address_(std::to_string(options.domain())), session_(std::make_shared<Session>(options)) {}
    std::string address() const { return address_; }
    std::unique_ptr<Writer> writer(const std::string &topic, size_t bytes) {
        return std::make_unique<Writer>(session_, topic, bytes);
    }
    std::unique_ptr<Reader> reader(const std::string &topic, OnSample on_sample) {
        return std::make_unique<Reader>(session_, topic, std::move(on_sample));
    }

private:
    std::string address_;
    std::shared_ptr<Session> session_;
};

} // namespace

int main(int argc, char **argv) { return bare::run<MicroXrceDds>(argc, argv); }
