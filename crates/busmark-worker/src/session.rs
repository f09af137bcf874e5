//! One round, command by command.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::{Duration, Instant};

use busmark_adapter::{
    Library, ParticipantConfig, ReaderHandle, ServerHandle, Status, WriterHandle,
};
use busmark_measure::now_ns;
use serde_json::{Value, json};

use crate::output::Output;
use crate::protocol::{
    Command, Endpoints, Expected, Failure, ParticipantSpec, RunReport, SentBy, ServeResult, Setup,
    SetupResult,
};
use crate::roles::{self, Context, Role};
use crate::tables::to_arrow;

/// Asks an endpoint how many counterparts it has.
type Count<'a> = Box<dyn Fn() -> Result<u32, Status> + 'a>;

/// The state of a worker between commands.
#[derive(Default)]
pub struct Session {
    roles: Vec<Box<dyn Role>>,
    server: Option<ServerHandle>,
}

impl Session {
    /// Carries out one command.
    pub fn execute(&mut self, command: Command, output: &mut Output) -> Result<Value, Failure> {
        match command {
            Command::Serve { adapter, config } => self.serve(&adapter, &config),
            Command::Setup(setup) => self.setup(setup),
            Command::Connect { locators } => self.connect(&locators),
            Command::Match { timeout_s, expect } => self.match_endpoints(timeout_s, &expect),
            Command::Start => {
                self.roles.iter_mut().for_each(|role| role.start());
                Ok(Value::Null)
            }
            Command::Run => self.run(),
            Command::Drain { expect, idle_s, limit_s } => Ok(self.drain(&expect, idle_s, limit_s)),
            Command::Collect => self.collect(output),
        }
    }

    fn serve(&mut self, adapter: &str, config: &ParticipantConfig) -> Result<Value, Failure> {
        let library = Library::open(Path::new(adapter))?;
        let (server, address) = library.server(config)?;
        self.server = Some(server);
        Ok(json!(ServeResult { address }))
    }

    fn setup(&mut self, setup: Setup) -> Result<Value, Failure> {
        let library = Library::open(Path::new(&setup.adapter))?;
        library.probe()?;
        let cookie = u64::from_str_radix(&setup.cookie, 16)
            .map_err(|_| Failure::new("protocol", "the cookie is not a hexadecimal number"))?;
        for ParticipantSpec { config, roles } in setup.participants {
            let participant = library.participant(&config)?;
            let context = Context { participant, cookie, yields: setup.yields };
            for spec in roles {
                self.roles.push(roles::make(&context, spec)?);
            }
        }
        let ready_ns = now_ns();
        let mut result =
            SetupResult { locators: BTreeMap::new(), endpoints: BTreeMap::new(), ready_ns };
        for (topic, reader) in self.readers() {
            match reader.locator() {
                Ok(locator) => {
                    result.locators.entry(topic.to_owned()).or_default().push(locator);
                }
                Err(Status::Unsupported) => {}
                Err(status) => {
                    let text = format!("reader of {topic}: no locator ({status})");
                    return Err(Failure::new("failed", text));
                }
            }
            endpoints(&mut result, topic).readers += 1;
        }
        for (topic, _) in self.writers() {
            endpoints(&mut result, topic).writers += 1;
        }
        Ok(json!(result))
    }

    fn writers(&self) -> Vec<(&str, &WriterHandle)> {
        self.roles.iter().flat_map(|role| role.writers()).collect()
    }

    fn readers(&self) -> Vec<(&str, &ReaderHandle)> {
        self.roles.iter().flat_map(|role| role.readers()).collect()
    }

    fn connect(&self, locators: &BTreeMap<String, Vec<String>>) -> Result<Value, Failure> {
        for (topic, writer) in self.writers() {
            for locator in locators.get(topic).into_iter().flatten() {
                writer.connect(locator).map_err(|error| {
                    Failure::new("failed", format!("topic {topic}, {locator}: {error}"))
                })?;
            }
        }
        Ok(Value::Null)
    }

