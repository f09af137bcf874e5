//! C39, C41, C43: services, what is declared of them, and ends that come and go.

use std::time::{Duration, Instant};

use busmark_adapter::abi::LOCATOR_BYTES;
use busmark_adapter::{
    Disclosure, EndpointConfig, Feature, Header, Payload, QosValue, Side, Status, Wait,
};

use super::config::failed;
use super::errors::refused;
use super::lifecycle::{ends, must_not_leak};
use super::processes::between_processes;
use crate::kit::echo::Which;
use crate::kit::process::Holdings;
use crate::kit::service::{
    Client, End, Server, Services, is_reliable, manner, requests, salted, service, wire,
};
use crate::kit::{
    COOKIE, Context, Inbox, Outbox, Stop, Verdict, connect, ensure, fail, skip, until, word,
};
use crate::peer::PeerProcess;
use crate::raw::system::monotonic_ns;
use crate::raw::{RawParticipant, RawTable, Shape};

/// For one series of requests.
const SERIES: Duration = Duration::from_secs(3);

/// The option of middleware that keeps something of each request until a time is over, in seconds.
const QUERY_TIMEOUT: &str = "query_timeout_s";

/// A number that no enumeration of the contract holds.
const UNKNOWN: u32 = 99;

/// Skips the test unless the middleware has services of its own; by two topics other clauses test the same.
pub(super) fn natively(context: &Context) -> Verdict<EndpointConfig> {
    if context.has(Feature::Services) {
        return service(context);
    }
    skip("has no services of its own; of two topics the clauses of writers and readers tell")
}

pub(crate) fn c39_a_request_reaches_the_server_and_its_response_the_client(
    context: &Context,
) -> Verdict {
    let mut services = Services::pair(context, &service(context)?)?;
    let count = context.samples(100);
    services.exchange(context, count)?;
    services.quiet(context)?;
    Ok(format!(
        "{}: {count} requests, each response with the number of its request",
        manner(context)
    ))
}

pub(crate) fn c39_services_are_declared_with_all_that_belongs_to_them(
    context: &Context,
) -> Verdict {
    let raw = RawTable::of(&context.library).map_err(Stop::Failed)?;
    let declared = context.has(Feature::Services);
    let entries = raw.service_entries();
    // A middleware may have nothing to say of these.
    let needed =
        |name: &str| !["service_match", "service_last_error", "service_wait"].contains(&name);
    for (name, there) in &entries {
        ensure!(
            *there == declared || declared && !needed(name),
            "the table {} {name}, and the feature SERVICES is {}declared",
            if *there { "has" } else { "lacks" },
            if declared { "" } else { "not " }
        );
    }
    let Some([waits, qos, most, clients]) = raw.services() else {
        ensure!(!declared, "SERVICES is declared, but the capabilities end before service_clients");
        return Ok("none: the capabilities end before what is said of services".to_owned());
    };
    if !declared {
        let nothing = [waits, qos, most, clients] == [0; 4];
        ensure!(nothing, "there are no services, but something is said of them");
        return Ok("none".to_owned());
    }
    let allowed = Wait::bits(&[Wait::Waitset, Wait::Poll]);
    ensure!(waits != 0, "service_waits is empty");
    ensure!(waits & !allowed == 0, "service_waits has more than WAITSET and POLL: {waits:#x}");
    let waitset = context.caps.service_waits.contains(&Wait::Waitset);
    let wait = entries.iter().any(|(name, there)| *name == "service_wait" && *there);
    ensure!(wait || !waitset, "the waitset of services is declared, service_wait is NULL");
    let beyond = qos & !QosValue::bits(QosValue::ALL);
    ensure!(beyond == 0, "service_qos has bits that do not belong there: {beyond:#x}");
    ensure!(context.caps.payloads.contains(&Payload::Octet), "services without the payload OCTET");
    let limit = |n: u32, what: &str| match n {
        0 => format!("any number of {what}"),
        n => format!("at most {n} {what}"),
    };
    let waits: Vec<_> = context.caps.service_waits.iter().map(word).collect();
    Ok(format!(
        "{}; {}, {}",
        waits.join(", "),
        limit(most, "requests of a client"),
        limit(clients, "clients")
    ))
}

