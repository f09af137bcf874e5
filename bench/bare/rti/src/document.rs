//! The library's configuration, as XML: the participant, and one profile for the endpoints. As
//! Busmark's adapter has it for its transport udp on loopback, and of which the library has the
//! rest by default.

use bare_common::Options;

/// `idl/busmark.idl` as the library reads it.
const TYPES: &str = include_str!("../../../../adapters/rti/src/types.xml");
/// Participants of a host that are announced to: ports of a domain.
const LAST_PARTICIPANT: u32 = 119;
/// Base of a stream's endpoints, as in the adapter's profile tuned: as shipped nothing bounds what
/// a writer sends ahead, and what is lost is asked for after 3 s.
const STREAM_BASE: &str = "BuiltinQosSnippetLib::Optimization.ReliabilityProtocol.LowLatency";
/// Receive buffer of a stream's sockets, as there, in bytes; as shipped 131072.
const STREAM_RECEIVE_BUFFER: u32 = 2_097_152;
const STREAM_SEND_BUFFER: u32 = 524_288;
/// Buffers of a history are made beforehand up to this size.
const LARGEST_POOLED: usize = 64 << 10;
/// Bytes of a serialised sample besides its octets: encapsulation, header, number of octets.
const AROUND_BODY: usize = 4 + 64 + 4;

fn property(name: &str, value: impl std::fmt::Display) -> String {
    format!("<element><name>{name}</name><value>{value}</value></element>")
}

fn participant_qos(options: &Options, name: &str) -> String {
    let udp =
        |key: &str, value: u32| property(&format!("dds.transport.UDPv4.builtin.{key}"), value);
    let only =
        |key: &str| property(&format!("dds.transport.UDPv4.builtin.parent.{key}"), "127.0.0.1");
    let mut properties = only("allow_interfaces_list")
        + &only("allow_multicast_interfaces_list")
        + &udp("ignore_loopback_interface", 0)
        + &udp("multicast_enabled", 0)
        + &udp("transport_priority_mask", 255)
        + &udp("transport_priority_mapping_low", 0)
        + &udp("transport_priority_mapping_high", 255);
    if options.is_stream() {
        properties += &udp("recv_socket_buffer_size", STREAM_RECEIVE_BUFFER);
        properties += &udp("send_socket_buffer_size", STREAM_SEND_BUFFER);
    }
    format!(
        "<participant_name><name>{name}</name></participant_name>\
         <transport_builtin><mask>UDPv4</mask></transport_builtin>\
         <discovery><initial_peers><element>{LAST_PARTICIPANT}@builtin.udpv4://127.0.0.1</element>\
         </initial_peers><multicast_receive_addresses></multicast_receive_addresses></discovery>\
         <database><shutdown_cleanup_period><sec>0</sec><nanosec>10000000</nanosec>\
         </shutdown_cleanup_period></database>\
         <property><value>{properties}</value></property>"
    )
}

fn endpoint_qos(options: &Options, side: &str) -> String {
    let history = if options.is_stream() {
        "<kind>KEEP_ALL_HISTORY_QOS</kind>"
    } else {
        "<kind>KEEP_LAST_HISTORY_QOS</kind><depth>1</depth>"
    };
    let pooled = (options.size + AROUND_BODY).min(LARGEST_POOLED);
    let pool = format!("dds.data_{side}.history.memory_manager.fast_pool.pool_buffer_max_size");
    format!(
        "<data{side}_qos><history>{history}</history>\
         <resource_limits><max_samples>LENGTH_UNLIMITED</max_samples></resource_limits>\
         <reliability><kind>RELIABLE_RELIABILITY_QOS</kind></reliability>\
         <property><value>{}</value></property></data{side}_qos>",
        property(&pool, pooled)
    )
}

/// The document by which Connector makes `bare_participants::participant` of this name. It ends at a
/// double quote, so there is none within.
pub fn document(options: &Options, domain: u32, name: &str) -> String {
    let base = if options.is_stream() {
        format!("<base_name><element>{STREAM_BASE}</element></base_name>")
    } else {
        String::new()
    };
    format!(
        "str://\"<dds>{TYPES}<qos_library name='bare'><qos_profile name='profile'>{base}{}{}\
         </qos_profile></qos_library><domain_library name='bare_domains'>\
         <domain name='domain' domain_id='{domain}'/></domain_library>\
         <domain_participant_library name='bare_participants'>\
         <domain_participant name='participant' domain_ref='bare_domains::domain'>\
         <domain_participant_qos>{}</domain_participant_qos>\
         </domain_participant></domain_participant_library></dds>\"",
        endpoint_qos(options, "writer"),
        endpoint_qos(options, "reader"),
        participant_qos(options, name),
    )
}
