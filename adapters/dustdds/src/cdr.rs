//! Plain CDR (XCDR1, little-endian) to and from the crate's dynamic form of a value (C30).
//!
//! The crate keeps its own serialiser to itself. What is here reads a value once, when a sample is
//! prepared, and writes it where it is to be verified: never while something is measured.

use dust_dds::xtypes::data_storage::DataStorage;
use dust_dds::xtypes::dynamic_type::{
    DynamicData, DynamicDataFactory, DynamicType, DynamicTypeMember, TypeKind,
};

/// The value of `kind` in these bytes; `None` where they are none, or more than one.
pub fn read(kind: DynamicType<'static>, bytes: &[u8]) -> Option<DynamicData<'static>> {
    let mut input = Input { bytes, at: 0 };
    let value = input.constructed(kind)?;
    (input.at == bytes.len()).then_some(value)
}

/// The value in bytes; `None` where this form of CDR has none.
pub fn write(value: &DynamicData<'static>) -> Option<Vec<u8>> {
    let mut out = Vec::new();
    put_constructed(&mut out, value)?;
    Some(out)
}

struct Input<'a> {
    bytes: &'a [u8],
    at: usize,
}

/// What a sequence or an array of the crate has as its elements.
trait Element: Sized {
    fn get(input: &mut Input) -> Option<Self>;
    fn put(&self, out: &mut Vec<u8>);
}

macro_rules! numbers {
    ($($number:ty)*) => {$(
        impl Element for $number {
            fn get(input: &mut Input) -> Option<Self> {
                input.at = input.at.next_multiple_of(size_of::<Self>());
                input.take(size_of::<Self>())?.try_into().ok().map(Self::from_le_bytes)
            }

            fn put(&self, out: &mut Vec<u8>) {
                out.resize(out.len().next_multiple_of(size_of::<Self>()), 0);
                out.extend_from_slice(&self.to_le_bytes());
            }
        }
    )*};
}

numbers!(u8 i8 u16 i16 u32 i32 u64 i64 f32 f64);

impl Element for bool {
    fn get(input: &mut Input) -> Option<Self> {
        match u8::get(input)? {
            0 => Some(false),
            1 => Some(true),
            _ => None,
        }
    }

    fn put(&self, out: &mut Vec<u8>) {
        out.push((*self).into());
    }
}

impl Element for char {
    fn get(input: &mut Input) -> Option<Self> {
        u8::get(input).map(Self::from)
    }

    fn put(&self, out: &mut Vec<u8>) {
        out.push(*self as u8);
    }
}

impl Element for String {
    fn get(input: &mut Input) -> Option<Self> {
        let bytes = u32::get(input)? as usize;
        let (end, text) = input.take(bytes)?.split_last()?;
        if *end == 0 { Self::from_utf8(text.to_vec()).ok() } else { None }
    }

    fn put(&self, out: &mut Vec<u8>) {
        (self.len() as u32 + 1).put(out);
        out.extend_from_slice(self.as_bytes());
        out.push(0);
    }
}

/// The crate's storage of each kind of value, and of several.
macro_rules! stored {
    ($($kind:ident $type:ty: $one:ident $many:ident,)*) => {
        impl Input<'_> {
            fn element(&mut self, kind: TypeKind) -> Option<DataStorage> {
                match kind {
                    $(TypeKind::$kind => <$type>::get(self).map(DataStorage::$one),)*
                    _ => None,
                }
            }

            fn elements(&mut self, kind: TypeKind, count: usize) -> Option<DataStorage> {
                match kind {
                    $(TypeKind::$kind => {
                        (0..count).map(|_| <$type>::get(self)).collect::<Option<_>>()
                            .map(DataStorage::$many)
                    })*
                    _ => None,
                }
            }
        }

        fn put_elements(out: &mut Vec<u8>, value: &DataStorage) -> Option<()> {
            match value {
                $(
                    DataStorage::$one(element) => element.put(out),
                    DataStorage::$many(elements) => elements.iter().for_each(|e| e.put(out)),
                )*
                DataStorage::ComplexValue(inner) => put_constructed(out, inner)?,
                DataStorage::SequenceComplexValue(inner) => {
                    inner.iter().try_for_each(|value| put_constructed(out, value))?;
                }
                _ => return None,
            }
            Some(())
        }

        fn count(value: &DataStorage) -> Option<usize> {
            match value {
                $(DataStorage::$many(elements) => Some(elements.len()),)*
                DataStorage::SequenceComplexValue(inner) => Some(inner.len()),
                _ => None,
            }
        }
    };
}