pub(crate) fn c39_what_is_not_declared_of_services_is_refused(context: &Context) -> Verdict {
    let config = natively(context)?;
    let table = RawTable::of(&context.library).map_err(Stop::Failed)?;
    let mut raw = RawParticipant::new(&table, &context.participant_config(0)).map_err(failed)?;
    let mut plain = config.clone();
    plain.qos = busmark_adapter::Qos::default();
    let mut shapes: Vec<(String, Shape)> = Vec::new();
    for wait in [Wait::Listener, Wait::Waitset, Wait::Poll] {
        if !context.caps.service_waits.contains(&wait) {
            shapes.push((word(&wait), Shape { wait: Some(wait as u32), ..Shape::default() }));
        }
    }
    shapes.push(("wait 99".to_owned(), Shape { wait: Some(UNKNOWN), ..Shape::default() }));
    for kind in Payload::ALL.into_iter().chain([Payload::Type]) {
        if !matches!(kind, Payload::Octet | Payload::Empty) {
            shapes.push((word(&kind), Shape { payload: Some(kind as u32), ..Shape::default() }));
        }
    }
    for value in QosValue::ALL.iter().filter(|value| !context.caps.service_qos.contains(value)) {
        shapes.push((word(value), Shape { qos: *value as u32, ..Shape::default() }));
    }
    for (what, shape) in &shapes {
        for side in [Side::Client, Side::Server] {
            let what = format!("a {side:?} with {what}");
            refused(&what, raw.service(&plain, *shape, side as u32))?;
        }
    }
    let server = Side::Server as u32;
    for side in [0, 3, UNKNOWN] {
        refused(&format!("side {side}"), raw.service(&plain, Shape::default(), side))?;
    }
    let nameless = EndpointConfig { topic: String::new(), ..plain.clone() };
    refused("a service without a name", raw.service(&nameless, Shape::default(), server))?;
    let keyed = EndpointConfig { instances: 2, ..plain.clone() };
    refused("a service with keys", raw.service(&keyed, Shape::default(), server))?;
    if context.caps.max_body_bytes < u64::MAX {
        let max_body_bytes = context.caps.max_body_bytes + 1;
        let large = EndpointConfig { max_body_bytes, ..plain.clone() };
        refused("a service for larger bodies", raw.service(&large, Shape::default(), server))?;
    }
    drop(raw);
    let server = Server::new(context, &context.participant()?, &config)?;
    let body = salted(config.max_body_bytes + 1, 0);
    let over = server.end.any.sample(&body).err();
    let status = over.map(|error| error.status);
    ensure!(
        matches!(status, Some(Status::Invalid | Status::Unsupported)),
        "a body of {} bytes at an end for {} gave {status:?}",
        body.len(),
        config.max_body_bytes
    );
    let names: Vec<_> = shapes.iter().map(|(what, _)| what.as_str()).collect();
    Ok(format!("refused: {}, an unknown side, no name, keys, bodies too large", names.join(", ")))
}

pub(crate) fn c39_without_the_feature_there_are_no_services(context: &Context) -> Verdict {
    if context.has(Feature::Services) {
        return skip("declares services");
    }
    let participant = context.participant()?;
    for side in [Side::Client, Side::Server] {
        let status = participant.service(&context.endpoint(), side).err().map(|e| e.status);
        ensure!(
            status == Some(Status::Unsupported),
            "service_create gave {status:?} instead of being unsupported"
        );
    }
    Ok("service_create is unsupported".to_owned())
}

