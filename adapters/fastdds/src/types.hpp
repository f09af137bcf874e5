// Payload kinds and the types of idl/busmark.idl that carry them. They are serialised here, as CDR has
// them, so that every series of Fast DDS has the same; what that costs beside the code of fastddsgen is
// in the bench.
#pragma once

#include "described_type.hpp"
#include "fixed_type.hpp"
#include "series.hpp"
#include "settings.hpp"

#include <busmark_adapter.hpp>

#include <cstring>
#include <string>
#include <vector>

namespace fastdds_adapter {

/// A body as it lies in a native sample.
struct Body {
    const void *data;
    uint64_t bytes;
};

/// How samples of a type lie in CDR: [instance] header [discriminator] [length, elements].
struct Shape {
    const char *type_name;
    /// Bytes of an element; 0: there is no body.
    uint32_t element;
    /// The case of the union that holds the body; 0: there is no union.
    int32_t discriminator = 0;
    bool keyed = false;
};

inline constexpr Shape empty_shape{"busmark::EmptySample", 0};
inline constexpr Shape octet_shape{"busmark::OctetSample", 1};
inline constexpr Shape char_shape{"busmark::CharSample", 1};
inline constexpr Shape short_shape{"busmark::ShortSample", 2};
inline constexpr Shape long_shape{"busmark::LongSample", 4};
inline constexpr Shape float_shape{"busmark::FloatSample", 4};
inline constexpr Shape struct_shape{"busmark::StructSample", sizeof(busmark_struct_t)};
inline constexpr Shape any_shape{"busmark::AnySample", 1, BUSMARK_PAYLOAD_OCTET};
inline constexpr Shape keyed_shape{keyed_type_name, 1, 0, true};

// As in CDR: without padding.
static_assert(sizeof(busmark_header_t) == 64 && sizeof(busmark_struct_t) == 16);

/// A sample of any of these types.
struct Sample {
    uint32_t instance = 0;
    busmark_header_t header{};
    std::vector<unsigned char> body;
};

/// Serialises samples. The encapsulation is XCDR1 or XCDR2, in which these types differ by the alignment of
/// the header behind a key alone; both are little-endian.
class Serialiser {
public:
    static constexpr uint32_t encapsulation = 4;

    explicit constexpr Serialiser(const Shape *shape) : shape_(*shape) {}

    uint32_t size(const Sample &sample, uint32_t alignment) const {
        return encapsulation + before_body(alignment) + static_cast<uint32_t>(sample.body.size());
    }

    bool write(const Sample &sample, rtps::SerializedPayload_t &payload, uint32_t alignment) const {
        const uint32_t bytes = size(sample, alignment);
        if (payload.max_size < bytes) return false;
        unsigned char *at = payload.data;
        const unsigned char head[encapsulation] = {0, alignment == 8 ? xcdr1 : xcdr2, 0, 0};
        at = put(at, head, sizeof head);
        if (shape_.keyed) {
            const uint32_t padding = 0;
            at = put(at, &sample.instance, sizeof sample.instance);
            at = put(at, &padding, before_header(alignment) - sizeof sample.instance);
        }
        at = put(at, &sample.header, sizeof sample.header);
        if (shape_.discriminator != 0) at = put(at, &shape_.discriminator, sizeof shape_.discriminator);
        if (shape_.element > 0) {
            const auto count = static_cast<uint32_t>(sample.body.size() / shape_.element);
            at = put(at, &count, sizeof count);
            put(at, sample.body.data(), sample.body.size());
        }
        payload.encapsulation = CDR_LE;
        payload.length = bytes;
        return true;
    }

    bool read(const rtps::SerializedPayload_t &payload, Sample &sample) const {
        if (!is_little_endian(payload)) return false;
        const uint32_t alignment = payload.data[1] == xcdr1 ? 8 : 4, fixed = encapsulation + before_body(alignment);
        if (payload.length < fixed) return false;
        const unsigned char *at = payload.data + encapsulation;
        if (shape_.keyed) {
            std::memcpy(&sample.instance, at, sizeof sample.instance);
            at += before_header(alignment);
        }
        std::memcpy(&sample.header, at, sizeof sample.header);
        at += sizeof sample.header;
        uint32_t element = shape_.element;
        if (shape_.discriminator != 0) {
            int32_t holds = 0;
            std::memcpy(&holds, at, sizeof holds);
            at += sizeof holds;
            element = element_of(holds);
            if (element == 0) return false;
        }
        uint64_t bytes = 0;
        if (element > 0) {
            uint32_t count = 0;
            std::memcpy(&count, at, sizeof count);
            at += sizeof count;
            bytes = uint64_t{count} * element;
        }
        if (bytes > payload.length - fixed) return false;
        sample.body.resize(bytes);
        if (bytes > 0) std::memcpy(sample.body.data(), at, bytes);
        return true;
    }

