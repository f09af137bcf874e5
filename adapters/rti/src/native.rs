//! What the adapter uses of the C library: names, signatures and the few structures that it must know
//! the layout of, written after the vendor's public API reference. Everything else is opaque.

use std::ffi::{c_char, c_int, c_uint, c_void};

/// An object of the library, whatever it is.
pub type Object = *mut c_void;
/// `DDS_ReturnCode_t`.
pub type Code = c_int;
/// A C text.
pub type Text = *const c_char;

/// Return codes as the DDS specification numbers them.
pub mod code {
    use super::Code;

    pub const OK: Code = 0;
    pub const UNSUPPORTED: Code = 2;
    pub const BAD_PARAMETER: Code = 3;
    pub const OUT_OF_RESOURCES: Code = 5;
    pub const IMMUTABLE_POLICY: Code = 7;
    pub const INCONSISTENT_POLICY: Code = 8;
    pub const TIMEOUT: Code = 10;
    pub const NO_DATA: Code = 11;
    pub const ILLEGAL_OPERATION: Code = 12;
}

/// Masks of the DDS specification.
pub const ANY_STATE: c_uint = 0xffff;
/// `DDS_ALIVE_INSTANCE_STATE`.
pub const ALIVE: c_uint = 1;
/// `DDS_NOT_ALIVE_DISPOSED_INSTANCE_STATE | DDS_NOT_ALIVE_NO_WRITERS_INSTANCE_STATE`.
pub const NOT_ALIVE: c_uint = 2 | 4;
/// `DDS_DATA_AVAILABLE_STATUS`.
pub const DATA_AVAILABLE: c_uint = 1 << 10;
/// `DDS_STATUS_MASK_NONE`.
pub const NO_STATUS: c_uint = 0;

/// `DDS_Time_t` and `DDS_Duration_t`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct Time {
    /// Seconds.
    pub sec: i32,
    /// And nanoseconds.
    pub nanosec: u32,
}

impl Time {
    /// As one number.
    #[inline]
    pub fn as_ns(self) -> i64 {
        i64::from(self.sec) * 1_000_000_000 + i64::from(self.nanosec)
    }
}

/// `DDS_InstanceHandle_t`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct InstanceHandle {
    value: [u8; 16],
    length: u32,
    valid: i32,
}

impl InstanceHandle {
    /// Whether it stands for an instance.
    pub fn is_valid(&self) -> bool {
        self.valid != 0
    }
}

/// The first members of `DDS_SampleInfo`.
#[repr(C)]
pub struct SampleInfo {
    states: [u32; 3],
    /// When it was written.
    pub source_timestamp: Time,
    instance_handle: InstanceHandle,
    publication_handle: InstanceHandle,
    ranks: [i32; 5],
    /// Not 0: there is data, not a notice only.
    pub valid_data: u8,
    /// When it was received.
    pub reception_timestamp: Time,
}

/// Any `DDS_…Seq`, larger than the library has it. It is filled in and read by functions only.
#[repr(C, align(16))]
pub struct Sequence([u8; 256]);

impl Sequence {
    /// For `DDS_…Seq_initialize`.
    pub const BLANK: Self = Self([0; 256]);
}

/// A status structure, larger than any of the library's; all begin with 32-bit counts, the protocol
/// status with 64-bit ones.
#[repr(C, align(16))]
pub struct StatusBuffer([u64; 256]);

impl StatusBuffer {
    /// For a `…_get_…_status` function.
    pub const BLANK: Self = Self([0; 256]);

    /// The 32-bit count at this place.
    pub fn count(&self, at: usize) -> u32 {
        let word = self.0[at / 2].to_le_bytes();
        let half = &word[at % 2 * 4..][..4];
        u32::from_le_bytes([half[0], half[1], half[2], half[3]])
    }

    /// The 64-bit count at this place.
    pub fn long_count(&self, at: usize) -> u64 {
        self.0[at]
    }
}

/// `struct DDS_DomainParticipantFactoryQos`, of which the library copies a whole one here.
#[repr(C, align(16))]
pub struct FactoryQos {
    entity_factory: u32,
    /// `resource_limits.max_objects_per_thread`.
    pub max_objects_per_thread: i32,
    string_profile: [u64; 9],
    /// `profile.url_profile`.
    pub url_profile: [u64; 9],
    /// `profile.ignore_user_profile`, `…_environment_profile`, `…_resource_profile`.
    pub ignore_profiles: [u8; 3],
    rest: [u8; 1024],
}

