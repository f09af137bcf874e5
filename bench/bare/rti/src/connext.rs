//! RTI Connector's library: the functions that are used, by the names and types of RTI's references.

use std::ffi::{c_char, c_int, c_uint, c_void};
use std::path::PathBuf;

use libloading::os::unix::{Library, RTLD_LOCAL, RTLD_NOW};

/// An object of the library.
pub type Object = *mut c_void;
/// A constant text.
pub type Text = *const c_char;

/// `DDS_RETCODE_OK`.
pub const OK: c_int = 0;
/// `DDS_ANY_SAMPLE_STATE`, and the same of views and instances.
pub const ANY: c_uint = 0xffff;
/// `DDS_STATUS_MASK_NONE`.
pub const NO_STATUS: c_uint = 0;
/// `DDS_DATA_AVAILABLE_STATUS`.
pub const DATA_AVAILABLE: c_uint = 1 << 10;

/// `DDS_Duration_t`.
#[repr(C)]
pub struct Duration {
    pub sec: i32,
    pub nanosec: u32,
}

/// Room for a sequence of the library, with some to spare.
#[repr(C, align(8))]
pub struct Sequence([u8; 144]);

impl Sequence {
    pub const fn new() -> Self {
        Self([0; 144])
    }
}

/// A matched status, with some room to spare.
#[repr(C, align(8))]
#[derive(Default)]
pub struct Matched {
    total_count: i32,
    total_count_change: i32,
    pub current_count: i32,
    rest: [u64; 30],
}

/// `DDS_DataReaderListener`; null where nothing is called.
#[repr(C)]
pub struct Listener {
    pub data: *mut c_void,
    pub before: [*const c_void; 4],
    pub on_data_available: unsafe extern "C" fn(*mut c_void, Object),
    pub after: [*const c_void; 2],
}

macro_rules! library {
    ($($name:ident = $symbol:literal: fn($($argument:ty),*) $(-> $result:ty)?;)*) => {
        /// The functions; and what a sample is written with that belongs to no instance.
        pub struct Api {
            $(pub $name: unsafe extern "C" fn($($argument),*) $(-> $result)?,)*
            pub no_instance: Object,
            pub type_property: Object,
        }

        impl Api {
            fn of(library: &Library) -> Result<Self, libloading::Error> {
                Ok(Self {
                    $($name: {
                        // SAFETY: the type matches the function in RTI's reference.
                        *unsafe { library.get($symbol.as_bytes()) }?
                    },)*
                    // SAFETY: only its address is taken.
                    no_instance: unsafe { library.get::<Object>(b"DDS_HANDLE_NIL") }?.as_raw_ptr(),
                    type_property: {
                        // SAFETY: as above.
                        unsafe { library.get::<Object>(b"DDS_DYNAMIC_DATA_TYPE_PROPERTY_DEFAULT") }?
                            .as_raw_ptr()
                    },
                })
            }
        }
    };
}

