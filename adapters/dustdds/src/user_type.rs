//! The payload kind `type`: `busmark::UserSample` of `idl/user_sample.idl.in`, with the user's type as
//! `dust_dds_gen` makes it.

use busmark_adapter::{Header as BusmarkHeader, Payload};
use dust_dds::infrastructure::type_support::DdsType;
use dust_dds::xtypes::type_support::{Type, TypeSupport};

use crate::cdr;
use crate::types::{Header, Sample};

/// What was made of the user's file.
#[allow(missing_docs, non_camel_case_types, non_snake_case, clippy::all, clippy::pedantic)]
mod generated {
    include!(concat!(env!("OUT_DIR"), "/user_type.rs"));
}

use generated::UserType;

/// The scoped name of the type.
pub const NAME: &str = env!("BUSMARK_USER_TYPE");

/// `busmark::UserSample`.
#[derive(Clone, Debug, DdsType)]
#[dust_dds(name = "busmark::UserSample")]
pub struct UserSample {
    header: Header,
    body: UserType,
}

impl Sample for UserSample {
    const NAME: &'static str = "busmark::UserSample";
    const KIND: Payload = Payload::Type;

    fn with_body(body: &[u8]) -> Option<Self> {
        let value = UserType::create_sample(&mut cdr::read(UserType::TYPE, body)?)?;
        let sample = Self { header: Header::default(), body: value };
        (sample.cdr()? == body).then_some(sample)
    }

    #[inline]
    fn set_header(&mut self, header: &BusmarkHeader, _instances: u32) {
        self.header = header.into();
    }

    #[inline]
    fn header(&self) -> &Header {
        &self.header
    }

    #[inline]
    fn body<'a>(&'a self, scratch: &'a mut Vec<u8>) -> &'a [u8] {
        if self.header.flags & BusmarkHeader::CHECKED == 0 {
            return &[];
        }
        *scratch = self.cdr().unwrap_or_default();
        scratch
    }
}

impl UserSample {
    fn cdr(&self) -> Option<Vec<u8>> {
        cdr::write(&self.body.clone().create_dynamic_sample())
    }
}