impl FactoryQos {
    /// For `DDS_DomainParticipantFactoryQos_initialize`.
    pub const BLANK: Self = Self {
        entity_factory: 0,
        max_objects_per_thread: 0,
        string_profile: [0; 9],
        url_profile: [0; 9],
        ignore_profiles: [0; 3],
        rest: [0; 1024],
    };
}

/// `struct DDS_DataReaderListener`, with room for members of later versions.
#[repr(C)]
pub struct ReaderListener {
    /// Passed to each function.
    pub data: *mut c_void,
    unused: [Option<unsafe extern "C" fn()>; 4],
    /// `on_data_available`.
    pub on_data_available: Option<unsafe extern "C" fn(*mut c_void, Object)>,
    more: [Option<unsafe extern "C" fn()>; 10],
}

impl ReaderListener {
    /// With nothing but `on_data_available`.
    pub fn new(data: *mut c_void, function: unsafe extern "C" fn(*mut c_void, Object)) -> Self {
        Self { data, unused: [None; 4], on_data_available: Some(function), more: [None; 10] }
    }
}

/// `struct NDDS_Config_LoggerDevice`, with room for members of later versions.
#[repr(C)]
pub struct LoggerDevice {
    /// The device's own, not called.
    pub data: *mut c_void,
    /// Called with each message, whose first member is its text.
    pub write: unsafe extern "C" fn(*mut LoggerDevice, *const Text),
    /// Nothing is called when the device is taken away.
    pub more: [Option<unsafe extern "C" fn()>; 6],
}

/// `struct RTI_Connector_Options`, as the vendor's Python binding fills it in.
#[repr(C)]
pub struct ConnectorOptions {
    /// Whether the Connector listens for data itself.
    pub enable_on_data_event: c_int,
    /// Whether its indexes start at 1.
    pub one_based_sequence_indexing: c_int,
}

macro_rules! functions {
    ({$($name:ident = $symbol:literal: fn($($argument:ty),*) $(-> $result:ty)?;)*}
     {$($constant:ident = $data:literal;)*}) => {
        /// The functions, by their name without the prefix, and the constants.
        #[allow(missing_docs)]
        pub struct Api {
            $(pub $name: unsafe extern "C" fn($($argument),*) $(-> $result)?,)*
            $(pub $constant: *const c_void,)*
        }

        impl Api {
            /// Finds all of them; the error names the first that is missing.
            ///
            /// # Safety
            /// `find` gives the addresses of the vendor's functions and data of these names.
            pub unsafe fn new(find: impl Fn(&str) -> Option<*const c_void>) -> Result<Self, String> {
                let get = |name: &str| find(name).ok_or_else(|| name.to_owned());
                Ok(Self {
                    $($name: {
                        let address = get($symbol)?;
                        // SAFETY: the signature is that of the API reference; promised by the caller.
                        unsafe {
                            std::mem::transmute::<
                                *const c_void,
                                unsafe extern "C" fn($($argument),*) $(-> $result)?,
                            >(address)
                        }
                    },)*
                    $($constant: get($data)?,)*
                })
            }
        }
    };
}

