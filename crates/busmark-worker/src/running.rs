//! Running roles, each on its own thread, while commands are still carried out.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::{Duration, Instant};

use busmark_adapter::{Error, Qos, ReaderHandle, Status, WriterHandle};
use busmark_measure::now_ns;
use serde_json::{Value, json};

use crate::desk::{Asker, Message};
use crate::discovery::Discovery;
use crate::output::Output;
use crate::protocol::{Change, Count, Event, Failure, First, RunReport, Seen, SetResult, Side};
use crate::ranges;
use crate::roles::{Control, Counter, Role, Sight};
use crate::session::Session;
use crate::watch::{Counts, Watch};

/// A role, or what can be reached of it while it runs.
pub enum Place {
    /// The role does not run.
    Here(Box<dyn Role>),
    /// The role runs.
    Away(Away),
}

/// What can be reached of a role that runs. It keeps the endpoints open.
pub struct Away {
    number: u32,
    control: Arc<Control>,
    counter: Option<Counter>,
    sight: RefCell<Option<Sight>>,
    writers: Vec<WriterHandle>,
    readers: Vec<ReaderHandle>,
}

/// A role that has ended.
pub struct Ended {
    place: usize,
    role: Box<dyn Role>,
    report: Result<RunReport, Failure>,
}

/// A `run` that is under way.
pub struct Running {
    asker: Asker,
    left: usize,
    /// Reports by the place of the role in the setup.
    reports: BTreeMap<usize, Result<RunReport, Failure>>,
}

/// Events that tell of roles while they run.
pub struct Watching {
    watch: Option<Watch>,
    discovery: Option<Discovery>,
    to: Output,
}

impl Place {
    /// The role, unless it runs.
    pub fn here(&self) -> Option<&dyn Role> {
        match self {
            Self::Here(role) => Some(&**role),
            Self::Away(_) => None,
        }
    }

    fn number(&self) -> u32 {
        match self {
            Self::Here(role) => role.number(),
            Self::Away(away) => away.number,
        }
    }

    /// Handles of its endpoints.
    fn endpoints(&self) -> (Vec<&WriterHandle>, Vec<&ReaderHandle>) {
        match self {
            Self::Here(role) => (
                role.writers().into_iter().map(|(_, writer)| writer).collect(),
                role.readers().into_iter().map(|(_, reader)| reader).collect(),
            ),
            Self::Away(away) => (away.writers.iter().collect(), away.readers.iter().collect()),
        }
    }

    /// What the role has got so far.
    fn counts(&self) -> Counts {
        let role = self.number();
        let count = |(writer, samples)| Count::of(role, writer, samples);
        match self {
            Self::Here(role) => role.counts(),
            Self::Away(away) => away.counter.iter().map(|counter| count(counter())).collect(),
        }
    }

    /// The first sample of each writer that it expects.
    fn firsts(&self) -> Vec<Option<First>> {
        match self {
            Self::Here(role) => role.firsts(),
            Self::Away(away) => {
                away.sight.borrow_mut().as_mut().map(Sight::first).into_iter().collect()
            }
        }
    }

    /// A look at what it records, if it runs.
    fn seen(&self) -> Option<Seen> {
        match self {
            Self::Here(_) => None,
            Self::Away(away) => away.sight.borrow_mut().as_mut().map(Sight::look),
        }
    }
}

impl Away {
    fn new(role: &dyn Role, control: Arc<Control>) -> Self {
        Self {
            number: role.number(),
            control,
            counter: role.counter(),
            sight: RefCell::new(role.sight()),
            writers: role.writers().into_iter().map(|(_, writer)| writer.clone()).collect(),
            readers: role.readers().into_iter().map(|(_, reader)| reader.clone()).collect(),
        }
    }
}

impl Session {
    /// Whether roles are running.
    pub fn is_running(&self) -> bool {
        self.running.is_some()
    }

