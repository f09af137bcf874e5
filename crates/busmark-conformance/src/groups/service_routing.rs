//! C40: which request a response answers, and who gets it.

use std::collections::BTreeMap;

use busmark_adapter::{Disclosure, EndpointConfig, Feature, Payload, QosValue, Status};

use super::lifecycle::ends;
use super::services::natively;
use crate::kit::service::{Server, Services, is_reliable, manner, requests, salted, service};
use crate::kit::{Context, Verdict, ensure, skip, told};

/// No service's bodies are larger here.
const LARGEST: u64 = 1 << 20;

pub(crate) fn c40_requests_and_responses_of_any_size_arrive_bit_for_bit(
    context: &Context,
) -> Verdict {
    let config = service(context)?;
    let largest = context.caps.max_body_bytes.min(LARGEST);
    let mut sizes = vec![0, 1, 7, 1 << 10, 64 << 10, largest];
    sizes.retain(|bytes| *bytes <= largest);
    sizes.dedup();
    let config = EndpointConfig { max_body_bytes: largest, ..config };
    let mut services = Services::pair(context, &config)?;
    let tries = if is_reliable(context) { 1 } else { 5 };
    for (salt, (&asked, &answered)) in (1..).zip(sizes.iter().zip(sizes.iter().rev())) {
        let what = format!("a request of {asked} bytes and its response of {answered}");
        let (request, response) = (salted(asked, salt), salted(answered, !salt));
        let patience = context.patience() / tries;
        let Services { clients, server } = &mut services;
        let mut came = Vec::new();
        for _ in 0..tries {
            // From two threads, for what is large may fit into no buffer until somebody takes it.
            came = std::thread::scope(|scope| {
                let asking = scope.spawn(|| {
                    clients[0].ask(&request)?;
                    clients[0].gather(1, patience)
                });
                for got in server.gather(1, patience)? {
                    ensure!(got.body == request, "{what}: the request changed on its way");
                    server.answer(&got, &response)?;
                }
                asking.join().unwrap_or_else(|_| crate::kit::fail("the client panicked"))
            })?;
            if !came.is_empty() {
                break;
            }
        }
        ensure!(!came.is_empty(), "{what}: none arrived");
        ensure!(came[0].body == response, "{what}: the response changed on its way");
    }
    let mut kinds = String::new();
    if context.has(Feature::Services) && context.caps.payloads.contains(&Payload::Empty) {
        let (topic, payload) = (context.topic(), Payload::Empty);
        let empty = EndpointConfig { topic, payload, max_body_bytes: 0, ..config };
        let mut services = Services::pair(context, &empty)?;
        services.clients[0].ask(&[])?;
        for got in services.server.gather(1, context.patience())? {
            services.server.answer(&got, &[])?;
        }
        let got = services.clients[0].gather(1, context.patience())?;
        ensure!(got.len() == 1 && got[0].body.is_empty(), "without a body: {} came", got.len());
        ", and without a body".clone_into(&mut kinds);
    }
    let sizes: Vec<_> = sizes.iter().map(u64::to_string).collect();
    Ok(format!(
        "{}: requests of {} bytes, responses the other way round{kinds}",
        manner(context),
        sizes.join(" ")
    ))
}

