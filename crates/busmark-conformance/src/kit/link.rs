//! Writers and readers, wired and matched.

use std::time::Duration;

use busmark_adapter::{
    EndpointConfig, Feature, ParticipantConfig, ParticipantHandle, Payload, QosValue, ReaderHandle,
    Status, WriterHandle,
};

use super::context::Context;
use super::inbox::{Got, Inbox};
use super::outbox::Outbox;
use super::retry::until;
use super::verdict::{Stop, Verdict};

/// Pause after which discovery without matched counts is taken to be done.
const SETTLE: Duration = Duration::from_secs(1);

/// Pause between samples that may be lost.
const PACE: Duration = Duration::from_micros(200);

/// One side of a link: where its endpoints live and what they are.
#[derive(Clone)]
pub(crate) struct Side {
    pub participant: ParticipantConfig,
    pub endpoint: EndpointConfig,
    pub count: usize,
}

/// What a test wants to be connected.
#[derive(Clone)]
pub(crate) struct Plan {
    pub writer: Side,
    pub reader: Side,
    /// Wait until both sides count each other.
    pub matched: bool,
}

impl Plan {
    /// One writer and one reader of this endpoint, each in a participant of its own.
    pub fn new(context: &Context, endpoint: &EndpointConfig) -> Self {
        let participant = context.participant_config(0);
        let side = Side { participant, endpoint: endpoint.clone(), count: 1 };
        Self { writer: side.clone(), reader: side, matched: true }
    }

    pub fn transport(mut self, context: &Context, name: &str) -> Self {
        for side in [&mut self.writer, &mut self.reader] {
            side.participant = context.participant_config_over(name);
        }
        self
    }

    /// This many writers and readers.
    pub fn counts(mut self, writers: usize, readers: usize) -> Self {
        self.writer.count = writers;
        self.reader.count = readers;
        self
    }

    pub fn unmatched(mut self) -> Self {
        self.matched = false;
        self
    }
}

/// Writers and readers of one topic. Fields are dropped in this order; handles keep what they need.
pub(crate) struct Link {
    pub writers: Vec<Outbox>,
    pub readers: Vec<Inbox>,
    pub writing: ParticipantHandle,
    pub reading: ParticipantHandle,
}

impl Link {
    pub fn open(context: &Context, plan: &Plan) -> Verdict<Self> {
        let writing = context.library.participant(&plan.writer.participant)?;
        let reading = context.library.participant(&plan.reader.participant)?;
        Self::between(context, plan, writing, reading)
    }

    /// One writer, one reader, this endpoint, in the participants of this link.
    pub fn beside(&self, context: &Context, endpoint: &EndpointConfig) -> Verdict<Self> {
        let plan = Plan::new(context, endpoint);
        Self::between(context, &plan, self.writing.clone(), self.reading.clone())
    }

    fn between(
        context: &Context,
        plan: &Plan,
        writing: ParticipantHandle,
        reading: ParticipantHandle,
    ) -> Verdict<Self> {
        let mut link = Self { writers: Vec::new(), readers: Vec::new(), writing, reading };
        for _ in 0..plan.reader.count {
            link.add_reader(&plan.reader.endpoint)?;
        }
        for _ in 0..plan.writer.count {
            link.add_writer(context, &plan.writer.endpoint)?;
        }
        link.wire(context)?;
        if plan.matched {
            link.wait_for_match(context)?;
        }
        Ok(link)
    }

    /// One writer, one reader, this endpoint.
    pub fn pair(context: &Context, endpoint: &EndpointConfig) -> Verdict<Self> {
        Self::open(context, &Plan::new(context, endpoint))
    }

    pub fn add_reader(&mut self, endpoint: &EndpointConfig) -> Verdict<()> {
        self.readers.push(Inbox::new(&self.reading, endpoint)?);
        Ok(())
    }

    pub fn add_writer(&mut self, context: &Context, endpoint: &EndpointConfig) -> Verdict<()> {
        let id = self.writers.len() as u32;
        let mut writer = match &context.options.body {
            Some(value) if endpoint.payload == Payload::Type => {
                Outbox::with_body(&self.writing, endpoint, value, id, context.patience())?
            }
            _ => Outbox::new(&self.writing, endpoint, id, context.patience())?,
        };
        if !context.honours(QosValue::Reliable) {
            writer.pause = PACE;
        }
        self.writers.push(writer);
        Ok(())
    }

