//! The functions of RTI's libraries that are used here: Connector's own, and the C API of Connext DDS,
//! which the same library exports and Connector's users may call.
//!
//! Declarations follow RTI's public references. Objects are opaque. Few structures are not:
//! [`SampleInfo`] with what is in it, [`StatusCounts`] and [`DataReaderListener`]; `NOTES.md` says what
//! proves them.

use std::ffi::{c_char, c_int, c_uint, c_void};

use busmark_adapter::Guid;
use libloading::os::unix::Library;

use crate::sequence::Storage;

/// An object of the library.
pub type Object = *mut c_void;
/// A constant text.
pub type Text = *const c_char;

/// `DDS_RETCODE_OK`.
pub const OK: c_int = 0;
/// `DDS_RETCODE_NO_DATA`.
pub const NO_DATA: c_int = 11;
/// `DDS_ANY_SAMPLE_STATE`, `DDS_ANY_VIEW_STATE` and `DDS_ANY_INSTANCE_STATE`.
pub const ANY: c_uint = 0xffff;
/// `DDS_STATUS_MASK_NONE`.
pub const NO_STATUS: c_uint = 0;
/// `DDS_DATA_AVAILABLE_STATUS`.
pub const DATA_AVAILABLE: c_uint = 1 << 10;

/// `DDS_Duration_t`.
#[repr(C)]
pub struct Duration {
    /// Whole seconds.
    pub sec: i32,
    /// The rest.
    pub nanosec: u32,
}

/// `DDS_Time_t`: real time.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Time {
    sec: i32,
    nanosec: u32,
}

impl Time {
    /// Nanoseconds since 1970; 0 for `DDS_TIME_INVALID`.
    #[inline]
    pub fn nanoseconds(self) -> i64 {
        if self.sec < 0 { 0 } else { i64::from(self.sec) * 1_000_000_000 + i64::from(self.nanosec) }
    }
}

/// `DDS_InstanceHandle_t`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct InstanceHandle {
    key_hash: [u8; 16],
    length: u32,
    is_valid: i32,
}

impl InstanceHandle {
    /// The GUID of an entity.
    pub fn guid(&self) -> Guid {
        Guid(self.key_hash)
    }

    /// Whether it is the handle of an instance.
    pub fn is_valid(&self) -> bool {
        self.is_valid != 0
    }
}

/// The part of `DDS_SampleInfo` that is read here; more follows.
#[repr(C)]
pub struct SampleInfo {
    sample_state: u32,
    view_state: u32,
    instance_state: u32,
    /// When it was written.
    pub source_timestamp: Time,
    instance_handle: InstanceHandle,
    publication_handle: InstanceHandle,
    disposed_generation_count: i32,
    no_writers_generation_count: i32,
    sample_rank: i32,
    generation_rank: i32,
    absolute_generation_rank: i32,
    /// Whether it has data, or tells a change of the instance only.
    pub valid_data: u8,
    /// When it was received.
    pub reception_timestamp: Time,
}

/// The part that every status structure of endpoints begins with.
#[repr(C)]
#[derive(Clone, Copy, Default)]
pub struct StatusCounts {
    /// Count since the beginning.
    pub total_count: i32,
    total_count_change: i32,
    /// Now; of the matched statuses only.
    pub current_count: i32,
}

/// Room for any status structure of an endpoint.
#[repr(C, align(8))]
pub struct StatusRoom {
    /// How it begins.
    pub counts: StatusCounts,
    rest: [u64; 62],
}

impl StatusRoom {
    /// All zero, which is how the structures are initialised.
    pub const fn new() -> Self {
        let counts = StatusCounts { total_count: 0, total_count_change: 0, current_count: 0 };
        Self { counts, rest: [0; 62] }
    }
}

/// What reads a built-in topic: the functions that the code generator makes for a type.
pub struct BuiltinTopic {
    /// Makes a sequence of samples, empty.
    pub initialize: unsafe extern "C" fn(*mut Storage) -> u8,
    /// Ends it; samples have been given back.
    pub finalize: unsafe extern "C" fn(*mut Storage) -> u8,
    /// Samples in a sequence.
    pub length: unsafe extern "C" fn(*const Storage) -> c_int,
    /// One of them.
    pub get: unsafe extern "C" fn(*mut Storage, c_int) -> Object,
    /// What the reader has, which it keeps.
    pub read: unsafe extern "C" fn(
        Object,
        *mut Storage,
        *mut Storage,
        c_int,
        c_uint,
        c_uint,
        c_uint,
    ) -> c_int,
    /// Gives back what was read.
    pub return_loan: unsafe extern "C" fn(Object, *mut Storage, *mut Storage) -> c_int,
}

