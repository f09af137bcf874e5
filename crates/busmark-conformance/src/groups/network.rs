//! C8 under loss, C11: what only shows on a network. Each test runs in a network namespace of its
//! own, which its thread enters and which goes away with the thread; root only.

use std::process::Command;
use std::time::Duration;

use busmark_adapter::{EndpointConfig, QosValue};

use crate::kit::process::packets_sent;
use crate::kit::{Context, Got, Inbox, Link, Plan, Verdict, describe, ensure, fail, skip};
use crate::peer::PeerWriter;
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
fn own_network(context: &Context) -> Verdict<()> {
    if context.options.interface_name != "lo" {
        return skip("the interface is not lo");
    }
    if let Err(error) = enter_own_network() {
        return skip(format!("cannot make a network namespace: {error}"));
    }
    run("ip", "link set lo up").map(drop)
}

/// Every tenth UDP datagram on loopback is lost, at random.
fn lossy_network(context: &Context) -> Verdict<()> {
    own_network(context)?;
    run("nft", "add table inet busmark")?;
    run("nft", "add chain inet busmark loss { type filter hook input priority 0 ; }")?;
    run(
        "nft",
        "add rule inet busmark loss iif lo meta l4proto udp numgen random mod 10 == 0 counter drop",
    )?;
    Ok(())
}

/// Datagrams that the rule has dropped.
fn dropped() -> Verdict<u64> {
    let rules = run("nft", "list table inet busmark")?;
    let mut words = rules.split_whitespace().skip_while(|w| *w != "packets").skip(1);
    Ok(words.next().and_then(|n| n.parse().ok()).unwrap_or(0))
}

const COUNT: u64 = 500;
const PAUSE: Duration = Duration::from_micros(500);

/// Sequence numbers that arrived of a stream that is sent with pauses, so that queues stay empty and
/// only the rule loses; and the number of datagrams that the rule dropped. From a second process if
/// that works, for within a process many a middleware does without a network.
fn lossy_stream(context: &Context, reliable: bool) -> Verdict<(Vec<u64>, u64)> {
    lossy_network(context)?;
    let mut endpoint: EndpointConfig = context.endpoint();
    endpoint.qos.reliable = Some(reliable);
    let plan = Plan::new(context, &endpoint);
    let patience = if reliable { context.patience() * 2 } else { context.options.quiet };
    let before = dropped()?;
    // Whether samples cross processes at all is another test's business (C9).
    let got = crossing(context, &plan, patience).or_else(|_| within(context, &plan, patience))?;
    Ok((got.iter().map(|g| g.header.seq).collect(), dropped()? - before))
}

fn crossing(context: &Context, plan: &Plan, patience: Duration) -> Verdict<Vec<Got>> {
    let participant = context.library.participant(&plan.reader.participant)?;
    let reader = Inbox::new(&participant, &plan.reader.endpoint)?;
    let mut writer = PeerWriter::start(context, &plan.writer, COUNT, PAUSE)?;
    writer.connect(context, &reader)?;
    writer.go()?;
    writer.done()?;
    reader.gather(COUNT as usize, patience)
}

fn within(context: &Context, plan: &Plan, patience: Duration) -> Verdict<Vec<Got>> {
    let topic = context.topic();
    let mut plan = plan.clone();
    plan.writer.endpoint.topic.clone_from(&topic);
    plan.reader.endpoint.topic = topic;
    let mut link = Link::open(context, &plan)?;
    link.writer().pause = PAUSE;
    link.writer().write_many(COUNT)?;
    link.reader().gather(COUNT as usize, patience)
}

pub(crate) fn c08_reliable_loses_nothing_on_a_lossy_network(context: &Context) -> Verdict {
    context.need_qos(QosValue::Reliable)?;
    let (seqs, dropped) = lossy_stream(context, true)?;
    ensure!(
        seqs == (0..COUNT).collect::<Vec<_>>(),
        "with {dropped} datagrams dropped, of {COUNT} samples {}",
        describe(&seqs)
    );
    if dropped == 0 {
        return skip("this transport sends nothing over UDP on loopback, so nothing could be lost");
    }
    Ok(format!("{dropped} datagrams dropped; all of {COUNT} samples arrived once, in order"))
}

pub(crate) fn c08_best_effort_loses_on_a_lossy_network(context: &Context) -> Verdict {
    context.need_qos(QosValue::BestEffort)?;
    let (seqs, dropped) = lossy_stream(context, false)?;
    ensure!(!seqs.is_empty(), "nothing of {COUNT} samples arrived");
    let lost = COUNT.saturating_sub(seqs.len() as u64);
    if lost == 0 {
        return skip(format!("no sample was lost with {dropped} datagrams dropped"));
    }
    ensure!(seqs.is_sorted(), "out of order: {}", describe(&seqs));
    Ok(format!("{dropped} datagrams dropped, {lost} of {COUNT} samples lost, none repeated late"))
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
    Ok(format!("{own} packets on {}, none on another", context.options.interface_name))
}
