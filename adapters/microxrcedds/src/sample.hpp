// Samples as they travel: plain CDR, little-endian, without a head that tells the encoding.
#ifndef BUSMARK_MICROXRCEDDS_SAMPLE_HPP
#define BUSMARK_MICROXRCEDDS_SAMPLE_HPP

#include <busmark_adapter.hpp>

#include <vector>

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "bodies are sent as they lie in memory, which is CDR on little-endian machines only"
#endif

namespace microxrcedds_adapter {

/// How a payload kind lies in CDR. Elements lie as in memory: none is larger than 4 bytes, and sequences
/// begin at a multiple of 4.
class Shape {
public:
    explicit Shape(busmark_payload_e kind)
        : kind_(kind), element_(busmark::element_bytes(kind)) {}

    /// The type's name in idl/busmark.idl.
    const char *type_name() const {
        switch (kind_) {
        case BUSMARK_PAYLOAD_EMPTY: return "busmark::EmptySample";
        case BUSMARK_PAYLOAD_CHAR: return "busmark::CharSample";
        case BUSMARK_PAYLOAD_SHORT: return "busmark::ShortSample";
        case BUSMARK_PAYLOAD_FLOAT: return "busmark::FloatSample";
        case BUSMARK_PAYLOAD_LONG: return "busmark::LongSample";
        case BUSMARK_PAYLOAD_STRUCT: return "busmark::StructSample";
        case BUSMARK_PAYLOAD_ANY: return "busmark::AnySample";
        default: return "busmark::OctetSample";
        }
    }

    /// Bytes before the body.
    size_t head() const {
        if (kind_ == BUSMARK_PAYLOAD_EMPTY) return sizeof(busmark_header_t);
        return sizeof(busmark_header_t) + (kind_ == BUSMARK_PAYLOAD_ANY ? 8 : 4);
    }

    std::vector<uint8_t> write(const void *body, size_t bytes) const {
        std::vector<uint8_t> cdr(head() + bytes);
        uint8_t *at = cdr.data() + sizeof(busmark_header_t);
        if (kind_ == BUSMARK_PAYLOAD_ANY) {
            put(at, BUSMARK_PAYLOAD_OCTET);
            at += 4;
        }
        if (kind_ != BUSMARK_PAYLOAD_EMPTY) put(at, static_cast<uint32_t>(bytes / element_));
        if (bytes > 0) std::memcpy(cdr.data() + head(), body, bytes);
        return cdr;
    }

    /// Bytes of the body; no value where this is no sample of the type.
    std::optional<size_t> body_bytes(const std::vector<uint8_t> &cdr) const {
        if (cdr.size() < head()) return std::nullopt;
        if (kind_ == BUSMARK_PAYLOAD_EMPTY) return 0;
        if (kind_ == BUSMARK_PAYLOAD_ANY && get(cdr, head() - 8) != BUSMARK_PAYLOAD_OCTET)
            return std::nullopt;
        const uint64_t bytes = uint64_t{get(cdr, head() - 4)} * element_;
        if (bytes > cdr.size() - head()) return std::nullopt;
        return static_cast<size_t>(bytes);
    }

private:
    static void put(uint8_t *at, uint32_t value) { std::memcpy(at, &value, sizeof value); }
    static uint32_t get(const std::vector<uint8_t> &cdr, size_t at) {
        uint32_t value;
        std::memcpy(&value, cdr.data() + at, sizeof value);
        return value;
    }

    busmark_payload_e kind_;
    size_t element_;
};

} // namespace microxrcedds_adapter

#endif
