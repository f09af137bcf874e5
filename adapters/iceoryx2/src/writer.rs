//! A writer: a publisher, and a notifier for readers that sleep.

use std::mem::MaybeUninit;
use std::sync::Arc;

use busmark_adapter::{EndpointConfig, Header, HotCell, HotGuard, Payload, Result, Status, Writer};
use iceoryx2::port::notifier::Notifier;
use iceoryx2::port::publisher::Publisher;
use iceoryx2::port::update_connections::UpdateConnections;
use iceoryx2::port::{BackpressureAction, SendError};
use iceoryx2::prelude::{BackpressureStrategy, PortFactory, Service};
use iceoryx2::sample_mut::SampleMut;
use iceoryx2::sample_mut_uninit::SampleMutUninit;

use crate::elements::{Element, SampleHeader};
use crate::filled::Filled;
use crate::participant::{Census, Topic, failed};
use crate::sample::{NO_SAMPLE, Sample};

/// A publisher of elements of any type.
pub struct IoxWriter {
    hot: HotCell<Box<dyn Publish>>,
    census: Arc<dyn Census>,
    /// Late readers get samples that were written before.
    history: bool,
    payload: Payload,
    max_body_bytes: u64,
}

/// What the writing thread does.
pub trait Publish: Send {
    /// As [`Writer::write`].
    fn write(&mut self, sample: &Sample, header: &Header) -> std::result::Result<(), Status>;
    /// As [`Writer::loan`], for this many elements' bytes.
    fn loan(&mut self, bytes: usize) -> std::result::Result<*mut u8, Status>;
    /// As [`Writer::publish`].
    fn publish(&mut self, header: Option<&Header>) -> std::result::Result<(), Status>;
    /// Connects to new readers now and not at the next write, and gives them the history.
    fn update(&mut self);
}

/// A publisher with its notifier.
pub struct Sender<S: Service, T: Element> {
    /// Memory that the worker fills in (C35).
    lent: Option<SampleMutUninit<S, [MaybeUninit<T>], SampleHeader>>,
    publisher: Publisher<S, [T], SampleHeader>,
    notifier: Notifier<S>,
    /// Where bodies are; `None`: they are copied each time.
    filled: Option<Filled>,
    topic: Arc<Topic<S, T>>,
}

// SAFETY: the ports count their own references without atomic operations, so all must stay with one
// thread at a time: they are inside this value, which a cell gives to one thread at a time, and loans
// of it outlive a call inside this value only.
unsafe impl<S: Service, T: Element> Send for Sender<S, T> {}

impl<S: Service, T: Element> Sender<S, T> {
    /// On this topic.
    pub fn new(topic: Arc<Topic<S, T>>, in_place: bool) -> Result<Self> {
        let limits = &topic.limits;
        // A slice of no elements still needs a place.
        let elements = topic.max_elements.max(1);
        let mut builder = topic.samples.publisher_builder().initial_max_slice_len(elements);
        if let Some(strategy) = limits.strategy {
            builder = builder.backpressure_strategy(strategy);
        }
        if limits.strategy != Some(BackpressureStrategy::DiscardData) {
            let limit = limits.blocking;
            builder = builder.set_backpressure_handler(move |full| {
                if full.elapsed_time < limit {
                    BackpressureAction::Retry
                } else {
                    BackpressureAction::DiscardDataAndFail
                }
            });
        }
        let publisher = builder.create().map_err(|error| failed("publisher", error))?;
        let notifier =
            topic.events.notifier_builder().create().map_err(|error| failed("notifier", error))?;
        let filled = in_place.then(|| Filled::new(topic.pieces()));
        Ok(Self { lent: None, publisher, notifier, filled, topic })
    }
}