stored! {
    BOOLEAN bool: Boolean SequenceBoolean,
    CHAR8 char: Char8 SequenceChar8,
    UINT8 u8: UInt8 SequenceUInt8,
    INT8 i8: Int8 SequenceInt8,
    UINT16 u16: UInt16 SequenceUInt16,
    INT16 i16: Int16 SequenceInt16,
    UINT32 u32: UInt32 SequenceUInt32,
    INT32 i32: Int32 SequenceInt32,
    UINT64 u64: UInt64 SequenceUInt64,
    INT64 i64: Int64 SequenceInt64,
    FLOAT32 f32: Float32 SequenceFloat32,
    FLOAT64 f64: Float64 SequenceFloat64,
    STRING8 String: String SequenceString,
}

const CONSTRUCTED: [TypeKind; 3] = [TypeKind::STRUCTURE, TypeKind::UNION, TypeKind::ENUM];

impl<'a> Input<'a> {
    fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let part = self.bytes.get(self.at..self.at.checked_add(count)?)?;
        self.at += count;
        Some(part)
    }

    fn value(&mut self, kind: &DynamicType<'static>) -> Option<DataStorage> {
        match kind.get_kind() {
            TypeKind::SEQUENCE => {
                let count = u32::get(self)? as usize;
                // Every element takes a byte at least: no length makes this ask for much memory.
                if count > self.bytes.len() { None } else { self.several(kind, count) }
            }
            TypeKind::ARRAY => self.several(kind, *kind.descriptor.bound.first()? as usize),
            of if CONSTRUCTED.contains(&of) => {
                self.constructed(*kind).map(DataStorage::ComplexValue)
            }
            of => self.element(of),
        }
    }

    fn several(&mut self, kind: &DynamicType<'static>, count: usize) -> Option<DataStorage> {
        let element = kind.descriptor.element_type?;
        if !CONSTRUCTED.contains(&element.get_kind()) {
            return self.elements(element.get_kind(), count);
        }
        let values = (0..count).map(|_| self.constructed(element)).collect::<Option<_>>();
        values.map(DataStorage::SequenceComplexValue)
    }

    fn constructed(&mut self, kind: DynamicType<'static>) -> Option<DynamicData<'static>> {
        let mut value = DynamicDataFactory::create_data(kind);
        if kind.get_kind() == TypeKind::ENUM {
            value.set_value(0, self.value(&kind.descriptor.discriminator_type?)?);
            return Some(value);
        }
        for index in 0..kind.member_list.len() {
            let member = &kind.member_list[index];
            if kind.get_kind() == TypeKind::UNION && index > 0 && !chosen(&value, member)? {
                continue;
            }
            // Before an optional member plain CDR has a header of the mutable form.
            if member.descriptor.is_optional {
                return None;
            }
            value.set_value(member.get_id(), self.value(&member.descriptor.r#type)?);
        }
        Some(value)
    }
}

/// Whether the discriminator of a union, its member 0, names this member.
fn chosen(union: &DynamicData<'static>, member: &DynamicTypeMember) -> Option<bool> {
    let label = discriminator(union)?;
    let named = |m: &DynamicTypeMember| m.descriptor.label.contains(&label);
    let none_named = !union.r#type().member_list.iter().any(named);
    Some(named(member) || (member.descriptor.is_default_label && none_named))
}

fn discriminator(value: &DynamicData<'static>) -> Option<i32> {
    match value.get_value(0).ok()? {
        DataStorage::Boolean(x) => Some((*x).into()),
        DataStorage::Char8(x) => Some(*x as i32),
        DataStorage::UInt8(x) => Some((*x).into()),
        DataStorage::Int8(x) => Some((*x).into()),
        DataStorage::UInt16(x) => Some((*x).into()),
        DataStorage::Int16(x) => Some((*x).into()),
        DataStorage::UInt32(x) => i32::try_from(*x).ok(),
        DataStorage::Int32(x) => Some(*x),
        DataStorage::ComplexValue(enumerator) => discriminator(enumerator),
        _ => None,
    }
}

fn put_constructed(out: &mut Vec<u8>, value: &DynamicData<'static>) -> Option<()> {
    let kind = value.r#type();
    if kind.get_kind() == TypeKind::ENUM {
        return put_elements(out, value.get_value(0).ok()?);
    }
    for member in kind.member_list {
        let stored = match value.get_value(member.get_id()) {
            Ok(stored) => stored,
            // A member of a union that is not the chosen one.
            Err(_) if kind.get_kind() == TypeKind::UNION => continue,
            Err(_) => return None,
        };
        if member.descriptor.is_optional {
            return None;
        }
        if member.descriptor.r#type.get_kind() == TypeKind::SEQUENCE {
            (count(stored)? as u32).put(out);
        }
        put_elements(out, stored)?;
    }
    Some(())
}

#[cfg(test)]
mod tests;
