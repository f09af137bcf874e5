#include "service.hpp"

#include "failure.hpp"
#include "message.hpp"

#include <handles.hpp>

#include <rmw/qos_profiles.h>

#include <algorithm>
#include <optional>

namespace ros_adapter {

namespace {

/// What both sides have in common: `Handle` sends `Sent` and takes `Taken`.
template <class Handle, class Sent, class Taken> class End : public busmark::Service {
public:
    End(std::shared_ptr<Node> node, const busmark::EndpointConfig &config)
        : node_(std::move(node)), profile_(profile_of(config.qos, rmw_qos_profile_services_default)),
          handle_(*node_, topic_of(config.topic), profile_) {
        if (node_->serialized())
            throw busmark::Error(BUSMARK_UNSUPPORTED,
                                 "option serialized: " BUSMARK_LAYER " has no requests and responses as bytes");
        if (config.wait == BUSMARK_WAIT_WAITSET) wait_set_.emplace(*node_, handle_);
    }

    std::unique_ptr<busmark::Sample> prepare(const void *body, size_t bytes) override {
        return std::make_unique<Prepared<Sent>>(body, bytes);
    }

    busmark_status_e take(uint32_t max, busmark::Sink &sink, uint32_t &taken) override {
        while (taken < max) {
            bool there = false;
            rmw_service_info_t info{};
            const rmw_ret_t code = handle_.take(taken_.message, there, info);
            if (code != RMW_RET_OK) return failure_.keep(code, "take");
            if (!there) break;
            sink(taken_.header(), taken_.message.body.data, taken_.message.body.size, info.source_timestamp,
                 info.received_timestamp, number_of(info.request_id));
            ++taken;
        }
        return taken > 0 ? BUSMARK_OK : BUSMARK_NO_DATA;
    }

    busmark_status_e wait(int64_t timeout_ns) override {
        if (!wait_set_) return BUSMARK_UNSUPPORTED;
        const rmw_ret_t code = wait_set_->wait(timeout_ns);
        return code == RMW_RET_TIMEOUT ? BUSMARK_TIMEOUT : failure_.keep(code, "wait");
    }

    std::optional<busmark::Error> last_error() override { return failure_.get(); }

protected:
    virtual uint64_t number_of(const rmw_request_id_t &id) = 0;

    static Prepared<Sent> &of(busmark::Sample &sample) { return static_cast<Prepared<Sent> &>(sample); }

    /// Keeps how sending failed. rmw has one error where Fast DDS has several: of a writer that keeps all, reliably,
    /// it is that its queue has been full for as long as it may block.
    busmark_status_e sent(rmw_ret_t code, const char *what) {
        const bool blocks = profile_.history == RMW_QOS_POLICY_HISTORY_KEEP_ALL &&
                            profile_.reliability == RMW_QOS_POLICY_RELIABILITY_RELIABLE;
        return failure_.keep(code == RMW_RET_ERROR && blocks ? RMW_RET_TIMEOUT : code, what);
    }

private:
    const std::shared_ptr<Node> node_;
    const rmw_qos_profile_t profile_;
    LastFailure failure_;

protected:
    Handle handle_;

private:
    Owned<Taken> taken_;
    std::optional<WaitSet<Handle>> wait_set_;
};

class Client final : public End<ClientHandle, Request, Response> {
public:
    using End::End;

    busmark_status_e send(busmark::Sample &sample, const busmark_header_t &header, uint64_t &request) override {
        int64_t number = 0;
        const rmw_ret_t code = handle_.send(of(sample).with(header), number);
        request = static_cast<uint64_t>(number);
        return sent(code, "send request");
    }

    /// A server is available to rmw where the way back stands, too; how many there are is known by their names.
    busmark_status_e match(busmark::Match &found) override {
        bool available = false;
        rmw_ret_t code = handle_.available(available);
        size_t servers = 0;
        if (code == RMW_RET_OK && available) code = handle_.servers(servers);
        found.count = available ? std::max(static_cast<uint32_t>(servers), 1u) : 0;
        return status_of(code);
    }

private:
    uint64_t number_of(const rmw_request_id_t &id) override { return static_cast<uint64_t>(id.sequence_number); }
};

class Server final : public End<ServerHandle, Response, Request> {
public:
    using End::End;

    busmark_status_e send(busmark::Sample &sample, const busmark_header_t &header, uint64_t &request) override {
        rmw_request_id_t *const id = calls_.claim(request);
        if (id == nullptr) return BUSMARK_INVALID;
        const rmw_ret_t code = handle_.send(*id, of(sample).with(header));
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
        const rmw_ret_t code = handle_.clients(clients);
        found.count = static_cast<uint32_t>(clients);
        return status_of(code);
    }

private:
    uint64_t number_of(const rmw_request_id_t &id) override { return calls_.open(id); }

    busmark::Calls<rmw_request_id_t> calls_;
};

} // namespace

std::unique_ptr<busmark::Service> make_service(std::shared_ptr<Node> node, const busmark::EndpointConfig &config,
                                               busmark_side_e side) {
    if (side == BUSMARK_SIDE_SERVER) return std::make_unique<Server>(std::move(node), config);
    return std::make_unique<Client>(std::move(node), config);
}

} // namespace ros_adapter