    /// Waits until all counts are reached; when they were, and how many cannot be known.
    fn match_endpoints(
        &self,
        timeout_s: f64,
        expect: &BTreeMap<String, Expected>,
    ) -> Result<Value, Failure> {
        let deadline = Instant::now() + Duration::from_secs_f64(timeout_s);
        let mut unknown = 0;
        let wanted = |topic: &str| expect.get(topic).copied().unwrap_or_default();
        let mut pending: Vec<(String, u32, Count)> = Vec::new();
        for (topic, writer) in self.writers() {
            let count: Count = Box::new(move || writer.matched());
            pending.push((format!("writer of {topic}"), wanted(topic).readers, count));
        }
        for (topic, reader) in self.readers() {
            let count: Count = Box::new(move || reader.matched());
            pending.push((format!("reader of {topic}"), wanted(topic).writers, count));
        }
        for (name, wanted, count) in &pending {
            loop {
                let now = match count() {
                    Ok(now) if now >= *wanted => break,
                    Ok(now) => now,
                    Err(Status::Unsupported) => {
                        unknown += 1;
                        break;
                    }
                    Err(status) => {
                        return Err(Failure::new("failed", format!("{name}: {status}")));
                    }
                };
                if Instant::now() >= deadline {
                    let text = format!("{name}: matched {now} of {wanted} within {timeout_s} s");
                    return Err(Failure::new("timeout", text));
                }
                std::thread::sleep(Duration::from_millis(1));
            }
        }
        Ok(json!({ "matched_ns": now_ns(), "unknown": unknown }))
    }

    /// Runs every active role, each on a thread of its own where there are several.
    fn run(&mut self) -> Result<Value, Failure> {
        let reports: Vec<Option<Result<RunReport, Failure>>> = std::thread::scope(|scope| {
            let threads: Vec<_> =
                self.roles.iter_mut().map(|role| scope.spawn(move || role.run())).collect();
            let gone = |_| Some(Err(Failure::new("failed", "the role's thread panicked")));
            threads.into_iter().map(|thread| thread.join().unwrap_or_else(gone)).collect()
        });
        let reports = reports.into_iter().flatten().collect::<Result<Vec<_>, _>>()?;
        Ok(json!(reports))
    }

    fn drain(&self, expect: &[SentBy], idle_s: f64, limit_s: f64) -> Value {
        let idle = Duration::from_secs_f64(idle_s);
        let end = Instant::now() + Duration::from_secs_f64(limit_s);
        let total =
            || -> Vec<(u32, u64)> { self.roles.iter().flat_map(|role| role.progress()).collect() };
        let mut last = (total(), Instant::now());
        loop {
            let complete = last.0.iter().all(|(writer, received)| {
                expect.iter().all(|by| by.writer != *writer || *received >= by.sent)
            });
            if complete || last.1.elapsed() >= idle || Instant::now() >= end {
                return json!({ "complete": complete });
            }
            std::thread::sleep(Duration::from_millis(2));
            let now = total();
            if now != last.0 {
                last = (now, Instant::now());
            }
        }
    }

    fn collect(&mut self, output: &mut Output) -> Result<Value, Failure> {
        let broken = |error: &dyn std::fmt::Display| {
            Failure::new("failed", format!("cannot hand over the samples: {error}"))
        };
        let mut reports = Vec::new();
        for role in &mut self.roles {
            let recorded = role.finish()?;
            let rows = recorded.rows();
            if !rows.is_empty() {
                let bytes = to_arrow(rows).map_err(|e| broken(&e))?;
                let report = &recorded.report;
                output.frame(&report.role, report.writer, &bytes).map_err(|e| broken(&e))?;
            }
            reports.push(recorded.report);
        }
        self.roles.clear();
        Ok(json!(reports))
    }
}

fn endpoints<'a>(result: &'a mut SetupResult, topic: &str) -> &'a mut Endpoints {
    result.endpoints.entry(topic.to_owned()).or_default()
}
