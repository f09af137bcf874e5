#include "service.hpp"

#include "endpoints.hpp"
#include "failure.hpp"

#include <busmark_msgs/srv/call.h>
#include <rmw/qos_profiles.h>
#include <rosidl_runtime_c/primitives_sequence_functions.h>
#include <rosidl_runtime_c/service_type_support_struct.h>

#include <algorithm>
#include <cstring>

extern "C" const rosidl_service_type_support_t *
rosidl_typesupport_fastrtps_c__get_service_type_support_handle__busmark_msgs__srv__Call();
extern "C" const rosidl_service_type_support_t *
rosidl_typesupport_introspection_c__get_service_type_support_handle__busmark_msgs__srv__Call();

namespace rmw_adapter {

namespace {

using busmark::Error;
using Request = busmark_msgs__srv__Call_Request;
using Response = busmark_msgs__srv__Call_Response;

const rosidl_service_type_support_t *fastrtps() {
    return rosidl_typesupport_fastrtps_c__get_service_type_support_handle__busmark_msgs__srv__Call();
}

const rosidl_service_type_support_t *introspection() {
    return rosidl_typesupport_introspection_c__get_service_type_support_handle__busmark_msgs__srv__Call();
}

/// Implementations ask for the kind of support that they can use, by its name.
const rosidl_service_type_support_t *kind_of(const rosidl_service_type_support_t *all, const char *name) {
    for (const auto *kind : {fastrtps(), introspection()})
        if (std::strcmp(kind->typesupport_identifier, name) == 0) return kind;
    return std::strcmp(all->typesupport_identifier, name) == 0 ? all : nullptr;
}

const rosidl_service_type_support_t *type_support() {
    static const rosidl_service_type_support_t all = [] {
        rosidl_service_type_support_t support = *fastrtps();
        support.typesupport_identifier = "rosidl_typesupport_c";
        support.func = kind_of;
        return support;
    }();
    return &all;
}

// As in busmark_header_t, whose members both have in the same order.
static_assert(offsetof(Request, body) == sizeof(busmark_header_t));
static_assert(offsetof(Response, body) == sizeof(busmark_header_t));

bool init(Request &message) { return busmark_msgs__srv__Call_Request__init(&message); }
bool init(Response &message) { return busmark_msgs__srv__Call_Response__init(&message); }
void fini(Request &message) { busmark_msgs__srv__Call_Request__fini(&message); }
void fini(Response &message) { busmark_msgs__srv__Call_Response__fini(&message); }

/// A request or a response.
template <class Message> struct Owned {
    Owned() {
        if (!init(message)) throw Error(BUSMARK_RESOURCES, "no memory for a message");
    }
    ~Owned() { fini(message); }
    Owned(const Owned &) = delete;
    Owned &operator=(const Owned &) = delete;
    Message message;
};

/// The same, with the body that it was prepared with.
template <class Message> struct Prepared : busmark::Sample, Owned<Message> {
    Prepared(const void *body, size_t bytes) {
        if (!rosidl_runtime_c__uint8__Sequence__init(&this->message.body, bytes))
            throw Error(BUSMARK_RESOURCES, "no memory for a message of " + std::to_string(bytes) + " bytes");
        if (bytes > 0) std::memcpy(this->message.body.data, body, bytes);
    }
};

/// What both sides have in common: `Sent` is sent, `Taken` taken.
template <class Sent, class Taken> class End : public busmark::Service {
public:
    End(std::shared_ptr<Node> node, const busmark::EndpointConfig &config)
        : node_(std::move(node)), name_(topic_of(config.topic)),
          profile_(profile_of(config.qos, rmw_qos_profile_services_default)) {
        if (node_->serialized())
            throw Error(BUSMARK_UNSUPPORTED, "option serialized: rmw has no requests and responses as bytes");
        if (config.wait == BUSMARK_WAIT_WAITSET)
            wait_set_ = made(rmw().rmw_create_wait_set(&node_->context(), 1), "wait set");
    }
    ~End() override {
        if (wait_set_ != nullptr) (void)!rmw().rmw_destroy_wait_set(wait_set_);
    }

    std::unique_ptr<busmark::Sample> prepare(const void *body, size_t bytes) override {
        return std::make_unique<Prepared<Sent>>(body, bytes);
    }

    busmark_status_e take(uint32_t max, busmark::Sink &sink, uint32_t &taken) override {
        while (taken < max) {
            bool there = false;
            rmw_service_info_t info{};
            const rmw_ret_t code = take_one(info, taken_.message, there);
            if (code != RMW_RET_OK) return failure_.keep(code, "take");
            if (!there) break;
            busmark_header_t header;
            std::memcpy(&header, &taken_.message, sizeof header);
            sink(header, taken_.message.body.data, taken_.message.body.size, info.source_timestamp,
                 info.received_timestamp, number_of(info.request_id));
            ++taken;
        }
        return taken > 0 ? BUSMARK_OK : BUSMARK_NO_DATA;
    }

    busmark_status_e wait(int64_t timeout_ns) override {
        if (wait_set_ == nullptr) return BUSMARK_UNSUPPORTED;
        const rmw_time_t timeout = time_of(timeout_ns);
        const rmw_ret_t code = wait_until(timeout);
        return code == RMW_RET_TIMEOUT ? BUSMARK_TIMEOUT : failure_.keep(code, "wait");
    }

    std::optional<Error> last_error() override { return failure_.get(); }

protected:
    const Implementation &rmw() const { return node_->rmw(); }

    /// What is sent, with its header.
    static Sent &with_header(busmark::Sample &sample, const busmark_header_t &header) {
        Sent &message = static_cast<Prepared<Sent> &>(sample).message;
        std::memcpy(static_cast<void *>(&message), &header, sizeof header);
        return message;
    }

    /// Keeps how sending failed. rmw has one error where Fast DDS has several: of a writer that keeps all, reliably,
    /// it is that its queue has been full for as long as it may block.
    busmark_status_e sent(rmw_ret_t code, const char *what) {
        const bool blocks = profile_.history == RMW_QOS_POLICY_HISTORY_KEEP_ALL &&
                            profile_.reliability == RMW_QOS_POLICY_RELIABILITY_RELIABLE;
        return failure_.keep(code == RMW_RET_ERROR && blocks ? RMW_RET_TIMEOUT : code, what);
    }

    virtual rmw_ret_t take_one(rmw_service_info_t &info, Taken &message, bool &there) = 0;
    virtual uint64_t number_of(const rmw_request_id_t &id) = 0;
    virtual rmw_ret_t wait_until(const rmw_time_t &timeout) = 0;

    const std::shared_ptr<Node> node_;
    const std::string name_;
    const rmw_qos_profile_t profile_;
    LastFailure failure_;
    Owned<Taken> taken_;
    rmw_wait_set_t *wait_set_ = nullptr;
};

class Client final : public End<Request, Response> {
public:
    Client(std::shared_ptr<Node> node, const busmark::EndpointConfig &config)
        : End(std::move(node), config),
          client_(made(rmw().rmw_create_client(node_->native(), type_support(), name_.c_str(), &profile_),
                       "client of \"" + config.topic + "\"")) {}
    ~Client() override { (void)!rmw().rmw_destroy_client(node_->native(), client_); }

