//! One round, command by command.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::Path;
use std::sync::mpsc::Sender;
use std::time::{Duration, Instant};

use busmark_adapter::{
    Library, Match, ParticipantConfig, ParticipantHandle, ReaderHandle, ServerHandle,
    ServiceHandle, Side, Status, WriterHandle,
};
use busmark_measure::{clock_pair, held_bytes, now_ns};
use serde_json::{Value, json};

use crate::accounts;
use crate::conclusion;
use crate::desk::{Asker, Message};
use crate::discovery::Discovery;
use crate::matching::{self, Endpoint};
use crate::output::Output;
use crate::protocol::{
    Command, Endpoints, Expected, Failure, FrameHead, ParticipantSpec, SentBy, ServeResult, Setup,
    SetupResult,
};
use crate::ranges;
use crate::roles::{self, Context, Role};
pub use crate::running::Ended;
use crate::running::{Place, Running, Watching};
use crate::tables::{self, to_arrow};

/// The state of a worker between commands.
pub struct Session {
    pub(crate) roles: Vec<Place>,
    server: Option<ServerHandle>,
    host: Option<ParticipantHandle>,
    prepared: Option<Prepared>,
    pub(crate) desk: Sender<Message>,
    pub(crate) running: Option<Running>,
    pub(crate) watching: Option<Watching>,
}

/// What `setup` makes.
struct Prepared {
    library: Library,
    cookie: u64,
    yields: bool,
    participants: Vec<ParticipantSpec>,
}

impl Session {
    /// What ends or takes effect later is reported to `desk`.
    pub fn new(desk: Sender<Message>) -> Self {
        Self {
            roles: Vec::new(),
            server: None,
            host: None,
            prepared: None,
            desk,
            running: None,
            watching: None,
        }
    }

    /// A session in a participant that is there already: `setup` makes its roles in this participant,
    /// and `prepare` loads nothing.
    pub fn hosted(desk: Sender<Message>, host: Option<ParticipantHandle>) -> Self {
        Self { host, ..Self::new(desk) }
    }

    /// Carries out one command; without a result it is answered later.
    pub fn execute(&mut self, command: Command, asker: &Asker) -> Result<Option<Value>, Failure> {
        if self.is_running() && !matches!(command, Command::Set(_)) {
            return Err(Failure::new("protocol", "roles are running: only `set` can be done now"));
        }
        match command {
            Command::Serve { adapter, config } => self.serve(&adapter, &config),
            Command::Prepare(setup) => self.prepare(setup),
            Command::Setup => self.setup(&asker.to),
            Command::Connect { locators, writer_locators } => {
                self.connect(&locators, &writer_locators)
            }
            Command::Match { timeout_s, expect } => self.match_endpoints(timeout_s, &expect),
            Command::Start { every_ns, discovery } => {
                self.here_mut().for_each(|role| role.start());
                let discovery = (!discovery.is_empty()).then(|| Discovery::new(discovery));
                self.watch(every_ns, Vec::new(), discovery, &asker.to)?;
                Ok(Value::Null)
            }
            Command::Run { every_ns, firsts } => return self.run(every_ns, firsts, asker),
            Command::Set(change) => return self.set(&change, asker),
            Command::Drain { expect, idle_s, limit_s } => self.drain(&expect, idle_s, limit_s),
            Command::Collect => self.collect(&asker.to),
            Command::Conclude => self.conclude(),
        }
        .map(Some)
    }

    fn serve(&mut self, adapter: &str, config: &ParticipantConfig) -> Result<Value, Failure> {
        let library = Library::open(Path::new(adapter))?;
        let (server, address) = library.server(config)?;
        self.server = Some(server);
        Ok(json!(ServeResult { address }))
    }

    fn prepare(&mut self, setup: Setup) -> Result<Value, Failure> {
        ranges::check(&setup)?;
        let library = match &self.host {
            Some(host) => host.library().clone(),
            None => Library::open(Path::new(&setup.adapter))?,
        };
        library.probe()?;
        let cookie = u64::from_str_radix(&setup.cookie, 16)
            .map_err(|_| Failure::new("protocol", "the cookie is not a hexadecimal number"))?;
        let Setup { yields, participants, .. } = setup;
        self.prepared = Some(Prepared { library, cookie, yields, participants });
        Ok(Value::Null)
    }

