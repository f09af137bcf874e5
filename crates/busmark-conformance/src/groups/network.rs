//! C8 under loss, C11, C26: what only shows on a network. Each test runs in a network namespace of its
//! own, which its thread enters and which goes away with the thread; root only.

use std::process::Command;
use std::time::Duration;

use busmark_adapter::{
    Disclosure, EndpointConfig, Feature, ParticipantHandle, Qos, QosValue, Reach, Status,
};

use crate::kit::process::{listening_on_all, packets_sent};
use crate::kit::{
    Context, Got, Inbox, Link, Plan, Verdict, describe, ensure, fail, skip, until, word,
};
use crate::peer::PeerProcess;
use crate::raw::system::enter_own_network;

/// Runs a tool of the system; its complaint is the reason of a skip.
fn run(tool: &str, arguments: &str) -> Verdict {
    match Command::new(tool).args(arguments.split_whitespace()).output() {
        Err(error) => skip(format!("needs the tool {tool}: {error}")),
        Ok(out) if out.status.success() => Ok(String::from_utf8_lossy(&out.stdout).into_owned()),
        Ok(out) => {
            skip(format!("{tool} {arguments}: {}", String::from_utf8_lossy(&out.stderr).trim()))
        }
    }
}

/// A network with nothing but loopback, for this thread and those that it starts.
pub(super) fn own_network(context: &Context) -> Verdict<()> {
    if context.options.interface_name != "lo" {
        return skip("the interface is not lo");
    }
    if let Err(error) = enter_own_network() {
        return skip(format!("cannot make a network namespace: {error}"));
    }
    run("ip", "link set lo up").map(drop)
}

/// From now on every tenth UDP datagram on loopback is lost, at random.
fn lose_datagrams() -> Verdict<()> {
    run("nft", "add table inet busmark")?;
    run("nft", "add chain inet busmark loss { type filter hook input priority 0 ; }")?;
    run(
        "nft",
        "add rule inet busmark loss iif lo meta l4proto udp numgen random mod 10 == 0 counter drop",
    )?;
    Ok(())
}

/// Packets that the table's only rule has met.
fn counted() -> Verdict<u64> {
    let rules = run("nft", "list table inet busmark")?;
    let mut words = rules.split_whitespace().skip_while(|w| *w != "packets").skip(1);
    Ok(words.next().and_then(|n| n.parse().ok()).unwrap_or(0))
}

const COUNT: u64 = 500;
const PAUSE: Duration = Duration::from_micros(500);

/// Until the other side has heard of a change. No middleware says when: where one side follows at
/// once, the two do not fit for a moment, part, and what was sent is sent again.
const HEARD: Duration = Duration::from_millis(500);

/// What arrived of [`COUNT`] samples, and the packets on loopback that it took.
struct Stream {
    samples: Vec<Got>,
    packets: u64,
}

/// Sequence numbers that arrived of a stream that is sent with pauses, so that queues stay empty and
/// only the rule loses; and the number of datagrams that the rule dropped.
fn lossy_stream(context: &Context, reliable: bool) -> Verdict<(Vec<u64>, u64)> {
    own_network(context)?;
    let mut endpoint: EndpointConfig = context.endpoint();
    endpoint.qos.reliable = Some(reliable);
    let plan = Plan::new(context, &endpoint);
    // Ten of the longest heartbeat periods, 3 s: what is sent again gets lost, too.
    let patience = match reliable {
        true if context.caps.discloses(Disclosure::Loses) => context.patience() * 2,
        true => context.patience() * 3,
        false => context.options.quiet,
    };
    let got = stream(context, &plan, PAUSE, patience, lose_datagrams)?;
    Ok((got.samples.iter().map(|g| g.header.seq).collect(), counted()?))
}

/// From a second process if that works, for within a process many a middleware does without a network.
/// Whether samples cross processes at all is another test's business (C9). `begin` is called when both
/// sides have found each other.
fn stream(
    context: &Context,
    plan: &Plan,
    pause: Duration,
    patience: Duration,
    begin: fn() -> Verdict<()>,
) -> Verdict<Stream> {
    crossing(context, plan, pause, patience, begin)
        .or_else(|_| within(context, plan, pause, patience, begin))
}

fn wait_for_writers(context: &Context, reader: &Inbox, count: u32) -> Verdict<()> {
    if !context.has(Feature::Matched) {
        return Ok(());
    }
    until("the reader counts its writers", context.patience(), || match reader.handle.matched() {
        Ok(n) if n == count => Ok(()),
        Ok(n) => Err(format!("it counts {n} of {count}")),
        Err(status) => Err(status.to_string()),
    })
}