    /// Runs every active role; the answer comes when the last has ended.
    pub(crate) fn run(
        &mut self,
        every_ns: u64,
        firsts: bool,
        asker: &Asker,
    ) -> Result<Option<Value>, Failure> {
        let mut numbers = Vec::new();
        let mut threads = Vec::new();
        for (index, place) in self.roles.iter_mut().enumerate() {
            let Place::Here(role) = &*place else { continue };
            let Some(control) = role.control() else { continue };
            let away = Place::Away(Away::new(&**role, control));
            numbers.push(away.number());
            let Place::Here(role) = std::mem::replace(place, away) else { continue };
            threads.push((index, role));
        }
        if threads.is_empty() {
            return Ok(Some(json!([])));
        }
        self.running =
            Some(Running { asker: asker.clone(), left: threads.len(), reports: BTreeMap::new() });
        let discovery = firsts.then(|| Discovery::new(BTreeMap::new()));
        self.watch(every_ns, numbers, discovery, &asker.to)?;
        for (place, mut role) in threads {
            let desk = self.desk.clone();
            std::thread::spawn(move || {
                let report = catch_unwind(AssertUnwindSafe(|| role.run()))
                    .unwrap_or_else(|_| {
                        Some(Err(Failure::new("failed", "the role's thread panicked")))
                    })
                    .unwrap_or_else(|| Err(Failure::new("failed", "the role did not run")));
                // Whoever asked is gone if the desk is.
                let _ = desk.send(Message::Ended(Ended { place, role, report }));
            });
        }
        Ok(None)
    }

    /// Tells of the roles from now on, every so often, 0: no more; and of what they discover.
    /// `waiting` are active ones.
    pub(crate) fn watch(
        &mut self,
        every_ns: u64,
        waiting: Vec<u32>,
        discovery: Option<Discovery>,
        to: &Output,
    ) -> Result<(), Failure> {
        ranges::count("every_ns", every_ns, ranges::COUNT)?;
        let every = Duration::from_nanos(every_ns);
        let watch = (every_ns > 0).then(|| Watch::new(every, waiting, self.counts()));
        let tells = watch.is_some() || discovery.is_some();
        self.watching = tells.then(|| Watching { watch, discovery, to: to.clone() });
        Ok(())
    }

    fn counts(&self) -> Counts {
        self.roles.iter().flat_map(Place::counts).collect()
    }

    /// When roles that run are to be looked at.
    pub fn looks_at(&self) -> Option<Instant> {
        let Watching { watch, discovery, .. } = self.watching.as_ref()?;
        let discovery = discovery.as_ref().and_then(Discovery::due);
        watch.as_ref().map(Watch::due).into_iter().chain(discovery).min()
    }

    /// Looks at roles that run, and tells of them.
    pub fn look(&mut self) -> io::Result<()> {
        self.look_at_discovery()?;
        let Some(Watching { watch: Some(watch), to, .. }) = &mut self.watching else {
            return Ok(());
        };
        let places = &self.roles;
        let begin_ns = |number| {
            places.iter().find_map(|place| match place {
                Place::Away(away) if away.number == number => away.control.begin_ns(),
                _ => None,
            })
        };
        let events = watch.look(
            begin_ns,
            || places.iter().flat_map(Place::counts).collect(),
            || places.iter().filter_map(Place::seen).collect(),
        );
        events.iter().try_for_each(|event| to.line(event))
    }

    fn look_at_discovery(&mut self) -> io::Result<()> {
        let Some(mut watching) = self.watching.take() else { return Ok(()) };
        if let Some(discovery) = &mut watching.discovery
            && discovery.due().is_some_and(|due| due <= Instant::now())
        {
            let firsts: Vec<_> = self.roles.iter().flat_map(Place::firsts).collect();
            let endpoints =
                if discovery.searches() { self.endpoints(&discovery.expect) } else { Vec::new() };
            let events = match discovery.look(&endpoints, &firsts) {
                Ok(events) => events,
                Err(error) => vec![Event::Error { writer: 0, error }],
            };
            events.iter().try_for_each(|event| watching.to.line(event))?;
        }
        self.watching = Some(watching);
        Ok(())
    }