pub(crate) fn c40_each_of_ten_clients_gets_its_own_responses(context: &Context) -> Verdict {
    let config = service(context)?;
    let limit = if context.has(Feature::Services) { context.caps.service_clients } else { 0 };
    let count = if limit > 0 { limit.min(10) } else { 10 } as usize;
    let serving = context.participant()?;
    // By two topics the server's participant is left out: nobody says that its endpoints hear each other.
    let last =
        if context.has(Feature::Services) { serving.clone() } else { context.participant()? };
    let homes = [context.participant()?, context.participant()?, last];
    let participants: Vec<_> = (0..count).map(|n| homes[n % homes.len()].clone()).collect();
    let mut services = Services::between(context, &config, &serving, &participants)?;
    let mut random = fastrand::Rng::with_seed(context.options.seed);
    let slow = context.caps.discloses(Disclosure::Slow);
    let (rounds, each) = if slow { (1, 1) } else { (3, requests(context, 5)) };
    let (mut asked, mut answered) = (0, 0);
    let patience = if is_reliable(context) { context.patience() } else { context.options.quiet };
    for round in 0..rounds {
        let mut awaited = BTreeMap::new();
        for turn in 0..each {
            for client in &mut services.clients {
                let salt = round << 48 | turn << 32 | u64::from(client.id);
                awaited.insert((client.id, client.ask(&salted(16, salt))?), salt);
            }
        }
        asked += awaited.len();
        // All lie there, and are answered in another order.
        let mut taken = services.server.gather(awaited.len() as u64, patience)?;
        ensure!(
            taken.len() == awaited.len() || !is_reliable(context),
            "of {} requests {} came to the server",
            awaited.len(),
            taken.len()
        );
        random.shuffle(&mut taken);
        for request in &taken {
            let body: Vec<u8> = request.body.iter().map(|byte| !byte).collect();
            services.server.answer(request, &body)?;
        }
        for client in &services.clients {
            for response in client.gather(each, patience)? {
                let Some(salt) = awaited.remove(&(client.id, response.request)) else {
                    let other = response.header.answers();
                    return crate::kit::fail(format!(
                        "client {} ({}) got a response to {} that it does not await, made for client {other}",
                        client.id,
                        home(client.id as usize),
                        response.request
                    ));
                };
                let body: Vec<u8> = salted(16, salt).iter().map(|byte| !byte).collect();
                ensure!(
                    response.body == body && response.header.answers() == client.id,
                    "client {} ({}) got the response that was made for client {}",
                    client.id,
                    home(client.id as usize),
                    response.header.answers()
                );
                answered += 1;
            }
        }
        let missing = awaited.keys().next().map(|(id, _)| home(*id as usize));
        ensure!(
            awaited.is_empty() || !is_reliable(context),
            "{} of {} requests were not answered, the first of a client in {}",
            awaited.len(),
            each as usize * count,
            missing.unwrap_or_default()
        );
    }
    services.quiet(context)?;
    ensure!(answered > asked / 2, "{answered} of {asked} requests were answered");
    Ok(format!(
        "{}: {count} clients in three participants{}; {asked} requests, answered in another order (seed {})",
        manner(context),
        if context.has(Feature::Services) { ", the server's among them" } else { "" },
        context.options.seed
    ))
}

/// Where such a client of the test above lives.
fn home(client: usize) -> &'static str {
    ["the first participant", "the second participant", "the last participant"][client % 3]
}

pub(crate) fn c40_clients_whose_headers_are_equal_get_their_own_responses(
    context: &Context,
) -> Verdict {
    let config = natively(context)?;
    if context.caps.service_clients == 1 {
        return skip("a service has one client");
    }
    let participant = context.participant()?;
    let mut services = Services::with(context, &config, &[participant.clone(), participant])?;
    services.clients[1].id = services.clients[0].id;
    let each = requests(context, 4);
    let mut awaited = [BTreeMap::new(), BTreeMap::new()];
    for turn in 0..each {
        for (n, client) in services.clients.iter_mut().enumerate() {
            let body = salted(16, turn << 8 | n as u64);
            awaited[n].insert(client.ask(&body)?, body);
        }
    }
    let taken = services.server.gather(2 * each, context.patience())?;
    for request in taken.iter().rev() {
        services.server.answer(request, &request.body)?;
    }
    let mut came = 0;
    for (n, client) in services.clients.iter().enumerate() {
        for response in client.gather(each, context.patience())? {
            let own = awaited[n].remove(&response.request);
            ensure!(
                own.as_ref() == Some(&response.body),
                "client {n} got a response that is not its own: all headers are equal here, so the \
                 middleware must know who asked"
            );
            came += 1;
        }
    }
    ensure!(came == 2 * each || !is_reliable(context), "{came} of {} were answered", 2 * each);
    services.quiet(context)?;
    Ok(format!("2 clients of one participant with the same headers, {each} requests each"))
}

