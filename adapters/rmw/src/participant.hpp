// A context of rmw and a node in it.
#pragma once

#include "implementation.hpp"

#include <busmark_adapter.hpp>

#include <memory>
#include <string>

namespace rmw_adapter {

/// The transport that an implementation ships with.
constexpr const char *shipped = "shipped";

class Node {
public:
    explicit Node(const busmark::ParticipantConfig &config);
    ~Node();
    Node(const Node &) = delete;
    Node &operator=(const Node &) = delete;

    const Implementation &rmw() const { return rmw_; }
    rmw_node_t *native() const { return node_; }
    rmw_context_t &context() { return context_; }
    /// Whether messages are handed over as bytes that were serialised beforehand.
    bool serialized() const { return serialized_; }

private:
    void open(const busmark::ParticipantConfig &config);
    void close();

    bool takes_environment_;
    const Implementation &rmw_;
    bool serialized_;
    rmw_init_options_t options_;
    rmw_context_t context_;
    rmw_node_t *node_ = nullptr;
    bool begun_ = false;
};

class Participant : public busmark::Participant {
public:
    explicit Participant(const busmark::ParticipantConfig &config) : node_(std::make_shared<Node>(config)) {}
    std::unique_ptr<busmark::Writer> writer(const busmark::EndpointConfig &config) override;
    std::unique_ptr<busmark::Reader> reader(const busmark::EndpointConfig &config, busmark::Listener listener) override;
    std::unique_ptr<busmark::Service> service(const busmark::EndpointConfig &config, busmark_side_e side) override;

private:
    std::shared_ptr<Node> node_;
};

} // namespace rmw_adapter