pub(crate) fn c39_locators_connect_clients_or_are_unsupported(context: &Context) -> Verdict {
    let config = natively(context)?;
    let table = RawTable::of(&context.library).map_err(Stop::Failed)?;
    let mut raw = RawParticipant::new(&table, &context.participant_config(0)).map_err(failed)?;
    let mut end = |side: Side| raw.service(&config, Shape::default(), side as u32).map_err(failed);
    let (server, client) = (end(Side::Server)?, end(Side::Client)?);
    let unsupported = Status::Unsupported as u32;
    let found = server.locator(LOCATOR_BYTES);
    let Ok(locator) = found else {
        ensure!(
            found == Err(unsupported) && !context.has(Feature::Locators),
            "service_locator of the server gave {found:?}"
        );
        let status = client.connect("somewhere").err().map(|error| error.status);
        ensure!(status == Some(unsupported), "service_connect gave {status:?}, not UNSUPPORTED");
        drop((server, client, raw));
        // And without them they find each other.
        Services::pair(context, &config)?.exchange(context, 3)?;
        return Ok("both are unsupported".to_owned());
    };
    let known = context.has_locators();
    ensure!(known, "the server has the locator {locator:?}, but no feature for it is declared");
    let again = server.locator(LOCATOR_BYTES);
    ensure!(again.as_ref() == Ok(&locator), "the second locator is another one: {again:?}");
    let short = server.locator(locator.len());
    ensure!(short == Err(Status::Resources as u32), "without room for the zero it gave {short:?}");
    let own = client.locator(LOCATOR_BYTES);
    ensure!(own == Err(unsupported), "service_locator of a client gave {own:?}, not UNSUPPORTED");
    let wrong = client.connect("no locator of anything");
    ensure!(
        wrong.as_ref().is_err_and(|error| !error.message.is_empty()),
        "service_connect to a wrong locator gave {wrong:?}, not a failure with a reason"
    );
    drop((server, client, raw));
    // No waiting: after the connect has returned a request is answered.
    let server = Server::new(context, &context.participant()?, &config)?;
    let client = Client::new(context, &context.participant()?, &config, 0)?;
    wire(context, &client, &server)?;
    let mut services = Services { clients: vec![client], server };
    services.exchange(context, 3)?;
    Ok(format!("{locator:?}"))
}

pub(crate) fn c39_other_names_domains_and_topics_are_something_else(context: &Context) -> Verdict {
    let config = natively(context)?;
    let mut services = Services::pair(context, &config)?;
    let mut told = vec!["another name"];
    let other = EndpointConfig { topic: context.topic(), ..config.clone() };
    let participants = [services.clients[0].participant.clone()];
    let serving = services.server.participant.clone();
    let mut apart = vec![Services::between(context, &other, &serving, &participants)?];
    // The first of its kind; not every middleware has two domains in one process.
    let there = context.library.participant(&context.participant_config(1));
    if let Ok(there) = there {
        apart.push(Services::between(context, &config, &there, std::slice::from_ref(&there))?);
        told.push("another domain");
    }
    for other in &mut apart {
        other.clients[0].id = 77;
        other.exchange(context, 3)?;
        services.exchange(context, 3)?;
    }
    // A topic of the same name, where there are topics of octets.
    if context.caps.payloads.contains(&config.payload) {
        let endpoint = EndpointConfig { topic: config.topic.clone(), ..context.endpoint() };
        let reader = Inbox::new(&serving, &endpoint)?;
        let mut writer = Outbox::new(&participants[0], &endpoint, 5, context.patience())?;
        connect(context, &writer, &reader)?;
        services.exchange(context, 3)?;
        writer.write().ok();
        let got = reader.gather(1, context.options.quiet)?;
        let heard = got.iter().filter(|got| got.header.writer_id != 5).count();
        ensure!(
            heard == 0,
            "a reader of the topic of that name heard {heard} requests or responses"
        );
        told.push("a topic of the same name");
    }
    for other in apart.iter().chain([&services]) {
        other.quiet(context)?;
    }
    Ok(told.join(", "))
}

