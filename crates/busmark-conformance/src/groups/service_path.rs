//! C42, C44: the hot path of services, and their threads.

use std::collections::BTreeMap;
use std::sync::mpsc::channel;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use busmark_adapter::{AnyService, Disclosure, Feature, QosValue, Status, Wait};

use super::services::natively;
use super::waiting::sleeps;
use crate::kit::service::{
    Message, Server, Services, is_reliable, manner, requests, salted, service,
};
use crate::kit::{Context, Stop, Verdict, ensure, fail, skip, told, until};

const SHORT: Duration = Duration::from_millis(30);
/// Timers of some systems count milliseconds.
const TICK: Duration = Duration::from_millis(1);

/// Requests that are sent while the server takes none, at most, where none are refused before.
const PILE: u64 = 300;
/// A limit of the adapter's up to this is tried out.
const LARGEST_LIMIT: u64 = 2048;

pub(crate) fn c42_requests_wait_for_a_slow_server_or_are_refused(context: &Context) -> Verdict {
    let mut config = service(context)?;
    config.qos.max_blocking_ns = 20_000_000;
    let native = context.has(Feature::Services);
    let values = if native { &context.caps.service_qos } else { &context.caps.qos };
    // Where nothing is said of the history, a reliable service keeps what it has accepted.
    let keeps = is_reliable(context)
        && (native || [QosValue::KeepAll, QosValue::KeepLast].iter().any(|v| values.contains(v)));
    let limit = if native { context.caps.service_requests } else { 0 };
    let most = if (1..=LARGEST_LIMIT).contains(&limit) { limit + 3 } else { PILE };
    let mut services = Services::pair(context, &config)?;
    let (mut accepted, mut refused) = (BTreeMap::new(), 0);
    let client = &mut services.clients[0];
    let mut sample = client.end.any.sample(&salted(16, 7))?;
    for _ in 0..most + 3 {
        match client.try_ask(&mut sample) {
            Ok(number) => {
                let again = accepted.insert(number, client.seq - 1);
                ensure!(again.is_none(), "two requests under way have the number {number}");
            }
            Err(Status::Timeout | Status::Resources) => refused += 1,
            Err(status) => return fail(format!("send: {status}")),
        }
        if refused == 3 || accepted.len() as u64 == most {
            break;
        }
    }
    drop(sample);
    let count = accepted.len() as u64;
    ensure!(
        limit == 0 || count <= limit,
        "{count} requests are under way, although service_requests is {limit}"
    );
    ensure!(count > 0, "the first request was refused");
    // Now it works them off.
    let patience = if keeps { context.patience() } else { context.options.quiet };
    let taken = services.server.gather(count, patience)?;
    let mut seqs: Vec<u64> = taken.iter().map(|request| request.header.seq).collect();
    seqs.sort_unstable();
    let once = seqs.windows(2).all(|pair| pair[0] < pair[1]);
    ensure!(once, "a request came twice to the server");
    let known = seqs.iter().all(|seq| accepted.values().any(|sent| sent == seq));
    ensure!(known, "a request came to the server that had been refused");
    let mut answered = 0;
    for some in taken.chunks(16) {
        for request in some {
            services.server.answer(request, &request.body)?;
        }
        for response in services.clients[0].gather(some.len() as u64, patience)? {
            let seq = accepted.remove(&response.request);
            ensure!(
                seq == Some(response.header.seq),
                "a response has the number {}, whose request is {seq:?}, and answers request {}",
                response.request,
                response.header.seq
            );
            answered += 1;
        }
    }
    let seen = format!(
        "{}: {count} requests accepted and {refused} refused while the server took none; {} came, \
         {answered} were answered",
        manner(context),
        taken.len()
    );
    if keeps && answered != count {
        return context.against(Disclosure::Loses, &seen, "keep what was accepted");
    }
    // And gets its breath back.
    for number in accepted.keys() {
        services.clients[0].end.any.forget(*number)?;
    }
    services.quiet(context)?;
    services.exchange(context, 3)?;
    Ok(seen)
}