    /// Takes back a role that has ended; with the last of them, the answer to `run`.
    pub fn ended(&mut self, ended: Ended) -> io::Result<Option<(Asker, Result<Value, Failure>)>> {
        let Ended { place, role, report } = ended;
        let Some(running) = &mut self.running else { return Ok(None) };
        if let Err(error) = &report {
            let event = Event::Error { writer: role.number(), error: error.clone() };
            running.asker.to.line(&event)?;
        }
        if let Some(control) = role.control() {
            control.end();
        }
        self.roles[place] = Place::Here(role);
        running.reports.insert(place, report);
        running.left -= 1;
        if running.left > 0 {
            return Ok(None);
        }
        self.watching = None;
        let Some(running) = self.running.take() else { return Ok(None) };
        let reports: Result<Vec<RunReport>, Failure> = running.reports.into_values().collect();
        Ok(Some((running.asker, reports.map(|reports| json!(reports)))))
    }

    /// Changes a role; where its own thread has to take the change, the answer comes then.
    pub(crate) fn set(&mut self, change: &Change, asker: &Asker) -> Result<Option<Value>, Failure> {
        ranges::change(change)?;
        let number = change.writer;
        // What a server that goes still holds is not answered: the change begins with its begin.
        let begun_ns = change.serving.map(|_| now_ns());
        if let Some(serving) = change.serving {
            self.set_serving(number, serving)?;
        }
        let Some(place) = self.roles.iter().find(|place| place.number() == number) else {
            return Err(Failure::new("invalid", format!("there is no role {number}")));
        };
        if let Some(sighting) = change.sighting
            && let Place::Away(away) = place
        {
            away.control.tell(sighting);
        }
        let changed = match &change.qos {
            Some(qos) => set_qos(place, qos, change.side)?,
            None => 0,
        };
        let done = move |at_ns| json!(SetResult { at_ns, changed });
        if change.rate_hz.is_none() && change.paused.is_none() && !change.stop {
            let gone = begun_ns.filter(|_| change.serving == Some(false));
            return Ok(Some(done(gone.unwrap_or_else(now_ns))));
        }
        let Place::Away(away) = place else {
            let text = format!("role {number} does not run: it has no schedule now");
            return Err(Failure::new("invalid", text));
        };
        let (desk, asker) = (self.desk.clone(), asker.clone());
        let taken = Box::new(move |at_ns: Option<i64>| {
            let ended = || Failure::new("invalid", format!("role {number} had ended before"));
            let _ = desk.send(Message::Taken(asker, at_ns.map(done).ok_or_else(ended)));
        });
        away.control.ask(change.rate_hz, change.paused, change.stop, taken)?;
        Ok(None)
    }
}

impl Session {
    /// Has a server's end of its service destroyed, or made anew.
    fn set_serving(&mut self, number: u32, serving: bool) -> Result<(), Failure> {
        let server = self.roles.iter_mut().find_map(|place| match place {
            Place::Here(role) if role.number() == number => role.serve(serving),
            _ => None,
        });
        server
            .unwrap_or_else(|| Err(Failure::new("invalid", format!("role {number} is no server"))))
    }
}

/// Changes endpoints of a role, on one side or both; how many have changed. One that cannot is left
/// unchanged: the other side of its topic may be the one whose value counts.
fn set_qos(place: &Place, qos: &Qos, side: Option<Side>) -> Result<u32, Failure> {
    let (writers, readers) = place.endpoints();
    let writers = writers.into_iter().filter(|_| side != Some(Side::Readers));
    let readers = readers.into_iter().filter(|_| side != Some(Side::Writers));
    let outcomes =
        writers.map(|writer| writer.set_qos(qos)).chain(readers.map(|reader| reader.set_qos(qos)));
    let mut changed = 0;
    for outcome in outcomes {
        match outcome {
            Ok(()) => changed += 1,
            Err(Error { status: Status::Unsupported, .. }) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(changed)
}
