//! C12 to C14: where an adapter may write, domains, and what it must copy.

use busmark_adapter::abi::LOCATOR_BYTES;
use busmark_adapter::{EndpointConfig, Header, Status, Wait};

use crate::kit::process::{descriptors, unix_socket_paths};
use crate::kit::{Binds, COOKIE, Context, Link, Plan, Stop, Verdict, ensure, fail, until};
use crate::raw::{
    FileWatch, RawError, RawParticipant, RawReader, RawTable, RawWriter, Shape, Taken,
    WatchedReader,
};

pub(crate) fn c12_files_are_made_in_the_run_directory_only(context: &Context) -> Verdict {
    context.serve();
    let before = (descriptors(), unix_socket_paths());
    let watch = FileWatch::begin();
    let mut endpoint = context.endpoint();
    let mut seen = 0;
    for transport in &context.caps.transports {
        endpoint.topic = context.topic();
        let plan = Plan::new(context, &endpoint).transport(context, transport);
        let Ok(mut link) = Link::open(context, &plan) else { continue }; // C9 tests every transport.
        link.writer().write()?;
        let run_dir = context.run_dir.to_string_lossy().into_owned();
        for descriptor in descriptors().difference(&before.0) {
            let target = descriptor.split_once(" -> ").map_or("", |(_, target)| target);
            ensure!(
                is_allowed(target, &run_dir),
                "transport {transport} has a file outside of run_dir open: {target}"
            );
            seen += 1;
        }
        for path in unix_socket_paths().difference(&before.1) {
            ensure!(
                path.starts_with(&run_dir),
                "transport {transport} has a socket outside of run_dir: {path}"
            );
        }
    }
    let closed = match &watch {
        Ok(watch) => {
            format!("; {} files written and closed", written_where_allowed(context, watch)?)
        }
        Err(error) => format!("; files that are closed at once were not seen: {error}"),
    };
    // Run directory, home and current folder are looked into after every test.
    let transports = context.caps.transports.len();
    Ok(format!("{seen} descriptors of {transports} transports looked at{closed}"))
}

/// The number of files that were written, all of them where they may be.
fn written_where_allowed(context: &Context, watch: &FileWatch) -> Verdict<usize> {
    let run_dir = context.run_dir.to_string_lossy().into_owned();
    let written = watch.written();
    for path in &written {
        let path = path.to_string_lossy();
        let path = path.trim_end_matches(" (deleted)");
        ensure!(
            path.starts_with(&run_dir) || path.starts_with("/dev/"),
            "a file outside of run_dir was written and closed: {path}"
        );
    }
    Ok(written.len())
}

/// Files in the run directory, things without a path, devices and shared memory (C15).
fn is_allowed(target: &str, run_dir: &str) -> bool {
    let system = ["/dev/", "/proc/", "/sys/", "/memfd:", "/usr/", "/lib", "/etc/"];
    !target.starts_with('/')
        || target.starts_with(run_dir)
        || system.iter().any(|s| target.starts_with(s))
}

pub(crate) fn c13_two_domains_do_not_hear_each_other(context: &Context) -> Verdict {
    let endpoint = context.endpoint();
    let here = Plan::new(context, &endpoint);
    let mut there = here.clone();
    for side in [&mut there.writer, &mut there.reader] {
        side.participant = context.participant_config(1);
    }
    let mut first = Link::open(context, &here)?;
    let mut second = Link::open(context, &there)?;
    // The second domain's writer has another number, by which its samples are told apart.
    second.writer().header.writer_id = 1000;
    for _ in 0..10 {
        first.writer().write()?;
        second.writer().write()?;
    }
    for (link, id) in [(&first, 0), (&second, 1000)] {
        let own = link.reader().gather(10, context.patience())?;
        ensure!(own.len() >= 10, "{} of 10 samples arrived within one domain", own.len());
        let foreign = own.iter().filter(|g| g.header.writer_id != id).count();
        ensure!(foreign == 0, "{foreign} samples of the other domain were heard");
    }
    for link in [&first, &second] {
        let late = link.reader().gather(1, context.options.quiet)?;
        ensure!(late.is_empty(), "{} samples too many were heard", late.len());
    }
    let how =
        if context.has_locators() { cross_domains(context, &mut first, &second)? } else { "" };
    Ok(format!("same topic in two domains, 10 samples each{how}"))
}

/// With locators the suite itself chooses who hears whom: a writer that is led to a reader of the other
/// domain must be refused there, or not be heard.
fn cross_domains(context: &Context, first: &mut Link, second: &Link) -> Verdict<&'static str> {
    let (writer, reader) = (&first.writers[0].handle, &second.reader().handle);
    let connected = match Binds::of(context, writer, reader)? {
        Binds::Reader(locator) => writer.connect(&locator),
        Binds::Writer(locator) => reader.connect(&locator),
        Binds::Nobody => return Ok(""),
    };
    if connected.is_err() {
        return Ok("; a locator of the other domain is refused");
    }
    for _ in 0..10 {
        first.writer().write()?;
    }
    let heard = second.reader().gather(1, context.options.quiet)?;
    ensure!(
        heard.is_empty(),
        "a writer is heard in another domain once the locator was carried there: writer_connect() or \
         reader_connect() must refuse it, or the reader must not take its samples"
    );
    Ok("; a locator of the other domain leads nowhere")
}