/// Skips the test unless services have the waitset; a pair with it.
fn waiting(context: &Context) -> Verdict<Services> {
    let config = service(context)?;
    if config.wait == Wait::Waitset {
        return Services::pair(context, &config);
    }
    let waits = if context.has(Feature::Services) {
        &context.caps.service_waits
    } else {
        &context.caps.waits
    };
    if !waits.contains(&Wait::Waitset) {
        return skip("does not declare the waitset for services");
    }
    let config = busmark_adapter::EndpointConfig { wait: Wait::Waitset, ..config };
    Services::pair(context, &config)
}

/// Until no wait of this end finds more: what the beginning has left.
fn settled(context: &Context, any: &AnyService) -> Verdict<()> {
    until("the end is empty", context.patience(), || {
        while any.take(16, &mut |_| ()).is_ok_and(|taken| taken > 0) {}
        match any.wait(SHORT) {
            Err(Status::Timeout) => Ok(()),
            other => Err(format!("wait gave {} although all had been taken", told(&other))),
        }
    })
}

pub(crate) fn c42_wait_wakes_for_requests_and_responses(context: &Context) -> Verdict {
    let mut services = waiting(context)?;
    let patience = context.patience();
    let Services { clients, server } = &mut services;
    let client = &mut clients[0];
    settled(context, &server.end.any)?;
    settled(context, &client.end.any)?;
    for (side, any) in [("server", &server.end.any), ("client", &client.end.any)] {
        let begin = Instant::now();
        let none = any.wait(SHORT);
        ensure!(
            none == Err(Status::Timeout),
            "the {side}'s wait with nothing there gave {}",
            told(&none)
        );
        let waited = begin.elapsed();
        ensure!(
            waited + TICK >= SHORT,
            "the {side}'s wait of {SHORT:?} timed out after {waited:?}"
        );
        let none = any.wait(Duration::ZERO);
        ensure!(none == Err(Status::Timeout), "the {side}'s wait of no time gave {}", told(&none));
    }
    for round in 0..3 {
        let woken = std::thread::scope(|scope| {
            let waiter = scope.spawn(|| server.end.any.wait(patience));
            std::thread::sleep(SHORT / 3);
            let asked = client.ask(&salted(8, round));
            asked.map(|_| waiter.join().unwrap_or(Err(Status::Failed)))
        })?;
        ensure!(
            woken == Ok(()),
            "in round {round} the server's sleeping wait gave {}",
            told(&woken)
        );
        // Waiting does not take.
        let again = server.end.any.wait(patience);
        ensure!(again == Ok(()), "the server's wait with a request there gave {}", told(&again));
        let requests = server.gather(1, patience)?;
        ensure!(requests.len() == 1, "in round {round} there was no request after wait");
        let woken = std::thread::scope(|scope| {
            let waiter = scope.spawn(|| client.end.any.wait(patience));
            std::thread::sleep(SHORT / 3);
            let answered = server.answer(&requests[0], &[]);
            answered.map(|()| waiter.join().unwrap_or(Err(Status::Failed)))
        })?;
        ensure!(
            woken == Ok(()),
            "in round {round} the client's sleeping wait gave {}",
            told(&woken)
        );
        let responses = client.gather(1, patience)?;
        ensure!(responses.len() == 1, "in round {round} there was no response after wait");
    }
    if !context.has(Feature::Services) {
        return Ok("by two topics: both sides, 3 times each".to_owned());
    }
    settled(context, &server.end.any)?;
    // One side, for both have one way to wait.
    let slept = sleeps(|limit| client.end.any.wait(limit))?;
    Ok(format!("natively: both sides, 3 times each; the client {slept}"))
}

