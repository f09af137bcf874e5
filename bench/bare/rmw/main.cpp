// The smallest round trip and the smallest stream over ROS 2's rmw: the implementation, the message, the
// transport, discovery and QoS of Busmark's adapter, and nothing of Busmark.
#include <bare.hpp>

#include "udp.hpp"

#include <busmark_msgs/msg/sample.h>
#include <busmark_msgs/srv/call.h>

#include <fastdds/dds/domain/DomainParticipantFactory.hpp>

#include <rcutils/allocator.h>
#include <rcutils/strdup.h>
#include <rmw/init.h>
#include <rmw/qos_profiles.h>
#include <rmw/rmw.h>
#include <rosidl_runtime_c/message_type_support_struct.h>
#include <rosidl_runtime_c/primitives_sequence_functions.h>

#include <cstring>
#include <memory>

/// The library serialises by the one, and Jazzy's describes the type by the other.
template <class Support, const Support *(*fastrtps)(), const Support *(*introspection)()> const Support *both_kinds() {
    static const Support all = [] {
        Support both = *fastrtps();
        both.typesupport_identifier = "rosidl_typesupport_c";
        both.func = [](const Support *, const char *name) -> const Support * {
            for (const Support *one : {fastrtps(), introspection()})
                if (std::strcmp(one->typesupport_identifier, name) == 0) return one;
            return nullptr;
        };
        return both;
    }();
    return &all;
}

#define BARE_BOTH_KINDS(interface, folder, type)                                                                       \
    extern "C" {                                                                                                       \
    const rosidl_##interface##_type_support_t *                                                                        \
        rosidl_typesupport_fastrtps_c__get_##interface##_type_support_handle__busmark_msgs__##folder##__##type();      \
    const rosidl_##interface##_type_support_t *                                                                        \
        rosidl_typesupport_introspection_c__get_##interface##_type_support_handle__busmark_msgs__##folder##__##type(); \
    const rosidl_##interface##_type_support_t *                                                                        \
        rosidl_typesupport_c__get_##interface##_type_support_handle__busmark_msgs__##folder##__##type() {              \
        return both_kinds<                                                                                             \
            rosidl_##interface##_type_support_t,                                                                       \
            rosidl_typesupport_fastrtps_c__get_##interface##_type_support_handle__busmark_msgs__##folder##__##type,    \
            rosidl_typesupport_introspection_c__get_##interface##_type_support_handle__busmark_msgs__##folder##__##type>(); \
    }                                                                                                                  \
    }

BARE_BOTH_KINDS(message, msg, Sample)
BARE_BOTH_KINDS(message, srv, Call_Request)
BARE_BOTH_KINDS(message, srv, Call_Response)
BARE_BOTH_KINDS(message, srv, Call_Event)
BARE_BOTH_KINDS(service, srv, Call)

namespace {

namespace dds = eprosima::fastdds::dds;
using bare::made;
using Message = busmark_msgs__msg__Sample;
using Request = busmark_msgs__srv__Call_Request;
using Response = busmark_msgs__srv__Call_Response;

static_assert(offsetof(Message, body) == sizeof(bare::Header));
static_assert(offsetof(Request, body) == sizeof(bare::Header) && offsetof(Response, body) == sizeof(bare::Header));

void check(rmw_ret_t code, const char *what) {
    if (code != RMW_RET_OK) throw std::runtime_error(std::string(what) + " failed");
}

const rosidl_message_type_support_t *type_support() { return ROSIDL_GET_MSG_TYPE_SUPPORT(busmark_msgs, msg, Sample); }
const rosidl_service_type_support_t *service_type_support() { return ROSIDL_GET_SRV_TYPE_SUPPORT(busmark_msgs, srv, Call); }

std::string topic_of(const char *name) { return std::string("/") + name; }

rmw_qos_profile_t profile_of(const bare::Options &options) {
    rmw_qos_profile_t profile = rmw_qos_profile_default;
    profile.reliability = RMW_QOS_POLICY_RELIABILITY_RELIABLE;
    profile.history = options.is_stream() ? RMW_QOS_POLICY_HISTORY_KEEP_ALL : RMW_QOS_POLICY_HISTORY_KEEP_LAST;
    profile.depth = 1;
    return profile;
}

class Writer {
public:
    Writer(rmw_publisher_t *publisher, size_t bytes) : publisher_(publisher) {
        if (!busmark_msgs__msg__Sample__init(&message_) ||
            !rosidl_runtime_c__uint8__Sequence__init(&message_.body, bytes))
            throw std::runtime_error("no memory for a message");
        std::memset(message_.body.data, 1, bytes);
    }
    ~Writer() { busmark_msgs__msg__Sample__fini(&message_); }
    Writer(const Writer &) = delete;
    Writer &operator=(const Writer &) = delete;