/// Finds the functions of the type by this name.
macro_rules! builtin_topic {
    ($library:expr, $type:literal) => {
        // SAFETY: the types match the functions in RTI's reference.
        unsafe {
            BuiltinTopic {
                initialize: *$library.get(concat!($type, "Seq_initialize").as_bytes())?,
                finalize: *$library.get(concat!($type, "Seq_finalize").as_bytes())?,
                length: *$library.get(concat!($type, "Seq_get_length").as_bytes())?,
                get: *$library.get(concat!($type, "Seq_get_reference").as_bytes())?,
                read: *$library.get(concat!($type, "DataReader_read").as_bytes())?,
                return_loan: *$library.get(concat!($type, "DataReader_return_loan").as_bytes())?,
            }
        }
    };
}

/// A callback that is not used.
type Unused = *const c_void;

/// `DDS_DataReaderListener`.
#[repr(C)]
pub struct DataReaderListener {
    /// Given to each callback.
    pub listener_data: *mut c_void,
    on_requested_deadline_missed: Unused,
    on_requested_incompatible_qos: Unused,
    on_sample_rejected: Unused,
    on_liveliness_changed: Unused,
    /// There are samples.
    pub on_data_available: unsafe extern "C" fn(data: *mut c_void, reader: Object),
    on_subscription_matched: Unused,
    on_sample_lost: Unused,
}

impl DataReaderListener {
    /// For data only.
    pub const fn new(
        listener_data: *mut c_void,
        on_data_available: unsafe extern "C" fn(*mut c_void, Object),
    ) -> Self {
        let unused = std::ptr::null();
        Self {
            listener_data,
            on_requested_deadline_missed: unused,
            on_requested_incompatible_qos: unused,
            on_sample_rejected: unused,
            on_liveliness_changed: unused,
            on_data_available,
            on_subscription_matched: unused,
            on_sample_lost: unused,
        }
    }
}

macro_rules! library {
    (
        functions { $($name:ident = $symbol:literal: fn($($argument:ty),*) $(-> $result:ty)?;)* }
        constants { $($constant:ident = $constant_symbol:literal;)* }
        builtin { $($topic:ident = $topic_type:literal;)* }
    ) => {
        /// Functions and constants of the library.
        #[allow(missing_docs)]
        pub struct Api {
            $(pub $name: unsafe extern "C" fn($($argument),*) $(-> $result)?,)*
            $(pub $constant: Object,)*
            $(pub $topic: BuiltinTopic,)*
        }

        // SAFETY: the constants are constant, and the library guards its own state by locks.
        unsafe impl Send for Api {}
        // SAFETY: as above.
        unsafe impl Sync for Api {}

        impl Api {
            /// Finds them all.
            pub fn of(library: &Library) -> std::result::Result<Self, libloading::Error> {
                Ok(Self {
                    $($name: {
                        // SAFETY: the type matches the function in RTI's reference.
                        *unsafe { library.get($symbol.as_bytes()) }?
                    },)*
                    $($constant: {
                        // SAFETY: only its address is taken.
                        unsafe { library.get::<Object>($constant_symbol.as_bytes()) }?.as_raw_ptr()
                    },)*
                    $($topic: builtin_topic!(library, $topic_type),)*
                })
            }
        }
    };
}

