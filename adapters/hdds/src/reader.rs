//! A data reader, of any of the types.

use std::sync::{Arc, Mutex, OnceLock, PoisonError, Weak};
use std::time::{Duration, Instant};

use busmark_adapter::{
    EndpointConfig, HotCell, Listener, Reader, Result, Sink, Source, Status, Wait,
};
use hdds::dds::DataReaderListener;
use hdds::{DataReader, Error, WaitSet};

use crate::error::{error, status};
use crate::participant::nobody;
use crate::qos;
use crate::types::Topical;

/// A reader whose type is forgotten.
pub struct HddsReader(Box<dyn Reader>);

/// What the library calls with every sample.
struct Calls<T: Topical> {
    /// Where the library leaves a copy of every sample, whether it is asked for or not: taken out here,
    /// for it holds a place of a pool of a few hundred that all readers of the process share.
    reader: OnceLock<Weak<HotCell<DataReader<T>>>>,
    /// Empty once the reader is gone: the library goes on calling until the participant is. A lock,
    /// because the library calls from several threads at once and lends the sample for the call only.
    listener: Mutex<Option<Listener>>,
    listens: bool,
}

/// The sample that the library lends to its listener.
struct Lent<'a, T>(Option<&'a T>);

impl<T: Topical> Source for Lent<'_, T> {
    fn take(&mut self, max: usize, sink: &mut Sink) -> std::result::Result<usize, Status> {
        if max == 0 {
            return Err(Status::NoData);
        }
        let sample = self.0.take().ok_or(Status::NoData)?;
        sink.deliver(sample.header(), sample.body());
        Ok(1)
    }
}

impl<T: Topical> DataReaderListener<T> for Calls<T> {
    fn on_data_available(&self, sample: &T) {
        if !self.listens {
            return;
        }
        let listener = self.listener.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(listener) = &*listener {
            listener.notify_with(&mut Lent(Some(sample)));
        }
        if let Some(reader) = self.reader.get().and_then(Weak::upgrade) {
            if let Some(reader) = reader.get() {
                while matches!(reader.take(), Ok(Some(_))) {}
            }
        }
    }
}

struct Typed<T: Topical> {
    reader: Arc<HotCell<DataReader<T>>>,
    calls: Arc<Calls<T>>,
    waitset: Option<WaitSet>,
}

/// A reader as the border wants it.
pub fn typed<T: Topical>(
    participant: &Arc<hdds::Participant>,
    config: &EndpointConfig,
    listener: Option<Listener>,
) -> Result<HddsReader> {
    let calls = Arc::new(Calls {
        reader: OnceLock::new(),
        listens: listener.is_some(),
        listener: Mutex::new(listener),
    });
    let failed = |e: Error| error(&e, &format!("reader of {:?}", config.topic));
    let builder = if config.filter_below > 0 {
        participant
            .create_content_filtered_topic::<T>(
                &format!("{}_below_{}", config.topic, config.filter_below),
                &config.topic,
                "instance < %0",
                vec![config.filter_below.to_string()],
            )
            .map_err(|e| Status::Failed.error(format!("content filter: {e}")))?
            .reader()
    } else {
        participant.topic::<T>(&config.topic).map_err(failed)?.reader()
    };
    let reader = builder
        .qos(qos::native(&config.qos))
        .with_domain_state(nobody())
        .with_listener(Arc::clone(&calls) as _)
        .build()
        .map_err(failed)?;
    let waitset = if config.wait == Wait::Waitset {
        let waitset = WaitSet::new();
        waitset
            .attach_condition(reader.get_status_condition())
            .map_err(|e| error(&e, "waitset"))?;
        Some(waitset)
    } else {
        None
    };
    let reader = Arc::new(HotCell::new(reader));
    let _ = calls.reader.set(Arc::downgrade(&reader));
    Ok(HddsReader(Box::new(Typed { reader, calls, waitset })))
}

impl<T: Topical> Reader for Typed<T> {
    #[inline]
    fn take(&self, max: usize, sink: &mut Sink) -> std::result::Result<usize, Status> {
        let reader = self.reader.get().ok_or(Status::Failed)?;
        let mut count = 0;
        while count < max {
            let Some(sample) = reader.take().map_err(|e| status(&e))? else { break };
            sink.deliver(sample.header(), sample.body());
            count += 1;
        }
        if count == 0 { Err(Status::NoData) } else { Ok(count) }
    }

    #[inline]
    fn wait(&self, timeout: Duration) -> std::result::Result<(), Status> {
        let waitset = self.waitset.as_ref().ok_or(Status::Unsupported)?;
        match waitset.wait(Some(timeout)) {
            Ok(_) => Ok(()),
            Err(Error::WouldBlock) => Err(Status::Timeout),
            Err(e) => Err(status(&e)),
        }
    }
}

impl<T: Topical> Drop for Typed<T> {
    fn drop(&mut self) {
        // Waits for a call under way; afterwards none reaches the worker (C22).
        *self.calls.listener.lock().unwrap_or_else(PoisonError::into_inner) = None;
        // What lies in the reader holds places of a pool that all readers of the process share.
        let start = Instant::now();
        if let Some(reader) = self.reader.get() {
            while matches!(reader.take(), Ok(Some(_))) && start.elapsed() < DRAIN {}
        }
    }
}

/// Longest time for emptying a reader that goes.
const DRAIN: Duration = Duration::from_secs(2);

impl Reader for HddsReader {
    #[inline]
    fn take(&self, max: usize, sink: &mut Sink) -> std::result::Result<usize, Status> {
        self.0.take(max, sink)
    }

    #[inline]
    fn wait(&self, timeout: Duration) -> std::result::Result<(), Status> {
        self.0.wait(timeout)
    }
}
