#include "participant.hpp"

namespace microxrcedds_adapter {

namespace {

using busmark::Error;
using std::chrono::nanoseconds;
using Clock = std::chrono::steady_clock;

/// How long a write waits for room where nobody says.
constexpr nanoseconds patience = std::chrono::seconds(1);

bool is_reliable(const busmark::EndpointConfig &config) { return config.qos.reliable.value_or(true); }

/// A writer or reader of the agent's, for as long as this one lives.
class Made {
public:
    Made(std::shared_ptr<Client> client, bool writes, const busmark::EndpointConfig &config)
        : shape_(config.payload), client_(std::move(client)) {
        refuse_what_is_too_large(config);
        endpoint_ = client_->objects.make(writes, config.topic, shape_.type_name(), config.qos);
        settled_ = Clock::now() + client_->settings.settle;
    }
    ~Made() { client_->objects.remove(endpoint_); }
    Made(const Made &) = delete;
    Made &operator=(const Made &) = delete;

    const Shape &shape() const { return shape_; }
    Session &session() const { return client_->session; }
    uxrObjectId id() const { return endpoint_.id(); }

    /// Returns when the agent has had time to match.
    void settle() const { std::this_thread::sleep_until(settled_); }
    /// Unknown.
    busmark_status_e matched() const {
        settle();
        return BUSMARK_UNSUPPORTED;
    }

    std::optional<Error> last_error() const {
        if (!session().has_failed()) return std::nullopt;
        return Error(BUSMARK_FAILED, "the agent at " + session().agent() + " has gone");
    }

private:
    void refuse_what_is_too_large(const busmark::EndpointConfig &config) const {
        const Settings &settings = client_->settings;
        const bool reliable = is_reliable(config);
        const uint64_t most =
            std::min(body_within(settings.mtu, reliable ? settings.history : 1), largest_body);
        if (config.max_body_bytes <= most) return;
        throw Error(BUSMARK_UNSUPPORTED,
                    "bodies of " + std::to_string(config.max_body_bytes) + " bytes: " +
                        (reliable ? "all messages of a reliable stream (stream_history)"
                                  : "a message of a best-effort stream, which has no fragments,") +
                        " with an mtu of " + std::to_string(settings.mtu) + " carry at most " +
                        std::to_string(most));
    }

    const Shape shape_;
    std::shared_ptr<Client> client_;
    Objects::Endpoint endpoint_{};
    Clock::time_point settled_;
};

class Sample final : public busmark::Sample {
public:
    explicit Sample(std::vector<uint8_t> bytes) : cdr(std::move(bytes)) {}
    std::vector<uint8_t> cdr;
};

class Writer final : public busmark::Writer {
public:
    Writer(const std::shared_ptr<Client> &client, const busmark::EndpointConfig &config)
        : made_(client, true, config), reliable_(is_reliable(config)),
          patience_(config.qos.max_blocking_ns > 0 ? nanoseconds(config.qos.max_blocking_ns) : patience) {}

    std::unique_ptr<busmark::Sample> prepare(const void *body, size_t bytes) override {
        return std::make_unique<Sample>(made_.shape().write(body, bytes));
    }
    busmark_status_e write(busmark::Sample &sample, const busmark_header_t &header) override {
        std::vector<uint8_t> &cdr = static_cast<Sample &>(sample).cdr;
        std::memcpy(cdr.data(), &header, sizeof header);
        // Whoever asked for matches has waited already; of others the first sample would be lost.
        if (!has_settled_) made_.settle();
        has_settled_ = true;
        return made_.session().write(reliable_, made_.id(), cdr, patience_);
    }
    busmark_status_e matched(uint32_t &) override { return made_.matched(); }
    std::optional<Error> last_error() override { return made_.last_error(); }

private:
    Made made_;
    const bool reliable_;
    const nanoseconds patience_;
    bool has_settled_ = false;
};

class Reader final : public busmark::Reader {
public:
    Reader(const std::shared_ptr<Client> &client, const busmark::EndpointConfig &config,
           busmark::Listener listener)
        : made_(client, false, config),
          inbox_(std::make_shared<Inbox>(made_.shape(),
                                         config.qos.keep_all == false ? config.qos.depth : 0, listener)) {
        made_.session().read(is_reliable(config), made_.id(), inbox_);
    }
    ~Reader() override { made_.session().forget(made_.id(), *inbox_); }

    busmark_status_e take(uint32_t max, busmark::Sink &sink, uint32_t &taken) override {
        // The listener is called when something has been fetched.
        if (!inbox_->listens()) made_.session().pump();
        taken = inbox_->take(max, sink);
        if (taken > 0) return BUSMARK_OK;
        return made_.session().has_failed() ? BUSMARK_FAILED : BUSMARK_NO_DATA;
    }
    busmark_status_e wait(int64_t timeout_ns) override {
        return made_.session().wait(*inbox_, nanoseconds(timeout_ns));
    }
    busmark_status_e matched(uint32_t &) override { return made_.matched(); }
    std::optional<Error> last_error() override { return made_.last_error(); }

private:
    Made made_;
    std::shared_ptr<Inbox> inbox_;
};

} // namespace

Participant::Participant(const busmark::ParticipantConfig &config)
    : client_(std::make_shared<Client>(Settings(config))) {}

std::unique_ptr<busmark::Writer> Participant::writer(const busmark::EndpointConfig &config) {
    return std::make_unique<Writer>(client_, config);
}

std::unique_ptr<busmark::Reader> Participant::reader(const busmark::EndpointConfig &config,
                                                     busmark::Listener listener) {
    return std::make_unique<Reader>(client_, config, listener);
}

} // namespace microxrcedds_adapter