    bool write(const bare::Header &header) {
        std::memcpy(&message_, &header, sizeof header);
        return rmw_publish(publisher_, &message_, nullptr) == RMW_RET_OK;
    }
    bool matched() {
        size_t count = 0;
        return rmw_publisher_count_matched_subscriptions(publisher_, &count) == RMW_RET_OK && count > 0;
    }
    void finish(std::chrono::milliseconds limit) {
        const auto ns = static_cast<uint64_t>(std::chrono::nanoseconds(limit).count());
        (void)!rmw_publisher_wait_for_all_acked(publisher_, {ns / 1'000'000'000, ns % 1'000'000'000});
    }

private:
    rmw_publisher_t *publisher_;
    Message message_;
};

template <class OnSample> class Reader {
public:
    Reader(rmw_node_t *node, rmw_subscription_t *subscription, OnSample on_sample)
        : node_(node), subscription_(subscription), on_sample_(on_sample) {
        if (!busmark_msgs__msg__Sample__init(&message_)) throw std::runtime_error("no memory for a message");
        check(rmw_subscription_set_on_new_message_callback(subscription_, arrived, this), "callback");
    }
    ~Reader() {
        (void)!rmw_subscription_set_on_new_message_callback(subscription_, nullptr, nullptr);
        (void)!rmw_destroy_subscription(node_, subscription_);
        busmark_msgs__msg__Sample__fini(&message_);
    }
    Reader(const Reader &) = delete;
    Reader &operator=(const Reader &) = delete;

    bool matched() const {
        size_t count = 0;
        return rmw_subscription_count_matched_publishers(subscription_, &count) == RMW_RET_OK && count > 0;
    }

private:
    /// Called by the library's thread, one call after the other.
    static void arrived(const void *self, size_t) {
        auto *reader = const_cast<Reader *>(static_cast<const Reader *>(self));
        for (bool there = true; there;) {
            rmw_message_info_t info = rmw_get_zero_initialized_message_info();
            if (rmw_take_with_info(reader->subscription_, &reader->message_, &there, &info, nullptr) != RMW_RET_OK)
                return;
            if (!there) return;
            bare::Header header;
            std::memcpy(&header, &reader->message_, sizeof header);
            reader->on_sample_(header);
        }
    }

    rmw_node_t *node_;
    rmw_subscription_t *subscription_;
    OnSample on_sample_;
    Message message_;
};

/// How long a response may take.
constexpr rmw_time_t patience{10, 0};

/// A request and a response, which their side keeps.
class Messages {
public:
    /// Bodies to be sent have this size; others grow when something comes.
    Messages(size_t of_request, size_t of_response) {
        if (!busmark_msgs__srv__Call_Request__init(&request) || !busmark_msgs__srv__Call_Response__init(&response) ||
            !rosidl_runtime_c__uint8__Sequence__init(&request.body, of_request) ||
            !rosidl_runtime_c__uint8__Sequence__init(&response.body, of_response))
            throw std::runtime_error("no memory for a message");
        std::memset(request.body.data, 1, of_request);
        std::memset(response.body.data, 1, of_response);
    }
    ~Messages() {
        busmark_msgs__srv__Call_Request__fini(&request);
        busmark_msgs__srv__Call_Response__fini(&response);
    }
    Messages(const Messages &) = delete;
    Messages &operator=(const Messages &) = delete;

    Request request;
    Response response;
};

class Client {
public:
    Client(rmw_context_t &context, rmw_node_t *node, size_t bytes)
        : node_(node), messages_(bytes, 0), set_(made(rmw_create_wait_set(&context, 1), "wait set")),
          client_(made(rmw_create_client(node, service_type_support(), "/call", &rmw_qos_profile_services_default),
                       "client")) {
        bare::until_matched([&] {
            bool found = false;
            return rmw_service_server_is_available(node_, client_, &found) == RMW_RET_OK && found;
        });
        // The server may know the client later than the client knows it.
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
    }
    ~Client() {
        (void)!rmw_destroy_client(node_, client_);
        (void)!rmw_destroy_wait_set(set_);
    }
    Client(const Client &) = delete;
    Client &operator=(const Client &) = delete;

