//! The types of `idl/busmark.idl`, and where header and body lie in a serialised sample.

use busmark_adapter::{EndpointConfig, Header, Payload};

/// The types as the library reads them.
pub const XML: &str = include_str!("types.xml");

/// Bytes of a header, in memory and serialised: it has no padding.
const HEADER_BYTES: usize = size_of::<Header>();
/// What a serialised sample begins with: plain CDR, little endian, no options.
const ENCAPSULATION: [u8; 4] = [0, 1, 0, 0];
/// Before the header of a keyed sample: its instance, and padding.
const KEY_BYTES: usize = 8;
const COUNT_BYTES: usize = 4;

/// The type of an endpoint's samples. Serialised (plain CDR), header and elements lie as in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// The kind of the body.
    pub kind: Payload,
    /// Whether samples belong to instances.
    pub is_keyed: bool,
}

impl Shape {
    /// Shape of an endpoint.
    pub fn new(config: &EndpointConfig) -> Self {
        Self { kind: config.payload, is_keyed: config.instances > 0 }
    }

    /// The type's name.
    pub fn type_name(self) -> &'static str {
        match self.kind {
            _ if self.is_keyed => "busmark::KeyedSample",
            Payload::Empty => "busmark::EmptySample",
            Payload::Octet => "busmark::OctetSample",
            Payload::Char => "busmark::CharSample",
            Payload::Short => "busmark::ShortSample",
            Payload::Float => "busmark::FloatSample",
            Payload::Long => "busmark::LongSample",
            Payload::Struct => "busmark::StructSample",
            Payload::Any => "busmark::AnySample",
            Payload::Type => "busmark::UserSample",
        }
    }

    const fn header_at(self) -> usize {
        ENCAPSULATION.len() + if self.is_keyed { KEY_BYTES } else { 0 }
    }

    /// Where the number of elements is.
    const fn count_at(self) -> usize {
        let discriminator = if matches!(self.kind, Payload::Any) { 4 } else { 0 };
        self.header_at() + HEADER_BYTES + discriminator
    }

    /// Bytes of a serialised sample with a body of this size.
    pub const fn serialized_bytes(self, body_bytes: usize) -> usize {
        match self.kind {
            Payload::Empty => self.header_at() + HEADER_BYTES,
            _ => self.count_at() + COUNT_BYTES + body_bytes,
        }
    }

    /// A serialised sample with this body of whole elements, its header and instance zero.
    pub fn serialize(self, body: &[u8]) -> Vec<u8> {
        let mut out = vec![0; self.serialized_bytes(0)];
        out[..ENCAPSULATION.len()].copy_from_slice(&ENCAPSULATION);
        if self.kind == Payload::Empty {
            return out;
        }
        let at = self.count_at();
        if self.kind == Payload::Any {
            out[at - 4..at].copy_from_slice(&(Payload::Octet as u32).to_le_bytes());
        }
        let count = (body.len() / self.kind.element_bytes()) as u32;
        out[at..at + COUNT_BYTES].copy_from_slice(&count.to_le_bytes());
        out.extend_from_slice(body);
        out
    }

    /// Puts header and instance into a serialised sample. Hot.
    #[inline]
    pub fn put(self, bytes: &mut [u8], header: &Header, instance: u32) {
        let at = self.header_at();
        let to = bytes[at..at + HEADER_BYTES].as_mut_ptr();
        // SAFETY: there is room; a header is plain numbers without padding.
        unsafe { to.cast::<Header>().write_unaligned(*header) };
        if self.is_keyed {
            let at = ENCAPSULATION.len();
            bytes[at..at + size_of::<u32>()].copy_from_slice(&instance.to_le_bytes());
        }
    }

    /// Header and body of a serialised sample; `None` for one of another form. Hot.
    #[inline]
    pub fn parse(self, bytes: &[u8]) -> Option<(Header, &[u8])> {
        if bytes.get(..2)? != &ENCAPSULATION[..2] {
            return None;
        }
        let header = bytes.get(self.header_at()..)?.get(..HEADER_BYTES)?;
        // SAFETY: a header is plain numbers, and there are as many bytes.
        let header = unsafe { header.as_ptr().cast::<Header>().read_unaligned() };
        if self.kind == Payload::Empty {
            return Some((header, &[]));
        }
        let at = self.count_at();
        let word = |at: usize| bytes.get(at..at + 4)?.try_into().ok().map(u32::from_le_bytes);
        if self.kind == Payload::Any && word(at - 4)? != Payload::Octet as u32 {
            return None;
        }
        let body_bytes = word(at)? as usize * self.kind.element_bytes();
        Some((header, bytes.get(at + COUNT_BYTES..)?.get(..body_bytes)?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const IDL: &str = include_str!("../../../idl/busmark.idl");

    /// Words that begin with `prefix` and end where `until` says.
    fn named<'a>(text: &'a str, prefix: &str, until: fn(char) -> bool) -> Vec<&'a str> {
        text.split(prefix).skip(1).filter_map(|rest| rest.split(until).next()).collect()
    }

    #[test]
    fn every_type_of_the_idl_file_is_here() {
        let ends = |c: char| !c.is_alphanumeric();
        let code: String =
            IDL.lines().filter(|line| !line.trim_start().starts_with("//")).collect();
        let mut idl = named(&code, "struct ", ends);
        idl.extend(named(&code, "union ", ends));
        let mut xml = named(XML, "<struct name='", ends);
        xml.extend(named(XML, "<union name='", ends));
        assert_eq!(idl, xml);
        for kind in Payload::ALL {
            let name = Shape { kind, is_keyed: false }.type_name();
            let name = name.strip_prefix("busmark::").expect("the module");
            assert!(idl.contains(&name), "{name}");
        }
    }

    #[test]
    fn what_is_serialised_is_read_again() {
        for kind in Payload::ALL {
            for is_keyed in [false, kind == Payload::Octet] {
                let shape = Shape { kind, is_keyed };
                let elements = if kind == Payload::Empty { 0 } else { 3 };
                let mut body = vec![0; elements * kind.element_bytes()];
                busmark_adapter::fill_pattern(kind, &mut body);
                let mut bytes = shape.serialize(&body);
                assert_eq!(bytes.len(), shape.serialized_bytes(body.len()));
                let sent = Header { cookie: u64::MAX, seq: 1, flags: 2, ..Header::default() };
                shape.put(&mut bytes, &sent, 3);
                let (header, found) = shape.parse(&bytes).expect("a sample");
                assert!(header == sent && found == body, "{shape:?}");
                for cut in 0..bytes.len() {
                    assert_eq!(shape.parse(&bytes[..cut]), None, "{shape:?} cut at {cut}");
                }
            }
        }
    }
}
