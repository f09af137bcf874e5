// The smallest round trip and the smallest stream over ROS 2's rmw: the implementation, the message, the
// transport, discovery and QoS of Busmark's adapter, and nothing of Busmark.
#include <bare.hpp>

#include "udp.hpp"

#include <busmark_msgs/msg/sample.h>

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

extern "C" {
const rosidl_message_type_support_t *
rosidl_typesupport_fastrtps_c__get_message_type_support_handle__busmark_msgs__msg__Sample();
const rosidl_message_type_support_t *
rosidl_typesupport_introspection_c__get_message_type_support_handle__busmark_msgs__msg__Sample();
}

namespace {

namespace dds = eprosima::fastdds::dds;
using bare::made;
using Message = busmark_msgs__msg__Sample;

static_assert(offsetof(Message, body) == sizeof(bare::Header));

void check(rmw_ret_t code, const char *what) {
    if (code != RMW_RET_OK) throw std::runtime_error(std::string(what) + " failed");
}

/// The library serialises by the one, and Jazzy's describes the type by the other.
const rosidl_message_type_support_t *type_support() {
    static const rosidl_message_type_support_t all = [] {
        auto both = *rosidl_typesupport_fastrtps_c__get_message_type_support_handle__busmark_msgs__msg__Sample();
        both.typesupport_identifier = "rosidl_typesupport_c";
        both.func = [](const rosidl_message_type_support_t *, const char *name) {
            for (const auto *one :
                 {rosidl_typesupport_fastrtps_c__get_message_type_support_handle__busmark_msgs__msg__Sample(),
                  rosidl_typesupport_introspection_c__get_message_type_support_handle__busmark_msgs__msg__Sample()})
                if (std::strcmp(one->typesupport_identifier, name) == 0) return one;
            return static_cast<const rosidl_message_type_support_t *>(nullptr);
        };
        return both;
    }();
    return &all;
}

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

private:
    const bare::Options options_;
    const uint32_t domain_;
    rmw_init_options_t init_;
    rmw_context_t context_;
    rmw_node_t *node_ = nullptr;
    std::vector<rmw_publisher_t *> publishers_;
};

} // namespace

int main(int argc, char **argv) { return bare::run<Library>(argc, argv); }