    fn setup(&mut self, news: &Output) -> Result<Value, Failure> {
        let Some(Prepared { library, cookie, yields, participants }) = self.prepared.take() else {
            return Err(Failure::new("protocol", "nothing is prepared that could be set up"));
        };
        for ParticipantSpec { config, roles } in participants {
            if let [spec] = &roles[..]
                && spec.attaches()
            {
                let run = (cookie, yields);
                let role = roles::make_attaching(&library, config, run, spec.clone())?;
                self.roles.push(Place::Here(role));
                continue;
            }
            let participant = match &self.host {
                Some(host) => host.clone(),
                None => library.participant(&config)?.of_run(cookie),
            };
            let news = Some(news.clone());
            let context = Context { participant, cookie, yields, news };
            for spec in roles {
                self.roles.push(Place::Here(roles::make(&context, spec)?));
            }
        }
        let ready_ns = now_ns();
        let clocks = clock_pair().into();
        let recorder_bytes = held_bytes() as u64;
        let mut result = SetupResult { ready_ns, clocks, recorder_bytes, ..SetupResult::default() };
        for (topic, reader) in self.readers() {
            keep_locator(&mut result.locators, "reader", topic, reader.locator())?;
            endpoints(&mut result, topic).readers += 1;
        }
        for (topic, writer) in self.writers() {
            keep_locator(&mut result.writer_locators, "writer", topic, writer.locator())?;
            endpoints(&mut result, topic).writers += 1;
        }
        for (name, service) in self.services() {
            keep_locator(&mut result.locators, "server", name, service.locator())?;
            let ends = endpoints(&mut result, name);
            match service.side() {
                Side::Server => ends.readers += 1,
                Side::Client => ends.writers += 1,
            }
        }
        Ok(json!(result))
    }

    /// All roles, unless some are running.
    fn here(&self) -> impl Iterator<Item = &dyn Role> {
        self.roles.iter().filter_map(Place::here)
    }

    fn here_mut(&mut self) -> impl Iterator<Item = &mut Box<dyn Role>> {
        self.roles.iter_mut().filter_map(|place| match place {
            Place::Here(role) => Some(role),
            Place::Away(_) => None,
        })
    }

    fn writers(&self) -> Vec<(&str, &WriterHandle)> {
        self.here().flat_map(Role::writers).collect()
    }

    fn readers(&self) -> Vec<(&str, &ReaderHandle)> {
        self.here().flat_map(Role::readers).collect()
    }

    fn services(&self) -> Vec<(&str, &ServiceHandle)> {
        self.here().flat_map(Role::services).collect()
    }

    /// Writers to the readers of their topic, clients to their server, and readers to the writers of theirs.
    fn connect(&self, readers: &Locators, writers: &Locators) -> Result<Value, Failure> {
        for (topic, writer) in self.writers() {
            connect_all(topic, readers, |locator| writer.connect(locator))?;
        }
        for (topic, reader) in self.readers() {
            connect_all(topic, writers, |locator| reader.connect(locator))?;
        }
        for (name, client) in self.services() {
            if client.side() == Side::Client {
                connect_all(name, readers, |locator| client.connect(locator))?;
            }
        }
        Ok(Value::Null)
    }

    /// Waits until all counts are reached; when they were, of each and of all, how well that is known,
    /// and how many cannot be known.
    fn match_endpoints(
        &self,
        timeout_s: f64,
        expect: &BTreeMap<String, Expected>,
    ) -> Result<Value, Failure> {
        let deadline = Instant::now() + ranges::seconds("timeout_s", timeout_s)?;
        Ok(json!(matching::wait(&self.endpoints(expect), deadline, timeout_s)?))
    }

