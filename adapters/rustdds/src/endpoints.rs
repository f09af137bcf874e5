//! Topics without and with a key have types of their own in the crate. Here they have one name.

use std::collections::VecDeque;
use std::sync::Arc;

use rustdds::dds::{CreateResult, ReadResult, WriteResult};
use rustdds::mio1::event::Source;
use rustdds::{
    CDRDeserializerAdapter, CDRSerializerAdapter, DataReaderStatus, Keyed, Publisher, QosPolicies,
    RTPSEntity, ReadCondition, StatusEvented, Subscriber, Topic, TopicKind, no_key, with_key,
};
use serde::{Serialize, Serializer};

use crate::types::Sample;

/// What the crate takes to write: a sample by value, which is dropped once it has been encoded. So that
/// the prepared sample stays whole, this is one more reference to it.
pub struct Lent<T>(Arc<T>);

impl<T> Lent<T> {
    /// Until the crate drops it, nobody can change the sample.
    #[inline]
    pub fn of(sample: &Arc<T>) -> Self {
        Self(Arc::clone(sample))
    }
}

impl<T: Serialize> Serialize for Lent<T> {
    #[inline]
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}

impl<T: Keyed> Keyed for Lent<T> {
    type K = T::K;

    fn key(&self) -> T::K {
        self.0.key()
    }
}

/// Writers and readers of samples `T`.
pub trait Endpoints<T>: 'static {
    /// The crate's word for it.
    const KIND: TopicKind;
    /// The crate's writer.
    type Writer: RTPSEntity + Send + Sync + 'static;
    /// The crate's reader.
    type Reader: RTPSEntity + Source + Send + 'static;

    /// Makes a writer.
    fn writer(group: &Publisher, topic: &Topic, qos: QosPolicies) -> CreateResult<Self::Writer>;

    /// Writes. Hot.
    fn write(writer: &Self::Writer, sample: Lent<T>) -> WriteResult<(), Lent<T>>;

    /// Makes a reader.
    fn reader(group: &Subscriber, topic: &Topic, qos: QosPolicies) -> CreateResult<Self::Reader>;

    /// Appends samples that are there to `taken`: all, or as many as are a good number. Hot.
    fn take(reader: &mut Self::Reader, taken: &mut VecDeque<T>) -> ReadResult<()>;

    /// The next status that was told to a reader.
    fn status(reader: &Self::Reader) -> Option<DataReaderStatus>;
}

/// Samples that are taken at once where the crate leaves it to us. Not a multiple of what callers take.
const BATCH: usize = 100;

/// Endpoints of topics without a key.
pub struct NoKey;

impl<T: Sample> Endpoints<T> for NoKey {
    const KIND: TopicKind = TopicKind::NoKey;
    type Writer = no_key::DataWriter<Lent<T>, CDRSerializerAdapter<Lent<T>>>;
    type Reader = no_key::DataReader<T, CDRDeserializerAdapter<T>>;

    fn writer(group: &Publisher, topic: &Topic, qos: QosPolicies) -> CreateResult<Self::Writer> {
        group.create_datawriter_no_key(topic, Some(qos))
    }

    #[inline]
    fn write(writer: &Self::Writer, sample: Lent<T>) -> WriteResult<(), Lent<T>> {
        writer.write(sample, None)
    }

    fn reader(group: &Subscriber, topic: &Topic, qos: QosPolicies) -> CreateResult<Self::Reader> {
        group.create_datareader_no_key(topic, Some(qos))
    }

    #[inline]
    fn take(reader: &mut Self::Reader, taken: &mut VecDeque<T>) -> ReadResult<()> {
        let samples = reader.take(usize::MAX, ReadCondition::any())?;
        taken.extend(samples.into_iter().map(no_key::DataSample::into_value));
        Ok(())
    }

    fn status(reader: &Self::Reader) -> Option<DataReaderStatus> {
        reader.try_recv_status()
    }
}

/// Endpoints of topics without a key, with the crate's simple reader. It keeps no depth, so it is
/// for readers that keep all; and it ends a take, which the other continues as long as samples come
/// in.
pub struct Simple;

impl<T: Sample> Endpoints<T> for Simple {
    const KIND: TopicKind = TopicKind::NoKey;
    type Writer = <NoKey as Endpoints<T>>::Writer;
    type Reader = no_key::SimpleDataReader<T, CDRDeserializerAdapter<T>>;

    fn writer(group: &Publisher, topic: &Topic, qos: QosPolicies) -> CreateResult<Self::Writer> {
        <NoKey as Endpoints<T>>::writer(group, topic, qos)
    }

    #[inline]
    fn write(writer: &Self::Writer, sample: Lent<T>) -> WriteResult<(), Lent<T>> {
        <NoKey as Endpoints<T>>::write(writer, sample)
    }

    fn reader(group: &Subscriber, topic: &Topic, qos: QosPolicies) -> CreateResult<Self::Reader> {
        group.create_simple_datareader_no_key(topic, Some(qos))
    }

    #[inline]
    fn take(reader: &mut Self::Reader, taken: &mut VecDeque<T>) -> ReadResult<()> {
        // First, because what comes from now on must be announced anew.
        reader.drain_read_notifications();
        for _ in 0..BATCH {
            match reader.try_take_one()? {
                Some(sample) => taken.push_back(sample.into_value()),
                None => break,
            }
        }
        Ok(())
    }

    fn status(reader: &Self::Reader) -> Option<DataReaderStatus> {
        reader.try_recv_status()
    }
}

/// Endpoints of topics with a key.
pub struct WithKey;

impl<T> Endpoints<T> for WithKey
where
    T: Sample + Keyed<K = u32>,
{
    const KIND: TopicKind = TopicKind::WithKey;
    type Writer = with_key::DataWriter<Lent<T>, CDRSerializerAdapter<Lent<T>>>;
    type Reader = with_key::DataReader<T, CDRDeserializerAdapter<T>>;

    fn writer(group: &Publisher, topic: &Topic, qos: QosPolicies) -> CreateResult<Self::Writer> {
        group.create_datawriter(topic, Some(qos))
    }

    #[inline]
    fn write(writer: &Self::Writer, sample: Lent<T>) -> WriteResult<(), Lent<T>> {
        writer.write(sample, None)
    }

    fn reader(group: &Subscriber, topic: &Topic, qos: QosPolicies) -> CreateResult<Self::Reader> {
        group.create_datareader(topic, Some(qos))
    }

    #[inline]
    fn take(reader: &mut Self::Reader, taken: &mut VecDeque<T>) -> ReadResult<()> {
        let samples = reader.take(usize::MAX, ReadCondition::any())?;
        // Without those that only tell of an instance's end.
        taken.extend(samples.into_iter().filter_map(|sample| sample.into_value().value()));
        Ok(())
    }

    fn status(reader: &Self::Reader) -> Option<DataReaderStatus> {
        reader.try_recv_status()
    }
}