pub(crate) fn c40_a_client_that_goes_disturbs_nobody(context: &Context) -> Verdict {
    let config = service(context)?;
    if context.has(Feature::Services) && context.caps.service_clients == 1 {
        return skip("a service has one client");
    }
    // An answer to nobody must not make the server wait for long.
    let mut config = config;
    config.qos.max_blocking_ns = 100_000_000;
    let participants = [context.participant()?, context.participant()?];
    let mut services = Services::with(context, &config, &participants)?;
    drop(participants);
    let under_way = requests(context, 4);
    for salt in 0..under_way {
        for client in &mut services.clients {
            client.ask(&salted(8, salt))?;
        }
    }
    let patience = if is_reliable(context) { context.patience() } else { context.options.quiet };
    let taken = services.server.gather(2 * under_way, patience)?;
    let gone = services.clients.remove(0);
    let first = gone.id;
    ends("destroying a client with requests under way", move || drop(gone))?;
    let mut others = 0;
    for request in &taken {
        let header = Server::response(&request.header);
        let mut handle = request.request;
        let mut sample = services.server.end.any.sample(&request.body)?;
        let sent = services.server.end.any.send(&mut sample, &header, &mut handle);
        if request.header.writer_id != first {
            ensure!(sent == Ok(()), "the response to the client that stayed: {}", told(&sent));
            others += 1;
        }
    }
    let got = services.clients[0].gather(others, patience)?;
    let own = got.iter().all(|response| response.header.answers() == services.clients[0].id);
    ensure!(own, "the client that stayed got a response of the one that went");
    ensure!(
        got.len() as u64 == others || !is_reliable(context),
        "the client that stayed got {} of {others} responses",
        got.len()
    );
    services.exchange(context, 5)?;
    services.quiet(context)?;
    Ok(format!("{}: one of two clients went with {under_way} requests under way", manner(context)))
}

pub(crate) fn c40_a_handle_is_good_for_one_response(context: &Context) -> Verdict {
    let config = natively(context)?;
    let mut services = Services::pair(context, &config)?;
    services.exchange(context, 2)?;
    let number = services.clients[0].ask(&salted(8, 1))?;
    let taken = services.server.gather(1, context.patience())?;
    ensure!(taken.len() == 1, "the request did not come");
    let (server, header) = (&services.server, Server::response(&taken[0].header));
    let mut sample = server.end.any.sample(&[])?;
    // Not near the one that is open: a middleware may count them.
    for invented in [u64::MAX, taken[0].request ^ 0x5a5a_5a5a_0000_0000] {
        let mut handle = invented;
        let sent = server.end.any.send(&mut sample, &header, &mut handle);
        ensure!(
            sent == Err(Status::Invalid),
            "answering the handle {invented}, which never was, gave {}",
            told(&sent)
        );
    }
    server.answer(&taken[0], &[])?;
    let mut handle = taken[0].request;
    let twice = server.end.any.send(&mut sample, &header, &mut handle);
    ensure!(twice == Err(Status::Invalid), "answering a request again gave {}", told(&twice));
    let got = services.clients[0].gather(1, context.patience())?;
    let one = got.len() == 1 && got[0].request == number;
    ensure!(one || !is_reliable(context), "{} responses came to one request", got.len());
    drop(sample);
    services.quiet(context)?;
    services.exchange(context, 2)?;
    Ok("answered twice and invented handles are INVALID".to_owned())
}

pub(crate) fn c40_keep_last_answers_nothing_twice(context: &Context) -> Verdict {
    let mut config = service(context)?;
    let native = context.has(Feature::Services);
    let values = if native { &context.caps.service_qos } else { &context.caps.qos };
    if !values.contains(&QosValue::KeepLast) {
        return skip("does not declare the QoS keep_last for services");
    }
    config.qos.keep_all = Some(false);
    config.qos.depth = 4;
    let mut services = Services::pair(context, &config)?;
    let count = requests(context, 20);
    let mut awaited = BTreeMap::new();
    for salt in 0..count {
        awaited.insert(services.clients[0].ask(&salted(8, salt))?, salt);
    }
    let taken = services.server.gather(count, context.options.quiet)?;
    ensure!(!taken.is_empty(), "of {count} requests with a depth of 4 none came");
    let mut answered = 0;
    for request in &taken {
        services.server.answer(request, &request.body)?;
        for response in services.clients[0].gather(1, context.options.quiet)? {
            let salt = awaited.remove(&response.request);
            ensure!(salt.is_some(), "request {} was answered twice", response.request);
            ensure!(
                response.body == salted(8, salt.unwrap_or(0)),
                "a response of another request came"
            );
            answered += 1;
        }
    }
    ensure!(answered > 0, "of {} requests that were answered no response came", taken.len());
    services.quiet(context)?;
    let lost = count - taken.len() as u64;
    Ok(format!(
        "{}: of {count} requests {lost} were lost, {answered} answered once",
        manner(context)
    ))
}