    /// All that are here, with the counterparts that each is to find.
    pub(crate) fn endpoints(&self, expect: &BTreeMap<String, Expected>) -> Vec<Endpoint<'_>> {
        let wanted = |topic: &str| expect.get(topic).copied().unwrap_or_default();
        let writers = self.writers().into_iter().map(|(topic, writer)| Endpoint {
            topic,
            writes: true,
            wanted: wanted(topic).readers,
            count: Box::new(move || writer.matched()),
            event: Box::new(move || writer.match_event()),
        });
        let readers = self.readers().into_iter().map(|(topic, reader)| Endpoint {
            topic,
            writes: false,
            wanted: wanted(topic).writers,
            count: Box::new(move || reader.matched()),
            event: Box::new(move || reader.match_event()),
        });
        // A client writes requests, as far as it counts.
        let services = self.services().into_iter().map(|(topic, service)| {
            let writes = service.side() == Side::Client;
            let Expected { writers, readers } = wanted(topic);
            Endpoint {
                topic,
                writes,
                wanted: if writes { readers } else { writers },
                count: Box::new(move || Ok(service.matched()?.count)),
                event: Box::new(move || match service.matched()? {
                    Match { changed_ns: 0, .. } => Err(Status::Unsupported),
                    known => Ok(known),
                }),
            }
        });
        writers.chain(readers).chain(services).collect()
    }

    fn drain(&mut self, expect: &[SentBy], idle_s: f64, limit_s: f64) -> Result<Value, Failure> {
        self.watching = None;
        let idle = ranges::seconds("idle_s", idle_s)?;
        let end = Instant::now() + ranges::seconds("limit_s", limit_s)?;
        let total = || -> Vec<(u32, u64)> { self.here().flat_map(Role::progress).collect() };
        let mut last = (total(), Instant::now());
        loop {
            let complete = last.0.iter().all(|(writer, received)| {
                expect.iter().all(|by| by.writer != *writer || *received >= by.sent)
            });
            if complete || last.1.elapsed() >= idle || Instant::now() >= end {
                return Ok(json!({ "complete": complete }));
            }
            std::thread::sleep(Duration::from_millis(2));
            let now = total();
            if now != last.0 {
                last = (now, Instant::now());
            }
        }
    }

    /// What readers have to say on takes and waits that failed, for the round's log (C32).
    fn tell_failures(&self) {
        for (topic, reader) in self.readers() {
            if let Some(error) = reader.last_error() {
                let _ = writeln!(std::io::stderr(), "reader of {topic}: {error}");
            }
        }
    }

    fn collect(&mut self, output: &Output) -> Result<Value, Failure> {
        let broken = |error: &dyn std::fmt::Display| {
            Failure::new("failed", format!("cannot hand over the samples: {error}"))
        };
        self.tell_failures();
        let mut reports = Vec::new();
        for role in self.here_mut() {
            let recorded = role.finish()?;
            let mut frames = Vec::new();
            let rows = recorded.rows();
            if !rows.is_empty() {
                frames.push(("samples", to_arrow(rows).map_err(|e| broken(&e))?));
            }
            let mut report = recorded.report;
            for (name, table) in accounts::tables(&report).map_err(|e| broken(&e))? {
                report.frames.insert(name.to_owned(), table.num_rows());
                frames.push((name, tables::stream(&table).map_err(|e| broken(&e))?));
            }
            for (name, bytes) in frames {
                let head = FrameHead {
                    frame: name.to_owned(),
                    role: report.role.clone(),
                    writer: report.writer,
                    bytes: bytes.len(),
                };
                output.frame(&head, &bytes).map_err(|e| broken(&e))?;
            }
            reports.push(report);
        }
        self.roles.clear();
        Ok(json!(reports))
    }

    fn conclude(&mut self) -> Result<Value, Failure> {
        self.watching = None;
        self.tell_failures();
        let mut found = Vec::new();
        for role in self.here_mut() {
            found.push(conclusion::of(role.finish()?));
        }
        self.roles.clear();
        Ok(json!(found))
    }
}

/// Locators of all endpoints of one side, by topic.
type Locators = BTreeMap<String, Vec<String>>;

/// Adds an endpoint's locator to its topic's; without one, others are found, or connect.
fn keep_locator(
    all: &mut Locators,
    side: &str,
    topic: &str,
    locator: Result<String, Status>,
) -> Result<(), Failure> {
    match locator {
        Ok(locator) => all.entry(topic.to_owned()).or_default().push(locator),
        Err(Status::Unsupported) => {}
        Err(status) => {
            let text = format!("{side} of {topic}: no locator ({status})");
            return Err(Failure::new("failed", text));
        }
    }
    Ok(())
}

/// Connects an endpoint to all of the other side.
fn connect_all(
    topic: &str,
    others: &Locators,
    connect: impl Fn(&str) -> busmark_adapter::Result<()>,
) -> Result<(), Failure> {
    for locator in others.get(topic).into_iter().flatten() {
        connect(locator).map_err(|error| {
            Failure::new("failed", format!("topic {topic}, {locator}: {error}"))
        })?;
    }
    Ok(())
}

fn endpoints<'a>(result: &'a mut SetupResult, topic: &str) -> &'a mut Endpoints {
    result.endpoints.entry(topic.to_owned()).or_default()
}