fn crossing(
    context: &Context,
    plan: &Plan,
    pause: Duration,
    patience: Duration,
    begin: fn() -> Verdict<()>,
) -> Verdict<Stream> {
    let participant = context.library.participant(&plan.reader.participant)?;
    let reader = Inbox::new(&participant, &plan.reader.endpoint)?;
    let mut writer = PeerProcess::start(context, &plan.writer, COUNT, pause)?;
    writer.connect(context, &reader)?;
    wait_for_writers(context, &reader, 1)?;
    begin()?;
    let before = packets_sent("lo").unwrap_or(0);
    writer.go()?;
    writer.done()?;
    let samples = reader.gather_coming(COUNT as usize, patience)?;
    Ok(Stream { samples, packets: packets_sent("lo").unwrap_or(0) - before })
}

fn within(
    context: &Context,
    plan: &Plan,
    pause: Duration,
    patience: Duration,
    begin: fn() -> Verdict<()>,
) -> Verdict<Stream> {
    let topic = context.topic();
    let mut plan = plan.clone();
    plan.writer.endpoint.topic.clone_from(&topic);
    plan.reader.endpoint.topic = topic;
    let mut link = Link::open(context, &plan)?;
    link.writer().pause = pause;
    begin()?;
    let before = packets_sent("lo").unwrap_or(0);
    link.writer().write_many(COUNT)?;
    let samples = link.reader().gather_coming(COUNT as usize, patience)?;
    Ok(Stream { samples, packets: packets_sent("lo").unwrap_or(0) - before })
}

pub(crate) fn c08_reliable_loses_nothing_on_a_lossy_network(context: &Context) -> Verdict {
    context.need_qos(QosValue::Reliable)?;
    let (seqs, dropped) = lossy_stream(context, true)?;
    if seqs != (0..COUNT).collect::<Vec<_>>() {
        let once = seqs.windows(2).all(|pair| pair[0] < pair[1]);
        let what = describe(&seqs);
        let seen = format!("with {dropped} datagrams dropped, of {COUNT} samples {what}");
        ensure!(once, "{seen}");
        return context.against(Disclosure::Loses, &seen, "deliver all");
    }
    if dropped == 0 {
        return skip("this transport sends nothing over UDP on loopback, so nothing could be lost");
    }
    Ok(format!("{dropped} datagrams dropped; all of {COUNT} samples arrived once, in order"))
}

pub(crate) fn c08_best_effort_loses_on_a_lossy_network(context: &Context) -> Verdict {
    context.need_qos(QosValue::BestEffort)?;
    let (seqs, dropped) = lossy_stream(context, false)?;
    if seqs.is_empty() {
        let seen = format!("nothing of {COUNT} samples arrived");
        return context.against(Disclosure::Loses, &seen, "deliver what the network does not lose");
    }
    let lost = COUNT.saturating_sub(seqs.len() as u64);
    if lost == 0 {
        return skip(match dropped {
            0 => "this transport sends nothing over UDP on loopback, so nothing could be lost"
                .to_owned(),
            _ => format!("no sample was lost though {dropped} datagrams were: all were repeated"),
        });
    }
    ensure!(seqs.is_sorted(), "out of order: {}", describe(&seqs));
    Ok(format!("{dropped} datagrams dropped, {lost} of {COUNT} samples lost, none repeated late"))
}

pub(crate) fn c08_lost_samples_are_counted_or_the_counter_is_absent(context: &Context) -> Verdict {
    context.need_qos(QosValue::BestEffort)?;
    own_network(context)?;
    // What one kind of loss does not show to a middleware another may: in the network, or at a reader
    // that comes too late.
    let (lost, counted) = losses(context, COUNT, PAUSE, lose_datagrams)?;
    let Some(counted) = counted else {
        return skip("keeps no counter of lost samples, and says so");
    };
    let first = format!("{lost} of {COUNT} samples lost by the network, {counted} counted");
    if lost >= FEW && counted > 0 {
        return Ok(first);
    }
    run("nft", "delete table inet busmark")?;
    let many = 20 * COUNT;
    let (late, more) = losses(context, many, Duration::ZERO, || Ok(()))?;
    let more = more.unwrap_or(0);
    let told =
        format!("{first}; {late} of {many} lost before a reader that came late, {more} counted");
    if more > 0 {
        return Ok(told);
    }
    if lost < FEW && late < FEW {
        return skip(format!("{told}: too few to tell"));
    }
    fail(format!("{told}: the counter `lost` counts nothing; set it to BUSMARK_ABSENT"))
}