functions!({
    connector_new = "RTI_Connector_new": fn(Text, Text, *const ConnectorOptions) -> Object;
    connector_delete = "RTI_Connector_delete": fn(Object);
    build_version = "NDDS_Config_Version_get_C_build_number_string": fn() -> Text;
    logger = "NDDS_Config_Logger_get_instance": fn() -> Object;
    logger_set_device =
        "NDDS_Config_Logger_set_output_device": fn(Object, *mut LoggerDevice) -> u8;

    factory = "DDS_DomainParticipantFactory_get_instance": fn() -> Object;
    factory_qos_initialize =
        "DDS_DomainParticipantFactoryQos_initialize": fn(*mut FactoryQos) -> Code;
    factory_qos_finalize = "DDS_DomainParticipantFactoryQos_finalize": fn(*mut FactoryQos) -> Code;
    factory_get_qos = "DDS_DomainParticipantFactory_get_qos": fn(Object, *mut FactoryQos) -> Code;
    factory_set_qos = "DDS_DomainParticipantFactory_set_qos": fn(Object, *const FactoryQos) -> Code;
    factory_reload_profiles = "DDS_DomainParticipantFactory_reload_profiles": fn(Object) -> Code;
    factory_lookup_participant =
        "DDS_DomainParticipantFactory_lookup_participant_by_name": fn(Object, Text) -> Object;
    factory_get_typecode =
        "DDS_DomainParticipantFactory_get_typecode_from_config": fn(Object, Text) -> Object;
    string_seq_initialize = "DDS_StringSeq_initialize": fn(*mut c_void) -> u8;
    string_seq_finalize = "DDS_StringSeq_finalize": fn(*mut c_void) -> u8;
    string_seq_from_array = "DDS_StringSeq_from_array": fn(*mut c_void, *const Text, c_int) -> u8;

    typecode_factory = "DDS_TypeCodeFactory_get_instance": fn() -> Object;
    typecode_clone = "DDS_TypeCodeFactory_clone_tc": fn(Object, Object, *mut c_int) -> Object;
    type_support_new = "DDS_DynamicDataTypeSupport_new": fn(Object, *const c_void) -> Object;
    type_support_register =
        "DDS_DynamicDataTypeSupport_register_type": fn(Object, Object, Text) -> Code;

    create_topic = "DDS_DomainParticipant_create_topic":
        fn(Object, Text, Text, *const c_void, *const c_void, c_uint) -> Object;
    delete_topic = "DDS_DomainParticipant_delete_topic": fn(Object, Object) -> Code;
    lookup_topic = "DDS_DomainParticipant_lookup_topicdescription": fn(Object, Text) -> Object;
    create_filtered_topic = "DDS_DomainParticipant_create_contentfilteredtopic":
        fn(Object, Text, Object, Text, *const Sequence) -> Object;
    delete_filtered_topic =
        "DDS_DomainParticipant_delete_contentfilteredtopic": fn(Object, Object) -> Code;
    create_publisher = "DDS_DomainParticipant_create_publisher_with_profile":
        fn(Object, Text, Text, *const c_void, c_uint) -> Object;
    delete_publisher = "DDS_DomainParticipant_delete_publisher": fn(Object, Object) -> Code;
    publisher_set_qos = "DDS_Publisher_set_qos_with_profile": fn(Object, Text, Text) -> Code;
    create_subscriber = "DDS_DomainParticipant_create_subscriber_with_profile":
        fn(Object, Text, Text, *const c_void, c_uint) -> Object;
    delete_subscriber = "DDS_DomainParticipant_delete_subscriber": fn(Object, Object) -> Code;
    subscriber_set_qos = "DDS_Subscriber_set_qos_with_profile": fn(Object, Text, Text) -> Code;

    create_writer = "DDS_Publisher_create_datawriter_with_profile":
        fn(Object, Object, Text, Text, *const c_void, c_uint) -> Object;
    delete_writer = "DDS_Publisher_delete_datawriter": fn(Object, Object) -> Code;
    writer_set_qos = "DDS_DataWriter_set_qos_with_profile": fn(Object, Text, Text) -> Code;
    writer_narrow = "DDS_DynamicDataWriter_narrow": fn(Object) -> Object;
    writer_write =
        "DDS_DynamicDataWriter_write": fn(Object, Object, *const InstanceHandle) -> Code;
    writer_register_instance =
        "DDS_DynamicDataWriter_register_instance": fn(Object, Object) -> InstanceHandle;
    writer_flush = "DDS_DataWriter_flush": fn(Object) -> Code;
    writer_matched =
        "DDS_DataWriter_get_publication_matched_status": fn(Object, *mut StatusBuffer) -> Code;
    writer_deadline =
        "DDS_DataWriter_get_offered_deadline_missed_status": fn(Object, *mut StatusBuffer) -> Code;
    writer_protocol =
        "DDS_DataWriter_get_datawriter_protocol_status": fn(Object, *mut StatusBuffer) -> Code;

    create_reader = "DDS_Subscriber_create_datareader_with_profile":
        fn(Object, Object, Text, Text, *const ReaderListener, c_uint) -> Object;
    delete_reader = "DDS_Subscriber_delete_datareader": fn(Object, Object) -> Code;
    reader_set_qos = "DDS_DataReader_set_qos_with_profile": fn(Object, Text, Text) -> Code;
    reader_set_listener =
        "DDS_DataReader_set_listener": fn(Object, *const ReaderListener, c_uint) -> Code;
    reader_narrow = "DDS_DynamicDataReader_narrow": fn(Object) -> Object;
    reader_take = "DDS_DynamicDataReader_take":
        fn(Object, *mut Sequence, *mut Sequence, c_int, c_uint, c_uint, c_uint) -> Code;
    reader_return_loan =
        "DDS_DynamicDataReader_return_loan": fn(Object, *mut Sequence, *mut Sequence) -> Code;
    reader_matched =
        "DDS_DataReader_get_subscription_matched_status": fn(Object, *mut StatusBuffer) -> Code;
    reader_deadline =
        "DDS_DataReader_get_requested_deadline_missed_status": fn(Object, *mut StatusBuffer) -> Code;
    reader_lost = "DDS_DataReader_get_sample_lost_status": fn(Object, *mut StatusBuffer) -> Code;
    reader_rejected =
        "DDS_DataReader_get_sample_rejected_status": fn(Object, *mut StatusBuffer) -> Code;
    create_condition =
        "DDS_DataReader_create_readcondition": fn(Object, c_uint, c_uint, c_uint) -> Object;
    delete_condition = "DDS_DataReader_delete_readcondition": fn(Object, Object) -> Code;
    condition_triggered = "DDS_Condition_get_trigger_value": fn(Object) -> u8;
    waitset_new = "DDS_WaitSet_new": fn() -> Object;
    waitset_delete = "DDS_WaitSet_delete": fn(Object) -> Code;
    waitset_attach = "DDS_WaitSet_attach_condition": fn(Object, Object) -> Code;
    waitset_detach = "DDS_WaitSet_detach_condition": fn(Object, Object) -> Code;
    waitset_wait = "DDS_WaitSet_wait": fn(Object, *mut Sequence, *const Time) -> Code;
    conditions_initialize = "DDS_ConditionSeq_initialize": fn(*mut Sequence) -> u8;
    conditions_set_maximum = "DDS_ConditionSeq_set_maximum": fn(*mut Sequence, c_int) -> u8;
    conditions_finalize = "DDS_ConditionSeq_finalize": fn(*mut Sequence) -> u8;

    samples_initialize = "DDS_DynamicDataSeq_initialize": fn(*mut Sequence) -> u8;
    samples_length = "DDS_DynamicDataSeq_get_length": fn(*const Sequence) -> c_int;
    samples_at = "DDS_DynamicDataSeq_get_reference": fn(*const Sequence, c_int) -> Object;
    infos_initialize = "DDS_SampleInfoSeq_initialize": fn(*mut Sequence) -> u8;
    infos_at = "DDS_SampleInfoSeq_get_reference": fn(*const Sequence, c_int) -> *const SampleInfo;

    data_new = "DDS_DynamicData_new": fn(Object, *const c_void) -> Object;
    data_delete = "DDS_DynamicData_delete": fn(Object);
    data_from_cdr = "DDS_DynamicData_from_cdr_buffer": fn(Object, *const c_char, c_uint) -> Code;
    data_to_cdr = "DDS_DynamicData_to_cdr_buffer": fn(Object, *mut c_char, *mut c_uint) -> Code;
    data_bind =
        "DDS_DynamicData_bind_complex_member": fn(Object, Object, Text, c_int) -> Code;
    data_unbind = "DDS_DynamicData_unbind_complex_member": fn(Object, Object) -> Code;
    data_set_longlong = "DDS_DynamicData_set_longlong": fn(Object, Text, c_int, i64) -> Code;
    data_set_ulonglong = "DDS_DynamicData_set_ulonglong": fn(Object, Text, c_int, u64) -> Code;
    data_set_ulong = "DDS_DynamicData_set_ulong": fn(Object, Text, c_int, u32) -> Code;

} {
    handle_nil = "DDS_HANDLE_NIL";
    topic_qos_default = "DDS_TOPIC_QOS_DEFAULT";
    type_property_default = "DDS_DYNAMIC_DATA_TYPE_PROPERTY_DEFAULT";
    data_property_default = "DDS_DYNAMIC_DATA_PROPERTY_DEFAULT";
});

// SAFETY: addresses of functions and of constant data, which live as long as the process.
unsafe impl Send for Api {}
// SAFETY: as above.
unsafe impl Sync for Api {}