library! {
    functions {
        // Connector.
        connector_new = "RTI_Connector_new": fn(Text, Text, *const [c_int; 2]) -> Object;
        connector_delete = "RTI_Connector_delete": fn(Object);
        build_versions = "RTI_Connector_get_build_versions": fn(*mut Text, *mut Text) -> c_int;
        // The log.
        logger = "NDDS_Config_Logger_get_instance": fn() -> Object;
        log_to = "NDDS_Config_Logger_set_output_file": fn(Object, Object) -> u8;
        // The factory.
        factory = "DDS_DomainParticipantFactory_get_instance": fn() -> Object;
        factory_qos_initialize = "DDS_DomainParticipantFactoryQos_initialize": fn(Object) -> c_int;
        factory_qos_finalize = "DDS_DomainParticipantFactoryQos_finalize": fn(Object) -> c_int;
        factory_get_qos = "DDS_DomainParticipantFactory_get_qos": fn(Object, Object) -> c_int;
        factory_set_qos = "DDS_DomainParticipantFactory_set_qos": fn(Object, Object) -> c_int;
        participant_by_name = "DDS_DomainParticipantFactory_lookup_participant_by_name":
            fn(Object, Text) -> Object;
        type_code = "DDS_DomainParticipantFactory_get_typecode_from_config":
            fn(Object, Text) -> Object;
        // Types and topics.
        type_new = "DDS_DynamicDataTypeSupport_new": fn(Object, Object) -> Object;
        type_delete = "DDS_DynamicDataTypeSupport_delete": fn(Object);
        type_register = "DDS_DynamicDataTypeSupport_register_type": fn(Object, Object, Text) -> c_int;
        type_unregister = "DDS_DynamicDataTypeSupport_unregister_type":
            fn(Object, Object, Text) -> c_int;
        topic_new = "DDS_DomainParticipant_create_topic_with_profile":
            fn(Object, Text, Text, Text, Text, Object, c_uint) -> Object;
        topic_delete = "DDS_DomainParticipant_delete_topic": fn(Object, Object) -> c_int;
        topic_description = "DDS_DomainParticipant_lookup_topicdescription":
            fn(Object, Text) -> Object;
        filtered_topic_new = "DDS_DomainParticipant_create_contentfilteredtopic":
            fn(Object, Text, Object, Text, Object) -> Object;
        filtered_topic_delete = "DDS_DomainParticipant_delete_contentfilteredtopic":
            fn(Object, Object) -> c_int;
        // Writers.
        publisher_new = "DDS_DomainParticipant_create_publisher_with_profile":
            fn(Object, Text, Text, Object, c_uint) -> Object;
        publisher_delete = "DDS_DomainParticipant_delete_publisher": fn(Object, Object) -> c_int;
        publisher_set_qos = "DDS_Publisher_set_qos_with_profile": fn(Object, Text, Text) -> c_int;
        writer_new = "DDS_Publisher_create_datawriter_with_profile":
            fn(Object, Object, Text, Text, Object, c_uint) -> Object;
        writer_delete = "DDS_Publisher_delete_datawriter": fn(Object, Object) -> c_int;
        writer_narrow = "DDS_DynamicDataWriter_narrow": fn(Object) -> Object;
        writer_set_qos = "DDS_DataWriter_set_qos_with_profile": fn(Object, Text, Text) -> c_int;
        writer_matched = "DDS_DataWriter_get_publication_matched_status":
            fn(Object, *mut StatusRoom) -> c_int;
        writer_deadline_missed = "DDS_DataWriter_get_offered_deadline_missed_status":
            fn(Object, *mut StatusRoom) -> c_int;
        register_instance = "DDS_DynamicDataWriter_register_instance":
            fn(Object, Object) -> InstanceHandle;
        write = "DDS_DynamicDataWriter_write": fn(Object, Object, *const InstanceHandle) -> c_int;
        // Readers.
        subscriber_new = "DDS_DomainParticipant_create_subscriber_with_profile":
            fn(Object, Text, Text, Object, c_uint) -> Object;
        subscriber_delete = "DDS_DomainParticipant_delete_subscriber": fn(Object, Object) -> c_int;
        subscriber_set_qos = "DDS_Subscriber_set_qos_with_profile": fn(Object, Text, Text) -> c_int;
        reader_new = "DDS_Subscriber_create_datareader_with_profile":
            fn(Object, Object, Text, Text, *const DataReaderListener, c_uint) -> Object;
        reader_delete = "DDS_Subscriber_delete_datareader": fn(Object, Object) -> c_int;
        reader_narrow = "DDS_DynamicDataReader_narrow": fn(Object) -> Object;
        reader_set_qos = "DDS_DataReader_set_qos_with_profile": fn(Object, Text, Text) -> c_int;
        reader_matched = "DDS_DataReader_get_subscription_matched_status":
            fn(Object, *mut StatusRoom) -> c_int;
        reader_lost = "DDS_DataReader_get_sample_lost_status": fn(Object, *mut StatusRoom) -> c_int;
        reader_rejected = "DDS_DataReader_get_sample_rejected_status":
            fn(Object, *mut StatusRoom) -> c_int;
        reader_deadline_missed = "DDS_DataReader_get_requested_deadline_missed_status":
            fn(Object, *mut StatusRoom) -> c_int;
        take = "DDS_DynamicDataReader_take":
            fn(Object, *mut Storage, *mut Storage, c_int, c_uint, c_uint, c_uint) -> c_int;
        return_loan = "DDS_DynamicDataReader_return_loan":
            fn(Object, *mut Storage, *mut Storage) -> c_int;
        // Waiting.
        condition_new = "DDS_DataReader_create_readcondition":
            fn(Object, c_uint, c_uint, c_uint) -> Object;
        condition_delete = "DDS_DataReader_delete_readcondition": fn(Object, Object) -> c_int;
        waitset_new = "DDS_WaitSet_new": fn() -> Object;
        waitset_delete = "DDS_WaitSet_delete": fn(Object) -> c_int;
        waitset_attach = "DDS_WaitSet_attach_condition": fn(Object, Object) -> c_int;
        waitset_detach = "DDS_WaitSet_detach_condition": fn(Object, Object) -> c_int;
        waitset_wait = "DDS_WaitSet_wait": fn(Object, *mut Storage, *const Duration) -> c_int;
        // Samples.
        data_create = "DDS_DynamicDataTypeSupport_create_data": fn(Object) -> Object;
        data_delete = "DDS_DynamicDataTypeSupport_delete_data": fn(Object, Object) -> c_int;
        data_from_cdr = "DDS_DynamicData_from_cdr_buffer": fn(Object, *const u8, c_uint) -> c_int;
        data_to_cdr = "DDS_DynamicData_to_cdr_buffer": fn(Object, *mut u8, *mut c_uint) -> c_int;
        // What is on the bus.
        entity_enable = "DDS_Entity_enable": fn(Object) -> c_int;
        entity_handle = "DDS_Entity_get_instance_handle": fn(Object) -> InstanceHandle;
        builtin_subscriber = "DDS_DomainParticipant_get_builtin_subscriber": fn(Object) -> Object;
        lookup_reader = "DDS_Subscriber_lookup_datareader": fn(Object, Text) -> Object;
        property = "DDS_PropertyQosPolicyHelper_lookup_property": fn(Object, Text) -> Object;
        writer_qos_initialize = "DDS_DataWriterQos_initialize": fn(Object) -> c_int;
        writer_qos_finalize = "DDS_DataWriterQos_finalize": fn(Object) -> c_int;
        writer_get_qos = "DDS_DataWriter_get_qos": fn(Object, Object) -> c_int;
        reader_qos_initialize = "DDS_DataReaderQos_initialize": fn(Object) -> c_int;
        reader_qos_finalize = "DDS_DataReaderQos_finalize": fn(Object) -> c_int;
        reader_get_qos = "DDS_DataReader_get_qos": fn(Object, Object) -> c_int;
        reader_put_qos = "DDS_DataReader_set_qos": fn(Object, Object) -> c_int;
        publisher_qos_initialize = "DDS_PublisherQos_initialize": fn(Object) -> c_int;
        publisher_qos_finalize = "DDS_PublisherQos_finalize": fn(Object) -> c_int;
        publisher_get_qos = "DDS_Publisher_get_qos": fn(Object, Object) -> c_int;
        subscriber_qos_initialize = "DDS_SubscriberQos_initialize": fn(Object) -> c_int;
        subscriber_qos_finalize = "DDS_SubscriberQos_finalize": fn(Object) -> c_int;
        subscriber_get_qos = "DDS_Subscriber_get_qos": fn(Object, Object) -> c_int;
        // Sequences.
        forms_length = "DDS_DataRepresentationIdSeq_get_length": fn(*const Storage) -> c_int;
        forms_get = "DDS_DataRepresentationIdSeq_get": fn(*const Storage, c_int) -> i16;
        strings_length = "DDS_StringSeq_get_length": fn(*const Storage) -> c_int;
        strings_get = "DDS_StringSeq_get": fn(*const Storage, c_int) -> Text;
        strings_from_array = "DDS_StringSeq_from_array":
            fn(*mut Storage, *const Text, c_int) -> u8;
        strings_initialize = "DDS_StringSeq_initialize": fn(*mut Storage) -> u8;
        strings_finalize = "DDS_StringSeq_finalize": fn(*mut Storage) -> u8;
        conditions_initialize = "DDS_ConditionSeq_initialize": fn(*mut Storage) -> u8;
        conditions_finalize = "DDS_ConditionSeq_finalize": fn(*mut Storage) -> u8;
        samples_initialize = "DDS_DynamicDataSeq_initialize": fn(*mut Storage) -> u8;
        samples_finalize = "DDS_DynamicDataSeq_finalize": fn(*mut Storage) -> u8;
        samples_length = "DDS_DynamicDataSeq_get_length": fn(*const Storage) -> c_int;
        samples_get = "DDS_DynamicDataSeq_get_reference": fn(*mut Storage, c_int) -> Object;
        infos_initialize = "DDS_SampleInfoSeq_initialize": fn(*mut Storage) -> u8;
        infos_finalize = "DDS_SampleInfoSeq_finalize": fn(*mut Storage) -> u8;
        infos_get = "DDS_SampleInfoSeq_get_reference":
            fn(*mut Storage, c_int) -> *const SampleInfo;
    }
    constants {
        type_property = "DDS_DYNAMIC_DATA_TYPE_PROPERTY_DEFAULT";
        no_instance = "DDS_HANDLE_NIL";
    }
    builtin {
        participants = "DDS_ParticipantBuiltinTopicData";
        publications = "DDS_PublicationBuiltinTopicData";
        subscriptions = "DDS_SubscriptionBuiltinTopicData";
    }
}