    /// Reads the instance alone.
    static bool read_key(const rtps::SerializedPayload_t &payload, Sample &sample) {
        if (!is_little_endian(payload) || payload.length < encapsulation + sizeof sample.instance) return false;
        std::memcpy(&sample.instance, payload.data + encapsulation, sizeof sample.instance);
        return true;
    }

    /// The number of the instance, big-endian.
    void key(const Sample &sample, rtps::InstanceHandle_t &handle) const {
        for (uint32_t at = 0; at < 16; ++at)
            handle.value[at] =
                at < 4 ? static_cast<unsigned char>(sample.instance >> (24 - 8 * at)) : 0;
    }

    bool is_keyed() const { return shape_.keyed; }

private:
    static constexpr unsigned char xcdr1 = 1, xcdr2 = 7;

    static bool is_little_endian(const rtps::SerializedPayload_t &payload) {
        return payload.length >= encapsulation && payload.data[0] == 0 &&
               (payload.data[1] == xcdr1 || payload.data[1] == xcdr2);
    }
    static unsigned char *put(unsigned char *at, const void *from, size_t bytes) {
        if (bytes > 0) std::memcpy(at, from, bytes);
        return at + bytes;
    }
    /// Elements of a case of `busmark::AnyValue`; 0: there is no such case.
    static uint32_t element_of(int32_t discriminator) {
        switch (discriminator) {
        case BUSMARK_PAYLOAD_OCTET: return 1;
        case BUSMARK_PAYLOAD_LONG: return 4;
        case BUSMARK_PAYLOAD_STRUCT: return sizeof(busmark_struct_t);
        default: return 0;
        }
    }
    uint32_t before_header(uint32_t alignment) const { return shape_.keyed ? alignment : 0; }
    uint32_t before_body(uint32_t alignment) const {
        return before_header(alignment) + static_cast<uint32_t>(sizeof(busmark_header_t)) +
               (shape_.discriminator != 0 ? 4 : 0) + (shape_.element > 0 ? 4 : 0);
    }

    const Shape &shape_;
};

/// A type of the library's.
class SampleType : public dds::TopicDataType {
public:
    explicit SampleType(const Shape &shape) : serialiser_(&shape) {
        // As code of fastddsgen reckons: unbounded sequences with 100 elements.
        const uint32_t bytes = 4 + 8 + sizeof(busmark_header_t) + 8 + 100 * shape.element;
#if BUSMARK_FASTDDS_SERIES == 3
        set_name(shape.type_name);
        max_serialized_type_size = bytes;
        is_compute_key_provided = shape.keyed;
#else
        setName(shape.type_name);
        m_typeSize = bytes;
        m_isGetKeyDefined = shape.keyed;
#endif
    }

#if BUSMARK_FASTDDS_SERIES == 3
    bool serialize(const void *const data, rtps::SerializedPayload_t &payload,
                   dds::DataRepresentationId_t form) override {
        return serialiser_.write(*static_cast<const Sample *>(data), payload, alignment(form));
    }
    bool deserialize(rtps::SerializedPayload_t &payload, void *data) override {
        return serialiser_.read(payload, *static_cast<Sample *>(data));
    }
    uint32_t calculate_serialized_size(const void *const data,
                                       dds::DataRepresentationId_t form) override {
        return serialiser_.size(*static_cast<const Sample *>(data), alignment(form));
    }
    void *create_data() override { return new Sample; }
    void delete_data(void *data) override { delete static_cast<Sample *>(data); }
    bool compute_key(rtps::SerializedPayload_t &payload, rtps::InstanceHandle_t &handle,
                     bool) override {
        Sample sample;
        return serialiser_.read_key(payload, sample) && compute_key(&sample, handle, false);
    }
    bool compute_key(const void *const data, rtps::InstanceHandle_t &handle, bool) override {
        if (!serialiser_.is_keyed()) return false;
        serialiser_.key(*static_cast<const Sample *>(data), handle);
        return true;
    }
#else
    bool serialize(void *data, rtps::SerializedPayload_t *payload) override {
        return serialiser_.write(*static_cast<Sample *>(data), *payload, 8);
    }
    bool deserialize(rtps::SerializedPayload_t *payload, void *data) override {
        return serialiser_.read(*payload, *static_cast<Sample *>(data));
    }
    std::function<uint32_t()> getSerializedSizeProvider(void *data) override {
        return [this, data] { return serialiser_.size(*static_cast<Sample *>(data), 8); };
    }
    void *createData() override { return new Sample; }
    void deleteData(void *data) override { delete static_cast<Sample *>(data); }
    bool getKey(void *data, rtps::InstanceHandle_t *handle, bool) override {
        if (!serialiser_.is_keyed()) return false;
        serialiser_.key(*static_cast<Sample *>(data), *handle);
        return true;
    }
#endif

private:
    [[maybe_unused]] static uint32_t alignment(dds::DataRepresentationId_t form) {
        return form == dds::XCDR2_DATA_REPRESENTATION ? 4 : 8;
    }

