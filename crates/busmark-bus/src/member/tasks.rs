//! What a member is asked to do: tests begin, change and end. Whoever orders does not decide how much
//! memory there is.

use busmark_worker::platform;
use busmark_worker::protocol::Failure;
use serde_json::{Value, json};

use super::{Member, Stop};
use crate::message::{Address, Change, Task, Which};
use crate::test::{Asker, Phase, Test};
use crate::{Definition, Kind, brief, definition};

/// Tests of one member.
const MOST_TESTS: usize = 64;
/// Rows of all its tests together.
const ROWS_OF_ALL: usize = 4_000_000;
/// Writers that all its tests together account for, 24 KiB each.
const ACCOUNTS_OF_ALL: usize = 8192;
/// Bytes of the bodies of all its tests together.
const BYTES_OF_ALL: usize = 256 << 20;

impl Member {
    /// Carries out an order; without a result it is answered later.
    pub(super) fn execute(
        &mut self,
        to: Address,
        task: Task,
        asker: Asker,
    ) -> Result<Option<Value>, Failure> {
        if self.leaving.is_some() {
            return Err(Failure::new("unavailable", "the participant is about to leave"));
        }
        match task {
            Task::List { .. } => Ok(Some(self.description())),
            Task::Start { definition } => self.start(definition, asker).map(|()| None),
            Task::Set(change) => self.set(to, &change, asker),
            Task::Stop(which) => self.stop(to, which, asker),
        }
    }

    /// Who it is, and which tests it has.
    pub(super) fn description(&self) -> Value {
        let adapter = self.participant.library().capabilities();
        let tests: Vec<Value> = self.tests.iter().map(described).collect();
        json!({
            "adapter": adapter.name, "middleware": adapter.middleware_version,
            "transport": self.config.transport, "domain": self.config.domain,
            "host": platform::host_name(), "pid": std::process::id(), "participant": self.key,
            "fifo": platform::limits::priority(), "tests": tests,
        })
    }

    fn start(&mut self, definition: Definition, asker: Asker) -> Result<(), Failure> {
        let (kind, number) = (definition.kind, definition.test);
        definition.check(self.participant.library().capabilities())?;
        if self.tests.iter().any(|test| is(test, kind, number)) {
            let text = format!("{} {number} is here already: stop it first", kind.word());
            return Err(Failure::new("invalid", text));
        }
        self.check_room(&definition)?;
        self.next_key += 1;
        let (key, app) = (self.next_key, self.name.app);
        let test = Test::begin(definition, key, asker, &self.participant, app, &self.house)?;
        self.tests.push(test);
        Ok(())
    }

    /// Whoever orders does not decide how much memory there is.
    fn check_room(&self, definition: &Definition) -> Result<(), Failure> {
        let full = |text: String| Err(Failure::new("resources", text));
        if self.tests.len() >= MOST_TESTS {
            return full(format!("an application has at most {MOST_TESTS} tests at once"));
        }
        let definitions = || self.tests.iter().map(|test| &test.definition).chain([definition]);
        let rows: usize = definitions().filter_map(|one| one.rows().ok()).sum();
        if rows > ROWS_OF_ALL {
            return full(format!("{rows} round trips to record; all tests have {ROWS_OF_ALL}"));
        }
        let accounts: usize = definitions().map(Definition::accounts).sum();
        if accounts > ACCOUNTS_OF_ALL {
            let text =
                format!("{accounts} writers to account for; all tests have {ACCOUNTS_OF_ALL}");
            return full(text);
        }
        let bytes: usize = definitions().map(Definition::bytes).sum();
        if bytes > BYTES_OF_ALL {
            return full(format!("bodies of {bytes} bytes; all tests have {BYTES_OF_ALL}"));
        }
        Ok(())
    }

    fn set(
        &mut self,
        to: Address,
        change: &Change,
        asker: Asker,
    ) -> Result<Option<Value>, Failure> {
        let which = Which { test: Some(change.test), kind: change.kind };
        let mut found = self.tests.iter_mut().filter(|test| means(which, test));
        let Some(test) = found.next() else {
            let none = self.none_here(to, which)?;
            return Ok(Some(json!({"changed": 0, "none": none})));
        };
        if found.next().is_some() {
            let text = format!("test {} has several kinds here: name one", change.test);
            return Err(Failure::new("invalid", text));
        }
        if test.phase != Phase::Running {
            let text = format!("test {} does not run yet, or no more", change.test);
            return Err(Failure::new("invalid", text));
        }
        let kind = test.definition.kind;
        if !kind.is_active() && (change.rate_hz.is_some() || change.paused.is_some()) {
            let text = format!("a {} sends nothing by itself: change the other end", kind.word());
            return Err(Failure::new("invalid", text));
        }
        let adapter = self.participant.library().capabilities();
        if let Some(qos) = &change.qos {
            can_change(qos, adapter)?;
            if matches!(to, Address::App(_)) {
                stays_matched(test, qos)?;
            }
        }
        test.change(change, asker);
        Ok(None)
    }