    busmark_status_e send(busmark::Sample &sample, const busmark_header_t &header, uint64_t &request) override {
        int64_t number = 0;
        const rmw_ret_t code = rmw().rmw_send_request(client_, &with_header(sample, header), &number);
        request = static_cast<uint64_t>(number);
        return sent(code, "send request");
    }

    /// A server is available to rmw where the way back stands, too; how many there are is known by their names.
    busmark_status_e match(busmark::Match &found) override {
        bool available = false;
        rmw_ret_t code = rmw().rmw_service_server_is_available(node_->native(), client_, &available);
        size_t servers = 0;
        if (code == RMW_RET_OK && available)
            code = rmw().rmw_count_services(node_->native(), name_.c_str(), &servers);
        found.count = available ? std::max(static_cast<uint32_t>(servers), 1u) : 0;
        return status_of(code);
    }

private:
    rmw_ret_t take_one(rmw_service_info_t &info, Response &message, bool &there) override {
        return rmw().rmw_take_response(client_, &info, &message, &there);
    }
    uint64_t number_of(const rmw_request_id_t &id) override { return static_cast<uint64_t>(id.sequence_number); }
    rmw_ret_t wait_until(const rmw_time_t &timeout) override {
        void *waited[] = {client_->data};
        rmw_clients_t clients{1, waited};
        return rmw().rmw_wait(nullptr, nullptr, nullptr, &clients, nullptr, wait_set_, &timeout);
    }

    rmw_client_t *client_;
};

class Server final : public End<Response, Request> {
public:
    Server(std::shared_ptr<Node> node, const busmark::EndpointConfig &config)
        : End(std::move(node), config),
          service_(made(rmw().rmw_create_service(node_->native(), type_support(), name_.c_str(), &profile_),
                        "server of \"" + config.topic + "\"")) {}
    ~Server() override { (void)!rmw().rmw_destroy_service(node_->native(), service_); }

    busmark_status_e send(busmark::Sample &sample, const busmark_header_t &header, uint64_t &request) override {
        rmw_request_id_t *const id = calls_.claim(request);
        if (id == nullptr) return BUSMARK_INVALID;
        const rmw_ret_t code = rmw().rmw_send_response(service_, id, &with_header(sample, header));
        if (code == RMW_RET_OK) calls_.close(request);
        else calls_.reopen(request);
        return sent(code, "send response");
    }

    busmark_status_e drop(uint64_t request) override {
        if (calls_.claim(request) == nullptr) return BUSMARK_INVALID;
        calls_.close(request);
        return BUSMARK_OK;
    }

    busmark_status_e match(busmark::Match &found) override {
        size_t clients = 0;
        const rmw_ret_t code = rmw().rmw_count_clients(node_->native(), name_.c_str(), &clients);
        found.count = static_cast<uint32_t>(clients);
        return status_of(code);
    }

private:
    rmw_ret_t take_one(rmw_service_info_t &info, Request &message, bool &there) override {
        return rmw().rmw_take_request(service_, &info, &message, &there);
    }
    uint64_t number_of(const rmw_request_id_t &id) override { return calls_.open(id); }
    rmw_ret_t wait_until(const rmw_time_t &timeout) override {
        void *waited[] = {service_->data};
        rmw_services_t services{1, waited};
        return rmw().rmw_wait(nullptr, nullptr, &services, nullptr, nullptr, wait_set_, &timeout);
    }

    rmw_service_t *service_;
    busmark::Calls<rmw_request_id_t> calls_;
};

} // namespace

std::unique_ptr<busmark::Service> make_service(std::shared_ptr<Node> node, const busmark::EndpointConfig &config,
                                               busmark_side_e side) {
    if (side == BUSMARK_SIDE_SERVER) return std::make_unique<Server>(std::move(node), config);
    return std::make_unique<Client>(std::move(node), config);
}

} // namespace rmw_adapter