    void call(const bare::Header &header) {
        std::memcpy(&messages_.request, &header, sizeof header);
        int64_t number = 0;
        check(rmw_send_request(client_, &messages_.request, &number), "request");
        while (true) {
            void *waited[] = {client_->data};
            rmw_clients_t clients{1, waited};
            check(rmw_wait(nullptr, nullptr, nullptr, &clients, nullptr, set_, &patience), "waiting for a response");
            bool there = false;
            rmw_service_info_t info{};
            check(rmw_take_response(client_, &info, &messages_.response, &there), "response");
            if (there && info.request_id.sequence_number == number) return;
        }
    }

private:
    rmw_node_t *node_;
    Messages messages_;
    rmw_wait_set_t *set_;
    rmw_client_t *client_;
};

class Library {
public:
    explicit Library(const bare::Options &options)
        : options_(options), domain_(options.domain()), init_(rmw_get_zero_initialized_init_options()),
          context_(rmw_get_zero_initialized_context()) {
        auto *factory = dds::DomainParticipantFactory::get_instance();
        dds::DomainParticipantQos qos;
        bare::use_loopback(options, domain_, qos);
        // rmw has the library load its profiles, once, which replaces the default.
        (void)!factory->load_profiles();
        (void)!factory->set_default_participant_qos(qos);
        const rcutils_allocator_t allocator = rcutils_get_default_allocator();
        check(rmw_init_options_init(&init_, allocator), "options of a context");
        init_.instance_id = 1;
        init_.domain_id = domain_;
        init_.enclave = rcutils_strdup("/", allocator);
        init_.discovery_options.automatic_discovery_range = RMW_AUTOMATIC_DISCOVERY_RANGE_SYSTEM_DEFAULT;
        check(rmw_init(&init_, &context_), "context");
        node_ = made(rmw_create_node(&context_, ("bare_" + std::to_string(getpid())).c_str(), "/"), "node");
    }
    ~Library() {
        for (auto *publisher : publishers_) (void)!rmw_destroy_publisher(node_, publisher);
        (void)!rmw_destroy_node(node_);
        (void)!rmw_shutdown(&context_);
        (void)!rmw_context_fini(&context_);
        (void)!rmw_init_options_fini(&init_);
    }
    Library(const Library &) = delete;
    Library &operator=(const Library &) = delete;

    std::string address() const { return std::to_string(domain_); }

    std::unique_ptr<Writer> writer(const char *name, size_t bytes) {
        const rmw_qos_profile_t profile = profile_of(options_);
        const rmw_publisher_options_t options = rmw_get_default_publisher_options();
        publishers_.push_back(made(
            rmw_create_publisher(node_, type_support(), topic_of(name).c_str(), &profile, &options), "publisher"));
        return std::make_unique<Writer>(publishers_.back(), bytes);
    }

    template <class OnSample> auto reader(const char *name, OnSample on_sample) {
        const rmw_qos_profile_t profile = profile_of(options_);
        const rmw_subscription_options_t options = rmw_get_default_subscription_options();
        auto *subscription =
            made(rmw_create_subscription(node_, type_support(), topic_of(name).c_str(), &profile, &options),
                 "subscription");
        return std::make_unique<Reader<OnSample>>(node_, subscription, on_sample);
    }

    std::unique_ptr<Client> client(size_t bytes) { return std::make_unique<Client>(context_, node_, bytes); }

    template <class Ready> void serve(size_t bytes, Ready ready) {
        auto *service = made(
            rmw_create_service(node_, service_type_support(), "/call", &rmw_qos_profile_services_default), "service");
        auto *set = made(rmw_create_wait_set(&context_, 1), "wait set");
        Messages messages(0, bytes);
        bare::Header header;
        ready();
        while (!bare::is_last(header)) {
            void *waited[] = {service->data};
            rmw_services_t services{1, waited};
            check(rmw_wait(nullptr, nullptr, &services, nullptr, nullptr, set, &patience), "waiting for a request");
            bool there = false;
            rmw_service_info_t info{};
            check(rmw_take_request(service, &info, &messages.request, &there), "request");
            if (!there) continue;
            std::memcpy(&header, &messages.request, sizeof header);
            std::memcpy(&messages.response, &header, sizeof header);
            check(rmw_send_response(service, &info.request_id, &messages.response), "response");
        }
        // The client is to have the last response.
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
        (void)!rmw_destroy_wait_set(set);
        (void)!rmw_destroy_service(node_, service);
    }

private:
    const bare::Options options_;
    const uint32_t domain_;
    rmw_init_options_t init_;
    rmw_context_t context_;
    rmw_node_t *node_ = nullptr;
    std::vector<rmw_publisher_t *> publishers_;
};

} // namespace

int main(int argc, char **argv) { return bare::run_with_services<Library>(argc, argv); }