    fn stop(&mut self, to: Address, which: Which, asker: Asker) -> Result<Option<Value>, Failure> {
        let mut left = 0;
        for test in self.tests.iter_mut().filter(|test| means(which, test)) {
            test.stoppers.push(asker);
            test.end();
            left += 1;
        }
        if left == 0 {
            let none = self.none_here(to, which)?;
            return Ok(Some(json!({"ended": [], "none": none})));
        }
        self.stops.push(Stop { asker, left, ended: Vec::new() });
        Ok(None)
    }

    /// Answers that this member has no such test: a mistake if it alone was meant; if several members
    /// were, some may have none.
    fn none_here(&self, to: Address, which: Which) -> Result<String, Failure> {
        let (app, kind) = (self.name.app, which.kind.map_or("test", Kind::word));
        let text = match which.test {
            Some(number) => format!("application {app} has no {kind} {number}"),
            None => format!("application {app} has no {kind}"),
        };
        if matches!(to, Address::App(_)) { Err(Failure::new("invalid", text)) } else { Ok(text) }
    }
}

fn is(test: &Test, kind: Kind, number: u32) -> bool {
    test.definition.kind == kind && test.definition.test == number
}

fn means(which: Which, test: &Test) -> bool {
    which.means(test.definition.kind, test.definition.test)
}

/// Refuses a deadline that would end the match with the other end: a reader matches writers that offer
/// its deadline, or a shorter one. No other policy that adapters can change is agreed like this.
fn stays_matched(test: &Test, qos: &busmark_adapter::Qos) -> Result<(), Failure> {
    let Some(wanted) = qos.deadline_ns else { return Ok(()) };
    let definition = &test.definition;
    let changed = test.changed.get("qos").and_then(|qos| qos["deadline_ns"].as_i64());
    // Without one it has no end.
    let now = changed.or(definition.qos.deadline_ns).unwrap_or(i64::MAX);
    let keeps = match definition.kind {
        Kind::Transmitter => wanted <= now,
        Kind::Receiver => wanted >= now,
        // It writes and reads.
        Kind::Transceiver | Kind::Transponder => wanted == now,
    };
    if keeps {
        return Ok(());
    }
    let (kind, number) = (definition.kind.word(), definition.test);
    let text = format!(
        "both ends of a test agree on the deadline: if only {kind} {number} changes it, the other end no \
         longer matches, and what is sent is lost. Change all ends by one order: --group N or --all"
    );
    Err(Failure::new("invalid", text))
}

/// Refuses by name what the adapter cannot change of endpoints that are in use.
fn can_change(
    qos: &busmark_adapter::Qos,
    adapter: &busmark_adapter::CapabilityReport,
) -> Result<(), Failure> {
    let Some(fixed) = qos.values().into_iter().find(|v| !adapter.qos_mutable.contains(v)) else {
        return Ok(());
    };
    let can: Vec<String> =
        adapter.qos_mutable.iter().map(|value| definition::name_of(*value)).collect();
    let can = if can.is_empty() { "nothing".to_owned() } else { can.join(", ") };
    let fixed = definition::name_of(fixed);
    let text = format!(
        "{fixed} cannot change once endpoints are enabled with {}; what can: {can}. Stop the test, and \
         start it with another {fixed}",
        adapter.name
    );
    Err(Failure::new("unsupported", text))
}

fn described(test: &Test) -> Value {
    let definition = &test.definition;
    let state = match test.phase {
        Phase::Starting => "starting",
        Phase::Running if test.changed.get("paused") == Some(&json!(true)) => "paused",
        Phase::Running => "running",
        Phase::Ending => "ending",
    };
    let rate_hz = test.changed.get("rate_hz").and_then(Value::as_f64);
    json!({
        "test": definition.test, "kind": definition.kind, "state": state,
        "size": definition.size, "rate_hz": rate_hz.unwrap_or(definition.rate_hz),
        "from": definition.from,
        "count": definition.count, "definition": brief::definition(definition),
        "changed": test.changed, "discovery": test.discovery,
        "running_s": test.began.map(|began| began.elapsed().as_secs_f64()),
    })
}
