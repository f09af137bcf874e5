// Samples of a fixed size, for which the library lends memory: `busmark::FixedSample_N`, N the largest body.
#pragma once

#include "series.hpp"

#include <busmark_adapter.hpp>

#include <cstdlib>
#include <cstring>
#include <string>

namespace fastdds_adapter {

/// How a sample begins; room for the largest body follows. In lent memory it lies behind an encapsulation of four
/// bytes, so nothing in it is aligned to more.
struct FixedHead {
    unsigned char header[sizeof(busmark_header_t)];
    /// Which of its writer's bodies lies there; 0: none yet.
    unsigned char made[4];
    unsigned char bytes[4];

    unsigned char *body() { return reinterpret_cast<unsigned char *>(this) + sizeof *this; }
    const unsigned char *body() const { return reinterpret_cast<const unsigned char *>(this) + sizeof *this; }
    uint32_t length() const { return number(bytes); }
    bool holds(uint32_t which) const { return number(made) == which; }
    void set_header(const busmark_header_t &from) { std::memcpy(header, &from, sizeof from); }
    void set_body(uint32_t which, const void *from, uint32_t length) {
        std::memcpy(made, &which, sizeof which);
        std::memcpy(bytes, &length, sizeof length);
        if (length > 0) std::memcpy(body(), from, length);
    }

private:
    static uint32_t number(const unsigned char *at) {
        uint32_t found;
        std::memcpy(&found, at, sizeof found);
        return found;
    }
};

/// Lies in memory as it does in CDR, so that the library need not serialise it.
class FixedType : public dds::TopicDataType {
public:
    explicit FixedType(uint64_t max_body_bytes)
        : content_(static_cast<uint32_t>((sizeof(FixedHead) + max_body_bytes + 3) / 4 * 4)) {
        const std::string name = "busmark::FixedSample_" + std::to_string(max_body_bytes);
#if BUSMARK_FASTDDS_SERIES == 3
        set_name(name);
        max_serialized_type_size = encapsulation + content_;
        is_compute_key_provided = false;
#else
        setName(name.c_str());
        m_typeSize = encapsulation + content_;
        m_isGetKeyDefined = false;
#endif
    }
    bool is_bounded() const override { return true; }
    bool construct_sample(void *) const override { return true; }

#if BUSMARK_FASTDDS_SERIES == 3
    bool is_plain(dds::DataRepresentationId_t) const override { return true; }
    bool serialize(const void *const data, rtps::SerializedPayload_t &payload,
                   dds::DataRepresentationId_t) override {
        return write(data, payload);
    }
    bool deserialize(rtps::SerializedPayload_t &payload, void *data) override {
        return read(payload, data);
    }
    uint32_t calculate_serialized_size(const void *const, dds::DataRepresentationId_t) override {
        return encapsulation + content_;
    }
    void *create_data() override { return std::calloc(1, content_); }
    void delete_data(void *data) override { std::free(data); }
    bool compute_key(rtps::SerializedPayload_t &, rtps::InstanceHandle_t &, bool) override { return false; }
    bool compute_key(const void *const, rtps::InstanceHandle_t &, bool) override { return false; }
#else
    bool is_plain() const override { return true; }
#if FASTRTPS_VERSION_MINOR > 9
    bool is_plain(dds::DataRepresentationId_t) const override { return true; }
#endif
    bool serialize(void *data, rtps::SerializedPayload_t *payload) override { return write(data, *payload); }
    bool deserialize(rtps::SerializedPayload_t *payload, void *data) override {
        return read(*payload, data);
    }
    std::function<uint32_t()> getSerializedSizeProvider(void *) override {
        return [bytes = encapsulation + content_] { return bytes; };
    }
    void *createData() override { return std::calloc(1, content_); }
    void deleteData(void *data) override { std::free(data); }
    bool getKey(void *, rtps::InstanceHandle_t *, bool) override { return false; }
#endif

private:
    static constexpr uint32_t encapsulation = 4;

    bool write(const void *data, rtps::SerializedPayload_t &payload) const {
        if (payload.max_size < encapsulation + content_) return false;
        const unsigned char head[encapsulation] = {0, 1, 0, 0};
        std::memcpy(payload.data, head, sizeof head);
        std::memcpy(payload.data + encapsulation, data, content_);
        payload.encapsulation = CDR_LE;
        payload.length = encapsulation + content_;
        return true;
    }
    bool read(const rtps::SerializedPayload_t &payload, void *data) const {
        if (payload.length < encapsulation + content_) return false;
        std::memcpy(data, payload.data + encapsulation, content_);
        return true;
    }

    uint32_t content_;
};

/// Samples in lent memory.
struct FixedKind {
    using Native = FixedHead;
    using TypeSupport = FixedType;
    template <class Type> static Type *make_type(const busmark::EndpointConfig &config) {
        return new Type(config.max_body_bytes);
    }
};

} // namespace fastdds_adapter