/// Fewer lost samples prove nothing.
const FEW: u64 = 10;

/// Samples lost between others that arrived late at a best-effort reader, and what it counted.
fn losses(
    context: &Context,
    count: u64,
    pause: Duration,
    begin: fn() -> Verdict<()>,
) -> Verdict<(u64, Option<u64>)> {
    let mut endpoint: EndpointConfig = context.late_endpoint()?;
    endpoint.qos.reliable = Some(false);
    let plan = Plan::new(context, &endpoint);
    let participant = context.library.participant(&plan.reader.participant)?;
    let reader = Inbox::new(&participant, &plan.reader.endpoint)?;
    if reader.handle.counters().lost.is_none() {
        return Ok((0, None));
    }
    let mut writer = PeerProcess::start(context, &plan.writer, count, pause)?;
    writer.connect(context, &reader)?;
    wait_for_writers(context, &reader, 1)?;
    begin()?;
    writer.go()?;
    writer.done()?;
    let got = reader.gather(count as usize, context.options.quiet)?;
    let seqs: Vec<u64> = got.iter().map(|g| g.header.seq).collect();
    Ok((count.saturating_sub(seqs.len() as u64), reader.handle.counters().lost))
}

/// Time stamps in the order of `take` of what two reliable writers in processes of their own wrote at the
/// same time, while every tenth datagram was lost. A lost sample of one is sent again when later ones of
/// the other are there already.
fn two_writers_under_loss(context: &Context, by_source: bool) -> Verdict<Vec<i64>> {
    let mut endpoint = context.late_endpoint()?;
    endpoint.topic = context.topic();
    endpoint.qos.order_by_source = by_source;
    let plan = Plan::new(context, &endpoint);
    let participant = context.library.participant(&plan.reader.participant)?;
    let reader = Inbox::new(&participant, &plan.reader.endpoint)?;
    let mut writers = Vec::new();
    for _ in 0..2 {
        let mut writer = PeerProcess::start(context, &plan.writer, COUNT, PAUSE)?;
        writer.connect(context, &reader)?;
        writers.push(writer);
    }
    wait_for_writers(context, &reader, 2)?;
    lose_datagrams()?;
    for writer in &mut writers {
        writer.go()?;
    }
    for writer in &mut writers {
        writer.done()?;
    }
    // Some repair a loss after more than a second, and nothing may be taken before that.
    std::thread::sleep(context.patience() / 4);
    let got = reader.gather(2 * COUNT as usize, context.patience())?;
    Ok(got.iter().map(|g| g.source_ns).collect())
}

pub(crate) fn c08_order_by_source_sorts_what_comes_late(context: &Context) -> Verdict {
    context.need_qos(QosValue::OrderBySource)?;
    context.need_qos(QosValue::Reliable)?;
    context.need(Feature::SourceTime)?;
    own_network(context)?;
    let by_reception = two_writers_under_loss(context, false)?;
    run("nft", "delete table inet busmark")?;
    if by_reception.is_sorted() {
        return skip("nothing came late, so there was nothing to sort");
    }
    let by_source = two_writers_under_loss(context, true)?;
    ensure!(!by_source.is_empty(), "no sample arrived");
    ensure!(by_source.is_sorted(), "samples were given out of the order of their source's stamps");
    Ok(format!(
        "{} of {} samples in the order of their sources, which they were not without it",
        by_source.len(),
        2 * COUNT
    ))
}

/// Packets on loopback for a stream of samples with this QoS, without acknowledgements if that can be.
fn packets(context: &Context, change: impl FnOnce(&mut Qos)) -> Verdict<u64> {
    let mut endpoint = context.endpoint();
    if context.honours(QosValue::BestEffort) {
        endpoint.qos.reliable = Some(false);
    }
    change(&mut endpoint.qos);
    let plan = Plan::new(context, &endpoint);
    let got = stream(context, &plan, PAUSE / 5, context.options.quiet, || Ok(()))?;
    ensure!(!got.samples.is_empty(), "no sample arrived");
    Ok(got.packets)
}