pub(crate) fn c42_take_gives_at_most_max_and_says_when_there_is_nothing(
    context: &Context,
) -> Verdict {
    let config = natively(context)?;
    let mut services = Services::pair(context, &config)?;
    let count = requests(context, 10);
    let Services { clients, server } = &mut services;
    let client = &mut clients[0];
    for (side, any) in [("server", &server.end.any), ("client", &client.end.any)] {
        let none = any.take(10, &mut |_| ());
        ensure!(none == Err(Status::NoData), "the {side}'s take of nothing gave {}", told(&none));
    }
    let mut numbers = Vec::new();
    for salt in 0..count {
        numbers.push(client.ask(&salted(8, salt))?);
    }
    let mut taken: Vec<Message> = Vec::new();
    by_threes(context, "server", &server.end.any, count, &mut taken)?;
    for request in &taken {
        server.answer(request, &[])?;
    }
    let mut came = Vec::new();
    by_threes(context, "client", &client.end.any, taken.len() as u64, &mut came)?;
    let own = came.iter().all(|response| numbers.contains(&response.request));
    ensure!(own, "a response has a number that no request had");
    Ok(format!("{} requests and {} responses by takes of at most 3", taken.len(), came.len()))
}

/// Takes `count` by at most three.
fn by_threes(
    context: &Context,
    side: &str,
    any: &AnyService,
    count: u64,
    into: &mut Vec<Message>,
) -> Verdict<()> {
    let begin = Instant::now();
    while (into.len() as u64) < count && begin.elapsed() < context.patience() {
        let before = into.len();
        let taken = any.take(3, &mut |r| {
            into.push(Message { request: r.request, header: *r.header, body: r.body.to_vec() });
        });
        let called = into.len() - before;
        match taken {
            Ok(n) => ensure!(
                n as usize == called && (1..=3).contains(&called),
                "the {side}'s take(3) said {n} and called the sink {called} times"
            ),
            Err(Status::NoData) if called == 0 => std::thread::sleep(Duration::from_millis(1)),
            Err(status) => return fail(format!("the {side}'s take(3): {status} after {called}")),
        }
    }
    let all = into.len() as u64 == count || !is_reliable(context);
    ensure!(all && !into.is_empty(), "{} of {count} came to the {side}", into.len());
    Ok(())
}

pub(crate) fn c42_send_does_not_allocate(context: &Context) -> Verdict {
    let Some(allocations) = context.options.allocation_counter else {
        return skip("this process does not count allocations");
    };
    let config = natively(context)?;
    let mut services = Services::pair(context, &config)?;
    let batch = requests(context, 20);
    let body = salted(config.max_body_bytes, 3);
    let Services { clients, server } = &mut services;
    let client = &mut clients[0];
    let (mut request, mut response) =
        (client.end.any.sample(&body)?, server.end.any.sample(&body)?);
    // Allocations of requests and of responses, in the best of ten batches.
    let mut least = [u64::MAX; 2];
    for _ in 0..10 {
        let before = allocations();
        let sent = (0..batch).take_while(|_| client.try_ask(&mut request).is_ok()).count() as u64;
        let during = allocations() - before;
        if sent == batch {
            least[0] = least[0].min(during);
        }
        let taken = server.gather(sent, context.patience())?;
        let headers: Vec<_> =
            taken.iter().map(|r| (Server::response(&r.header), r.request)).collect();
        let before = allocations();
        let mut answered = 0;
        for (header, mut handle) in headers {
            answered += u64::from(server.end.any.send(&mut response, &header, &mut handle).is_ok());
        }
        let during = allocations() - before;
        if answered == batch {
            least[1] = least[1].min(during);
        }
        client.gather(answered, context.options.quiet)?;
    }
    ensure!(!least.contains(&u64::MAX), "no batch of {batch} requests was sent and answered");
    let found = format!(
        "at least {} allocations in {batch} requests and {} in their responses, on the sending threads",
        least[0], least[1]
    );
    if least != [0, 0] {
        let remedy = "have the memory ready when the sample is made";
        return context.against(Disclosure::Allocates, &found, remedy);
    }
    Ok(format!("no allocation in {batch} requests, nor in their responses"))
}