    Serialiser serialiser_;
};

/// The shape of an endpoint's samples.
inline const Shape &shape_of(const busmark::EndpointConfig &config) {
    if (config.instances > 0) return keyed_shape;
    switch (config.payload) {
    case BUSMARK_PAYLOAD_EMPTY: return empty_shape;
    case BUSMARK_PAYLOAD_CHAR: return char_shape;
    case BUSMARK_PAYLOAD_SHORT: return short_shape;
    case BUSMARK_PAYLOAD_FLOAT: return float_shape;
    case BUSMARK_PAYLOAD_LONG: return long_shape;
    case BUSMARK_PAYLOAD_STRUCT: return struct_shape;
    case BUSMARK_PAYLOAD_ANY: return any_shape;
    default: return octet_shape;
    }
}

/// Samples of these types, in the hands of writers and readers.
struct PlainKind {
    using Native = Sample;
    using TypeSupport = SampleType;
    template <class Type, class... More>
    static Type *make_type(const busmark::EndpointConfig &config, More... more) {
        return new Type(more..., shape_of(config));
    }
    static void set_body(Native &sample, const void *body, size_t bytes) {
        const auto *begin = static_cast<const unsigned char *>(body);
        sample.body.assign(begin, begin + bytes);
    }
    static Body body(const Native &sample) { return {sample.body.data(), sample.body.size()}; }
    static void set_header(Native &sample, const busmark_header_t &header) { sample.header = header; }
    static const busmark_header_t &header(const Native &sample) { return sample.header; }
    static void set_instance(Native &sample, uint32_t instance) { sample.instance = instance; }
};

} // namespace fastdds_adapter

#ifdef BUSMARK_USER_TYPE
#include "user_type.hpp"
#endif

namespace fastdds_adapter {

/// A type that says how long its samples are at most, for what needs to know.
template <class Support> class Bounded : public Support {
public:
    template <class... Arguments>
    explicit Bounded(uint64_t max_body_bytes, const Arguments &...arguments) : Support(arguments...) {
        // Encapsulation, key, header, discriminator, length and their alignment.
        constexpr uint64_t around_body = 4 + 8 + sizeof(busmark_header_t) + 4 + 4 + 8;
        const auto bytes = static_cast<uint32_t>(around_body + max_body_bytes);
#if BUSMARK_FASTDDS_SERIES == 3
        this->max_serialized_type_size = bytes;
#else
        this->m_typeSize = bytes;
#endif
    }
    bool is_bounded() const override { return true; }
};

/// Calls `use` with the kind of an endpoint.
template <class Use>
auto with_kind(Loan loan, const busmark::EndpointConfig &config, Use &&use) {
    if (loan != Loan::none) {
        if (config.payload != BUSMARK_PAYLOAD_OCTET || config.instances > 0)
            throw busmark::Error(BUSMARK_UNSUPPORTED, "option loan: samples of a fixed size have the payload octet, "
                                                      "and no keys");
        return use(FixedKind{});
    }
#ifdef BUSMARK_USER_TYPE
    if (config.instances == 0 && config.payload == BUSMARK_PAYLOAD_TYPE) return use(UserKind{});
#endif
    return use(PlainKind{});
}

} // namespace fastdds_adapter