pub(crate) fn c08_latency_budget_gathers_samples(context: &Context) -> Verdict {
    context.need_qos(QosValue::LatencyBudget)?;
    own_network(context)?;
    // In turns, for what a stream takes differs from time to time.
    let (mut at_once, mut gathered) = (Vec::new(), Vec::new());
    for _ in 0..3 {
        at_once.push(packets(context, |q| q.latency_budget_ns = Some(0))?);
        gathered.push(packets(context, |q| q.latency_budget_ns = Some(20_000_000))?);
    }
    let told = format!(
        "{COUNT} samples, three times: {at_once:?} packets without a budget, {gathered:?} with one of \
         20 ms"
    );
    let (least, most) = (at_once.iter().min().copied(), gathered.iter().max().copied());
    let effect = least.zip(most).is_some_and(|(least, most)| most * 2 < least);
    ensure!(effect, "{told}: with a budget there must be less than half, each time");
    Ok(told)
}

/// Counts packets with a priority on loopback from now on ([`counted`]).
fn count_marked() -> Verdict<()> {
    run("nft", "add table inet busmark")?;
    run("nft", "add chain inet busmark marked { type filter hook input priority 0 ; }")?;
    run("nft", "add rule inet busmark marked iif lo ip dscp != cs0 counter accept")?;
    Ok(())
}

/// A priority, as [`count_marked`] counts it.
fn with_priority(priority: i32) -> Qos {
    Qos { transport_priority: Some(priority), ..Qos::default() }
}

/// Skips where the transport has no priority.
fn need_priority(context: &Context) -> Verdict<()> {
    context.need_qos(QosValue::TransportPriority)?;
    let mut asked = context.endpoint();
    asked.qos.transport_priority = Some(PRIORITY);
    let participant = context.participant()?;
    if let Err(error) = participant.writer(&asked)
        && error.status == Status::Unsupported
    {
        return skip(format!("this transport has no priority: {}", error.message));
    }
    own_network(context)
}

const PRIORITY: i32 = 40;

/// A priority shows in the packets of [`COUNT`] samples. Some middleware marks what it says on its own
/// account, and a stream of bytes carries several samples in a packet where the machine is busy.
fn is_marked(with: u64, without: u64) -> bool {
    with >= without + COUNT / 10
}

pub(crate) fn c08_transport_priority_marks_packets(context: &Context) -> Verdict {
    need_priority(context)?;
    count_marked()?;
    packets(context, |_| ())?;
    let without = counted()?;
    packets(context, |q| q.transport_priority = Some(PRIORITY))?;
    let with = counted()? - without;
    let told = format!("{with} marked packets with priority {PRIORITY}, {without} without");
    ensure!(is_marked(with, without), "{told}");
    Ok(told)
}

/// Streams of a writer in a second process, between which both sides change.
struct Changing {
    writer: PeerProcess,
    reader: Inbox,
    patience: Duration,
    // Last: endpoints go before their participant.
    _participant: ParticipantHandle,
}

impl Changing {
    fn new(context: &Context, qos: &Qos) -> Verdict<Self> {
        let reach = &context.caps.reach;
        let leaves = reach.contains(&Reach::Host) || reach.contains(&Reach::Network);
        ensure!(leaves, "nothing leaves the process, so no packet can show the change");
        let mut endpoint = context.endpoint();
        endpoint.qos.latency_budget_ns = qos.latency_budget_ns;
        endpoint.qos.transport_priority = qos.transport_priority;
        let plan = Plan::new(context, &endpoint);
        let participant = context.library.participant(&plan.reader.participant)?;
        let reader = Inbox::new(&participant, &plan.reader.endpoint)?;
        let mut writer = PeerProcess::start(context, &plan.writer, COUNT, PAUSE / 5)?;
        writer.connect(context, &reader)?;
        wait_for_writers(context, &reader, 1)?;
        Ok(Self { writer, reader, patience: context.patience(), _participant: participant })
    }

    /// Packets of [`COUNT`] samples, all of which must arrive once.
    fn stream(&mut self) -> Verdict<u64> {
        let before = packets_sent("lo").unwrap_or(0);
        self.writer.go()?;
        self.writer.done()?;
        let got = self.reader.gather_coming(COUNT as usize, self.patience)?;
        let seqs: Vec<u64> = got.iter().map(|g| g.header.seq).collect();
        let whole = seqs.len() as u64 == COUNT && seqs.windows(2).all(|two| two[0] + 1 == two[1]);
        ensure!(whole, "of {COUNT} samples {}", describe(&seqs));
        Ok(packets_sent("lo").unwrap_or(0) - before)
    }