/// Creates a server and a client in two participants, asks, destroys all.
fn cycle(context: &Context, config: &EndpointConfig) -> Verdict<()> {
    let config = EndpointConfig { topic: context.topic(), ..config.clone() };
    Services::pair(context, &config)?.exchange(context, 3)
}

pub(crate) fn c39_repeated_cycles_of_services_leave_nothing_behind(context: &Context) -> Verdict {
    let config = natively(context)?;
    context.serve();
    for _ in 0..if context.caps.discloses(Disclosure::RuntimeStays) { 10 } else { 1 } {
        cycle(context, &config)?;
    }
    std::thread::sleep(context.options.quiet / 3);
    let before = Holdings::now(&context.run_dir);
    let cycles = 3;
    for _ in 0..cycles {
        cycle(context, &config)?;
    }
    until("everything of three cycles is gone", context.patience(), || {
        let more = Holdings::now(&context.run_dir).beyond(&before);
        if more.is_empty() { Ok(()) } else { Err(more) }
    })?;
    Ok(format!("{cycles} cycles; threads, descriptors and files as before"))
}

pub(crate) fn c39_requests_cross_processes_where_declared(context: &Context) -> Verdict {
    between_processes(context)?;
    let config = service(context)?;
    let mut not = Vec::new();
    for transport in &context.caps.transports {
        match ask_another_process(context, &config, transport) {
            // Reach is declared for the adapter, not for each transport: one must do it.
            Ok(answered) => return Ok(format!("{}, {transport}: {answered}", manner(context))),
            Err(stop) => not.push(format!("{transport}: {stop}")),
        }
    }
    fail(format!("no transport works between processes: {}", not.join("; ")))
}

/// A client here and its server in a second process, which is killed in the end.
fn ask_another_process(
    context: &Context,
    config: &EndpointConfig,
    transport: &str,
) -> Verdict<String> {
    let config = EndpointConfig { topic: context.topic(), ..config.clone() };
    let place = context.participant_config_over(transport);
    // Two, for middleware may distribute responses by rules that one alone always meets.
    let native = context.has(Feature::Services);
    let count = if native && context.caps.service_clients == 1 { 1 } else { 2 };
    let participants: Vec<_> =
        (0..count).map(|_| context.library.participant(&place)).collect::<Result<_, _>>()?;
    let mut server = PeerProcess::server(context, &place, &config)?;
    let mut clients = Vec::new();
    for (id, participant) in (3..).zip(&participants) {
        let client = Client::new(context, participant, &config, id)?;
        match (client.end.any.native(), client.end.any.endpoints()) {
            (Some(native), _) => server.connect_service(native, Which::Service)?,
            (_, Some((writer, reader))) => {
                server.connect_service(writer, Which::Reader)?;
                server.connect_service(reader, Which::Writer)?;
            }
            _ => {}
        }
        client.probe(context, || Ok(()))?;
        clients.push(client);
    }
    let each = 20;
    let mut answered = 0;
    for salt in 0..each {
        let body = salted(40, salt);
        let asked: Vec<_> =
            clients.iter_mut().map(|client| client.ask(&body)).collect::<Verdict<_>>()?;
        for (client, number) in clients.iter().zip(asked) {
            let got = client.gather(1, context.patience())?;
            let who = client.id;
            ensure!(
                got.len() == 1 || !is_reliable(context),
                "request {salt} of client {who} was not answered"
            );
            for response in &got {
                let whole = response.request == number && response.body == body;
                ensure!(
                    whole,
                    "request {salt} of client {who} got the response to {}",
                    response.request
                );
            }
            answered += got.len();
        }
    }
    let asked = each as usize * clients.len();
    ensure!(answered > 0, "no request of {asked} was answered");
    // Under way when the server dies.
    clients[0].ask(&salted(40, each))?;
    server.kill();
    ends("destroying a client whose server's process was killed", move || {
        drop(clients);
        drop(participants);
    })?;
    clear(context);
    Ok(format!(
        "{answered} of {asked} requests of {count} clients were answered; the server was killed"
    ))
}

