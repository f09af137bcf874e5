#include "described_type.hpp"

#if BUSMARK_FASTDDS_SERIES == 3
#include <fastdds/dds/domain/DomainParticipantFactory.hpp>
#include <fastdds/dds/xtypes/dynamic_types/DynamicType.hpp>
#include <fastdds/dds/xtypes/dynamic_types/DynamicTypeBuilder.hpp>
#include <fastdds/dds/xtypes/dynamic_types/DynamicTypeBuilderFactory.hpp>
#include <fastdds/dds/xtypes/dynamic_types/MemberDescriptor.hpp>
#include <fastdds/dds/xtypes/dynamic_types/TypeDescriptor.hpp>
#include <fastdds/dds/xtypes/type_representation/ITypeObjectRegistry.hpp>
#else
#include <fastrtps/types/AnnotationDescriptor.h>
#include <fastrtps/types/DynamicTypeBuilder.h>
#include <fastrtps/types/DynamicTypeBuilderFactory.h>
#include <fastrtps/types/DynamicTypeBuilderPtr.h>
#include <fastrtps/types/DynamicTypePtr.h>
#include <fastrtps/types/TypeObject.h>
#endif

#include <mutex>

namespace fastdds_adapter {

namespace {

#if BUSMARK_FASTDDS_SERIES == 3

using Type = dds::traits<dds::DynamicType>::ref_type;

dds::DynamicTypeBuilderFactory &factory() { return *dds::DynamicTypeBuilderFactory::get_instance(); }

Type octets() {
    const Type octet = factory().get_primitive_type(dds::TK_BYTE);
    return factory().create_sequence_type(octet, static_cast<uint32_t>(dds::LENGTH_UNLIMITED))->build();
}
Type unsigned_long() { return factory().get_primitive_type(dds::TK_UINT32); }
Type long_long() { return factory().get_primitive_type(dds::TK_INT64); }
Type unsigned_long_long() { return factory().get_primitive_type(dds::TK_UINT64); }

/// A final structure, member by member.
class Structure {
public:
    explicit Structure(const char *name) {
        auto descriptor = dds::traits<dds::TypeDescriptor>::make_shared();
        descriptor->kind(dds::TK_STRUCTURE);
        descriptor->name(name);
        descriptor->extensibility_kind(dds::ExtensibilityKind::FINAL);
        builder_ = factory().create_type(descriptor);
    }
    Structure &add(const char *name, const Type &type, bool key = false) {
        auto member = dds::traits<dds::MemberDescriptor>::make_shared();
        member->name(name);
        member->type(type);
        member->is_key(key);
        builder_->add_member(member);
        return *this;
    }
    Type build() { return builder_->build(); }

private:
    dds::traits<dds::DynamicTypeBuilder>::ref_type builder_;
};

#else

namespace types = eprosima::fastrtps::types;
using Type = types::DynamicType_ptr;

types::DynamicTypeBuilderFactory &factory() { return *types::DynamicTypeBuilderFactory::get_instance(); }

Type octets() {
    return types::DynamicTypeBuilder_ptr(
               factory().create_sequence_builder(factory().create_byte_type(), types::BOUND_UNLIMITED))
        ->build();
}
Type unsigned_long() { return factory().create_uint32_type(); }
Type long_long() { return factory().create_int64_type(); }
Type unsigned_long_long() { return factory().create_uint64_type(); }

/// A final structure, member by member.
class Structure {
public:
    explicit Structure(const char *name) : builder_(factory().create_struct_builder()) {
        builder_->set_name(name);
        builder_->apply_annotation(types::ANNOTATION_FINAL_ID, "value", "true");
    }
    Structure &add(const char *name, const Type &type, bool key = false) {
        builder_->add_member(number_, name, type);
        if (key) builder_->apply_annotation_to_member(number_, types::ANNOTATION_KEY_ID, "value", "true");
        ++number_;
        return *this;
    }
    Type build() { return builder_->build(); }

private:
    types::DynamicTypeBuilder_ptr builder_;
    types::MemberId number_ = 0;
};

#endif

Type header() {
    return Structure("busmark::Header")
        .add("cookie", unsigned_long_long())
        .add("seq", unsigned_long_long())
        .add("intended_ns", long_long())
        .add("sent_ns", long_long())
        .add("echo_sent_ns", long_long())
        .add("echo_delivered_ns", long_long())
        .add("echo_read_ns", long_long())
        .add("writer_id", unsigned_long())
        .add("flags", unsigned_long())
        .build();
}

Type keyed_sample() {
    return Structure(keyed_type_name)
        .add("instance", unsigned_long(), true)
        .add("header", header())
        .add("body", octets())
        .build();
}

} // namespace

void describe_keyed_type() {
    static std::once_flag once;
    std::call_once(once, [] {
#if BUSMARK_FASTDDS_SERIES == 3
        // Filters find a type by its name, which a type that is made here is not registered by yet.
        auto &registry = dds::DomainParticipantFactory::get_instance()->type_object_registry();
        dds::xtypes::TypeIdentifierPair found, named;
        dds::xtypes::TypeObject object;
        registry.register_typeobject_w_dynamic_type(keyed_sample(), found);
        registry.get_type_object(found.type_identifier2(), object);
        registry.register_type_object(keyed_type_name, object.complete(), named);
#else
        types::TypeObject ignored; // the factory keeps its own
        factory().build_type_object(keyed_sample(), ignored, true);
#endif
    });
}

} // namespace fastdds_adapter