pub(crate) fn c42_a_request_that_fails_is_reported_in_words(context: &Context) -> Verdict {
    let config = natively(context)?;
    if !context.caps.options.iter().any(|option| option.key == "fail") {
        return skip("no option \"fail\", by which the reference adapter lets requests fail");
    }
    let mut place = context.participant_config(0);
    place.settings.push(("fail".to_owned(), "1".to_owned()));
    let participant = context.library.participant(&place)?;
    let mut services = Services::with(context, &config, &[participant])?;
    let mut sample = services.clients[0].end.any.sample(&[])?;
    ensure!(services.clients[0].end.any.last_error().is_none(), "words without a failure");
    let Err(status) = services.clients[0].try_ask(&mut sample) else {
        return fail("a request was sent that had to fail");
    };
    let Some(error) = services.clients[0].end.any.last_error() else {
        return fail(format!("send gave {status}, service_last_error has no words on it"));
    };
    ensure!(error.status == status, "send gave {status}, service_last_error {}", error.status);
    let came = services.server.gather(1, context.options.quiet / 3)?;
    ensure!(came.is_empty(), "a request that failed came to the server");
    Ok(error.message)
}

pub(crate) fn c44_several_threads_answer_while_one_sends_and_one_takes(
    context: &Context,
) -> Verdict {
    let config = service(context)?;
    let mut services = Services::pair(context, &config)?;
    let count = context.samples(400);
    let patience = if is_reliable(context) { context.patience() } else { context.options.quiet };
    let at_most = requests(context, 64);
    let Services { clients, server } = &mut services;
    let client = &clients[0];
    let server = &*server;
    let (hand, handed) = channel::<Message>();
    let handed = Mutex::new(handed);
    let under_way = Mutex::new(0_u64);
    let held = || under_way.lock().unwrap_or_else(PoisonError::into_inner);
    let mut numbers = BTreeMap::new();
    let mut came = Vec::new();
    std::thread::scope(|scope| {
        let sender = scope.spawn(|| {
            let begin = Instant::now();
            let mut numbers = BTreeMap::new();
            let mut sample = client.end.any.sample(&salted(16, 5))?;
            for seq in 0..count {
                while *held() >= at_most && begin.elapsed() < patience {
                    std::thread::sleep(Duration::from_micros(200));
                }
                *held() += 1;
                let header = busmark_adapter::Header { seq, ..client.header() };
                let mut number = 0;
                client.end.send(&mut sample, &header, &mut number)?;
                numbers.insert(number, seq);
            }
            Ok::<_, Stop>(numbers)
        });
        let answer = || {
            let next = || handed.lock().unwrap_or_else(PoisonError::into_inner).recv();
            while let Ok(request) = next() {
                server.answer(&request, &request.body)?;
            }
            Ok(())
        };
        let responders = [scope.spawn(answer), scope.spawn(answer), scope.spawn(answer)];
        let taker = scope.spawn(move || {
            let mut taken = 0;
            while taken < count {
                let some = server.gather(1, patience)?;
                if some.is_empty() {
                    break;
                }
                for request in some {
                    taken += 1;
                    let _ = hand.send(request);
                }
            }
            Ok::<_, Stop>(())
        });
        while (came.len() as u64) < count {
            let some = client.gather(1, patience)?;
            if some.is_empty() {
                break;
            }
            *held() -= some.len() as u64;
            came.extend(some);
        }
        numbers = sender.join().unwrap_or_else(|_| fail("a thread of the test panicked"))?;
        taker.join().unwrap_or_else(|_| fail("a thread of the test panicked"))?;
        for responder in responders {
            responder.join().unwrap_or_else(|_| fail("a thread of the test panicked"))?;
        }
        Ok::<_, Stop>(())
    })?;
    let asked = numbers.len();
    for response in &came {
        let seq = numbers.remove(&response.request);
        ensure!(
            seq == Some(response.header.seq) && response.body == salted(16, 5),
            "a response has the number {}, whose request is {seq:?}, and answers request {}",
            response.request,
            response.header.seq
        );
    }
    ensure!(
        numbers.is_empty() || !is_reliable(context),
        "{} of {asked} requests were not answered",
        numbers.len()
    );
    ensure!(!came.is_empty(), "no request was answered");
    Ok(format!("{}: {} of {asked} requests, 3 threads that answer", manner(context), came.len()))
}