/// What a killed process leaves in the run directory is nobody's fault.
fn clear(context: &Context) {
    for entry in std::fs::read_dir(&context.run_dir).into_iter().flatten().flatten() {
        let _ = std::fs::remove_file(entry.path());
    }
}

pub(crate) fn c41_what_is_forgotten_is_given_back(context: &Context) -> Verdict {
    let config = service(context)?;
    let mut services = Services::pair(context, &config)?;
    let limit = if context.has(Feature::Services) { context.caps.service_requests } else { 0 };
    let at_once = requests(context, 8);
    // Twice what may be under way, so that what is kept by mistake shows.
    let count = if limit > 0 { (2 * limit).clamp(64, 4096) } else { 200 };
    let mut asked = 0;
    let begin = Instant::now();
    while asked < context.samples(count) && (limit > 0 || begin.elapsed() < SERIES) {
        let client = &mut services.clients[0];
        let mut numbers = Vec::new();
        for salt in 0..at_once {
            numbers.push(client.ask(&salted(8, salt))?);
        }
        let requests = services.server.gather(at_once, context.patience())?;
        for request in &requests {
            services.server.end.any.forget(request.request)?;
        }
        for number in numbers {
            services.clients[0].forget(number)?;
        }
        asked += at_once;
    }
    // One that is answered when nobody waits for it any more: it may come, with its number.
    let number = services.clients[0].ask(&salted(8, 1))?;
    services.clients[0].forget(number)?;
    for request in services.server.gather(1, context.patience())? {
        services.server.answer(&request, &[])?;
    }
    services.exchange(context, 8)?;
    Ok(format!("{}: {asked} requests without a response, then 8 with one", manner(context)))
}

pub(crate) fn c41_a_server_that_is_made_again_is_used_again(context: &Context) -> Verdict {
    let mut config = service(context)?;
    // What is asked while there is no server must not wait for long.
    config.qos.max_blocking_ns = 100_000_000;
    let mut services = Services::pair(context, &config)?;
    services.exchange(context, 3)?;
    let Services { mut clients, server } = services;
    let client = clients.remove(0);
    // Not counted in any test: they may remain without a response, or reach the second server.
    let header = Header { cookie: COOKIE ^ 1, ..client.header() };
    let mut sample = client.end.any.sample(&[])?;
    let ask = |sample: &mut _| client.end.any.send(sample, &header, &mut 0);
    ask(&mut sample)?;
    ends("destroying a server with a request that it has not answered", move || drop(server))?;
    comes_to(context, "the client's count falls", &client.end, 0)?;
    // Between the two; that the calls come back is enough.
    for _ in 0..3 {
        let _ = ask(&mut sample);
    }
    drop(sample);
    let server = Server::new(context, &context.participant()?, &config)?;
    wire(context, &client, &server)?;
    let mut services = Services { clients: vec![client], server };
    services.ready(context)?;
    services.exchange(context, 5)?;
    Ok(format!("{}: the client asks the second server as it did the first", manner(context)))
}

/// Until an end that can know counts so many.
fn comes_to(context: &Context, what: &str, end: &End, wanted: u32) -> Verdict<()> {
    until(what, context.patience(), || end.counts(wanted))
}