impl<S: Service, T: Element> Publish for Sender<S, T> {
    #[inline]
    fn write(&mut self, sample: &Sample, header: &Header) -> std::result::Result<(), Status> {
        let bytes = sample.body.len();
        let elements = bytes / size_of::<T>();
        let Ok(mut loan) = self.publisher.loan_slice_uninit(elements) else {
            return Err(Status::Resources);
        };
        loan.user_header_mut().0 = *header;
        let to = loan.payload_mut().as_mut_ptr().cast::<u8>();
        let there =
            self.filled.as_mut().is_some_and(|filled| filled.holds(to.addr(), sample.number));
        if !there {
            // SAFETY: the loan has room for as many elements.
            unsafe { std::ptr::copy_nonoverlapping(sample.body.as_ptr(), to, bytes) };
        }
        // SAFETY: every byte was just copied, or was when this piece of memory was loaned before.
        self.send(unsafe { loan.assume_init() })
    }

    #[inline]
    fn loan(&mut self, bytes: usize) -> std::result::Result<*mut u8, Status> {
        if self.lent.is_some() || !bytes.is_multiple_of(size_of::<T>()) {
            return Err(Status::Invalid);
        }
        let elements = bytes / size_of::<T>();
        let mut loan = self.publisher.loan_slice_uninit(elements).map_err(|_| Status::Resources)?;
        let to = loan.payload_mut().as_mut_ptr().cast::<u8>();
        if let Some(filled) = &mut self.filled {
            // Whatever body this piece held, it holds it no longer.
            filled.holds(to.addr(), NO_SAMPLE);
        }
        self.lent = Some(loan);
        Ok(to)
    }

    #[inline]
    fn publish(&mut self, header: Option<&Header>) -> std::result::Result<(), Status> {
        let mut loan = self.lent.take().ok_or(Status::Invalid)?;
        let Some(header) = header else { return Ok(()) };
        loan.user_header_mut().0 = *header;
        // SAFETY: the worker has filled in every byte (C35).
        self.send(unsafe { loan.assume_init() })
    }

    fn update(&mut self) {
        let _ = self.publisher.update_connections();
    }
}

impl<S: Service, T: Element> Sender<S, T> {
    #[inline]
    fn send(&self, sample: SampleMut<S, [T], SampleHeader>) -> std::result::Result<(), Status> {
        match sample.send() {
            Ok(_) => {}
            Err(SendError::UnableToDeliver) => return Err(Status::Timeout),
            Err(SendError::LoanError(_)) => return Err(Status::Resources),
            Err(_) => return Err(Status::Failed),
        }
        if self.topic.events.dynamic_config().number_of_listeners() > 0 {
            // A reader that has gone away meanwhile is no failure of this write.
            let _ = self.notifier.notify();
        }
        Ok(())
    }
}

impl IoxWriter {
    /// Writer of this publisher.
    pub fn new(
        config: &EndpointConfig,
        history: bool,
        sender: Box<dyn Publish>,
        census: Arc<dyn Census>,
    ) -> Self {
        Self {
            hot: HotCell::new(sender),
            census,
            history,
            payload: config.payload,
            max_body_bytes: config.max_body_bytes,
        }
    }

    /// The writing thread's access. Only [`Writer::matched`] may have the publisher at the same time,
    /// for a moment, and only where there is a history.
    #[inline]
    fn sender(&self) -> HotGuard<'_, Box<dyn Publish>> {
        loop {
            match self.hot.get() {
                Some(sender) => return sender,
                None => std::thread::yield_now(),
            }
        }
    }
}

impl Writer for IoxWriter {
    type Sample = Sample;

    fn prepare(&self, body: &[u8]) -> Result<Sample> {
        Ok(Sample::new(self.payload, body))
    }

    #[inline]
    fn write(&self, sample: &mut Sample, header: &Header) -> std::result::Result<(), Status> {
        self.sender().write(sample, header)
    }

    #[inline]
    fn loan(&self, bytes: usize) -> std::result::Result<*mut u8, Status> {
        if self.payload == Payload::Any {
            return Err(Status::Unsupported);
        }
        if bytes as u64 > self.max_body_bytes {
            return Err(Status::Invalid);
        }
        self.sender().loan(bytes)
    }

    #[inline]
    fn publish(&self, header: Option<&Header>) -> std::result::Result<(), Status> {
        self.sender().publish(header)
    }

    fn matched(&self) -> std::result::Result<u32, Status> {
        let readers = self.census.readers();
        if self.history
            && let Some(mut sender) = self.hot.get()
        {
            sender.update();
        }
        Ok(readers)
    }
}
