//! Reads captures of network traffic and decodes what DDS and DDS-XRCE say in them.
//!
//! A capture is a file in the formats pcapng or pcap, also compressed by gzip. Each packet becomes one
//! row of a table, or one row for each submessage of RTPS 2.5 and DDS-XRCE 1.0 that it completes.
//!
//! - The file is read once, from its beginning to its end; memory does not grow with its length.
//! - Every buffer has a bound, named beside it. What a bound cost is counted in the [`Summary`].
//! - No input makes the reader panic: a fault of the file ends reading, with its offset; what was read
//!   before stays. A fault within a packet is counted, and the rest of the packet is a row.
//! - There is no unsafe code.
#![forbid(unsafe_code)]

pub mod bytes;
pub mod contents;
pub mod copies;
pub mod costs;
mod domains;
pub mod file;
pub mod flows;
pub mod fragments;
pub mod link;
pub mod own;
pub mod reader;
pub mod rows;
pub mod rtps;
pub mod seen;
pub mod serial;
pub mod summary;
pub mod table;
pub mod tcp;
pub mod xrce;
mod xrce_stream;

pub use reader::{Options, Reader};
pub use summary::Summary;