pub(crate) fn c14_configurations_may_be_overwritten_after_the_call(context: &Context) -> Verdict {
    let mut link = RawLink::open(context)?;
    link.scribble();
    // Nobody waits for a match here, so that discovery is part of it: on a busy machine it takes longer.
    let taken = until("a sample after overwriting every buffer", context.patience() * 3, || {
        link.send(&Header { cookie: COOKIE, writer_id: 3, ..Header::default() })?;
        link.received()
    })?;
    let expected = link.body();
    ensure!(taken[0].2 == expected, "the body changed after sample_create had returned");
    Ok("texts, settings, QoS and bodies were overwritten after each call".to_owned())
}

enum Receiving {
    Watched(WatchedReader),
    Plain(RawReader),
}

/// One writer and one reader made through the raw table, from structures longer than the contract's.
pub(crate) struct RawLink {
    // Endpoints before participants, participants before the table.
    writer: RawWriter,
    reader: Receiving,
    sides: [RawParticipant; 2],
    endpoint: EndpointConfig,
    _table: RawTable,
}

impl RawLink {
    pub fn open(context: &Context) -> Verdict<Self> {
        let table = RawTable::of(&context.library).map_err(Stop::Failed)?;
        let endpoint = context.endpoint();
        let config = context.participant_config(0);
        let mut reading = RawParticipant::new(&table, &config).map_err(failed)?;
        let mut writing = RawParticipant::new(&table, &config).map_err(failed)?;
        reading.buffers.scribble();
        writing.buffers.scribble();
        let reader = if endpoint.wait == Wait::Listener {
            Receiving::Watched(WatchedReader::new(&mut reading, &endpoint).map_err(failed)?)
        } else {
            let reader = reading.reader(&endpoint, Shape::default(), None).map_err(failed)?;
            Receiving::Plain(reader)
        };
        let writer = writing.writer(&endpoint, Shape::default()).map_err(failed)?;
        let sides = [writing, reading];
        let link = Self { writer, reader, sides, endpoint, _table: table };
        if context.has_locators() {
            link.connect()?;
        }
        Ok(link)
    }

    /// By the locator of whichever side binds.
    fn connect(&self) -> Verdict<()> {
        let Some(reader) = self.raw_reader() else {
            return fail("there is no reader to ask for its locator");
        };
        match (reader.locator(LOCATOR_BYTES), self.writer.locator(LOCATOR_BYTES)) {
            (Ok(locator), _) => self.writer.connect(&locator).map_err(failed),
            (_, Ok(locator)) => reader.connect(&locator).map_err(failed),
            (Err(reader), Err(writer)) => {
                fail(format!("reader_locator gave status {reader}, writer_locator {writer}"))
            }
        }
    }

    fn raw_reader(&self) -> Option<&RawReader> {
        match &self.reader {
            Receiving::Watched(reader) => reader.raw(),
            Receiving::Plain(reader) => Some(reader),
        }
    }

    /// Asks the side that binds for its locator with so many bytes of room: the status, or the text.
    pub fn locator(&self, of_writer: bool, room: usize) -> Result<String, u32> {
        if of_writer {
            return self.writer.locator(room);
        }
        self.raw_reader().map_or(Err(u32::MAX), |reader| reader.locator(room))
    }

    pub fn writer(&self) -> &RawWriter {
        &self.writer
    }

    pub fn scribble(&mut self) {
        for side in &mut self.sides {
            side.buffers.scribble();
        }
    }

    pub fn body(&self) -> Vec<u8> {
        crate::kit::body(self.endpoint.payload, self.endpoint.max_body_bytes)
    }

    pub fn send(&self, header: &Header) -> Result<(), String> {
        match self.writer.write_scribbled(self.body(), header) {
            Ok(0) => Ok(()),
            Ok(status) => Err(format!("write gave status {status}")),
            Err(error) => Err(error.message),
        }
    }

    /// The samples that have come so far; an error if there are none.
    pub fn received(&self) -> Result<Taken, String> {
        std::thread::sleep(std::time::Duration::from_millis(5));
        let taken = match &self.reader {
            Receiving::Watched(reader) => reader.taken(),
            Receiving::Plain(reader) => reader.take(64),
        };
        if taken.is_empty() { Err("nothing arrived".to_owned()) } else { Ok(taken) }
    }
}

pub(crate) fn failed(error: RawError) -> Stop {
    let unsupported = Status::Resources as u32;
    if error.status == unsupported {
        return Stop::Skipped(error.message);
    }
    Stop::Failed(format!("{} (status {})", error.message, error.status))
}
