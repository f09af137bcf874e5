//! The payload kind `type`: `busmark::UserSample` of `idl/user_sample.idl.in`, with the user's type as
//! `zerodds-build` makes it.

use std::borrow::Cow;

use busmark_adapter::Header;
use zerodds_dcps::DdsType;

use crate::types::{Decoded, Encoded, Input, Topical, put_header};

/// What was made of the user's file.
#[allow(missing_docs, non_camel_case_types, non_snake_case, dead_code, unused_imports)]
#[allow(clippy::all, clippy::pedantic)]
mod generated {
    include!(concat!(env!("OUT_DIR"), "/user_type.rs"));
}

use generated::UserType;

/// The scoped name of the type.
pub const NAME: &str = env!("BUSMARK_USER_TYPE");

/// `busmark::UserSample`. The header's size keeps every alignment, so that what comes after it is a
/// stream of its own.
#[derive(Debug, Clone)]
pub struct UserSample {
    header: Header,
    body: UserType,
}

impl DdsType for UserSample {
    const TYPE_NAME: &'static str = "busmark::UserSample";

    fn encode(&self, out: &mut Vec<u8>) -> Encoded {
        put_header(out, &self.header);
        DdsType::encode(&self.body, out)
    }

    fn decode(bytes: &[u8]) -> Decoded<Self> {
        let (header, rest) = split(bytes)?;
        Ok(Self { header, body: DdsType::decode(rest)? })
    }

    fn encode_xcdr1(&self, out: &mut Vec<u8>) -> Encoded {
        put_header(out, &self.header);
        DdsType::encode_xcdr1(&self.body, out)
    }

    fn decode_xcdr1(bytes: &[u8]) -> Decoded<Self> {
        let (header, rest) = split(bytes)?;
        Ok(Self { header, body: DdsType::decode_xcdr1(rest)? })
    }
}

const _: () = assert!(size_of::<Header>().is_multiple_of(8));

fn split(bytes: &[u8]) -> Decoded<(Header, &[u8])> {
    let header = Input::new(bytes).header()?;
    Ok((header, &bytes[size_of::<Header>()..]))
}

impl Topical for UserSample {
    fn with_body(body: &[u8]) -> Option<Self> {
        let sample = Self { header: Header::default(), body: DdsType::decode_xcdr1(body).ok()? };
        (sample.cdr() == body).then_some(sample)
    }

    #[inline]
    fn stamp(&mut self, header: &Header, _instances: u64) {
        self.header = *header;
    }

    fn header(&self) -> &Header {
        &self.header
    }

    fn body(&self) -> Cow<'_, [u8]> {
        if self.header.flags & Header::CHECKED == 0 { (&[]).into() } else { self.cdr().into() }
    }
}

impl UserSample {
    /// The body as CDR, empty where it has none.
    fn cdr(&self) -> Vec<u8> {
        let mut out = Vec::new();
        DdsType::encode_xcdr1(&self.body, &mut out).map_or_else(|_| Vec::new(), |()| out)
    }
}