    /// Changes the reader, too, unless the value means nothing to it. What a writer offers may never be
    /// above what its reader asks for.
    fn change(&mut self, qos: &Qos, reader_first: bool) -> Verdict<()> {
        if !reader_first {
            self.writer.set_qos(qos)?;
            std::thread::sleep(HEARD);
        }
        match self.reader.handle.set_qos(qos) {
            Err(error) if error.status != Status::Unsupported => return Err(error.into()),
            _ => (),
        }
        if reader_first {
            std::thread::sleep(HEARD);
            self.writer.set_qos(qos)?;
        }
        Ok(())
    }
}

/// Skips where the adapter cannot change it.
fn need_mutable(context: &Context, value: QosValue) -> Verdict<()> {
    if context.caps.qos_mutable.contains(&value) {
        return Ok(());
    }
    skip(format!("declares no {} that can change at run time", word(&value)))
}

pub(crate) fn c26_a_changed_transport_priority_marks_packets(context: &Context) -> Verdict {
    need_mutable(context, QosValue::TransportPriority)?;
    need_priority(context)?;
    count_marked()?;
    let mut link = Changing::new(context, &with_priority(0))?;
    link.stream()?;
    let before = counted()?;
    link.change(&with_priority(PRIORITY), false)?;
    link.stream()?;
    let marked = counted()? - before;
    link.change(&with_priority(0), false)?;
    link.stream()?;
    let after = counted()? - before - marked;
    let told = format!(
        "{before} marked packets with priority 0, {marked} after a change to {PRIORITY}, {after} after \
         another to 0"
    );
    ensure!(is_marked(marked, before) && is_marked(marked, after), "{told}");
    Ok(told)
}

pub(crate) fn c26_a_changed_latency_budget_gathers_samples(context: &Context) -> Verdict {
    need_mutable(context, QosValue::LatencyBudget)?;
    own_network(context)?;
    let budget = |ns| Qos { latency_budget_ns: Some(ns), ..Qos::default() };
    let mut link = Changing::new(context, &budget(0))?;
    let (mut at_once, mut gathered) = (Vec::new(), Vec::new());
    for _ in 0..3 {
        at_once.push(link.stream()?);
        link.change(&budget(20_000_000), true)?;
        gathered.push(link.stream()?);
        link.change(&budget(0), false)?;
    }
    let told = format!(
        "{COUNT} samples, three times: {at_once:?} packets with a budget of 0, {gathered:?} after a \
         change to 20 ms"
    );
    let (least, most) = (at_once.iter().min().copied(), gathered.iter().max().copied());
    let effect = least.zip(most).is_some_and(|(least, most)| most * 2 < least);
    ensure!(effect, "{told}: with a budget there must be less than half, each time");
    Ok(told)
}

pub(crate) fn c11_traffic_stays_on_the_named_interface(context: &Context) -> Verdict {
    own_network(context)?;
    // A second interface, with the default route, on which nothing may be sent.
    run("ip", "link add busmark0 type veth peer name busmark1")?;
    for name in ["busmark0", "busmark1"] {
        run("ip", &format!("link set {name} addrgenmode none"))?;
        run("ip", &format!("link set {name} up"))?;
    }
    run("ip", "addr add 10.254.77.1/24 dev busmark0")?;
    run("ip", "route add default dev busmark0")?;
    let sent = || packets_sent("busmark0").zip(packets_sent("busmark1"));
    let Some(before) = sent() else { return fail("the second interface has no counters") };
    let mut link = Link::pair(context, &context.endpoint())?;
    link.writer().write_many(20)?;
    let got = link.reader().gather(20, context.patience())?;
    ensure!(!got.is_empty(), "no sample arrived on {}", context.options.interface_name);
    drop(link);
    let after = sent().unwrap_or((u64::MAX, u64::MAX));
    let foreign = (after.0 - before.0) + (after.1 - before.1);
    ensure!(foreign == 0, "{foreign} packets were sent on another interface");
    let own = packets_sent(&context.options.interface_name).unwrap_or(0);
    let name = &context.options.interface_name;
    Ok(format!("{own} packets on {name}, none on another"))
}

pub(crate) fn c11_sockets_receive_on_the_named_interface_only(context: &Context) -> Verdict {
    own_network(context)?;
    let mut link = Link::pair(context, &context.endpoint())?;
    link.writer().write_many(3)?;
    let got = link.reader().gather(3, context.patience())?;
    ensure!(!got.is_empty(), "no sample arrived on {}", context.options.interface_name);
    let wide = listening_on_all();
    if !wide.is_empty() {
        let seen = format!("sockets receive on all interfaces: {}", wide.join(", "));
        return context.against(Disclosure::AllInterfaces, &seen, "bind them to interface_address");
    }
    Ok(format!("no socket receives on another interface than {}", context.options.interface_name))
}