pub(crate) fn c43_the_count_of_the_other_side_rises_and_falls(context: &Context) -> Verdict {
    let config = service(context)?;
    let begin = monotonic_ns();
    let server = Server::new(context, &context.participant()?, &config)?;
    let mut first = Client::new(context, &context.participant()?, &config, 0)?;
    let [serving, asking] = [server.end.matched()?, first.end.matched()?];
    if serving.is_none() && asking.is_none() {
        return skip(format!("{}: neither side can know of the other", manner(context)));
    }
    ensure!(
        !context.has_locators() || [serving, asking].iter().all(|count| count.unwrap_or(0) == 0),
        "before they are connected the server counts {serving:?}, the client {asking:?}"
    );
    wire(context, &first, &server)?;
    let second = Client::new(context, &context.participant()?, &config, 1)?;
    wire(context, &second, &server)?;
    for (what, end, wanted) in [
        ("the server counts two clients", &server.end, 2),
        ("the first client counts its server", &first.end, 1),
        ("the second client counts its server", &second.end, 1),
    ] {
        comes_to(context, what, end, wanted)?;
        let changed = end.any.matched().map_or(0, |found| found.changed_ns);
        ensure!(
            changed == 0 || (begin..=monotonic_ns()).contains(&changed),
            "{what}, but says that this was at {changed} ns, of {begin} to {}",
            monotonic_ns()
        );
    }
    drop(second);
    comes_to(context, "the server's count falls when a client goes", &server.end, 1)?;
    // The other one is still there.
    first.probe(context, || server.pump())?;
    first.ask(&[])?;
    drop(server);
    comes_to(context, "the client's count falls when its server goes", &first.end, 0)?;
    let said = |count: Option<u32>| if count.is_some() { "counts" } else { "cannot know" };
    Ok(format!("{}: the server {}, a client {}", manner(context), said(serving), said(asking)))
}

pub(crate) fn c43_a_request_after_the_match_is_answered(context: &Context) -> Verdict {
    let config = natively(context)?;
    let rounds = 5;
    for round in 0..rounds {
        let config = EndpointConfig { topic: context.topic(), ..config.clone() };
        let server = Server::new(context, &context.participant()?, &config)?;
        let mut client = Client::new(context, &context.participant()?, &config, 0)?;
        wire(context, &client, &server)?;
        if client.end.matched()?.is_none() {
            return skip("a client cannot know of its server");
        }
        // The client alone, for it is the one that asks.
        comes_to(context, "the client counts its server", &client.end, 1)?;
        client.ask(&salted(8, round))?;
        let requests = server.gather(1, context.patience())?;
        ensure!(requests.len() == 1, "round {round}: the first request after the match was lost");
        server.answer(&requests[0], &[])?;
        let responses = client.gather(1, context.patience())?;
        ensure!(responses.len() == 1, "round {round}: the response to the first request was lost");
    }
    Ok(format!("the first request was answered in {rounds} of {rounds} rounds"))
}

pub(crate) fn c42_memory_does_not_grow_with_requests(context: &Context) -> Verdict {
    let config = natively(context)?;
    let mut place = context.participant_config(0);
    let mut least = Duration::ZERO;
    if context.caps.options.iter().any(|option| option.key == QUERY_TIMEOUT) {
        // What the middleware keeps until then is not lost: each series lasts longer.
        place.settings.push((QUERY_TIMEOUT.to_owned(), "1".to_owned()));
        least = Duration::from_millis(1200);
    }
    let participant = context.library.participant(&place)?;
    let mut services = Services::with(context, &config, &[participant])?;
    let body = salted(config.max_body_bytes, 0);
    let Services { clients, server } = &mut services;
    let patience = if is_reliable(context) { context.patience() } else { context.options.quiet };
    let client = &mut clients[0];
    let (mut request, mut response) =
        (client.end.any.sample(&body)?, server.end.any.sample(&body)?);
    let mut series = |most: u64| {
        let begin = Instant::now();
        let mut count = 0;
        while (count < most || begin.elapsed() < least) && begin.elapsed() < SERIES {
            client.try_ask(&mut request)?;
            for asked in server.gather(1, patience)? {
                let header = Server::response(&asked.header);
                let mut handle = asked.request;
                server.end.any.send(&mut response, &header, &mut handle)?;
            }
            client.gather(1, patience)?;
            count += 1;
        }
        Ok(count)
    };
    series(1000)?;
    must_not_leak(context, "requests", 64, Disclosure::GrowsBySample, || series(5000))
}