library! {
    connector_new = "RTI_Connector_new": fn(Text, Text, *const [c_int; 2]) -> Object;
    logger = "NDDS_Config_Logger_get_instance": fn() -> Object;
    log_to = "NDDS_Config_Logger_set_output_file": fn(Object, Object) -> u8;
    factory = "DDS_DomainParticipantFactory_get_instance": fn() -> Object;
    participant_by_name = "DDS_DomainParticipantFactory_lookup_participant_by_name":
        fn(Object, Text) -> Object;
    type_code = "DDS_DomainParticipantFactory_get_typecode_from_config": fn(Object, Text) -> Object;
    type_new = "DDS_DynamicDataTypeSupport_new": fn(Object, Object) -> Object;
    type_register = "DDS_DynamicDataTypeSupport_register_type": fn(Object, Object, Text) -> c_int;
    topic_new = "DDS_DomainParticipant_create_topic_with_profile":
        fn(Object, Text, Text, Text, Text, Object, c_uint) -> Object;
    topic_description = "DDS_DomainParticipant_lookup_topicdescription": fn(Object, Text) -> Object;
    publisher_new = "DDS_DomainParticipant_create_publisher_with_profile":
        fn(Object, Text, Text, Object, c_uint) -> Object;
    writer_new = "DDS_Publisher_create_datawriter_with_profile":
        fn(Object, Object, Text, Text, Object, c_uint) -> Object;
    writer_narrow = "DDS_DynamicDataWriter_narrow": fn(Object) -> Object;
    writer_matched = "DDS_DataWriter_get_publication_matched_status":
        fn(Object, *mut Matched) -> c_int;
    writer_wait = "DDS_DataWriter_wait_for_acknowledgments": fn(Object, *const Duration) -> c_int;
    write = "DDS_DynamicDataWriter_write": fn(Object, Object, Object) -> c_int;
    subscriber_new = "DDS_DomainParticipant_create_subscriber_with_profile":
        fn(Object, Text, Text, Object, c_uint) -> Object;
    reader_new = "DDS_Subscriber_create_datareader_with_profile":
        fn(Object, Object, Text, Text, *const Listener, c_uint) -> Object;
    reader_narrow = "DDS_DynamicDataReader_narrow": fn(Object) -> Object;
    reader_matched = "DDS_DataReader_get_subscription_matched_status":
        fn(Object, *mut Matched) -> c_int;
    take = "DDS_DynamicDataReader_take":
        fn(Object, *mut Sequence, *mut Sequence, c_int, c_uint, c_uint, c_uint) -> c_int;
    return_loan = "DDS_DynamicDataReader_return_loan":
        fn(Object, *mut Sequence, *mut Sequence) -> c_int;
    data_create = "DDS_DynamicDataTypeSupport_create_data": fn(Object) -> Object;
    data_from_cdr = "DDS_DynamicData_from_cdr_buffer": fn(Object, *const u8, c_uint) -> c_int;
    data_to_cdr = "DDS_DynamicData_to_cdr_buffer": fn(Object, *mut u8, *mut c_uint) -> c_int;
    samples_initialize = "DDS_DynamicDataSeq_initialize": fn(*mut Sequence) -> u8;
    samples_length = "DDS_DynamicDataSeq_get_length": fn(*const Sequence) -> c_int;
    samples_get = "DDS_DynamicDataSeq_get_reference": fn(*mut Sequence, c_int) -> Object;
    infos_initialize = "DDS_SampleInfoSeq_initialize": fn(*mut Sequence) -> u8;
}

// SAFETY: the constants are constant, and the library guards its own state by locks.
unsafe impl Send for Api {}
// SAFETY: as above.
unsafe impl Sync for Api {}

unsafe extern "C" {
    /// From the C library.
    static stderr: *mut c_void;
}

const LIBRARY: &str = "librtiddsconnector.so";
/// Where the Python package keeps it.
const WITHIN_PACKAGES: &str = if cfg!(target_arch = "aarch64") {
    "rticonnextdds-connector/lib/linux-arm64"
} else {
    "rticonnextdds-connector/lib/linux-x64"
};

/// Opens the library where the adapter finds it, for as long as the process lives. It logs to standard
/// error: standard output is for figures.
pub fn open() -> Result<&'static Api, String> {
    let named = |variable| std::env::var_os(variable).unwrap_or_default();
    let mut folders = vec![PathBuf::from(named("BUSMARK_RTI_CONNECTOR"))];
    let packages = named("BUSMARK_SITE_PACKAGES");
    folders.extend(std::env::split_paths(&packages).map(|folder| folder.join(WITHIN_PACKAGES)));
    let path = folders.into_iter().map(|folder| folder.join(LIBRARY)).find(|path| path.is_file());
    let path = path.ok_or("RTI Connector is not in a folder of BUSMARK_SITE_PACKAGES")?;
    // SAFETY: the library's initialisers do nothing but set up its own state.
    let library = unsafe { Library::open(Some(&path), RTLD_NOW | RTLD_LOCAL) };
    let library = library.map_err(|error| error.to_string())?;
    let api = Api::of(&library).map_err(|error| error.to_string())?;
    std::mem::forget(library);
    // SAFETY: the stream stays open.
    unsafe { (api.log_to)((api.logger)(), stderr) };
    Ok(Box::leak(Box::new(api)))
}