    /// Carries every locator to every endpoint of the other side (C25, C36); discovery needs no help.
    pub fn wire(&self, context: &Context) -> Verdict<()> {
        for (w, writer) in self.writers.iter().enumerate() {
            for reader in &self.readers {
                connect(context, writer, reader).map_err(|stop| match stop {
                    Stop::Failed(text) => Stop::Failed(format!("writer {w}: {text}")),
                    skipped @ Stop::Skipped(_) => skipped,
                })?;
            }
        }
        Ok(())
    }

    /// Until every endpoint counts all of the other side.
    pub fn wait_for_match(&self, context: &Context) -> Verdict<()> {
        if context.has(Feature::Matched) {
            return until("matching", context.patience(), || self.match_state());
        }
        if !context.has_locators() {
            std::thread::sleep(SETTLE);
        }
        Ok(())
    }

    fn match_state(&self) -> Result<(), String> {
        let (writers, readers) = (self.writers.len() as u32, self.readers.len() as u32);
        for (i, writer) in self.writers.iter().enumerate() {
            match writer.handle.matched() {
                Ok(n) if n == readers => (),
                Ok(n) => return Err(format!("writer {i} counts {n} readers of {readers}")),
                Err(status) => return Err(format!("writer {i}: {status}")),
            }
        }
        for (i, reader) in self.readers.iter().enumerate() {
            match reader.handle.matched() {
                Ok(n) if n == writers => (),
                Ok(n) => return Err(format!("reader {i} counts {n} writers of {writers}")),
                Err(status) => return Err(format!("reader {i}: {status}")),
            }
        }
        Ok(())
    }

    pub fn writer(&mut self) -> &mut Outbox {
        &mut self.writers[0]
    }

    pub fn reader(&self) -> &Inbox {
        &self.readers[0]
    }

    /// Every writer sends `count` samples from a thread of its own while the readers receive; gives
    /// what each reader received when it had all, or when none came for as long as `patience`.
    pub fn exchange(&mut self, count: u64, patience: Duration) -> Verdict<Vec<Vec<Got>>> {
        let expected = count as usize * self.writers.len();
        let Self { writers, readers, .. } = self;
        std::thread::scope(|scope| {
            let senders: Vec<_> =
                writers.iter_mut().map(|w| scope.spawn(|| w.write_many(count))).collect();
            let receivers: Vec<_> = readers
                .iter()
                .map(|r| scope.spawn(move || r.gather_coming(expected, patience)))
                .collect();
            for sender in senders {
                sender.join().unwrap_or_else(|_| Err(Stop::Failed("a sender panicked".into())))?;
            }
            let gone = || Err(Stop::Failed("a receiver panicked".into()));
            receivers.into_iter().map(|r| r.join().unwrap_or_else(|_| gone())).collect()
        })
    }
}

/// Who has the locator, and what it is.
pub(crate) enum Binds {
    /// The reader: the writer connects (C25).
    Reader(String),
    /// The writer: the reader connects (C36).
    Writer(String),
    /// Neither: they find each other.
    Nobody,
}

impl Binds {
    /// As these two endpoints say.
    pub fn of(
        context: &Context,
        writer: &WriterHandle,
        reader: &ReaderHandle,
    ) -> Result<Self, Status> {
        let both = context.has(Feature::WriterLocators);
        if context.has(Feature::Locators) {
            match reader.locator() {
                Err(Status::Unsupported) if both => {}
                locator => return locator.map(Self::Reader),
            }
        }
        if both { writer.locator().map(Self::Writer) } else { Ok(Self::Nobody) }
    }
}

/// Wires one writer to one reader where the adapter has locators.
pub(crate) fn connect(context: &Context, writer: &Outbox, reader: &Inbox) -> Verdict<()> {
    let (writer, reader) = (&writer.handle, &reader.handle);
    connect_handles(writer, reader, Binds::of(context, writer, reader)?)
}

/// Wires them as they bind.
pub(crate) fn connect_handles(
    writer: &WriterHandle,
    reader: &ReaderHandle,
    binds: Binds,
) -> Verdict<()> {
    let connected = match binds {
        Binds::Reader(locator) => writer.connect(&locator),
        Binds::Writer(locator) => reader.connect(&locator),
        Binds::Nobody => Ok(()),
    };
    connected.map_err(|error| match error.status {
        Status::Resources => Stop::Skipped(format!("not supported: {}", error.message)),
        _ => error.into(),
    })
}
